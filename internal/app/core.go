// Package app puts the parts together. It is the only package that knows them all.
//
// A [Core] is the bot without any connection: its settings, actions and rules. A [Bot] is complete
// and can run.
package app

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	cronact "discoclaw/internal/actions/crons"
	"discoclaw/internal/actions/dialect"
	memoryact "discoclaw/internal/actions/memory"
	planact "discoclaw/internal/actions/plans"
	remindact "discoclaw/internal/actions/reminders"
	taskact "discoclaw/internal/actions/tasks"
	"discoclaw/internal/actions/utility"
	"discoclaw/internal/actions/web"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/clock"
	"discoclaw/internal/config"
	"discoclaw/internal/confirm"
	"discoclaw/internal/cron"
	"discoclaw/internal/cron/posts"
	"discoclaw/internal/deferral"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/discord"
	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/doctor"
	"discoclaw/internal/inspect"
	"discoclaw/internal/lifecycle"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/llm/runtimes"
	"discoclaw/internal/mcp/servers"
	"discoclaw/internal/memory"
	"discoclaw/internal/memory/recall"
	planwork "discoclaw/internal/plan/work"
	"discoclaw/internal/reminder"
	"discoclaw/internal/spend"
	"discoclaw/internal/store"
	"discoclaw/internal/tasks"
	"discoclaw/internal/turn/attach"
	"discoclaw/internal/voice"
	"discoclaw/internal/voice/services"
	"discoclaw/internal/voice/session"
	"discoclaw/internal/voice/transcript"
	"discoclaw/internal/workspace"
)

// A Core is the part of the bot that is built from the environment alone.
type Core struct {
	Config   config.Config
	Warnings []string // for the operator, about settings without effect
	Inspect  *inspect.Inspector
	broken   []string // those of them about something that is switched on and cannot work

	parts      []part
	registry   *actions.Registry
	flags      actions.CategoryFlags // for what models ask for
	people     actions.CategoryFlags // for what people ask for with commands, forum posts and cards
	dialects   dialect.List
	models     *roles.Assignments
	runtimes   *runtimes.Set
	meter      *spend.Meter
	doctor     *doctor.Doctor
	discord    *discord.Client // connected only by Bot.Run
	voice      *voice.Manager
	speech     services.Services // that hear and speak
	talks      *session.Host     // nil if nothing is heard or said in calls
	transcript *transcript.Store
	files      *attach.Opener
	search     web.Searcher // nil if nothing searches the web
	deferred   *deferral.Engine
	reminders  *reminder.Engine
	remindFace *remindact.Category
	memory     *memory.Engine
	memoryFace *memoryact.Category
	tasks      *tasks.Engine
	taskFace   *taskact.Category
	crons      *cron.Engine
	cronPosts  *posts.Engine
	jobs       *cronact.Category
	planWork   *planwork.Manager
	planFace   *planact.Category
	dataDir    string
	db         *store.DB // opened only by Bot.Run
	outbox     *outbox.Outbox
	inbox      *inbox.Inbox
	zones      *clock.Zones
	modelHTTP  *http.Client // nil means that each part has its own
	approvals  *confirm.Service
	cards      *utility.Category
	choices    *choices.Store
	progress   *lifecycle.Driver // nil if nothing is shown
	recall     *recall.Engine    // nil if it is switched off
	now        func() time.Time  // for what happens later
	log        *slog.Logger

	workspace    *workspace.Workspace
	settingsFile string           // absolute; empty if there is none
	mcpServers   *servers.Servers // whose tools models have; there may be none
}

// maxNameLength is Discord's limit of a nickname; see
// https://discord.com/developers/docs/resources/user#usernames-and-nicknames.
const maxNameLength = 32

