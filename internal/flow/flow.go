// Package flow turns events into turns: it holds the ways in which work begins, and what each of them may do.
//
// A way in is a [Source]. Messages, commands, slash commands, reactions and deferred runs have one file each.
// The sources share a [Pipeline], which guards, dedupes, accepts, enqueues, runs and settles their events, and
// resumes those that an earlier process left unfinished. [Flows] receives the events of the Discord client.
package flow

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/commands"
	"discoclaw/internal/cron"
	"discoclaw/internal/deferral"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/llm"
	"discoclaw/internal/status"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/class"
	"discoclaw/internal/turn/gather"
)

// A Server is the part of the Discord client that flows use.
type Server interface {
	gather.Server
	// Venue returns the destination of a turn's answers.
	Venue(o reply.Options) turn.Venue
	Message(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (chat.Message, error)
	// Reactors returns the users who reacted to a message with an emoji.
	Reactors(ctx context.Context, ch chat.ChannelID, m chat.MessageID, e chat.Emoji) ([]chat.User, error)
	// Channel finds a channel of a server that a user names. An error is a sentence for people.
	Channel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error)
	// OpenedThread reports whether the bot is known to have opened a thread for a talk. It does not ask Discord.
	OpenedThread(ch chat.ChannelID) bool
	Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
	// Replace replaces text, files and buttons of a message. Delete deletes it.
	Replace(ctx context.Context, ch chat.ChannelID, m chat.MessageID, by chat.Outgoing) error
	Delete(ctx context.Context, ch chat.ChannelID, m chat.MessageID) error
	// RespondEphemeral answers the user who pressed a button. Nobody else sees that.
	RespondEphemeral(ctx context.Context, p chat.Press, text string) error
	// LastMessages returns all channels, each with its LastMessage as Message.
	LastMessages() []chat.LastMessage
	// MessagesAfter returns the first messages after the message of a place, oldest first.
	MessagesAfter(ctx context.Context, at chat.Place, limit int) ([]chat.Message, error)
	// OpenDirect returns the place of the direct messages with a user, with the latest of them as Message.
	OpenDirect(ctx context.Context, u chat.UserID) (chat.Place, error)
	Menu
}

// Questions handles the questions that people answer with buttons.
type Questions interface {
	// Pressed handles a press of any button except those that stop a turn and those of Work.
	Pressed(ctx context.Context, p chat.Press)
}

// Options configures flows.
type Options struct {
	Server   Server
	Registry *actions.Registry
	Flags    actions.CategoryFlags
	// PeopleFlags are for what people ask for; see actions.FlagsFromEnv.
	PeopleFlags actions.CategoryFlags
	Access      access.Policy
	Model       func() llm.Choice // the chat model, called at each turn
	// Gather configures what prompts know. Server, Access and the like are those of these options.
	Gather gather.Options

	Name      func() string   // what the bot calls itself, called at each turn; nil or empty means its name on Discord
	Commands  *commands.Table // may be nil
	Slash     bool            // whether commands are also offered as slash commands
	Questions Questions       // questions that people answer with buttons
	Choices   *choices.Store  // questions that people answer with reactions
	Reactions Reactions
	Deferrals *deferral.Engine // deferred runs
	Jobs      *cron.Engine     // scheduled jobs
	Work      Work             // other work that people can stop; nil means none
	// CronModel returns the model of a job, which may name one of its own.
	CronModel func(own string) (llm.Choice, error)
	// Decided handles the answer to a question that is not for the model. It is idempotent. It may be nil.
	Decided func(ctx context.Context, q choices.Question) error
	// HandledByForum reports whether a message defines a job in a forum, and so is no request. It may be nil.
	HandledByForum func(ctx context.Context, m chat.Message) bool

	// CatchUp is the maximum age of messages that are answered although they were sent while the bot was
	// away. 0 means that none are.
	CatchUp time.Duration

	// AddressedOnly limits answers to messages that address the bot: a mention, a reply to it, a direct
	// message, a command, or what is said in a thread in which it takes part. Without AddressedOnly, every message
	// of the people who are served is answered.
	AddressedOnly bool
	Talks         *store.Cell[[]chat.ChannelID] // keeps the threads in which the bot was addressed; nil keeps them in memory

	// Now returns the time for what happens later, and of prompts; nil means time.Now.
	Now func() time.Time
	// Report sends a notice to the operators, to the channel they configured or directly. It does not block.
	Report func(ctx context.Context, k status.Kind, what string)

	Buttons bool // whether answers have buttons that delete and redo them
	// Past returns what is known of the turn that posted a message as a part of its answer.
	Past func(ctx context.Context, at chat.Place) (Past, bool, error)
	// Judge returns the class of an answer; nil means that each is a completion.
	Judge func(ctx context.Context, text string) class.Class
	// Continue is how often a turn may go on by itself after an answer that only says so. 0 means never.
	Continue int
	// Steer means that a message stops the answer to its author's messages before it, and that all are answered together.
	Steer bool
	Tools llm.ToolLevel // of runtimes that turns may use, at most
	Log   *slog.Logger
}

