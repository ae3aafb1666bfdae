package forum

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// A Keeper is what keeps the records of one kind and their posts in step: which of them to look at, what was compared
// when, and what the tags mean.
type Keeper struct {
	*Rounds
	tags   TagMap
	synced *store.Cell[map[chat.GuildID]time.Time] // when each forum was last compared as a whole
	lock   chan struct{}                           // held during a comparison: there is one at a time, so that no post is made twice
	log    *slog.Logger
}

// NewKeeper returns a keeper that stores its state under a name, and reads a tag map from a file.
func NewKeeper(db *store.DB, name, tagMap string, log *slog.Logger) Keeper {
	return Keeper{
		Rounds: NewRounds(), tags: TagMap{Path: tagMap}, log: log, lock: make(chan struct{}, 1),
		synced: store.NewCell[map[chat.GuildID]time.Time](db, name, nil),
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

// NoteSync writes down when a forum was last compared as a whole. Posts that were archived before and are archived still have not
// changed since.
func (k *Keeper) NoteSync(ctx context.Context, g chat.GuildID, at time.Time) error {
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
		k.log.WarnContext(ctx, "cannot read the tag map, using the last one", "file", k.tags.Path, "err", err)
	}
	return named
}

// ReloadTags reads the tag map again, and returns the names in it before and now. If it is damaged, the old map stays in force. The
// posts on the given servers follow.
func (k *Keeper) ReloadTags(guilds []chat.GuildID) (before, now []string, err error) {
	old, current, err := k.tags.Reload(true)
	if err == nil {
		for _, g := range guilds {
			k.Resync(g)
		}
	}
	return slices.Sorted(maps.Keys(old)), slices.Sorted(maps.Keys(current)), err
}
