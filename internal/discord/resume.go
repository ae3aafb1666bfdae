package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/discord/rest"
)

// isDescribed makes sure that the server of an event is in the cache before the event is handled. It is false if the
// session is over, or was dropped because the server cannot be fetched: in a new one, Discord describes all servers.
func (l *listener) isDescribed(session context.Context, e gateway.Event) bool {
	if session.Err() != nil {
		return false // the event is replayed to the next process
	}
	if e.Name == "READY" {
		l.resuming = false
		return true
	}
	if l.resuming && !l.resume(session) {
		return false
	}
	if l.undescribed.idle() || e.Name == "GUILD_CREATE" || e.Name == "GUILD_DELETE" {
		return true
	}
	g := guildOf(e)
	if l.undescribed.wait(session, g) != nil {
		return false
	}
	l.guildAvailable(g)
	return true
}

// guildOf returns the server of an event.
func guildOf(e gateway.Event) chat.GuildID {
	var w struct {
		ID    chat.GuildID `json:"id"`
		Guild chat.GuildID `json:"guild_id"`
	}
	_ = json.Unmarshal(e.Data, &w) // an error is logged when the event is handled
	if e.Name == "GUILD_UPDATE" {
		return w.ID
	}
	return w.Guild
}

// resume is called for the first event of another process's session, which shows that the RESUME was accepted. Only now
// is it known that servers will not be described. They are fetched in the background, and those that an event or a
// caller waits for first.
func (l *listener) resume(session context.Context) bool {
	l.resuming = false
	servers, err := l.identify(session)
	if err != nil {
		l.abandon(session, err)
		return false
	}
	l.servers = servers
	l.undescribed.begin(servers, func(id chat.GuildID) {
		l.fetches.Go(func() { l.describe(session, id) })
	})
	l.announce = true
	l.ready()
	queue := make(chan chat.GuildID, len(servers))
	for _, id := range servers {
		queue <- id
	}
	close(queue)
	for range describers {
		l.fetches.Go(func() {
			for id := range queue {
				if l.undescribed.wait(session, id) != nil {
					return
				}
				l.guildWait.alone(func() { l.guildAvailable(id) })
			}
		})
	}
	return true
}

// describe fetches a server.
func (l *listener) describe(session context.Context, id chat.GuildID) {
	g, err := l.fetchGuild(session, id)
	switch {
	case err == nil:
		l.undescribed.put(id, g)
	case l.undescribed.has(id): // Discord has not described it either
		l.abandon(session, err)
	}
}

// guildAvailable passes a server that was fetched to the handler, once. It must be called with the lock of guildWait.
func (l *listener) guildAvailable(g chat.GuildID) {
	if l.undescribed.tell(g) {
		l.handler.GuildAvailable(g)
	}
}

// abandon drops the session, for a new one. At the end of Run, the next process resumes it instead.
func (l *listener) abandon(session context.Context, why error) {
	if session.Err() == nil {
		l.saver.dropped.Store(true)
		l.giveUp(why)
	}
}

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

const (
	// describeTime is the timeout for fetching the bot's user and servers, and for fetching one server. No event is
	// handled meanwhile if one waits for it.
	describeTime = 30 * time.Second

	// describers is how many servers are fetched concurrently, besides those that an event or a caller waits for.
	// More would take the rate limit from the answers that people wait for.
	describers = 2
)

// identify fetches over REST what READY has in a new session: the bot's user and its servers.
func (c *Client) identify(ctx context.Context) ([]chat.GuildID, error) {
	ctx, cancel := context.WithTimeout(ctx, describeTime)
	defer cancel()
	app, err := c.fetchApplication(ctx)
	if err != nil {
		return nil, fmt.Errorf("find out who the bot is: %w", err)
	}
	memberships, err := c.Memberships(ctx)
	if err != nil {
		return nil, fmt.Errorf("find out which servers the bot is on: %w", err)
	}
	servers := each(memberships, func(m Membership) chat.GuildID { return m.Server })
	self := userFrom(app.Bot, nil)
	self.Bot = true
	c.cache.ready(self, servers)
	c.app.Store(&app.ID)
	return servers, nil
}

// fetchGuild fetches the description of a server. It is nil if the bot has just left it.
func (c *Client) fetchGuild(ctx context.Context, id chat.GuildID) (*guild, error) {
	ctx, cancel := context.WithTimeout(ctx, describeTime)
	defer cancel()
	var w wireGuild
	var self wireMember
	var threads wireThreadList
	for _, part := range []struct {
		request rest.Request
		into    any
	}{
		{onServer(http.MethodGet, id, ""), &w},
		{onServer(http.MethodGet, id, "/channels"), &w.Channels},
		{onServer(http.MethodGet, id, "/threads/active"), &threads},
		{onServer(http.MethodGet, id, "/members/{user}", string(c.Self().ID)), &self},
	} {
		err := c.rest.Do(ctx, part.request.Needing(onTheServer), part.into)
		if errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("find out about server %s: %w", id, err)
		}
	}
	for _, t := range threads.Threads {
		if slices.ContainsFunc(threads.Joined, func(m wireThreadMember) bool { return string(m.Thread) == t.ID }) {
			t.Member = &struct{}{}
		}
		w.Threads = append(w.Threads, t)
	}
	w.Members = []wireMember{self}
	return w.guild(c.Self().ID), nil
}
