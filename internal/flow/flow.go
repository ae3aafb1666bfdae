package flow

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/commands"
	"discoclaw/internal/convo"
	"discoclaw/internal/deferral"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/history"
	"discoclaw/internal/inbox"
	"discoclaw/internal/turn"
)

// A Server is what flows need of Discord.
type Server interface {
	// Venue is where the answers of a turn go.
	Venue(o reply.Options) turn.Venue
	Message(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (chat.Message, error)
	// Reactors are people who reacted to a message with an emoji.
	Reactors(ctx context.Context, ch chat.ChannelID, m chat.MessageID, e chat.Emoji) ([]chat.User, error)
	ChannelByID(ctx context.Context, ch chat.ChannelID) (chat.Channel, error)
	Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
	Edit(ctx context.Context, ch chat.ChannelID, m chat.MessageID, to chat.Outgoing) error
	// Earlier are the messages before that of a place, or the latest ones if it has none,
	// newest first.
	Earlier(ctx context.Context, at chat.Place, limit int) ([]chat.Message, error)
	// Past is the latest message of a channel that came before all that flows are told of.
	Past(ch chat.ChannelID) (latest chat.MessageID, known bool)
	// Pasts are all channels, each with that message as its Message.
	Pasts() []chat.Past
	// Later are the first messages after that of a place, oldest first.
	Later(ctx context.Context, at chat.Place, limit int) ([]chat.Message, error)
	// Now is the time on Discord, by which the age of a message is measured: the clock of
	// this machine may be wrong.
	Now() time.Time
	// Lacks says whether somebody is known to lack a permission.
	Lacks(at chat.Place, u chat.UserID, p chat.Permission) bool
	// Missing is which of the permissions a member lacks in a channel.
	Missing(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID, needs []chat.Permission) ([]chat.Permission, error)
	// Awaits says whether the bot is on a server of which nothing else is known yet. Regained
	// is told when that changes.
	Awaits(g chat.GuildID) bool
	// Counting returns a context, and how many requests have been sent with it.
	Counting(ctx context.Context) (context.Context, func() int)
	Menu
}

// Questions are answered by pressing a button.
type Questions interface {
	// Pressed is told of every press but those that stop a turn.
	Pressed(ctx context.Context, p chat.Press)
}

// Options are what flows are made of.
type Options struct {
	Server   Server
	Runner   *turn.Runner
	Registry *actions.Registry
	Flags    actions.CategoryFlags
	Access   access.Policy
	Model    func() string // the model for chatting, asked at each turn
	Name     func() string // what the bot calls itself, asked at each turn; nil or empty means its name on Discord

	Commands  *commands.Table // may be nil
	Slash     bool            // whether people can also choose them from a menu
	Questions Questions       // that people answer with buttons
	Choices   *choices.Store  // questions that people answer with reactions
	Reactions Reactions
	Deferrals *deferral.Engine // what the bot is to do later

	Inbox *inbox.Inbox // what was taken up; nil means that it ends with the process
	// CatchUp is how old what was said while nobody listened may be to be taken up all the
	// same. 0 takes up nothing.
	CatchUp time.Duration

	// AddressedOnly answers only what is meant for the bot: a mention, a reply to it, a
	// direct message or a command. Otherwise everything is that somebody says who is served.
	AddressedOnly bool
	// BatchWait is how long a silent channel waits for more of the same author before a
	// turn begins.
	BatchWait time.Duration

	Workspace   Workspace   // nil means none
	Attachments Attachments // nil means that nothing is opened
	Memory      Memory      // nil means none

	NewTurn func() string               // names a turn
	Over    func(context.Context, Turn) // told of every turn, and every command, that is over
	// Forget forgets how far a turn came that is given up before it is over. Nil means that
	// nothing is known of that.
	Forget func(ctx context.Context, turn string)
	// Report tells the operators something, where they want to be told. It does not wait
	// for that. Nil means that nobody is told.
	Report func(ctx context.Context, what string)

	// Startup is what the first prompt for somebody says about how the bot began; empty
	// for all others. It may be nil.
	Startup func(by chat.UserID) string

	FollowUps     int // how often a model may be asked again in a turn
	HistoryBudget int // characters of earlier conversation in a prompt
	Log           *slog.Logger
}

// A Turn is one that is over, for people who want to know what happened.
type Turn struct {
	ID       string
	Command  string // that was written instead; then no model was asked, and there is no Result
	Origin   actions.Origin
	Gate     actions.Gate
	Message  chat.Message // that began it, or that somebody reacted to
	By       chat.User    // who wrote it, or reacted
	Began    time.Time
	Took     time.Duration
	Requests int // to Discord
	Result   turn.Result
	Err      error // nil if it came to its end
	GoesOn   bool  // somebody goes on with it: the next start, or this process when Discord answers again
}

// Flows turn events into turns. They are what a Discord client delivers events to.
// Their methods return at once; Close waits for what they began.
type Flows struct {
	Options
	convo     *convo.Conversations
	history   history.Log
	seen      seen[chat.MessageID] // had their turn, or wait for it
	taken     seen[act]            // reactions that have their turn, or wait for it
	undone    seen[act]            // reactions whose opposite was told, so that they can happen again
	missed    seen[chat.MessageID] // came while the bot was away, or was taken up again
	again     seen[string]         // turns that an earlier process began, which this one goes on with
	takenUp   atomic.Bool          // what an earlier process left is, or waits among what is left
	left      left
	unwritten atomic.Bool          // the operators were told of a disk that takes nothing
	readers   chan struct{}        // has an element for each channel in which something missed is being read
	bots      pace[chat.UserID]    // that asked something
	hints     pace[chat.ChannelID] // where somebody was told what to mend
	aside     *background.Group    // what is no turn
	self      atomic.Pointer[chat.User]
	answers   answers
	people    people
	stats     stats
	offered   atomic.Bool // the menu is as it should be
}

// New returns flows that are ready for events.
func New(o Options) *Flows {
	if o.Report == nil {
		o.Report = func(context.Context, string) {}
	}
	if o.Forget == nil {
		o.Forget = func(context.Context, string) {}
	}
	return &Flows{
		Options: o,
		convo:   convo.New(convo.Options{Wait: o.BatchWait}),
		aside:   background.New(o.Log),
		stats:   stats{began: time.Now()},
		readers: make(chan struct{}, mostReaders),
	}
}

// Ready is told who the bot is, each time it has begun anew to hear what is said.
func (f *Flows) Ready(self chat.User) {
	f.self.Store(&self)
	f.history.Missed()
	f.stats.online()
	f.takeUp()
	f.catchUp()
	f.catchUpOnAnswers("")
	f.offerMenu()
}

// Close ends the turns that run. They, and what waits, are taken up at the next start.
func (f *Flows) Close(ctx context.Context) error {
	var aside error
	var wg sync.WaitGroup
	wg.Go(func() { aside = f.aside.Close(ctx) }) // meanwhile, so that the time is not taken twice
	turns := f.convo.Close(ctx, turn.ErrRestarting)
	wg.Wait()
	return errors.Join(turns, aside)
}

// Pressed is told that somebody pressed a button.
func (f *Flows) Pressed(ctx context.Context, p chat.Press) {
	if why := f.Access.Admit(access.ByButton, p.User, p.Place); why != access.Admitted {
		f.log(ctx, "press ignored", why, p.Place, p.User)
		return
	}
	if id, ok := strings.CutPrefix(p.Button, stopPrefix); ok {
		f.convo.Cancel(id, turn.ErrStopped)
		return
	}
	f.Questions.Pressed(ctx, p)
}

func (f *Flows) log(ctx context.Context, what string, why access.Refusal, at chat.Place, who chat.User) {
	f.Log.DebugContext(ctx, what, "reason", string(why), "message", at.Message, "channel", at.Channel, "user", who.ID)
}

// isSelf says whether somebody is the bot.
func (f *Flows) isSelf(u chat.UserID) bool {
	self := f.self.Load()
	return self != nil && self.ID == u
}

// name is what the bot calls itself.
func (f *Flows) name() string {
	if f.Name != nil {
		if name := f.Name(); name != "" {
			return name
		}
	}
	if self := f.self.Load(); self != nil && self.Name != "" {
		return self.Name
	}
	return "DiscoClaw"
}
