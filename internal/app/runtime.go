package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/anthropic"
	cli "discoclaw/internal/llm/command"
	"discoclaw/internal/llm/gemini"
	"discoclaw/internal/llm/models"
	"discoclaw/internal/llm/openai"
	"discoclaw/internal/llm/responses"
	worktools "discoclaw/internal/llm/tools"
	"discoclaw/internal/spend"
	"discoclaw/internal/workspace"
)

// A runtimeKind is a way to reach models that can be set up.
type runtimeKind struct {
	name   string
	vendor string // its proper name
	home   string // the vendor's address, if that is the default of a setting
	remedy string // sets it up
	access func(config.Config) config.Access
	// program returns the program that it runs; nil for a server.
	program func(config.Config) string
	setting string // chooses that program
	isSetUp func(config.Config) bool
	// reads reports whether it takes documents such as PDFs; nil means no.
	reads func(config.Config) bool
	open  func(runtimeOptions) llm.Runtime
}

// runtimeOptions are what a runtime is made of.
type runtimeOptions struct {
	config.Access
	kind   runtimeKind
	cfg    config.Config
	dir    string // where programs work
	model  string // for requests that name none
	client *http.Client
	log    *slog.Logger
}

// runtimeKinds are all of them, in the order in which one is chosen if the settings do not say.
var runtimeKinds = []runtimeKind{
	{
		name: "openai", vendor: "OpenAI", remedy: "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs no key",
		access:  func(c config.Config) config.Access { return config.Access(c.OpenAI) },
		isSetUp: func(c config.Config) bool { return c.OpenAI.Key.Reveal() != "" || c.OpenAI.BaseURL != "" },
		reads:   func(c config.Config) bool { return c.OpenAI.BaseURL == "" }, // other servers with this API rarely do
		open: func(o runtimeOptions) llm.Runtime {
			talk := openai.New(openai.Options{Key: o.Key.Reveal(), BaseURL: string(o.BaseURL), Model: o.model, HTTP: o.client})
			if o.BaseURL != "" {
				return talk // other servers rarely have a second API
			}
			// In OpenAI's chat API, its reasoning models take no tools.
			return llm.ForTools(responses.New(responses.Options{Key: o.Key.Reveal(), Model: o.model, HTTP: o.client}), talk)
		},
	},
	{
		name: "openrouter", vendor: "OpenRouter", home: "https://openrouter.ai/api/v1", remedy: "set OPENROUTER_API_KEY",
		access:  func(c config.Config) config.Access { return config.Access(c.Router) },
		isSetUp: func(c config.Config) bool { return c.Router.Key.Reveal() != "" },
		open: func(o runtimeOptions) llm.Runtime {
			return openai.New(openai.Options{Name: "openrouter", Key: o.Key.Reveal(), Home: o.kind.home, BaseURL: string(o.BaseURL), Model: o.model, HTTP: o.client})
		},
	},
	{
		name: anthropic.Name, vendor: "Anthropic", remedy: "set ANTHROPIC_API_KEY", reads: always,
		access:  func(c config.Config) config.Access { return config.Access(c.Anthropic) },
		isSetUp: func(c config.Config) bool { return c.Anthropic.Key.Reveal() != "" },
		open: func(o runtimeOptions) llm.Runtime {
			return anthropic.New(anthropic.Options{Key: o.Key.Reveal(), BaseURL: string(o.BaseURL), Model: o.model, HTTP: o.client})
		},
	},
	{
		name: gemini.Name, vendor: "Gemini", remedy: "set GEMINI_API_KEY", reads: always,
		access:  func(c config.Config) config.Access { return config.Access(c.Gemini) },
		isSetUp: func(c config.Config) bool { return c.Gemini.Key.Reveal() != "" },
		open: func(o runtimeOptions) llm.Runtime {
			return gemini.New(gemini.Options{Key: o.Key.Reveal(), BaseURL: string(o.BaseURL), Model: o.model, HTTP: o.client})
		},
	},
	{
		name: string(cli.Claude), vendor: "Claude Code", remedy: "install Claude Code, or set CLAUDE_BIN to its program",
		access:  func(c config.Config) config.Access { return config.Access{Key: c.Anthropic.Key} },
		program: func(c config.Config) string { return c.Programs.Claude },
		setting: "CLAUDE_BIN",
		open:    openProgram,
	},
	{
		name: string(cli.Codex), vendor: "Codex", remedy: "install Codex, or set CODEX_BIN to its program",
		access: func(c config.Config) config.Access {
			return config.Access{Key: ownKey(c.OpenAI), Model: c.Programs.CodexModel}
		},
		program: func(c config.Config) string { return c.Programs.Codex },
		setting: "CODEX_BIN",
		open:    openProgram,
	},
	{
		name: string(cli.Gemini), vendor: "the Gemini CLI", remedy: "install the Gemini CLI, or set GEMINI_BIN to its program",
		access:  func(c config.Config) config.Access { return config.Access{Key: c.Gemini.Key, Model: c.Gemini.Model} },
		program: func(c config.Config) string { return c.Programs.Gemini },
		setting: "GEMINI_BIN",
		open:    openProgram,
	},
}

