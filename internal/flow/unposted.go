package flow

import (
	"sync"

	"discoclaw/internal/chat"
)

// maxUnposted is how often a turn is tried again that cannot post something, while other requests of the bot succeed. The tries
// are retryDelay apart, so that is a quarter of an hour in which Discord was there.
const maxUnposted = 15

// unposted are the turns of which Discord did not answer a request at the last try. Its zero value has none.
type unposted struct {
	mu    sync.Mutex
	turns map[chat.TurnID]int // how many requests of the bot had succeeded by then
}

// again records such a try, and reports whether another request has succeeded since the one before: otherwise this may be an
// outage, which says nothing about the turn.
func (u *unposted) again(t chat.TurnID, succeeded int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.turns == nil {
		u.turns = map[chat.TurnID]int{}
	}
	before, known := u.turns[t]
	u.turns[t] = succeeded
	return known && succeeded > before
}

func (u *unposted) has(t chat.TurnID) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, known := u.turns[t]
	return known
}

func (u *unposted) forget(t chat.TurnID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.turns, t)
}
