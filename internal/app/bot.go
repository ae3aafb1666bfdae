package app

import (
	"context"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands/acts"
	"discoclaw/internal/config"
	"discoclaw/internal/confirm"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/ledger"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/discord"
	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/flow"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/inspect"
	"discoclaw/internal/journal"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/mcp/serve"
	"discoclaw/internal/startup"
	"discoclaw/internal/status"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/class"
	"discoclaw/internal/turn/gather"
	"discoclaw/internal/turn/stream"
	"discoclaw/internal/undo"
)

// Externals holds what the bot uses outside of this process. The zero value is for production; the
// playground and tests set their own.
type Externals struct {
	HTTP      *http.Client                       // for Discord
	ModelHTTP *http.Client                       // for the servers of models, transcriptions and searches
	Runtime   llm.Runtime                        // the model; nil means the one of the settings
	Tools     bool                               // Runtime gets the tools that models at an API have
	Log       io.Writer                          // nil means no log
	Online    func(chat.User)                    // called after each login; may be nil
	Answered  func(turn.Report)                  // called after each turn; may be nil
	Decided   func(confirm.Ending)               // called with each card that is over; may be nil
	Ignored   func(chat.Message, access.Refusal) // called with each message that gets no answer; may be nil
	Token     func() string                      // returns the token of an approval; nil means random tokens
	CronID    func() string                      // returns the ID of a scheduled job; nil means random IDs
	Now       func() time.Time                   // the time for what happens later, which the playground moves on; nil means time.Now
	// CronSecret returns the secret of a webhook; nil means random ones.
	CronSecret func() string
	// Listen opens the ports of webhooks and of MCP on an address of this machine; nil means net.Listen.
	Listen   func(address string) (net.Listener, error)
	Settings string // the path of the settings file, which !secret edits; empty means none
	ReadOnly bool   // Settings is kept from models, and !secret does not edit it
	Unread   error  // the error of config.Read about lines of that file; nil if there is none

	// DialUDP reaches the servers of voice calls; nil means the network.
	DialUDP func(ctx context.Context, address string) (net.Conn, error)
	NoCalls bool // voice channels have no sound, as in the playground in memory

	HangUps <-chan os.Signal // SIGHUPs that do not end the bot; may be nil
}

// A Bot is a complete bot, with everything that a Core lacks.
type Bot struct {
	core       *Core
	env        config.Env
	out        Externals
	approvals  *confirm.Service
	journal    *journal.Journal
	replies    *reply.Replies
	ledger     *ledger.Ledger
	undo       *undo.Undo
	runner     *turn.Runner
	flows      *flow.Flows
	dispatcher *actions.Dispatcher
	acts       *acts.Runner
	inbox      *inbox.Inbox

	loggedIn  chan struct{}     // closed at the first login
	loginDone func()            // closes loggedIn; may be called again
	board     *status.Board     // posts to the status channel
	bg        *background.Group // goroutines that nothing waits for before the end
	threads   *threads
	process   *startup.Process
	disk      *disk
	mcp       *serve.Session
}

// NewBot loads the configuration and builds the bot. It opens no files and no connections. A
// *config.Error lists every problem that the operator has to fix.
func NewBot(env config.Env, out Externals) (*Bot, error) {
	core, err := newCore(env, out)
	if core == nil {
		return nil, err
	}
	if bad := core.problems(err); len(bad.Problems) > 0 {
		bad.Join(datadir.Check(core.dataDir)) // without other problems, Run is about to open it
		bad.Warnings = core.warnings()
		return nil, bad
	}
	b := &Bot{core: core, env: env, out: out, loggedIn: make(chan struct{})}
	b.loginDone = sync.OnceFunc(func() { close(b.loggedIn) })
	b.build()
	return b, nil
}

// Warnings returns the warnings for the operator.
func (b *Bot) Warnings() []string { return b.core.warnings() }

// Model names the model that answers people.
func (b *Bot) Model() string { return b.core.runtimes.Describe(b.core.models.Resolved(roles.Chat)) }

// Perform runs an action for the author of a message, as a command would, with all checks of their rights. It waits for the first login.
func (b *Bot) Perform(ctx context.Context, m chat.Message, typ string, input any) (actions.Outcome, error) {
	select {
	case <-b.loggedIn: // the database is open then, too
	case <-ctx.Done():
		return actions.Outcome{}, context.Cause(ctx)
	}
	return b.acts.Perform(ctx, m, typ, input)
}

