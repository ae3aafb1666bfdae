package runtimes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/llm"
	cli "discoclaw/internal/llm/command"
	"discoclaw/internal/llm/models"
	"discoclaw/internal/llm/roles"
)

// IsNamed reports whether the settings name a model's server, or a program that is to be used.
func IsNamed(env config.Env) bool {
	cfg, err := config.Load(env)
	return err == nil && (cfg.Runtimes.Primary != "" ||
		slices.ContainsFunc(kinds, func(k kind) bool { return k.program == nil && k.isSetUp(cfg) }))
}

// primary returns the runtime that is asked where none is named: the one of the settings, or the first that
// can be used. Without any it is that of OpenAI, which then cannot answer.
func primary(c config.Config) string {
	if c.Runtimes.Primary != "" {
		return string(c.Runtimes.Primary)
	}
	for _, k := range kinds {
		if k.usable(c) {
			return k.name
		}
	}
	return kinds[0].name
}

const noModel = "no model is set up: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, OPENAI_BASE_URL for a server that needs no key, or PRIMARY_RUNTIME=claude, codex or gemini-cli for a program on this machine"

// Problems are the settings that name runtimes which are not set up.
func (s *Set) Problems() []string {
	if s.Given != nil {
		return nil
	}
	var problems []string
	switch k, _ := kindOf(s.Primary); {
	case k.usable(s.Config):
	case s.Config.Runtimes.Primary == "":
		problems = append(problems, noModel)
	default:
		problems = append(problems, fmt.Sprintf("PRIMARY_RUNTIME: %s is not set up: %s", k.name, k.whatToDo(s.Config)))
	}
	if other := s.unlimited(); s.Config.Programs.RunUSD > 0 && other != "" {
		problems = append(problems, fmt.Sprintf("RUNTIME_MAX_BUDGET_USD limits a run of Claude Code, and %s, which is in use, has no such limit; delete it, and write "+
			"DISCOCLAW_BUDGET_DAY_USD, DISCOCLAW_BUDGET_USER_DAY_USD or DISCOCLAW_BUDGET_CRON_RUN_USD, which limit all models", other))
	}
	for _, a := range s.Models.All() {
		if err := s.check(a.Resolved); err != nil && a.Follows == "" {
			problems = append(problems, fmt.Sprintf("the model of the role %s: %s", a.Role, chat.ForOperators(err)))
		}
	}
	for _, name := range s.Config.Runtimes.Fallback {
		if err := s.check(s.choiceOf(name)); err != nil {
			problems = append(problems, fmt.Sprintf("DISCOCLAW_FALLBACK_MODELS: %s", chat.ForOperators(err)))
		}
	}
	return problems
}

// unlimited returns a runtime in use that does not take the limit of a run, or "".
func (s *Set) unlimited() string {
	used := []string{s.Primary}
	for _, a := range s.Models.All() {
		used = append(used, a.Resolved.Runtime)
	}
	for _, name := range s.Config.Runtimes.Fallback {
		used = append(used, s.choiceOf(name).Runtime)
	}
	for _, runtime := range used {
		if runtime != "" && runtime != string(cli.Claude) {
			return runtime
		}
	}
	return ""
}

// choiceOf reads the name of a model outside of the roles.
func (s *Set) choiceOf(name string) llm.Choice {
	choice := llm.ParseChoice(name, names())
	choice.Model = s.resolve(choice)
	return choice
}

// check returns why a runtime cannot be used.
func (s *Set) check(choice llm.Choice) error {
	k, ok := kindOf(choice.Runtime)
	if !ok || k.usable(s.Config) || s.Given != nil {
		return nil
	}
	return chat.WithRemedy(fmt.Errorf("%s is not set up here", k.name), k.whatToDo(s.Config))
}