// deps are what all sources use.
type deps struct {
	pipe   *pipeline.Pipeline
	gather *gather.Gatherer
	self   *gather.Self
	server Server
	inbox  *inbox.Inbox
	access access.Policy

	registry  *actions.Registry
	flags     actions.CategoryFlags
	dialects  dialect.List
	model     func() llm.Choice
	tools     llm.ToolLevel
	followUps int

	now           func() time.Time
	report        func(ctx context.Context, k status.Kind, what string)
	log           *slog.Logger
	addressedOnly bool
	buttons       bool
	catchUp       time.Duration
	work          Work

	users   users
	silence silence
	talks   threadTalks
	hints   pipeline.RateLimiter[chat.ChannelID] // limits the hints on what is to be fixed
}

// Flows dispatches the events of Discord to the sources. Its methods do not block; Close waits for the work
// they started.
type Flows struct {
	*deps
	questions Questions
	past      func(ctx context.Context, at chat.Place) (Past, bool, error)
	routes    []route
	messages  *messages
	redos     *redoSource
	commands  *commandSource
	slash     *slashSource
	reactions *reactionSource
	deferred  *deferredSource
	crons     *cronSource
	away      *pipeline.Entry[away]
	gaps      *gapReader
	directs   *directFinder
}

// New returns flows with all sources opened, ready for events.
func New(o Options, p pipeline.Options) *Flows {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Work == nil {
		o.Work = noWork{}
	}
	f := &Flows{questions: o.Questions, past: o.Past}
	p.Access, p.Report, p.Now, p.Log, p.Recovered = o.Access, o.Report, o.Now, o.Log, f.recovered
	o.Gather.Server, o.Gather.Access, o.Gather.Now, o.Gather.Log = o.Server, o.Access, o.Now, o.Log
	self := &gather.Self{Named: o.Name, Commands: o.Commands}
	f.deps = &deps{
		pipe: pipeline.New(p), gather: gather.New(o.Gather, self), self: self, server: o.Server, inbox: p.Inbox, access: o.Access,
		registry: o.Registry, flags: o.Flags, dialects: o.Gather.Dialects, model: o.Model, tools: o.Tools, followUps: o.Gather.FollowUps,
		now: o.Now, report: o.Report, log: o.Log, addressedOnly: o.AddressedOnly, buttons: o.Buttons, catchUp: o.CatchUp, work: o.Work,
		talks: threadTalks{stored: o.Talks},
	}
	for _, way := range openings() {
		if way.open != nil {
			way.open(f, o)
		}
	}
	f.gaps = newGapReader(f)
	f.directs = &directFinder{deps: f.deps, gaps: f.gaps}
	return f
}

// Health returns the current statistics.
func (f *Flows) Health() pipeline.Health { return f.pipe.Health() }

// Busy reports whether a turn runs or waits in a channel.
func (f *Flows) Busy(ch chat.ChannelID) bool { return f.pipe.Busy(ch) }

// ResumedTurns returns the turns of an earlier process that this one has resumed or will resume.
func (f *Flows) ResumedTurns() []chat.TurnID { return f.pipe.ResumedTurns() }

// Close cancels the running turns. They and the queued events are resumed at the next start.
func (f *Flows) Close(ctx context.Context) error { return f.pipe.Close(ctx) }

// Ready handles the start of a new session, in which self is the bot's user. Events may have been missed
// before it, so it resumes unfinished events, reads the gaps and looks for missed answers to questions.
func (f *Flows) Ready(self chat.User) {
	f.self.Become(self)
	f.gather.Missed("")
	f.pipe.Online()
	f.pipe.Resume()
	past := f.inbox.Past()
	f.gaps.read(f.inbox.Gaps(f.gaps.pasts("")))
	f.gaps.read(f.inbox.DirectMessageGaps())
	f.directs.find(past)
	f.reactions.findMissed("")
	f.slash.offer()
}

// GuildAvailable handles the return of a server that was unavailable for a while, within one session.
func (f *Flows) GuildAvailable(g chat.GuildID) {
	f.gather.Missed(g)
	f.pipe.Resume()
	f.gaps.read(f.inbox.Gaps(f.gaps.pasts(g)))
	f.reactions.findMissed(g)
}

// recovered catches up on the events that could not be accepted, now that the inbox can be written again.
func (f *Flows) recovered() {
	f.log.Info("events are accepted again")
	f.gaps.read(f.inbox.TakeRefused())
	f.reactions.findAnswers("")
}