func (c *Core) warnings() []string {
	warnings := slices.Clip(c.Warnings)
	if len(c.Config.Discord.Users.Valid()) == 0 {
		warnings = append(warnings, "DISCORD_ALLOW_USER_IDS has no user IDs, so the bot will answer nobody")
	}
	for _, e := range c.doctor.Secrets.Exposed() {
		warnings = append(warnings, e.String())
	}
	return warnings
}

// problems returns everything in the settings that keeps the bot from running. err is that of newCore.
func (c *Core) problems(err error) *config.Error {
	bad := new(config.Error)
	bad.Join(err)
	bad.Add(c.unfitToRun()...)
	return bad
}

// unfitToRun returns the problems that keep the bot from running, though its core can be inspected.
func (c *Core) unfitToRun() []string {
	var problems []string
	if c.Config.Discord.Token.Reveal() == "" {
		problems = append(problems, "DISCORD_TOKEN is not set: copy the bot's token from Discord's developer portal (Bot → Reset Token), or try the bot without one: discoclaw play")
	}
	return append(problems, c.runtimes.Problems()...)
}

// actionTime is the timeout of one action, with all of its requests to Discord.
const actionTime = time.Minute

// maxUnasked is how many changes a turn may make without approval.
const maxUnasked = 10

// build creates the parts that Run uses, on top of the core.
func (b *Bot) build() {
	c, policy := b.core, b.core.policy()
	b.journal = journal.New(c.db, journal.Options{Hide: journal.Hiding(c.Config.Secrets()...), Category: c.registry.CategoryOf, Log: c.log})
	b.ledger = ledger.New(c.db, c.log)
	b.inbox = c.inbox
	b.board, b.bg = c.newBoard(), background.New(c.log)
	b.disk = newDisk(c, b.board.Report)
	b.threads = &threads{on: c.Config.Discord.Threads, discord: c.discord, policy: policy, bg: b.bg, log: c.log, ended: make(chan struct{})}
	b.replies = reply.New(c.outbox, c.discord, b.threads.answering)
	b.process = startup.NewProcess(startup.ProcessOptions{
		Store: startup.NewStore(c.db), Discord: c.discord, Users: policy.Users, Version: inspect.VersionText(), Log: c.log,
	})
	b.approvals = c.approvals
	b.undo = &undo.Undo{Journal: b.journal, Confirm: b.approvals, NewTurn: newTurn, Holds: flow.Approved{Registry: b.core.registry}.Holds,
		WithoutGone: b.core.discord.WithoutGone}
	b.dispatcher = actions.NewDispatcher(actions.DispatcherOptions{
		Hold: b.approvals, Mass: maxUnasked, Taint: actions.Taint(c.Config.Actions.Taint), Source: c.sourceOf, Titles: c.titlesIn,
		Places: c.discord.AnyChannel, Consent: c.cleanReader,
		Warn:   func(ctx context.Context, what string, err error) { c.log.WarnContext(ctx, what, "err", err) },
		Record: b.journal, Channels: c.discord.Channel, Users: c.discord.User, Roles: c.discord.Role,
		Messages: c.discord.Message, Readable: c.discord.Readable,
		Mark: c.outbox.MarkPosted, MarkName: c.outbox.MarkName, RoleOpens: c.discord.RoleOpens, Limit: actionTime,
	}, b.middlewares(policy)...)
	b.mcp = serve.NewSession(serve.SessionOptions{
		Settings: c.mcpSettings(), Version: inspect.VersionText(), Registry: c.registry, Flags: c.flags,
		Dispatcher: b.dispatcher, Journal: b.journal,
		Discord: c.discord, NewTurn: newTurn, Now: c.now, Log: c.log,
		Report: b.board.Of(status.Doors),
	})
	b.acts = &acts.Runner{
		Registry: c.registry, Flags: actions.ForCommands(c.people, c.registry.Categories()), Dispatcher: b.dispatcher,
		Journal: b.journal, NewTurn: newTurn, Readable: c.discord.Readable,
	}
	b.runner = &turn.Runner{
		Runtime: c.runtimes, Dispatcher: b.dispatcher, Remember: b.remember,
		Operates: c.operates, Clean: cleaner(c.Config.Chat),
		Preview: stream.Options{StallAfter: orNever(c.Config.Chat.StallWarning), Tools: c.Config.Chat.ToolProgress}, Log: c.log,
	}
	b.flows = flow.New(flow.Options{
		Server:   server{c.discord, b.replies},
		Registry: c.registry, Flags: c.flags, PeopleFlags: c.people,
		Access: policy,
		Model:  func() llm.Choice { return c.models.Resolved(roles.Chat) },
		Gather: gather.Options{
			Dialects:         c.dialects,
			Native:           c.native(),
			Zone:             c.zones.Of,
			Workspace:        c.workspace,
			Attachments:      c.files,
			Knowledge:        c.knowledge(),
			Recall:           c.recall,
			Startup:          b.process.Startup,
			FollowUps:        c.Config.Actions.FollowUps,
			HistoryBudget:    c.Config.Chat.HistoryBudget,
			HistoryOutsiders: c.Config.OutsiderLines(),
			Source:           c.sourceOf,
			Titles:           c.titlesIn,
			Taint:            actions.Taint(c.Config.Actions.Taint),
			Tools:            c.hasTools,
			RecallBudget:     c.Config.Recall.Budget,
			RecallLimit:      c.Config.Recall.Limit,
		},
		Name:           c.name,
		Commands:       b.commands(),
		Slash:          c.Config.Commands.Slash,
		Questions:      b.approvals,
		Choices:        c.choices,
		Reactions:      reactions(c.Config.Reactions),
		Deferrals:      c.deferred,
		Jobs:           c.crons,
		Voice:          newVoiceFlow(c),
		Work:           c.planFace.Desk(b.acts, b.bg),
		CronModel:      func(own string) (llm.Choice, error) { return c.models.Or(roles.CronExec, own) },
		Decided:        c.cronPosts.Answered,
		HandledByForum: c.cronPosts.Defines,
		CatchUp:        time.Duration(c.Config.Chat.CatchUp) * time.Minute,
		AddressedOnly:  c.addressedOnly(),
		Ignored:        b.out.Ignored,
		Talks:          store.NewCell[[]chat.ChannelID](c.db, "talks", nil),
		Now:            c.now,
		Report:         b.board.Report,
		Buttons:        c.Config.Chat.Buttons,
		Past:           b.past,
		Judge:          b.judge(),
		Continue:       c.Config.Chat.Continue,
		Steer:          c.Config.Chat.Steer == "on",
		Tools:          c.toolLevel(),
		Log:            c.log,
	}, pipeline.Options{
		Inbox:     b.inbox,
		Ledger:    b.ledger,
		Outbox:    c.outbox,
		Journal:   b.journal,
		Discord:   c.discord,
		Runner:    b.runner,
		NewTurn:   newTurn,
		Settled:   c.memoryFace.Note,
		Over:      b.over,
		Progress:  c.progress,
		UserTurns: c.Config.Chat.UserTurns,
		BatchWait: time.Duration(c.Config.Chat.BatchWait) * time.Millisecond,
	})
}