// Doubt returns a remark on a model whose name begins like that of a runtime and does not name one, or that probably belongs to
// another runtime. OpenAI's API is spoken by servers with models of all names.
func (s *Set) Doubt(choice llm.Choice) string {
	if name, model, found := strings.Cut(choice.Model, ":"); found && choice.Runtime == "" && !slices.Contains(names(), name) &&
		(strings.Contains(model, ":") || models.IsTier(model) || config.Nearest(name, names()) != "") {
		return fmt.Sprintf("I know no runtime %s, so I take all of it for the name of a model, which will probably not work; the runtimes are %s", chat.InCode(name), strings.Join(names(), ", "))
	}
	runtime, family := cmp.Or(choice.Runtime, s.Primary), models.Family(choice.Model)
	if family == "" || family == runtime || runtime == "openrouter" || runtime == "openai" && s.Config.OpenAI.BaseURL != "" {
		return ""
	}
	if k, ok := kindOf(runtime); ok && k.program != nil {
		return ""
	}
	return fmt.Sprintf("%s is asked for it, though it looks like a model of %s: that would be %s", runtime, family, chat.InCode(family+":"+choice.Model))
}

// Doubts are warnings about odd models of the settings, each with the first role that has it.
func (s *Set) Doubts() (list []string) {
	seen := map[llm.Choice]bool{}
	for _, a := range s.Models.All() {
		doubt := s.Doubt(a.Resolved)
		if doubt == "" || seen[a.Resolved] || s.Given != nil {
			continue
		}
		seen[a.Resolved] = true
		warning := fmt.Sprintf("%s, the model of the role %s: %s", a.Resolved.Model, a.Role, doubt)
		if err := s.check(llm.Choice{Runtime: models.Family(a.Resolved.Model)}); err != nil {
			warning += "; " + chat.ForOperators(err).Error()
		}
		list = append(list, warning)
	}
	return list
}

// Unpriced are warnings about models that a budget keeps from being asked, each with the first setting that names it.
func (s *Set) Unpriced() (list []string) {
	if s.Meter == nil || s.Given != nil {
		return nil
	}
	seen := map[string]bool{}
	add := func(of string, choice llm.Choice) {
		model := cmp.Or(choice.Model, s.resolve(llm.Choice{Runtime: choice.Runtime, Model: "capable"}))
		if err := s.Meter.CheckPrice(model); err != nil && !seen[model] {
			seen[model] = true
			list = append(list, fmt.Sprintf("%s: %s", of, err))
		}
	}
	for _, a := range s.Models.All() {
		add("the model of the role "+string(a.Role), a.Resolved)
	}
	for _, name := range s.Config.Runtimes.Fallback {
		add("DISCOCLAW_FALLBACK_MODELS", s.choiceOf(name))
	}
	return list
}

// resolve returns the model that a runtime is asked for where a role names a tier. Any other name is that of a model.
func (s *Set) resolve(choice llm.Choice) string {
	if !models.IsTier(choice.Model) {
		return choice.Model
	}
	runtime := cmp.Or(choice.Runtime, s.Primary)
	k, ok := kindOf(runtime)
	if !ok {
		return choice.Model
	}
	a := k.access(s.Config)
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

// Usable reports whether a runtime can be used with the settings.
func (s *Set) Usable(runtime string) bool {
	k, ok := kindOf(runtime)
	return ok && k.usable(s.Config)
}

// Describe names a model, and the vendor, server or program that it is asked at.
func (s *Set) Describe(choice llm.Choice) string {
	k, ok := kindOf(cmp.Or(choice.Runtime, s.Primary))
	if !ok || s.Given != nil {
		return choice.String()
	}
	return fmt.Sprintf("%s %s", cmp.Or(choice.Model, "the default model"), k.where(s.Config))
}

// DescribeChat says which model writes the replies, and whether a setting chose it. Odd means that one should.
func (s *Set) DescribeChat() (text string, odd bool) {
	choice := s.Models.Resolved(roles.Chat)
	text = s.Describe(choice)
	k, ok := kindOf(cmp.Or(choice.Runtime, s.Primary))
	switch {
	case !ok || s.Given != nil || !s.builtIn(k, choice):
		return text, false
	case k.name == "openai" && s.Config.OpenAI.BaseURL != "":
		return text + ", because no setting names one; set OPENAI_MODEL to a model that this server has", true
	}
	return text + ", the default; RUNTIME_MODEL chooses another", false
}

// builtIn reports whether a model is that of the built-in table, rather than of a setting or of !models.
func (s *Set) builtIn(k kind, choice llm.Choice) bool {
	a := k.access(s.Config)
	usual := llm.ParseChoice(cmp.Or(string(s.Config.Models.Chat), "capable"), names())
	return models.IsTier(usual.Model) && choice.Model == s.resolve(usual) && a.Model == "" && a.Fast == "" && a.Capable == "" && a.Deep == ""
}
