// Package flow holds the ways in which work begins, and what each of them may do.
//
// A way in is a [Source]: message, command, slash command, reaction and deferred run are a file
// each. They share a [Pipeline], which guards, dedupes, accepts, queues, runs and settles their
// events, and resumes what an earlier process left. [Flows] is what the Discord client tells
// its events.
package flow

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/commands"
	"discoclaw/internal/deferral"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/llm"
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
	// MessagesBefore are the messages before that of a place, or the latest ones if it has none,
	// newest first.
	MessagesBefore(ctx context.Context, at chat.Place, limit int) ([]chat.Message, error)
	// LastMessage is the latest message of a channel that came before all that flows are told of.
	LastMessage(ch chat.ChannelID) (latest chat.MessageID, known bool)
	// LastMessages are all channels, each with that message as its Message.
	LastMessages() []chat.LastMessage
	// MessagesAfter are the first messages after that of a place, oldest first.
	MessagesAfter(ctx context.Context, at chat.Place, limit int) ([]chat.Message, error)
	// Now is the time on Discord, by which the age of a message is measured: the clock of
	// this machine may be wrong.
	Now() time.Time
	// Surroundings are what is known for a user about a place.
	Surroundings(at chat.Place, u chat.UserID) chat.Surroundings
	// KnownToLack says whether somebody is known to lack a permission.
	KnownToLack(at chat.Place, u chat.UserID, p chat.Permission) bool
	// MissingPermissions is which of the permissions a member lacks in a channel.
	MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID, needs []chat.Permission) ([]chat.Permission, error)
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
	Registry *actions.Registry
	Flags    actions.CategoryFlags
	Dialects dialect.List // how the model may write requests; empty means blocks
	Access   access.Policy
	Model    func() llm.Choice // the model for chatting, asked at each turn
	Name     func() string     // what the bot calls itself, asked at each turn; nil or empty means its name on Discord

	Commands  *commands.Table // may be nil
	Slash     bool            // whether people can also choose them from a menu
	Questions Questions       // that people answer with buttons
	Choices   *choices.Store  // questions that people answer with reactions
	Reactions Reactions
	Deferrals *deferral.Engine // what the bot is to do later

	// CatchUp is how old what was said while the bot was away may be to be answered all the
	// same. 0 answers nothing of it.
	CatchUp time.Duration

	// AddressedOnly answers only what is meant for the bot: a mention, a reply to it, a
	// direct message or a command. Otherwise everything is that somebody says who is served.
	AddressedOnly bool

	Zone        *time.Location // in which models are told the time; nil means this machine's
	Workspace   Workspace      // nil means none
	Attachments Attachments    // nil means that nothing is opened
	Memory      Memory         // nil means none

	// Report tells the operators something, where they want to be told. It does not wait
	// for that.
	Report func(ctx context.Context, what string)

	// Startup is what the first prompt for somebody says about how the bot began; empty
	// for all others. It may be nil.
	Startup func(by chat.UserID) string

	FollowUps     int // how often a model may be asked again in a turn
	HistoryBudget int // characters of earlier conversation in a prompt
	Log           *slog.Logger
}

// A kit is what all sources work with.
type kit struct {
	Options
	*Pipeline
	self   atomic.Pointer[chat.User]
	people people
	hints  rateLimiter[chat.ChannelID] // where somebody was told what to mend
}

// Flows tell the sources what happens on Discord. Their methods return at once; Close waits
// for what they began.
type Flows struct {
	*kit
	prompts   *prompts
	routes    []route
	messages  *messages
	commands  *commandSource
	slash     *slashSource
	reactions *reactionSource
	deferred  *deferredSource
	gaps      *gapReader
}

// New returns flows that are ready for events.
func New(o Options, p PipelineOptions) *Flows {
	p.Access, p.Report, p.Log = o.Access, o.Report, o.Log
	k := &kit{Options: o}
	f := &Flows{kit: k}
	p.Recovered = f.recovered
	k.Pipeline = NewPipeline(p)
	f.prompts = &prompts{kit: k}
	for _, o := range openings() {
		if o.open != nil {
			o.open(f)
		}
	}
	f.gaps = newGapReader(k, f.route)
	return f
}

// Ready is told who the bot is, each time a new session has begun.
func (f *Flows) Ready(self chat.User) {
	f.self.Store(&self)
	f.prompts.history.Missed()
	f.stats.online()
	f.Resume()
	f.gaps.read(f.Inbox.Gaps(f.gaps.pasts("")))
	f.gaps.read(f.Inbox.DirectMessageGaps())
	f.reactions.catchUp("")
	f.slash.offer()
}

// GuildAvailable is told of a server of which the bot has heard nothing for a while, though the
// session went on.
func (f *Flows) GuildAvailable(g chat.GuildID) {
	f.prompts.history.Missed()
	f.Resume()
	f.gaps.read(f.Inbox.Gaps(f.gaps.pasts(g)))
	f.reactions.catchUp(g)
}

