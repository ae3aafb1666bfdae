package flow

import (
	"context"
	"log/slog"
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

// A Menu is the part of the Discord client that slash commands use.
type Menu interface {
	// OfferMenu registers the slash command; WithdrawMenu removes it.
	OfferMenu(ctx context.Context, m chat.Menu) error
	WithdrawMenu(ctx context.Context, m chat.Menu) error
	// ShowForm answers an interaction with a form.
	ShowForm(ctx context.Context, i chat.Interaction, f chat.Form) error
	// Acknowledge tells the user of a command that an answer will follow. Respond sends that answer, FollowUp
	// adds a message to it. Nobody else sees any of these.
	Acknowledge(ctx context.Context, i chat.Interaction) error
	Respond(ctx context.Context, i chat.Interaction, m chat.Outgoing) error
	FollowUp(ctx context.Context, i chat.Interaction, m chat.Outgoing) error
	// Suggest answers an autocomplete request.
	Suggest(ctx context.Context, i chat.Interaction, texts []string) error
}

// Questions handles the questions that people answer with buttons.
type Questions interface {
	// Pressed handles a press of any button except those that stop a turn, those below answers, and those of Work.
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
	Voice     Voice
	Work      Work // other work that people can stop; nil means none
	// CronModel returns the model of a job, which may name one of its own.
	CronModel func(own string) (llm.Choice, error)
	// Decided handles the answer to a question that is not for the model. It is idempotent. It may be nil.
	Decided func(ctx context.Context, q choices.Question) error
	// HandledByForum reports whether a message defines a job in a forum, and so is no request. It may be nil.
	HandledByForum func(ctx context.Context, m chat.Message) bool

	// Ignored is called with each message that gets no answer. It may be nil.
	Ignored func(m chat.Message, why access.Refusal)

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

// Reactions configures which reactions are handled. With the zero value, none are.
type Reactions struct {
	Added   bool          // handle reactions that are added
	Removed bool          // handle reactions that are removed
	MaxAge  time.Duration // of the message; 0 means any
	StopOne bool          // a stop sign ends only the turn or the work of its message, not everything
}

func (o Reactions) include(r chat.Reacted) bool {
	if r.Removed {
		return o.Removed
	}
	return o.Added
}

// A Past is what is known of a turn by one of the messages of its answer.
type Past struct {
	Turn      chat.TurnID
	Flow      actions.Flow
	Requester chat.UserID
	Answer    []chat.MessageID
	Changed   bool     // it may have changed something, or a turn with which it goes on
	Lines     []string // what people read of what it did
}

// Work is long work that is not a turn. Its methods do not block.
type Work interface {
	// StopAll stops all of it, and returns how many pieces of it there were.
	StopAll(by chat.UserID) int
	// StopMessage stops the piece that a message reports on, and returns whether there was one.
	StopMessage(m chat.MessageID, by chat.UserID) bool
	// Pressed handles the press of one of its buttons. It returns false for all others.
	Pressed(ctx context.Context, p chat.Press) bool
}

// noWork is the Work of a bot that has none.
type noWork struct{}

func (noWork) StopAll(chat.UserID) int                      { return 0 }
func (noWork) StopMessage(chat.MessageID, chat.UserID) bool { return false }
func (noWork) Pressed(context.Context, chat.Press) bool     { return false }

// deps are what all sources use.
type deps struct {
	pipe   *pipeline.Pipeline
	router *router
	gather *gather.Gatherer
	self   *gather.Self
	server Server
	inbox  *inbox.Inbox
	access access.Policy

	registry  *actions.Registry
	flags     actions.CategoryFlags
	ways      []*access.Way
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

// gate returns the gate of a turn: what is switched on, without what its origin and more exclude.
func (k *deps) gate(o actions.Origin, more ...actions.Narrowing) actions.Gate {
	return k.registry.Gate(k.flags, append(access.Narrowings(k.ways, o), more...)...)
}

// delete deletes one of the bot's messages. It is idempotent.
func (k *deps) delete(ctx context.Context, ch chat.ChannelID, m chat.MessageID) error {
	err := k.server.Delete(ctx, ch, m)
	if chat.IsGone(err) {
		return nil
	}
	return err
}

// tellRefused tells people that nothing can be started. It and other hints come at most once an hour in a channel.
func (k *deps) tellRefused(ctx context.Context, at chat.Place, text string) {
	if !k.hints.Allow(at.Channel, 1, time.Hour) {
		return
	}
	k.pipe.Go("tell that nothing is accepted", func(ctx context.Context) {
		if _, err := k.server.Send(ctx, at.Channel, chat.Outgoing{Text: text, ReplyTo: at.Message}); err != nil {
			k.log.WarnContext(ctx, "cannot tell that nothing is accepted", "channel", at.Channel, "err", err)
		}
	})
}