func openProgram(o runtimeOptions) llm.Runtime {
	return cli.New(cli.Options{Kind: cli.Kind(o.kind.name), Program: o.kind.program(o.cfg), Model: o.model, Dir: o.dir, Key: o.Key.Reveal(), MaxUSD: o.cfg.Programs.RunUSD, Log: o.log})
}

// ownKey returns the key for OpenAI. One for another server is of no use to a program of OpenAI's.
func ownKey(o config.OpenAI) config.Secret {
	if o.BaseURL != "" {
		return config.Secret{}
	}
	return o.Key
}

func always(config.Config) bool { return true }

// runtimeNames are the names of all kinds.
func runtimeNames() []string {
	var names []string
	for _, k := range runtimeKinds {
		names = append(names, k.name)
	}
	return names
}

func kindOf(name string) (runtimeKind, bool) {
	i := slices.IndexFunc(runtimeKinds, func(k runtimeKind) bool { return k.name == name })
	if i < 0 {
		return runtimeKind{}, false
	}
	return runtimeKinds[i], true
}

// usable reports whether a kind can be used with the settings. A program must be there.
func (k runtimeKind) usable(c config.Config) bool {
	if k.program == nil {
		return k.isSetUp(c)
	}
	_, err := exec.LookPath(k.program(c))
	return err == nil
}

// whatToDo returns how a kind that is not usable is set up. For a program, it also says which one was looked for.
func (k runtimeKind) whatToDo(c config.Config) string {
	if k.program == nil {
		return k.remedy
	}
	name := k.program(c)
	trouble := "was not found in PATH"
	if filepath.Base(name) != name {
		trouble = "is not a program that can be run"
	}
	return fmt.Sprintf("%s=%s %s; %s", k.setting, name, trouble, k.remedy)
}

// HasModel reports whether the settings name a model's server, or a program that is to be used.
func HasModel(env config.Env) bool {
	cfg, err := config.Load(env)
	return err == nil && (cfg.Runtimes.Primary != "" || slices.ContainsFunc(runtimeKinds, func(k runtimeKind) bool { return k.program == nil && k.isSetUp(cfg) }))
}

// primaryRuntime returns the runtime that is asked where none is named: the one of the settings, or the first that
// can be used. Without any it is that of OpenAI, which then cannot answer.
func primaryRuntime(c config.Config) string {
	if c.Runtimes.Primary != "" {
		return string(c.Runtimes.Primary)
	}
	for _, k := range runtimeKinds {
		if k.usable(c) {
			return k.name
		}
	}
	return runtimeKinds[0].name
}

const noModel = "no model is set up: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, OPENAI_BASE_URL for a server that needs no key, or PRIMARY_RUNTIME=claude, codex or gemini-cli for a program on this machine"

