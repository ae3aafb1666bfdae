package forum

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/due"
	"discoclaw/internal/store"
)

const (
	// stepTime bounds the work on one post, so that a rate limit does not hold up the others for long.
	stepTime = time.Minute
	// busyTime is after how long a post is looked at again in which the bot is answering.
	busyTime = 5 * time.Second
)

// ErrBusy means that a post is changed later, because the bot is answering there.
var ErrBusy = errors.New("the bot is answering in the post")

// A Missing forum is an error, and a sentence for people: a server has none, or its forum is gone.
type Missing string

func (m Missing) Error() string { return string(m) }

// Options are what a keeper needs to know of the records.
type Options struct {
	Name   string // under which the keeper stores its state
	TagMap string // the file that maps words to tags
	Posts  Posts
	Now    func() time.Time // nil means time.Now
	Log    *slog.Logger
	// Guilds returns the servers whose forums are kept in step.
	Guilds func() []chat.GuildID
	// Find returns the forum of a server, or a Missing error.
	Find func(ctx context.Context, g chat.GuildID) (chat.Channel, error)
	// Compare mends what differs between all records of a server and their posts, given those that may have changed.
	Compare func(ctx context.Context, of chat.Channel, threads []chat.Channel, done *Report) error
	// Round does what is due on a server. An error means that the database cannot be read.
	Round func(ctx context.Context, of chat.Channel) error
}

// A Keeper is what keeps the records of one kind and their posts in step: which of them to look at, what was compared
// when, and what the tags mean.
type Keeper struct {
	*Rounds
	o      Options
	tags   TagMap
	synced *store.Cell[map[chat.GuildID]time.Time] // when each forum was last compared as a whole
	lock   chan struct{}                           // held during a comparison: there is one at a time, so that no post is made twice
}

// NewKeeper returns a keeper.
func NewKeeper(db *store.DB, o Options) Keeper {
	if o.Now == nil {
		o.Now = time.Now
	}
	return Keeper{
		Rounds: newRounds(o), o: o, tags: TagMap{Path: o.TagMap}, lock: make(chan struct{}, 1),
		synced: store.NewCell[map[chat.GuildID]time.Time](db, o.Name, nil),
	}
}

// Keep makes rounds until ctx ends. In each it also calls also, which returns when it has to be called again; zero for never.
func (k *Keeper) Keep(ctx context.Context, also func(context.Context) (time.Time, error)) {
	for _, g := range k.o.Guilds() {
		k.Resync(g)
	}
	k.loop.Run(ctx, func(ctx context.Context) (time.Time, error) {
		began, served := k.now(), k.o.Guilds()
		for _, g := range served {
			if err := k.round(ctx, g); err != nil && ctx.Err() == nil {
				k.o.Log.ErrorContext(ctx, "cannot load the records of a forum", "records", k.o.Name, "guild", g, "err", err)
				k.ResyncLater(g)
			}
		}
		next, err := also(ctx)
		k.Forget(began, served, k.o.Guilds())
		return due.Sooner(next, k.Next()), err
	})
}

// round does what is to be done on one server.
func (k *Keeper) round(ctx context.Context, g chat.GuildID) error {
	if k.TakeResync(g) {
		done, err := k.Sync(ctx, g)
		_, missing := errors.AsType[Missing](err)
		switch {
		case missing, ctx.Err() != nil:
			return nil
		case err != nil:
			k.o.Log.WarnContext(ctx, "cannot compare a forum yet", "records", k.o.Name, "guild", g, "err", err)
			k.ResyncLater(g)
			return nil
		}
		k.o.Log.DebugContext(ctx, "forum compared", "records", k.o.Name, "guild", g, "report", done)
	}
	of, err := k.o.Find(ctx, g)
	if err != nil { // without a forum, or during an outage of the server
		return nil
	}
	leave, err := k.Alone(ctx)
	if err != nil {
		return nil
	}
	defer leave()
	return k.o.Round(ctx, of)
}

// Sync compares all records of a server with its forum and mends what differs, or returns a Missing error.
func (k *Keeper) Sync(ctx context.Context, g chat.GuildID) (done Report, err error) {
	of, err := k.o.Find(ctx, g)
	if err != nil {
		return done, err
	}
	leave, err := k.Alone(ctx)
	if err != nil {
		return done, err
	}
	defer leave()
	began := k.o.Posts.Server.Now()
	all, err := k.Synced(ctx)
	if err != nil {
		return done, err
	}
	threads, err := k.o.Posts.Threads(ctx, of, all[g])
	if err != nil {
		return done, err
	}
	if err := k.o.Compare(ctx, of, threads, &done); err != nil || ctx.Err() != nil {
		return done, cmp.Or(err, context.Cause(ctx))
	}
	return done, k.noteSync(ctx, g, began)
}

// Step brings a record and its post in step, counts what came of it, and has it retried if it failed.
func (k *Keeper) Step(ctx context.Context, key string, done *Report, step func(context.Context) error) {
	limited, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	succeeded := k.Trying(key)
	err := step(limited)
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, ErrBusy):
		done.Deferred++
		k.RetryAfter(key, busyTime)
	case err != nil:
		done.Failed++
		k.o.Log.WarnContext(ctx, "cannot bring a record and its post in step yet", "records", k.o.Name, "record", key, "err", err)
		k.Failed(key)
	default:
		succeeded()
	}
}

// StepThread is Step for a post that belongs to no record yet.
func (k *Keeper) StepThread(ctx context.Context, g chat.GuildID, id chat.ChannelID, done *Report, step func(context.Context) error) {
	limited, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	if err := step(limited); err != nil && !chat.IsGone(err) && ctx.Err() == nil {
		done.Failed++
		k.o.Log.WarnContext(ctx, "cannot handle a post in a forum yet", "records", k.o.Name, "channel", id, "err", err)
		k.LookAgain(g, id)
	}
}

// Alone waits until no other comparison is going on. The caller has to call leave afterwards.
func (k *Keeper) Alone(ctx context.Context) (leave func(), err error) {
	select {
	case k.lock <- struct{}{}:
		return func() { <-k.lock }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Synced returns when each forum was last compared as a whole.
func (k *Keeper) Synced(ctx context.Context) (map[chat.GuildID]time.Time, error) {
	return k.synced.Load(ctx)
}

// noteSync writes down when a forum was last compared as a whole. Posts that were archived before and are archived still have not
// changed since.
func (k *Keeper) noteSync(ctx context.Context, g chat.GuildID, at time.Time) error {
	return k.synced.Update(ctx, func(all map[chat.GuildID]time.Time) map[chat.GuildID]time.Time {
		if all == nil {
			all = map[chat.GuildID]time.Time{}
		}
		all[g] = at
		return all
	})
}

// TagIDs returns the IDs of tags by name. If the file is damaged, the last map stays in force.
func (k *Keeper) TagIDs(ctx context.Context) map[string]string {
	_, named, err := k.tags.Reload(false)
	if err != nil {
		k.o.Log.WarnContext(ctx, "cannot read the tag map, using the last one", "file", k.tags.Path, "err", err)
	}
	return named
}

// ReloadTags reads the tag map again, and returns the names in it before and now. If it is damaged, the old map stays in force. The
// posts follow.
func (k *Keeper) ReloadTags() (before, now []string, err error) {
	old, current, err := k.tags.Reload(true)
	if err == nil {
		for _, g := range k.o.Guilds() {
			k.Resync(g)
		}
	}
	return slices.Sorted(maps.Keys(old)), slices.Sorted(maps.Keys(current)), err
}
