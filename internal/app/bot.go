package app

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/attach"
	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/config"
	"discoclaw/internal/confirm"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/discord"
	"discoclaw/internal/envfile"
	"discoclaw/internal/flow"
	"discoclaw/internal/inbox"
	"discoclaw/internal/journal"
	"discoclaw/internal/ledger"
	"discoclaw/internal/lifetime"
	"discoclaw/internal/llm"
	"discoclaw/internal/models"
	"discoclaw/internal/status"
	"discoclaw/internal/store"
	"discoclaw/internal/stream"
	"discoclaw/internal/turn"
	"discoclaw/internal/undo"
)

// Outside is what the bot reaches beyond this process. The zero value is the real
// world; the playground and tests put their own in.
type Outside struct {
	HTTP      *http.Client    // carries everything to Discord
	ModelHTTP *http.Client    // carries everything to the model's server
	Runtime   llm.Runtime     // the model; nil means the one that the settings name
	Log       io.Writer       // nil means no log
	Online    func(chat.User) // told each time the bot has logged in; may be nil
	Answered  func(flow.Turn) // told of every turn that is over; may be nil
	Token     func() string   // names what people are asked to approve; nil means random names
	Settings  string          // the file that the environment was read from, which !secret changes; empty means none
}

// A Bot is everything put together.
type Bot struct {
	core    *Core
	env     config.Env
	file    *envfile.File // with the settings; nil if there is none
	given   Outside       // as it was before there was a model for the settings
	out     Outside
	desk    *confirm.Desk
	journal *journal.Journal
	replies *reply.Replies
	ledger  *ledger.Ledger
	undo    *undo.Undo
	flows   *flow.Flows
	inbox   *inbox.Inbox

	loggedIn  chan struct{}     // closed when the bot has logged in for the first time
	loginDone func()            // closes it
	board     *status.Board     // where operators are told things
	aside     *background.Group // what nobody waits for
	threads   *threads
	life      *life
	disk      *disk
}

// NewBot reads the configuration and builds the bot. It opens nothing and contacts
// nobody. A *config.Error lists everything that has to be mended.
func NewBot(env config.Env, out Outside) (*Bot, error) {
	core, err := newCore(env, out)
	problems := problemsOf(err)
	if err == nil {
		problems = core.unfitToRun(env, out)
	}
	if len(problems) > 0 {
		return nil, &config.Error{Problems: problems}
	}
	given := out
	if out.Runtime == nil {
		out.Runtime = newRuntime(core.Config, out.ModelHTTP, core.log)
	}
	b := &Bot{core: core, env: env, given: given, out: out, loggedIn: make(chan struct{})}
	b.loginDone = sync.OnceFunc(func() { close(b.loggedIn) })
	if out.Settings != "" {
		b.file = envfile.Open(out.Settings)
	}
	b.build()
	return b, nil
}

// Warnings are for the operator.
func (b *Bot) Warnings() []string {
	warnings := slices.Clip(b.core.Warnings)
	if len(b.core.Config.Discord.Users.Valid()) == 0 {
		warnings = append(warnings, "DISCORD_ALLOW_USER_IDS names nobody, so the bot will answer nobody")
	}
	return warnings
}

// unfitToRun is what must be mended before the bot can run, though its parts can be
// looked at.
func (c *Core) unfitToRun(env config.Env, out Outside) []string {
	var problems []string
	if c.Config.Discord.Token.Reveal() == "" {
		problems = append(problems, "DISCORD_TOKEN is not set: copy the bot's token from Discord's developer portal (Bot → Reset Token), or try the bot without one: discoclaw play")
	}
	if out.Runtime == nil && !HasModel(env) {
		problems = append(problems, noModel)
	}
	return problems
}

// actionTime is how long one action may take, with all that it asks of Discord.
const actionTime = time.Minute