// Message handles a new message.
func (f *Flows) Message(ctx context.Context, m chat.Message) { f.route(ctx, m, pipeline.Live) }

// A route directs the messages it takes to a source of their own.
type route struct {
	takes func(context.Context, chat.Message) bool
	in    *pipeline.Entry[chat.Message]
}

// entryOf returns the entry for a message: that of the first route that takes it, or else that of messages.
func (f *Flows) entryOf(ctx context.Context, m chat.Message) *pipeline.Entry[chat.Message] {
	for _, r := range f.routes {
		if r.takes(ctx, m) {
			return r.in
		}
	}
	return f.messages.in
}

// route passes a message to its source.
func (f *Flows) route(ctx context.Context, m chat.Message, a pipeline.Arrival) {
	f.entryOf(ctx, m).Tell(ctx, m, a)
}

// Edited handles an edit of a message. While the message is queued, the new text replaces the old one; after
// that, an edit is not a new request.
func (f *Flows) Edited(ctx context.Context, m chat.Message) {
	f.gather.Edited(m)
	if f.entryOf(ctx, m).Replace(ctx, m) {
		f.log.DebugContext(ctx, "waiting message replaced", "message", m.ID, "channel", m.Place.Channel)
	}
}

// Deleted handles the deletion of a message. If the message is still queued, it is withdrawn, since nobody wants
// the answer; if it was one of the bot's questions, that is forgotten, since nobody can answer it any more.
func (f *Flows) Deleted(ctx context.Context, p chat.Place) {
	f.gather.Deleted(p)
	f.reactions.forget(ctx, p)
	if f.pipe.Withdraw(ctx, p) {
		f.log.DebugContext(ctx, "waiting message withdrawn", "message", p.Message, "channel", p.Channel)
	}
}

// OwnMessage handles a message of the bot itself. Polls become part of the history; what else it says is told when its turn is over.
func (f *Flows) OwnMessage(m chat.Message) {
	f.gather.OwnPoll(m)
	f.inbox.OwnMessage(m.Place)
}

// ChannelSeen handles a channel that is new to the bot. It tracks the channel from here on, so that messages
// sent there while the bot is away count as missed even if the channel was empty before.
func (f *Flows) ChannelSeen(at chat.Place) {
	if f.access.Listens(at) {
		f.inbox.Track(at)
	}
}

// ChannelDeleted handles the deletion of a channel or a thread.
func (f *Flows) ChannelDeleted(at chat.Place) { f.gather.ChannelDeleted(at) }

// Reacted handles a reaction that was added or removed.
func (f *Flows) Reacted(ctx context.Context, told chat.Reacted) { f.reactions.reacted(ctx, told) }

// SlashCommand handles the use of the slash command.
func (f *Flows) SlashCommand(ctx context.Context, i chat.Invocation) {
	if f.slash.on {
		f.slash.in.Tell(ctx, i, pipeline.Live)
	}
}

// Completing handles an autocomplete request for the slash command.
func (f *Flows) Completing(ctx context.Context, typing chat.Completion) {
	f.slash.complete(ctx, typing)
}

// Deferrals returns the source that runs due deferred runs.
func (f *Flows) Deferrals() *deferredSource { return f.deferred }

// Crons returns the source that runs scheduled jobs.
func (f *Flows) Crons() *cronSource { return f.crons }

// Pressed handles the press of a button.
func (f *Flows) Pressed(ctx context.Context, p chat.Press) {
	if why := f.access.Admit(access.ByButton, p.User, p.Place); why != access.Admitted {
		f.log.DebugContext(ctx, "press ignored", "reason", string(why), "message", p.Place.Message, "channel", p.Place.Channel, "user", p.User.ID)
		return
	}
	if id, ok := strings.CutPrefix(p.Button, stopPrefix); ok {
		f.pipe.Stop(id, p.User.ID)
		return
	}
	if !f.pressedBelow(p) && !f.work.Pressed(ctx, p) {
		f.questions.Pressed(ctx, p)
	}
}

// CardEnded adds the outcome of one of the bot's cards to the history, with what it was about, for later prompts.
func (f *Flows) CardEnded(card chat.Place, what, how string, outside chat.Sources) {
	f.gather.CardEnded(card, what, how, outside)
}

// fullDisk tells people that nothing can be started, at most once an hour per channel.
func (k *deps) fullDisk(ctx context.Context, at chat.Place, text string) {
	if !k.hints.Allow(at.Channel, 1, time.Hour) {
		return
	}
	k.pipe.Go("full disk", func(ctx context.Context) {
		if _, err := k.server.Send(ctx, at.Channel, chat.Outgoing{Text: text, ReplyTo: at.Message}); err != nil {
			k.log.WarnContext(ctx, "cannot tell that nothing is accepted", "channel", at.Channel, "err", err)
		}
	})
}