// approving is what approvals need: what executes approved actions, whose dispatcher has no Hold, since they must not be held again, and
// what records how cards end.
func (b *Bot) approving() confirm.Live {
	c, policy := b.core, b.core.policy()
	dispatcher := actions.NewDispatcher(actions.DispatcherOptions{Record: b.journal, Mark: c.outbox.MarkPosted,
		Limit: actionTime}, b.middlewares(policy)...)
	return confirm.Live{
		Executor: flow.Approved{Registry: c.registry, Flags: c.people, Dispatcher: dispatcher, Access: policy, Members: c.discord, Log: c.log},
		Observer: undo.Observer{Journal: b.journal, Log: c.log},
		Ended:    b.cardEnded,
	}
}

// cardEnded has later prompts know how a card ended, and calls Externals.Decided.
func (b *Bot) cardEnded(e confirm.Ending) {
	b.flows.CardEnded(e.Card, e.What(), e.Told(), e.Origin, e.Outcomes)
	if b.out.Decided != nil {
		b.out.Decided(e)
	}
}

// cleaner returns what cleans the answers that people read, or nil.
func cleaner(c config.Chat) func(string) string {
	if c.FilterLogs {
		return class.WithoutToolLogs
	}
	return nil
}

func reactions(c config.Reactions) flow.Reactions {
	return flow.Reactions{
		Added:   c.Added,
		Removed: c.Removed,
		MaxAge:  time.Duration(c.MaxAge * float64(time.Hour)),
		StopOne: c.StopScope == "message",
	}
}

func newTurn() chat.TurnID { return chat.TurnID(rand.Text()) }

// remember opens the ledger of a turn.
func (b *Bot) remember(ctx context.Context, id chat.TurnID) (turn.Ledger, error) {
	return b.ledger.Open(ctx, id)
}

// over runs after each turn: it reports a failure, has the disk checked, and calls
// Externals.Answered.
func (b *Bot) over(ctx context.Context, r turn.Report) {
	b.reportTurn(ctx, r)
	b.core.memoryFace.SumUp(b.bg.Go, r)
	b.disk.nudge()
	if b.out.Answered != nil {
		b.out.Answered(r)
	}
}

