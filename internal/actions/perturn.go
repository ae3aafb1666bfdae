package actions

import (
	"sync"

	"discoclaw/internal/chat"
)

// keptTurns is how many turns are counted at a time, of which most are over. Many more than can run at once.
const keptTurns = 1000

// A PerTurn counts what each turn does that costs money, its follow-ups and the turns that go on with it included. The
// zero value has counted nothing.
type PerTurn struct {
	mu    sync.Mutex
	used  map[chat.TurnID]int
	turns []chat.TurnID // in used, the oldest first
}

// Take counts one more, unless the turn has had the most that it may.
func (p *PerTurn) Take(turn chat.TurnID, most int) bool {
	turn = turn.Request()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch n := p.used[turn]; {
	case turn == "": // outside of any turn there is nothing to count
		return true
	case n >= most:
		return false
	case n == 0:
		p.add(turn)
	}
	p.used[turn]++
	return true
}

func (p *PerTurn) add(turn chat.TurnID) {
	if p.used == nil {
		p.used = map[chat.TurnID]int{}
	}
	if p.turns = append(p.turns, turn); len(p.turns) > keptTurns {
		delete(p.used, p.turns[0])
		p.turns = p.turns[1:]
	}
}