// build puts what serves people on top of what the bot can do.
func (b *Bot) build() {
	c, policy := b.core, b.core.policy()
	b.desk = confirm.New(confirm.Options{DB: c.db, Server: newCards(c), Log: c.log, Token: b.out.Token})
	b.journal = journal.New(c.db, journal.Options{Hide: journal.Hiding(c.Config.Secrets()...), Category: c.registry.CategoryOf, Log: c.log})
	b.undo = &undo.Undo{Journal: b.journal, Desk: b.desk, NewTurn: rand.Text, Log: c.log}
	b.ledger = ledger.New(c.db, c.log)
	b.inbox = inbox.New(c.db)
	b.ledger.Held = b.inbox.Holds
	b.board, b.aside = c.newBoard(), background.New(c.log)
	b.disk = newDisk(c, b.board.Report)
	b.threads = &threads{on: c.Config.Discord.Threads, discord: c.discord, policy: policy, aside: b.aside, log: c.log, ended: make(chan struct{})}
	b.replies = reply.New(c.outbox, c.discord, b.threads.answering)
	b.life = &life{store: lifetime.NewStore(c.db), restart: make(chan struct{}, 1)}
	dispatcher := actions.NewDispatcher(b.middlewares(policy)...)
	dispatcher.Hold, dispatcher.Record, dispatcher.Limit = b.desk, b.journal, actionTime
	b.desk.Serve(flow.Approved{Registry: c.registry, Flags: c.flags, Dispatcher: dispatcher, Access: policy, Members: c.discord, Log: c.log}, b.undo)
	preview := stream.Options{StallAfter: orNever(c.Config.Chat.StallWarning), Tools: c.Config.Chat.ToolProgress}
	runner := turn.NewRunner(b.out.Runtime, dispatcher, preview, c.log)
	runner.Remember = b.remember
	b.flows = flow.New(flow.Options{
		Server:        server{c.discord, b.replies},
		Runner:        runner,
		Registry:      c.registry,
		Flags:         c.flags,
		Access:        policy,
		Model:         func() string { return c.models.Resolved(models.Chat) },
		Name:          c.name,
		Workspace:     c.workspace,
		Commands:      b.commands(),
		Slash:         c.Config.Commands.Slash,
		Questions:     b.desk,
		Choices:       choices.NewStore(c.db),
		Reactions:     reactions(c.Config.Reactions),
		AddressedOnly: c.addressedOnly(),
		BatchWait:     time.Duration(c.Config.Chat.BatchWait) * time.Millisecond,
		Attachments:   attach.New(attach.Options{HTTP: b.out.HTTP, Hosts: fileHosts(c.Config.Discord), Log: c.log}),
		Deferrals:     c.deferred,
		Inbox:         b.inbox,
		CatchUp:       time.Duration(c.Config.Chat.CatchUp) * time.Minute,
		NewTurn:       rand.Text,
		FollowUps:     c.Config.Actions.FollowUps,
		HistoryBudget: c.Config.Chat.HistoryBudget,
		Over:          b.over,
		Forget:        b.forgetTurn,
		Report:        b.board.Report,
		Startup:       b.startup(policy),
		Log:           c.log,
	})
	c.deferred.Keeper = b.flows
}

func reactions(c config.Reactions) flow.Reactions {
	return flow.Reactions{
		Added:   c.Added,
		Removed: c.Removed,
		MaxAge:  time.Duration(c.MaxAge * float64(time.Hour)),
		StopOne: c.StopScope == "message",
	}
}

// remember opens the ledger of a turn.
func (b *Bot) remember(ctx context.Context, id string) (turn.Ledger, error) {
	return b.ledger.Open(ctx, id)
}

// over writes a turn down and passes the news on.
func (b *Bot) over(ctx context.Context, t flow.Turn) {
	if t.Command == "" { // of a command, the journal has heard what there is to hear
		b.write(ctx, t.ID, func(ctx context.Context, tx *store.Tx) error {
			err := b.journal.Turn(ctx, tx, journalled(t))
			if err != nil || t.GoesOn {
				return err
			}
			return b.closeTurn(ctx, tx, t.ID)
		})
	}
	b.reportTurn(ctx, t)
	b.disk.nudge()
	if b.out.Answered != nil {
		b.out.Answered(t)
	}
}

// forgetTurn forgets how far a turn came that is not resumed.
func (b *Bot) forgetTurn(ctx context.Context, turn string) {
	b.write(ctx, turn, func(ctx context.Context, tx *store.Tx) error { return b.closeTurn(ctx, tx, turn) })
}

// closeTurn deletes what is only needed to resume a turn.
func (b *Bot) closeTurn(ctx context.Context, tx *store.Tx, turn string) error {
	return errors.Join(b.ledger.Close(ctx, tx, turn), b.core.outbox.Close(ctx, tx, turn))
}

// write writes in one transaction that a turn is over. The context of the turn may have ended.
func (b *Bot) write(ctx context.Context, turn string, do func(context.Context, *store.Tx) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), overTime)
	defer cancel()
	if err := b.core.db.Tx(ctx, func(tx *store.Tx) error { return do(ctx, tx) }); err != nil {
		b.core.log.ErrorContext(ctx, "cannot write down that a turn is over", "turn", turn, "err", err)
	}
}

// overTime is how long writing down that a turn is over may take.
const overTime = 10 * time.Second

// middlewares stand around every action, the first outermost.
func (b *Bot) middlewares(policy access.Policy) []actions.Middleware {
	list := []actions.Middleware{b.reporting, access.Guard(policy, b.core.discord)}
	if b.core.Config.Actions.Confirm == "off" {
		list = append(list, approveAll)
	}
	return list
}

// approveAll is for operators who do not want to be asked.
func approveAll(next actions.Handler) actions.Handler {
	return func(ctx context.Context, call actions.Call, bound actions.Bound) (actions.Result, error) {
		return next(ctx, call.Approved(), bound)
	}
}

// policy is whom the settings let in.
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

// addressedOnly: where several people talk, most of it is not meant for the bot.
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

// server is Discord as flows see it.
type server struct {
	*discord.Client
	*reply.Replies
}

// handler passes events on and tells of every login.
type handler struct {
	*flow.Flows
	bot *Bot
}

func (h handler) Ready(self chat.User) {
	h.bot.noteRunning()
	h.Flows.Ready(self)
	h.bot.loginDone()
	h.bot.arrived()
	if h.bot.out.Online != nil {
		h.bot.out.Online(self)
	}
}

func (h handler) Opened(_ context.Context, thread chat.Channel) { h.bot.threads.opened(thread) }