// middlewares returns the middlewares of every action, outermost first.
func (b *Bot) middlewares(policy access.Policy) []actions.Middleware {
	list := []actions.Middleware{b.reporting, access.Guard(policy, b.core.discord)}
	if b.core.Config.Actions.Confirm == "off" {
		list = append(list, approveAll)
	}
	return list
}

// approveAll approves every action, for operators who have switched approvals off.
func approveAll(next actions.Handler) actions.Handler {
	return func(ctx context.Context, call actions.Call, bound actions.Bound) (actions.Result, error) {
		return next(ctx, call.Approved(), bound)
	}
}

// sourceOf returns the outside texts of a message: the message itself, if its author is an outsider, whose text gives
// the bot no orders, and for a message of the bot what it was written after.
func (c *Core) sourceOf(m chat.Message) chat.Sources {
	self := c.discord.Self().ID
	switch {
	case c.policy().Outsider(m, self):
		return m.Byline()
	case m.Author.ID == self:
		of := c.outbox.Outside(m.ID)
		of.Add(c.tasks.Outside(m.Place.Channel)) // it may be the first message of a task's or a job's post, or a note there
		of.Add(c.cronPosts.Outside(m.Place.Channel))
		return of
	}
	return ""
}

// policy returns the access policy that the settings describe.
func (c *Core) policy() access.Policy {
	d := c.Config.Discord
	return access.Policy{
		Users:     ids[chat.UserID](d.Users),
		Bots:      ids[chat.UserID](d.Bots),
		Operators: access.List[chat.UserID]{Set: d.Operators.Set(), IDs: ids[chat.UserID](d.Operators)},
		Guild:     chat.GuildID(d.Guild),
		Channels:  access.List[chat.ChannelID]{Set: d.Channels.Set(), IDs: ids[chat.ChannelID](d.Channels)},
	}
}

// operates reports whether a user may change the bot itself, when speaking on a server or, if it is empty, in a direct message.
func (c *Core) operates(ctx context.Context, who chat.UserID, g chat.GuildID) bool {
	return c.policy().Operates(ctx, c.discord, who, g)
}

// addressedOnly reports whether the bot answers only mentions and replies. That is the default
// where it serves several people: most of what they write is not meant for the bot.
func (c *Core) addressedOnly() bool {
	if c.Config.Chat.Respond == "" {
		return len(c.Config.Discord.Users.Valid()) > 1
	}
	return c.Config.Chat.Respond == "mentions"
}

func ids[T ~string](list config.IDs) []T {
	var all []T
	for _, id := range list.Valid() {
		all = append(all, T(id))
	}
	return all
}

// A server is Discord as the flows use it.
type server struct {
	*discord.Client
	*reply.Replies
}

// A handler passes Discord's events to the flows. It also handles logins and new threads itself.
type handler struct {
	*flow.Flows
	bot *Bot
}

func (h handler) Ready(self chat.User) {
	h.bot.process.NoteRunning()
	h.bot.core.doctor.LogLogin(h.bot.core.log)
	h.Flows.Ready(self)
	h.bot.loginDone()
	for _, of := range h.bot.core.forums() {
		for _, g := range h.bot.core.discord.Servers() {
			of.Resync(g)
		}
	}
	h.bot.arrived()
	if h.bot.out.Online != nil {
		h.bot.out.Online(self)
	}
}

// A forumOf is a part of the bot that keeps its records in the posts of a forum.
type forumOf interface {
	Resync(chat.GuildID)
	ThreadChanged(chat.Place)
	MessageEdited(chat.Message)
}

func (c *Core) forums() []forumOf { return []forumOf{c.tasks, c.cronPosts} }

func (h handler) threadChanged(at chat.Place) {
	for _, of := range h.bot.core.forums() {
		of.ThreadChanged(at)
	}
}

func (h handler) ThreadCreated(_ context.Context, thread chat.Channel) {
	h.bot.threads.opened(thread)
	h.threadChanged(thread.Place())
}

func (h handler) ThreadChanged(thread chat.Channel) { h.threadChanged(thread.Place()) }

func (h handler) ChannelDeleted(at chat.Place) {
	h.Flows.ChannelDeleted(at)
	if at.Parent != "" {
		h.threadChanged(at)
	}
}

func (h handler) Edited(ctx context.Context, m chat.Message) {
	h.Flows.Edited(ctx, m)
	for _, of := range h.bot.core.forums() {
		of.MessageEdited(m)
	}
}

func (h handler) GuildAvailable(g chat.GuildID) {
	h.Flows.GuildAvailable(g)
	for _, of := range h.bot.core.forums() {
		of.Resync(g)
	}
}
