package tasks

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/forum"
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

	Now func() time.Time // by which tasks are due; nil means time.Now
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
	forum.Server
	FindOwn(ctx context.Context, ch chat.ChannelID, after time.Time, m chat.Outgoing) ([]chat.MessageID, error)
}

// An Engine keeps tasks. It is safe for concurrent use, as soon as its database is open. Posts follow while Run runs.
type Engine struct {
	Options
	forum.Keeper
	rows  rows
	posts forum.Posts
	live  atomic.Pointer[Live]
	fresh chan Task // for which labels are to be suggested
}

// New returns an engine over a database, which need not be open yet.
func New(db *store.DB, o Options) *Engine {
	o.Prefix = cmp.Or(o.Prefix, "ws")
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Guilds == nil {
		o.Guilds = func() []chat.GuildID { return nil }
	}
	db.OnRestore("tasks", afterRestore)
	e := &Engine{
		Options: o, rows: rows{db}, fresh: make(chan Task, 64), posts: forum.Posts{Server: o.Server, Outbox: o.Outbox, Allowed: o.Allowed},
	}
	e.Keeper = forum.NewKeeper(db, forum.Options{Name: "task-forums", TagMap: o.TagMap, Posts: e.posts, Now: o.Now, Log: o.Log, Guilds: o.Guilds,
		Find: e.Forum, Compare: e.compare, Round: e.round})
	return e
}

// ErrNoForum means that a server has no forum for tasks.
var ErrNoForum = forum.Missing("this server has no task forum; make a forum channel called tasks, and allow me there to see it, create posts, send messages and manage threads")

// ErrForumGone means that the forum of a server's tasks was renamed, deleted or hidden from the bot. Who may see the tasks is
// not known then.
var ErrForumGone = forum.Missing("I can't see the task forum of this server any more, so I don't know who may see its tasks; make a forum channel called tasks, or show me the old one again")

// forumName is what the forum of a server's tasks is called, if no other was chosen.
const forumName = "tasks"

// Forum returns the forum of a server's tasks, or ErrNoForum, or ErrForumGone if it had one.
func (e *Engine) Forum(ctx context.Context, g chat.GuildID) (chat.Channel, error) {
	found, ok, err := forum.Find(ctx, e.Server, g, e.Options.Forum, forumName)
	if err == nil && !ok {
		err = e.noForum(ctx, g)
	}
	return found, err
}

func (e *Engine) noForum(ctx context.Context, g chat.GuildID) error {
	compared, err := e.Synced(ctx)
	if _, had := compared[g]; had {
		return ErrForumGone
	}
	return cmp.Or[error](err, ErrNoForum)
}