// runtimeProblems are the settings that name runtimes which are not set up.
func (c *Core) runtimeProblems() []string {
	var problems []string
	if k, _ := kindOf(primaryRuntime(c.Config)); c.Config.Runtimes.Primary != "" && !k.usable(c.Config) {
		problems = append(problems, fmt.Sprintf("PRIMARY_RUNTIME: %s is not set up: %s", k.name, k.whatToDo(c.Config)))
	}
	if other := c.unlimitedRuntime(); c.Config.Programs.RunUSD > 0 && other != "" {
		problems = append(problems, fmt.Sprintf("RUNTIME_MAX_BUDGET_USD limits a run of Claude Code, and %s, which is in use, has no such limit; delete it, and write "+
			"DISCOCLAW_BUDGET_DAY_USD, DISCOCLAW_BUDGET_USER_DAY_USD or DISCOCLAW_BUDGET_CRON_RUN_USD, which limit all models", other))
	}
	for _, a := range c.models.All() {
		if err := c.checkChoice(a.Resolved); err != nil && a.Follows == "" {
			problems = append(problems, fmt.Sprintf("the model of the role %s: %s", a.Role, chat.ForOperators(err)))
		}
	}
	for _, name := range c.Config.Runtimes.Fallback {
		if err := c.checkChoice(c.choiceOf(name)); err != nil {
			problems = append(problems, fmt.Sprintf("DISCOCLAW_FALLBACK_MODELS: %s", chat.ForOperators(err)))
		}
	}
	return problems
}

// unlimitedRuntime returns a runtime in use that does not take the limit of a run, or "".
func (c *Core) unlimitedRuntime() string {
	used := []string{c.primary}
	for _, a := range c.models.All() {
		used = append(used, a.Resolved.Runtime)
	}
	for _, name := range c.Config.Runtimes.Fallback {
		used = append(used, c.choiceOf(name).Runtime)
	}
	for _, runtime := range used {
		if runtime != "" && runtime != string(cli.Claude) {
			return runtime
		}
	}
	return ""
}

// choiceOf reads the name of a model outside of the roles.
func (c *Core) choiceOf(name string) llm.Choice {
	choice := llm.ParseChoice(name, runtimeNames())
	choice.Model = c.resolve(choice)
	return choice
}

// checkChoice returns why a runtime cannot be used.
func (c *Core) checkChoice(choice llm.Choice) error {
	k, ok := kindOf(choice.Runtime)
	if !ok || k.usable(c.Config) || c.given {
		return nil
	}
	return chat.WithRemedy(fmt.Errorf("%s is not set up here", k.name), k.whatToDo(c.Config))
}

// doubtChoice returns a remark on a model whose name begins like that of a runtime and does not name one, or that probably belongs to
// another runtime. OpenAI's API is spoken by servers with models of all names.
func (c *Core) doubtChoice(choice llm.Choice) string {
	if name, model, found := strings.Cut(choice.Model, ":"); found && choice.Runtime == "" && !slices.Contains(runtimeNames(), name) &&
		(strings.Contains(model, ":") || models.IsTier(model) || config.Nearest(name, runtimeNames()) != "") {
		return fmt.Sprintf("%s is not a runtime, so all of it is taken for the name of a model; the runtimes are %s", chat.InCode(name), strings.Join(runtimeNames(), ", "))
	}
	runtime, family := cmp.Or(choice.Runtime, c.primary), models.Family(choice.Model)
	if family == "" || family == runtime || runtime == "openrouter" || runtime == "openai" && c.Config.OpenAI.BaseURL != "" {
		return ""
	}
	if k, ok := kindOf(runtime); ok && k.program != nil {
		return ""
	}
	return fmt.Sprintf("%s is asked for it, though it looks like a model of %s: that would be %s", runtime, family, chat.InCode(family+":"+choice.Model))
}

// doubts are warnings about odd models of the settings, each with the first role that has it.
func (c *Core) doubts() (list []string) {
	seen := map[llm.Choice]bool{}
	for _, a := range c.models.All() {
		doubt := c.doubtChoice(a.Resolved)
		if doubt == "" || seen[a.Resolved] || c.given {
			continue
		}
		seen[a.Resolved] = true
		warning := fmt.Sprintf("%s, the model of the role %s: %s", a.Resolved.Model, a.Role, doubt)
		if err := c.checkChoice(llm.Choice{Runtime: models.Family(a.Resolved.Model)}); err != nil {
			warning += "; " + chat.ForOperators(err).Error()
		}
		list = append(list, warning)
	}
	return list
}

