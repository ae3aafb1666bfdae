package discord

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"discoclaw/internal/chat"
)

// undescribed are the servers of a resumed session that are not in the cache yet: Discord does not describe them
// again. Each is fetched over REST once, when it is needed first. It is empty in a session that began in this
// process.
//
// No event of a server is handled before its description is in the cache. So every event is applied to a description
// that is older or already contains it, and after the last one the cache is up to date.
type undescribed struct {
	cache *cache

	mu      sync.Mutex
	pending map[chat.GuildID]*description
	untold  map[chat.GuildID]bool // in the cache, but not passed to the handler
	fetch   func(chat.GuildID)    // starts to fetch one, and calls put in the end
}

type description struct {
	begun bool
	over  chan struct{} // closed by drop
}

// begin sets the servers of a session that was resumed.
func (u *undescribed) begin(servers []chat.GuildID, fetch func(chat.GuildID)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pending, u.untold, u.fetch = map[chat.GuildID]*description{}, map[chat.GuildID]bool{}, fetch
	for _, id := range servers {
		u.pending[id] = &description{over: make(chan struct{})}
	}
}

// all returns the servers that are left.
func (u *undescribed) all() []chat.GuildID {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Sorted(maps.Keys(u.pending))
}

// idle reports whether no server is pending or untold.
func (u *undescribed) idle() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.pending)+len(u.untold) == 0
}

// wait returns when some servers are in the cache, or were dropped.
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

// has reports whether a server is pending.
func (u *undescribed) has(id chat.GuildID) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.pending[id] != nil
}

// need starts to fetch a server, unless that is done or in flight.
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

// put puts a fetched server into the cache; nil means that it is gone. It does nothing if Discord has described the
// server meanwhile.
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

// drop ends the wait for a server. The caller holds the lock.
func (u *undescribed) drop(id chat.GuildID) {
	if d := u.pending[id]; d != nil {
		close(d.over)
		delete(u.pending, id)
	}
}

// tell reports whether a server is untold, and marks it as told.
func (u *undescribed) tell(id chat.GuildID) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	defer delete(u.untold, id)
	return u.untold[id]
}

// forget removes a server for which Discord itself has sent an event.
func (u *undescribed) forget(id chat.GuildID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.drop(id)
	delete(u.untold, id)
}

// end drops all servers at the end of the session. Nothing is fetched from then on.
func (u *undescribed) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id := range u.pending {
		u.drop(id)
	}
	clear(u.untold)
}
