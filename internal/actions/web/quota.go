package web

import (
	"sync"

	"discoclaw/internal/chat"
)

const (
	// maxSearches is how many searches a turn may make, its follow-ups included: most providers charge for each.
	maxSearches = 5

	// keptTurns is how many turns are counted at a time, of which most are over. Many more than can run at once.
	keptTurns = 1000
)

// A quota counts the searches of each turn. The zero value has counted none.
type quota struct {
	mu    sync.Mutex
	used  map[chat.TurnID]int
	turns []chat.TurnID // in used, the oldest first
}

// take counts a search, unless the turn has made all that it may.
func (q *quota) take(turn chat.TurnID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch n := q.used[turn]; {
	case turn == "": // outside of any turn there is nothing to count
		return true
	case n == maxSearches:
		return false
	case n == 0:
		q.add(turn)
	}
	q.used[turn]++
	return true
}

func (q *quota) add(turn chat.TurnID) {
	if q.used == nil {
		q.used = map[chat.TurnID]int{}
	}
	if q.turns = append(q.turns, turn); len(q.turns) > keptTurns {
		delete(q.used, q.turns[0])
		q.turns = q.turns[1:]
	}
}