// unpriced are warnings about models that a budget keeps from being asked, each with the first setting that names it.
func (c *Core) unpriced() (list []string) {
	if c.book == nil || c.given {
		return nil
	}
	seen := map[string]bool{}
	add := func(of string, choice llm.Choice) {
		model := cmp.Or(choice.Model, c.resolve(llm.Choice{Runtime: choice.Runtime, Model: "capable"}))
		if err := c.book.CheckPrice(model); err != nil && !seen[model] {
			seen[model] = true
			list = append(list, fmt.Sprintf("%s: %s", of, err))
		}
	}
	for _, a := range c.models.All() {
		add("the model of the role "+string(a.Role), a.Resolved)
	}
	for _, name := range c.Config.Runtimes.Fallback {
		add("DISCOCLAW_FALLBACK_MODELS", c.choiceOf(name))
	}
	return list
}

// resolve returns the model that a runtime is asked for where a role names a tier. Any other name is that of a model.
func (c *Core) resolve(choice llm.Choice) string {
	if !models.IsTier(choice.Model) {
		return choice.Model
	}
	runtime := cmp.Or(choice.Runtime, c.primary)
	k, ok := kindOf(runtime)
	if !ok {
		return choice.Model
	}
	a := k.access(c.Config)
	own := map[string]config.Model{"fast": a.Fast, "capable": a.Capable, "deep": a.Deep}[choice.Model]
	switch {
	case own != "":
		return string(own)
	case a.Model != "":
		return string(a.Model)
	case runtime == "openai" && a.BaseURL != "":
		return otherServersModel
	}
	return models.Tiers(runtime)[choice.Model]
}

// otherServersModel is the default at other servers with OpenAI's API, since their models are
// unknown. Many of them accept this name.
const otherServersModel = "gpt-4o"

// newRuntime returns the runtimes of the settings as one. A given one takes their place.
func (c *Core) newRuntime(out Outside) llm.Runtime {
	if out.Runtime != nil {
		r := c.book.Priced(out.Runtime, "", "")
		if out.Tools {
			r = c.withTools(r)
		}
		return r
	}
	all := map[string]llm.Runtime{}
	for _, k := range runtimeKinds {
		if k.usable(c.Config) {
			all[k.name] = c.guarded(k)
		}
	}
	var others []llm.Choice
	for _, name := range c.Config.Runtimes.Fallback {
		others = append(others, c.choiceOf(name))
	}
	return llm.Fallback(llm.Routed(c.primary, all), others, c.log)
}

// guarded opens a runtime and wraps it: with retries, attempts without files and without tools, the budgets, timeouts and a limit of
// answers at a time.
func (c *Core) guarded(k runtimeKind) llm.Runtime {
	model := c.resolve(llm.Choice{Runtime: k.name, Model: "capable"})
	r := c.open(k, model)
	if p, ok := r.(*cli.Runtime); ok { // which ends with the bot
		c.programs = append(c.programs, p)
	}
	if k.reads == nil || !k.reads(c.Config) {
		r = llm.DocumentsLeftOut(r)
	}
	r = llm.ToolsOptional(llm.FilesOptional(llm.Retrying(r, llm.RetryOptions{Log: c.log}), c.log), c.log)
	if k.program == nil {
		r = c.withTools(c.book.Priced(r, k.name, model))
	} else {
		r = c.book.PricedAlone(r, k.name, model)
	}
	if !c.takesFunctions(k) {
		r = llm.ToolsLeftOut(r)
	}
	r = llm.Watched(r, llm.WatchOptions{Limit: milliseconds(c.Config.Chat.Timeout), Stall: orNever(c.Config.Chat.StallTimeout)})
	n := c.Config.Runtimes.Calls
	if k.program != nil {
		n = max(1, n/4)
	}
	return llm.Limited(r, n)
}

