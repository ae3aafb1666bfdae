package tasks

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/store"
)

// Options are what an engine needs. Without Guilds no forum is looked at, without Allowed everybody's posts become
// tasks, and without MayMention people are mentioned only because of dates of their own. A nil Log discards.
type Options struct {
	Prefix string         // of IDs; ws if empty
	Forum  chat.ChannelID // of the tasks of its server; if empty, on each server the forum called tasks
	TagMap string         // the file that maps labels to the IDs of tags; tags that are not in it go by their names

	Server Server
	Outbox *outbox.Outbox

	// Guilds returns the servers whose forums are kept in step.
	Guilds func() []chat.GuildID
	// Allowed reports whether a user's post in a place becomes a task.
	Allowed func(who chat.UserID, at chat.Place) bool
	// MayMention reports whether who set a task's date may mention its owner in its post.
	MayMention func(ctx context.Context, t Task) (bool, error)

	Log *slog.Logger
}

// Live is what an engine needs while it runs. Either may be nil.
type Live struct {
	// Busy reports whether the bot is answering in a channel, so that it must not be archived yet.
	Busy func(chat.ChannelID) bool
	// Suggest returns which of the names fit a new task as labels.
	Suggest func(ctx context.Context, t Task, names []string) ([]string, error)
}

// A Server is Discord, as [discord.Client] is.
type Server interface {
	Self() chat.User
	Now() time.Time
	Channels(ctx context.Context, g chat.GuildID) ([]chat.Channel, error)
	ChannelByID(ctx context.Context, id chat.ChannelID) (chat.Channel, error)
	ActiveThreads(ctx context.Context, g chat.GuildID) ([]chat.Channel, error)
	ArchivedSince(ctx context.Context, forum chat.ChannelID, since time.Time) ([]chat.Channel, error)
	StartPost(ctx context.Context, forum chat.ChannelID, name, content string, tags []string, archiveAfter time.Duration) (chat.Channel, chat.MessageID, error)
	ChangeThread(ctx context.Context, id chat.ChannelID, e chat.ThreadEdit) (chat.Channel, error)
	Message(ctx context.Context, ch chat.ChannelID, id chat.MessageID) (chat.Message, error)
	Messages(ctx context.Context, ch chat.ChannelID, before chat.MessageID, limit int) ([]chat.Message, error)
	Edit(ctx context.Context, ch chat.ChannelID, id chat.MessageID, m chat.Outgoing) error
	FindOwn(ctx context.Context, ch chat.ChannelID, after time.Time, m chat.Outgoing) ([]chat.MessageID, error)
}

// An Engine keeps tasks. It is safe for concurrent use, as soon as its database is open. Posts follow while Run runs.
type Engine struct {
	Options
	rows    rows
	live    atomic.Pointer[Live]
	synced  *store.Cell[map[chat.GuildID]time.Time] // when each forum was last compared as a whole
	changed chan struct{}                           // wakes Run; has room for one
	lock    chan struct{}                           // held by who compares posts and tasks: one at a time, so that no post is made twice

	fresh chan Task // for which labels are to be suggested
	tags  tagMap

	mu      sync.Mutex
	touched map[chat.ChannelID]touch
	resync  map[chat.GuildID]time.Time // servers to compare as a whole, and when
	rest    map[string]backoff         // of tasks and notes that failed
}

// New returns an engine over a database, which need not be open yet.
func New(db *store.DB, o Options) *Engine {
	o.Prefix = cmp.Or(o.Prefix, "ws")
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Guilds == nil {
		o.Guilds = func() []chat.GuildID { return nil }
	}
	db.OnRestore("tasks", afterRestore)
	return &Engine{
		Options: o, rows: rows{db}, synced: store.NewCell[map[chat.GuildID]time.Time](db, "task-forums", nil),
		changed: make(chan struct{}, 1), lock: make(chan struct{}, 1),
		touched: map[chat.ChannelID]touch{}, resync: map[chat.GuildID]time.Time{}, rest: map[string]backoff{}, fresh: make(chan Task, 64), tags: tagMap{path: o.TagMap},
	}
}

// ErrNoForum means that a server has no forum for tasks. It is a sentence for people.
var ErrNoForum = errors.New("this server has no task forum; make a forum channel called tasks, and allow me there to see it, create posts, send messages and manage threads")

// ErrForumGone means that the forum of a server's tasks was renamed, deleted or hidden from the bot. Who may see the tasks is
// not known then. It is a sentence for people.
var ErrForumGone = errors.New("I can't see the task forum of this server any more, so I don't know who may see its tasks; make a forum channel called tasks, or show me the old one again")

// forumName is what the forum of a server's tasks is called, if no other was chosen.
const forumName = "tasks"

// Forum returns the forum of a server's tasks, or ErrNoForum, or ErrForumGone if it had one.
func (e *Engine) Forum(ctx context.Context, g chat.GuildID) (chat.Channel, error) {
	if e.Options.Forum != "" {
		ch, err := e.Server.ChannelByID(ctx, e.Options.Forum)
		if isRefusal(err) || err == nil && (ch.Guild != g || !ch.Kind.HasPosts()) {
			return chat.Channel{}, e.noForum(ctx, g)
		}
		return ch, err
	}
	list, err := e.Server.Channels(ctx, g)
	if err != nil {
		return chat.Channel{}, err
	}
	i := slices.IndexFunc(list, func(ch chat.Channel) bool {
		return ch.Kind.HasPosts() && strings.EqualFold(ch.Name, forumName)
	})
	if i < 0 {
		return chat.Channel{}, e.noForum(ctx, g)
	}
	return list[i], nil
}

func (e *Engine) noForum(ctx context.Context, g chat.GuildID) error {
	compared, err := e.synced.Load(ctx)
	if _, had := compared[g]; had {
		return ErrForumGone
	}
	return cmp.Or(err, ErrNoForum)
}

// isGone reports whether a channel or message was deleted. That is unknown of one that the bot may not see.
func isGone(err error) bool {
	var refusal interface{ Gone() bool }
	return errors.As(err, &refusal) && refusal.Gone()
}

// isRefusal reports whether Discord has refused a request, so that it was certainly not done.
func isRefusal(err error) bool {
	var refusal interface{ Permanent() bool }
	return errors.As(err, &refusal) && refusal.Permanent()
}

// wake makes Run look for changes.
func (e *Engine) wake() {
	select {
	case e.changed <- struct{}{}:
	default: // Run will do so already
	}
}

// alone waits until nobody else compares posts and tasks. The caller has to call leave afterwards.
func (e *Engine) alone(ctx context.Context) (leave func(), err error) {
	select {
	case e.lock <- struct{}{}:
		return func() { <-e.lock }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