// NewCore loads the configuration. A *config.Error lists every problem in it.
func NewCore(env config.Env) (*Core, error) {
	c, err := newCore(env, Externals{})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// newCore loads the configuration. With a *config.Error it also returns a Core, which can be inspected for further problems but not run: it
// has defaults in place of what is wrong.
func newCore(env config.Env, out Externals) (*Core, error) {
	bad := new(config.Error)
	bad.Join(out.Unread)
	cfg, err := config.Load(env)
	bad.Join(err)
	bad.Add(env.Refused()...)
	c := &Core{Config: cfg, db: new(store.DB), now: out.Now, modelHTTP: out.ModelHTTP, log: newLog(cfg.Operation, out.Log)}
	if c.now == nil {
		c.now = time.Now
	}
	if c.dataDir, err = datadir.Choose(cfg.Operation.DataDir); err != nil {
		bad.Add(err.Error())
	}
	if out.Settings != "" {
		if c.settingsFile, err = filepath.Abs(out.Settings); err != nil {
			bad.Add(err.Error())
		}
	}
	if c.meter, err = newMeter(c); err != nil {
		bad.Add(err.Error())
	}
	list, err := servers.Load(cfg.MCP.File, roles.Chat.Choices())
	bad.Join(err)
	c.mcpServers = servers.New(servers.Options{
		File: cfg.MCP.File, List: list, NoTools: !c.toolLevel().Allows(llm.ToolsRead), Version: inspect.VersionText(), Log: c.log,
	})
	c.runtimes = runtimes.New(runtimes.Options{
		Config: cfg, Given: out.Runtime, GivenTools: out.Tools, HTTP: out.ModelHTTP, Meter: c.meter,
		Tools: c.modelTools(), Servers: c.mcpServers, Log: c.log,
	})
	c.models = c.runtimes.Models
	presence := presenceOf(cfg.Profile)
	if err := discord.CheckPresence(presence); err != nil {
		bad.Add("DISCOCLAW_BOT_ACTIVITY: " + err.Error())
	}
	if n := chat.Length(cfg.Chat.Name); n > maxNameLength {
		bad.Add(fmt.Sprintf("DISCOCLAW_BOT_NAME: the name has %d characters, but Discord allows %d in a nickname; choose a shorter one", n, maxNameLength))
	}
	c.discord = discord.New(discord.Options{
		Token:    cfg.Discord.Token.Reveal(),
		APIURL:   string(cfg.Discord.API),
		HTTP:     out.HTTP,
		Presence: presence,

		LinkPreviews: cfg.Chat.Previews == "on",

		Sessions: store.NewCell(c.db, "session", discord.SavedSession{}),
		Log:      c.log,
	})
	c.outbox = outbox.New(c.db, c.discord, c.log)
	c.inbox = inbox.New(c.db)
	c.zones = clock.New(c.db, cfg.Chat.Zone(), c.log)
	var odd []string
	c.progress, odd = newProgress(c)
	bad.Add(odd...)
	c.choices = choices.NewStore(c.db)
	c.approvals = confirm.New(confirm.Options{DB: c.db, Now: c.now, Server: newCards(c), Mark: c.outbox.MarkPosted,
		Token: out.Token, Log: c.log})
	c.cards = utility.New(c.approvals)
	c.recall = newRecall(c, out.ModelHTTP)
	c.speech = services.Open(cfg.Speech, out.ModelHTTP, c.log)
	c.files = attach.New(attach.Options{HTTP: out.HTTP, Hosts: fileHosts(cfg.Discord), Transcribe: c.speech.Transcriber(c.meter), Log: c.log})
	c.search = newSearch(cfg.Search, out.ModelHTTP)
	c.transcript = transcript.New(c.db)
	c.voice, c.talks = newVoice(c, env, out)
	c.workspace = workspace.New(c.texts())
	c.deferred = newDeferrals(c)
	c.reminders = reminder.New(c.db, reminder.Options{Outbox: c.outbox, Server: c.discord, Now: c.now, Log: c.log})
	c.memory = newMemory(c)
	c.remindFace = remindact.New(c.discord, c.reminders, c.zones.Of, c.policy().Bars(access.ByDefer))
	c.tasks = newTasks(c)
	c.taskFace = taskact.New(c.discord, c.tasks, c.zones.Of, !cfg.Tasks.Enabled)
	c.crons, c.cronPosts = newCrons(c, out)
	c.jobs = newCronFace(c)
	c.memoryFace = newMemoryFace(c)
	c.planWork = newPlanWork(c)
	c.planFace = planact.New(c.planWork, c.discord, c.sourceOf)
	c.parts = c.allParts()
	cats := categories(c.parts)
	registry, err := actions.NewRegistry(cats...)
	if err != nil {
		return nil, fmt.Errorf("the actions are not well defined: %w", err)
	}
	flags, people, ignored, err := actions.FlagsFromEnv(env, cats)
	bad.Join(err)
	dialects, err := inspect.Dialects(cfg.Actions, registry, cfg.Actions.Dialects)
	if err != nil {
		bad.Add("DISCOCLAW_ACTION_DIALECTS: " + err.Error())
	}
	if !cfg.Reactions.Added && flags["reactionPrompt"].On {
		flags["reactionPrompt"] = actions.Switch{Why: "I ignore reactions here, so nobody could answer", Remedy: "set DISCOCLAW_REACTION_HANDLER=1"}
	}
	if why, remedy := cfg.Speech.Lacks(); why != "" && flags["voice"].On {
		flags["voice"], people["voice"] = actions.Switch{Why: why, Remedy: remedy}, actions.Switch{Why: why, Remedy: remedy}
		c.broken = append(c.broken, cfg.Speech.Lacking())
	}
	c.registry, c.flags, c.people, c.dialects = registry, flags, people, dialects
	hooks := 0
	if c.webhookAddress() != "" {
		hooks = cfg.Webhooks.Port
	}
	if why := c.mcpSettings().Problem(hooks); why != "" {
		bad.Add(why)
	}
	if id := cfg.Tasks.Forum; id != "" && id == cfg.Crons.Forum && cfg.Tasks.Enabled && cfg.Crons.Enabled {
		bad.Add(fmt.Sprintf("DISCOCLAW_TASKS_FORUM and DISCOCLAW_CRON_FORUM are both %s, so that each post would be a task and a scheduled job; name two forums, or unset one of them", id))
	}
	c.warn(env, ignored)
	c.doctor = newDoctor(c, bad, out)
	c.Inspect = inspect.New(inspect.Options{
		Config: cfg, Registry: registry, Flags: flags, Dialects: dialects, Native: c.native(),
		Workspace: c.texts(), Name: c.name, Quote: memoryact.QuotedNotes,
	})
	if len(bad.Problems) > 0 {
		return c, bad
	}
	return c, nil
}

// presenceOf returns the presence that the settings describe.
func presenceOf(p config.Profile) chat.Presence {
	presence := chat.Presence{Status: chat.Status(p.Status)}
	if p.Activity != "" {
		presence.Activity = chat.Activity{Kind: chat.ActivityKind(p.ActivityType), Text: p.Activity}
	}
	return presence
}

// problemsOf splits a joined error into its problems, a sentence each.
func problemsOf(err error) []string {
	var list *config.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &list):
		return list.Problems
	}
	return strings.Split(err.Error(), "\n")
}