// recovered goes on with what could not be accepted, now that it can be.
func (f *Flows) recovered() {
	f.Log.Info("events are accepted again")
	f.gaps.read(f.Inbox.TakeRefused())
	f.reactions.findAnswers("")
}

// Message is told that somebody wrote a message.
func (f *Flows) Message(ctx context.Context, m chat.Message) { f.route(ctx, m, Live) }

// A route takes some messages to a source of their own.
type route struct {
	takes func(context.Context, chat.Message) bool
	in    *entry[chat.Message]
}

// entryOf is where a message comes in: by the first route that takes it, or like any other.
func (f *Flows) entryOf(ctx context.Context, m chat.Message) *entry[chat.Message] {
	for _, r := range f.routes {
		if r.takes(ctx, m) {
			return r.in
		}
	}
	return f.messages.in
}

// route takes a message to its source.
func (f *Flows) route(ctx context.Context, m chat.Message, a Arrival) {
	f.entryOf(ctx, m).tell(ctx, m, a)
}

// Edited is told that a message was changed. While it waits, the new text takes the
// place of the old one; later, a change is no new request.
func (f *Flows) Edited(ctx context.Context, m chat.Message) {
	f.prompts.updateHistory(m)
	if f.entryOf(ctx, m).replace(ctx, m) {
		f.Log.DebugContext(ctx, "waiting message replaced", "message", m.ID, "channel", m.Place.Channel)
	}
}

// Deleted is told that a message is gone. If it still waits, nobody wants the answer;
// if it asked something, nobody can answer any more.
func (f *Flows) Deleted(ctx context.Context, p chat.Place) {
	f.prompts.history.Remove(p.Channel, p.Message)
	f.reactions.forget(ctx, p)
	if f.withdraw(ctx, p) {
		f.Log.DebugContext(ctx, "waiting message withdrawn", "message", p.Message, "channel", p.Channel)
	}
}

// OwnMessage is told of the bot's own messages.
func (f *Flows) OwnMessage(at chat.Place) { f.Inbox.OwnMessage(at) }

// ChannelSeen is told of channels that are new to the bot. It listens to them from here on, so
// what is said there while it is away will be missed, though nothing was said before.
func (f *Flows) ChannelSeen(at chat.Place) {
	if f.Access.Listens(at) {
		f.Inbox.Track(at)
	}
}

// Reacted is told that somebody reacted to a message, or took a reaction back.
func (f *Flows) Reacted(ctx context.Context, told chat.Reacted) { f.reactions.reacted(ctx, told) }

// SlashCommand is told that somebody used the slash command.
func (f *Flows) SlashCommand(ctx context.Context, i chat.Invocation) {
	if f.Options.Slash {
		f.slash.in.tell(ctx, i, Live)
	}
}

// Completing is told what somebody types into the slash command.
func (f *Flows) Completing(ctx context.Context, typing chat.Completion) {
	f.slash.complete(ctx, typing)
}

// Deferrals is who runs deferred runs that are due.
func (f *Flows) Deferrals() *deferredSource { return f.deferred }

// Pressed is told that somebody pressed a button.
func (f *Flows) Pressed(ctx context.Context, p chat.Press) {
	if why := f.Access.Admit(access.ByButton, p.User, p.Place); why != access.Admitted {
		f.Log.DebugContext(ctx, "press ignored", "reason", string(why), "message", p.Place.Message, "channel", p.Place.Channel, "user", p.User.ID)
		return
	}
	if id, ok := strings.CutPrefix(p.Button, stopPrefix); ok {
		f.stopOne(id)
		return
	}
	f.Questions.Pressed(ctx, p)
}

// isSelf says whether somebody is the bot.
func (k *kit) isSelf(u chat.UserID) bool {
	self := k.self.Load()
	return self != nil && self.ID == u
}

// name is what the bot calls itself.
func (k *kit) name() string {
	if k.Name != nil {
		if name := k.Name(); name != "" {
			return name
		}
	}
	if self := k.self.Load(); self != nil && self.Name != "" {
		return self.Name
	}
	return "DiscoClaw"
}

// fullDisk tells people in a channel that nothing can be started, once an hour.
func (k *kit) fullDisk(ctx context.Context, at chat.Place, text string) {
	if !k.hints.allow(at.Channel, 1, time.Hour) {
		return
	}
	k.bg.Go("full disk", func(ctx context.Context) {
		if _, err := k.Server.Send(ctx, at.Channel, chat.Outgoing{Text: text, ReplyTo: at.Message}); err != nil {
			k.Log.WarnContext(ctx, "cannot tell that nothing is accepted", "channel", at.Channel, "err", err)
		}
	})
}
