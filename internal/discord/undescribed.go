package discord

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"discoclaw/internal/chat"
)

// undescribed are the servers of a resumed session about which nothing is known yet: Discord does not describe them
// again. Each is fetched over REST once, when it is needed first. It is empty in a session that began in this
// process.
//
// No event of a server is handled before its description is in the cache. So every event is applied to what was
// fetched earlier or already contains it, and after the last one everything is as Discord has it.
type undescribed struct {
	cache *cache

	mu      sync.Mutex
	pending map[chat.GuildID]*description
	untold  map[chat.GuildID]bool // in the cache, but the handler has not been told
	fetch   func(chat.GuildID)    // begins to fetch one, and calls put in the end
}

type description struct {
	begun bool
	over  chan struct{} // closed when nobody needs to wait for it any more
}

// begin notes the servers of a session that was resumed.
func (u *undescribed) begin(servers []chat.GuildID, fetch func(chat.GuildID)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pending, u.untold, u.fetch = map[chat.GuildID]*description{}, map[chat.GuildID]bool{}, fetch
	for _, id := range servers {
		u.pending[id] = &description{over: make(chan struct{})}
	}
}

// all are those that are left.
func (u *undescribed) all() []chat.GuildID {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Sorted(maps.Keys(u.pending))
}

// idle says whether there is nothing to wait for, nor to tell.
func (u *undescribed) idle() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.pending)+len(u.untold) == 0
}

// wait returns when some servers are in the cache, as far as they ever will be.
func (u *undescribed) wait(ctx context.Context, servers ...chat.GuildID) error {
	for _, id := range servers {
		d := u.need(id)
		if d == nil {
			continue
		}
		select {
		case <-d.over:
		case <-ctx.Done():
			return fmt.Errorf("find out about server %s: %w", id, context.Cause(ctx))
		}
	}
	return nil
}

// has says whether a server is still waited for.
func (u *undescribed) has(id chat.GuildID) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.pending[id] != nil
}

// need has a server fetched, unless that is done or under way.
func (u *undescribed) need(id chat.GuildID) *description {
	u.mu.Lock()
	defer u.mu.Unlock()
	d := u.pending[id]
	if d != nil && !d.begun {
		d.begun = true
		u.fetch(id)
	}
	return d
}

// put takes what was fetched, which is nil if the server is gone. It comes too late if Discord has described the server
// meanwhile.
func (u *undescribed) put(id chat.GuildID, g *guild) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pending[id] == nil {
		return
	}
	if g != nil {
		u.cache.replace(id, g)
		u.untold[id] = true
	}
	u.drop(id) // now that the cache has it
}

// drop lets nobody wait for a server any more. It is for who holds the lock.
func (u *undescribed) drop(id chat.GuildID) {
	if d := u.pending[id]; d != nil {
		close(d.over)
		delete(u.pending, id)
	}
}

// tell says whether the handler has yet to be told of a server, which it is then.
func (u *undescribed) tell(id chat.GuildID) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	defer delete(u.untold, id)
	return u.untold[id]
}

// forget is for a server about which Discord itself has told.
func (u *undescribed) forget(id chat.GuildID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.drop(id)
	delete(u.untold, id)
}

// end is for when the session is over. Nothing is fetched from then on.
func (u *undescribed) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id := range u.pending {
		u.drop(id)
	}
	clear(u.untold)
}