// native reports whether some models are given the actions as functions.
func (c *Core) native() bool { return c.Config.Actions.Native != "off" }

// takesFunctions reports whether the models of a runtime are given the actions as functions. Programs have functions of their own. Other servers
// with OpenAI's API often claim to take functions, and then lose them.
func (c *Core) takesFunctions(k runtimeKind) bool {
	switch c.Config.Actions.Native {
	case "on":
		return k.program == nil
	case "auto":
		return k.program == nil && (k.name != "openai" || c.Config.OpenAI.BaseURL == "")
	}
	return false
}

// toolLevel returns what models may do on this machine at most. Where others are served than operators, models only read: a prompt quotes
// what was said before, so that the words of one person are in the prompts of another.
func (c *Core) toolLevel() llm.ToolLevel {
	level := llm.ToolLevel(c.Config.Runtimes.Tools)
	if level.Allows(llm.ToolsWrite) && !c.policy().OperatorsOnly() {
		return llm.ToolsRead
	}
	return level
}

// offLimits are the paths with secrets that neither tools of models nor actions reach.
func (c *Core) offLimits() []string {
	list := []string{c.dataDir}
	if c.settingsFile != "" {
		list = append(list, c.settingsFile)
	}
	if path, err := filepath.Abs(c.Config.MCP.File); c.Config.MCP.File != "" && err == nil {
		list = append(list, path)
	}
	return list
}

// withTools lets models at an API use the workspace and the web. Each of their calls is priced by itself.
func (c *Core) withTools(r llm.Runtime) llm.Runtime {
	known, private := workspace.Documents()
	known, private = append(known, planFolder), append(private, planFolder) // plans are for the operators of their server; planShow tells of them
	deny := append(c.offLimits(), c.texts().Content)
	for _, name := range private {
		deny = append(deny, filepath.Join(c.workFolder(), name))
	}
	return worktools.Looped(r, worktools.Options{Root: c.workFolder(), Deny: deny, Known: known, More: c.mcpServers.Tools, Log: c.log})
}

// HideKeys keeps what models run on this machine from reading the environment of this process. It is for a process that does nothing
// but run the bot.
func HideKeys() error { return worktools.HideEnvironment() }

// ReadableKeys warns operators whose models run commands, if the keys could not be hidden.
func (b *Bot) ReadableKeys(err error) []string {
	if err == nil || !b.core.toolLevel().Allows(llm.ToolsShell) {
		return nil
	}
	return []string{err.Error()}
}

// open opens a runtime.
func (c *Core) open(k runtimeKind, model string) llm.Runtime {
	return k.open(runtimeOptions{Access: k.access(c.Config), kind: k, cfg: c.Config, dir: c.workFolder(), model: model, client: c.modelHTTP, log: c.log})
}

// closePrograms ends the programs that are writing answers, and those whose tools models use, so that none goes on, and is paid for, without the bot.
func (c *Core) closePrograms(ctx context.Context) {
	var wg sync.WaitGroup
	for _, p := range c.programs {
		wg.Go(func() { _ = p.Close(ctx) }) // those that do not end in time are killed
	}
	wg.Go(func() { _ = c.mcpServers.Close(ctx) }) // the same
	wg.Wait()
}

// newBook returns the records of what models cost.
func newBook(c *Core) (*spend.Book, error) {
	b := c.Config.Budgets
	prices, err := models.LoadPrices(b.Prices)
	if err != nil {
		return nil, fmt.Errorf("DISCOCLAW_PRICES_FILE: %w", err)
	}
	return spend.New(c.db, spend.Options{
		Prices: prices, Ceilings: spend.Ceilings{Day: b.Day, UserDay: b.UserDay, CronRun: b.CronRun},
		Now: c.now, Zone: c.Config.Chat.Zone(), Log: c.log,
	}), nil
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// orNever converts a setting in which 0 means never to an option in which a negative duration does.
func orNever(ms int) time.Duration {
	if ms == 0 {
		return -1
	}
	return milliseconds(ms)
}
