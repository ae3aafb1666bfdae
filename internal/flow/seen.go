package flow

import (
	"sync"

	"discoclaw/internal/chat"
)

// mostSeen is how many IDs are remembered. What is told twice is told twice soon.
const mostSeen = 10_000

// seen remembers what came by lately. Its zero value remembers nothing.
type seen struct {
	mu    sync.Mutex
	known map[chat.MessageID]bool
	order []chat.MessageID // oldest first
}

// add says whether the ID is new.
func (s *seen) add(id chat.MessageID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[id] {
		return false
	}
	if s.known == nil {
		s.known = map[chat.MessageID]bool{}
	}
	s.known[id] = true
	s.order = append(s.order, id)
	if len(s.order) > mostSeen {
		delete(s.known, s.order[0])
		s.order = s.order[1:]
	}
	return true
}