func (c *Core) warn(env config.Env, ignored []string) {
	c.Warnings = c.Config.Warnings()
	for _, name := range ignored {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s has no effect while %s is off", name, actions.MasterSwitch))
	}
	if c.Config.Webhooks.Enabled && c.webhookAddress() == "" {
		c.Warnings = append(c.Warnings, "DISCOCLAW_WEBHOOK_ENABLED has no effect while scheduled jobs are off")
	}
	if warning := c.searchWarning(env); warning != "" {
		c.Warnings = append(c.Warnings, warning)
	}
	if c.Config.Speech.SpeakURL != "" && !c.flags["voice"].On {
		c.Warnings = append(c.Warnings, silentSpeech)
	}
	if c.lacksImageKey(env) {
		c.broken = append(c.broken, noImageKey)
	}
	if c.flags["imagegen"].On {
		problems, notes := c.studio().CheckModel()
		c.broken, c.Warnings = append(c.broken, problems...), append(c.Warnings, notes...)
	}
	c.broken = append(c.broken, c.runtimes.Unpriced()...)
	c.Warnings = append(c.Warnings, slices.Concat(c.broken, c.runtimes.Doubts(), env.Former())...)
	unknown := env.Unknown(c.variableNames())
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		warning := name + " is set, but nothing reads it"
		if meant := unknown[name]; meant != "" {
			warning += "; did you mean " + meant + "?"
		}
		c.Warnings = append(c.Warnings, warning)
	}
}

// Variables returns all settings: those of the configuration, with the switches of the categories
// at the head of their group.
func (c *Core) Variables() []config.Variable {
	vars := config.Variables()
	at := slices.IndexFunc(vars, func(v config.Variable) bool { return v.Group == actionsGroup })
	return slices.Insert(vars, at, c.switches()...)
}

const actionsGroup = "Actions"

func (c *Core) switches() []config.Variable {
	known := config.Variables()
	vars := []config.Variable{{
		Group:   actionsGroup,
		Name:    actions.MasterSwitch,
		Default: "1",
		Doc:     "0 turns all actions of models off. People keep their commands, and jobs run.",
	}}
	types := map[string][]string{} // by the category that has their switch
	for cat, a := range c.registry.All() {
		if !a.Helps { // no switch closes it
			types[actions.SwitchOwner(cat)] = append(types[actions.SwitchOwner(cat)], a.Name)
		}
	}
	for _, cat := range c.registry.Categories() {
		flag := cat.Flag()
		if flag.Env == "" {
			continue
		}
		v := config.Variable{
			Group:   actionsGroup,
			Name:    flag.Env,
			Default: "0",
			Doc:     fmt.Sprintf("The %s actions: %s.", cat.Name(), strings.Join(types[cat.Name()], ", ")),
			Common:  !flag.Default, // people look for what is off by default
		}
		if flag.Default {
			v.Default = "1"
		}
		if flag.Part != "" {
			v.Doc += " For models alone; " + flag.Part + " is for people as well."
		}
		vars = append(append(vars, v), furtherSwitches(cat, known)...)
	}
	return vars
}

// furtherSwitches returns the switches that a category needs besides its own, and that nothing else
// reads.
func furtherSwitches(cat actions.Category, known []config.Variable) []config.Variable {
	var vars []config.Variable
	for _, need := range cat.Flag().Needs {
		for _, name := range need.AnyOf {
			if !need.Switch || slices.ContainsFunc(known, func(v config.Variable) bool { return v.Name == name }) {
				continue
			}
			vars = append(vars, config.Variable{
				Group: actionsGroup, Name: name, Default: "0", Common: true,
				Doc: fmt.Sprintf("1 is needed for the %s actions, besides their own switch.", cat.Name()),
			})
		}
	}
	return vars
}

func (c *Core) variableNames() []string {
	names := []string{actions.MasterSwitch}
	for _, v := range config.Variables() {
		names = append(names, v.Name)
	}
	for _, cat := range c.registry.Categories() {
		names = append(names, cat.Flag().Env)
		for _, need := range cat.Flag().Needs {
			names = append(names, need.AnyOf...)
		}
	}
	return names
}
