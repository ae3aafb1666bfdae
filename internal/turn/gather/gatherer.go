package gather

import (
	"context"
	"log/slog"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/clock"
	"discoclaw/internal/memory/recall"
	"discoclaw/internal/turn/history"
)

// A Server is the part of the Discord client that a Gatherer uses.
type Server interface {
	ChannelByID(ctx context.Context, ch chat.ChannelID) (chat.Channel, error)
	// MessagesBefore returns the messages before the message of a place, or the latest ones if the place has
	// none, newest first.
	MessagesBefore(ctx context.Context, at chat.Place, limit int) ([]chat.Message, error)
	// LastMessage returns the latest message of a channel that is older than all events that were received from it.
	LastMessage(ch chat.ChannelID) (latest chat.MessageID, known bool)
	// Now returns the time by Discord's clock.
	Now() time.Time
	// Surroundings returns what is known about a place, as far as a user may know it.
	Surroundings(at chat.Place, u chat.UserID) chat.Surroundings
	// KnownToLack reports whether a user is known to lack a permission. It does not ask Discord.
	KnownToLack(at chat.Place, u chat.UserID, p chat.Permission) bool
	// Readable reports whether all members that see one channel may read the other.
	Readable(ctx context.Context, g chat.GuildID, here, source chat.ChannelID) (bool, error)
	// Overwrites returns the permission overwrites of a channel.
	Overwrites(ctx context.Context, g chat.GuildID, ch chat.ChannelID) ([]chat.Overwrite, error)
	// MissingPermissions returns those of the permissions that a member lacks in a channel.
	MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
		needs []chat.Permission) ([]chat.Permission, error)
}

// Attachments opens the attachments of messages.
type Attachments interface {
	// Open returns what it could open, one Opened for each message.
	Open(ctx context.Context, said ...chat.Message) []chat.Opened
}

// A Workspace holds the documents that people write for the bot.
type Workspace interface {
	// Persona returns the documents that describe who the bot is.
	Persona(ctx context.Context) ([]chat.Document, error)
	// Context returns the documents that the bot should know in a channel. For a thread, name is that of its
	// parent channel; in a direct message it is empty. The text of an error is shown to the user.
	Context(ctx context.Context, at chat.Place, name string) ([]chat.Document, error)
}

// Titles returns the outside texts of the titles of a server's posts that a text quotes.
type Titles func(g chat.GuildID, text string) chat.Sources

// Options configures a Gatherer.
type Options struct {
	Server      Server
	Access      access.Policy
	Dialects    dialect.List // how the model may write requests; empty means blocks
	Native      bool         // whether models that can are given the actions as functions
	Now         func() time.Time
	Zone        clock.ZoneOf   // the time zones of times in prompts; nil means this machine's
	Workspace   Workspace      // nil means none
	Attachments Attachments    // nil means that no attachment is opened
	Knowledge   []Informer     // the parts of the bot that tell prompts what they know, in this order
	Recall      *recall.Engine // old talk; nil means none
	// Startup returns a note on how this process started. Only the first prompt for the user concerned has
	// one; for all others it is empty. It may be nil.
	Startup func(by chat.UserID) string

	FollowUps        int           // how many more times the model may be called in a turn
	HistoryBudget    int           // characters of earlier conversation in a prompt
	HistoryOutsiders int           // how many messages of outsiders the history quotes
	Source           chat.SourceOf // returns the outside texts of a message
	Titles           Titles        // may be nil
	Taint            actions.Taint // what becomes of changes after outside text was read
	// Tools reports whether a person's turns may change things on this machine, or use MCP servers, if they have read nothing from outside.
	// Nil means never.
	Tools        func(ctx context.Context, who chat.UserID, g chat.GuildID) bool
	RecallBudget int // characters of old talk in a prompt
	RecallLimit  int // old messages in a prompt
	Log          *slog.Logger
}

// A Gatherer collects what prompts know. It is safe for concurrent use.
type Gatherer struct {
	o       Options
	self    *Self
	history history.Log
}

// New returns a Gatherer with an empty history.
func New(o Options, self *Self) *Gatherer {
	if o.Zone == nil {
		o.Zone = func(context.Context, chat.UserID) *time.Location { return time.Local }
	}
	return &Gatherer{o: o, self: self}
}

// A Request says for whom a prompt is gathered, and what it is about.
type Request struct {
	Origin  actions.Origin
	By      chat.UserID // who asks: the requester, or another bot, which has no rights to lend
	Gate    actions.Gate
	Outside *chat.Reading    // what the turn has read from outside, to which is added
	Handles *chat.Handles    // may be nil
	Said    []chat.Message   // the messages that are answered; empty if a turn begins without any
	About   []chat.MessageID // messages that the prompt quotes in any case
	Text    string           // what it is about
	Talk    bool             // the parts of the bot are asked, and old talk is looked up, as they are for messages
	History *History         // which earlier messages it quotes; nil for none
}

// A History says which earlier messages a prompt quotes: those before a place.
type History struct {
	Before chat.Place
	Blind  bool // the user may not read messages from before the bot listened
}
