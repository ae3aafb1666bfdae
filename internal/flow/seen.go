package flow

import (
	"slices"
	"sync"
)

// mostSeen is how many are remembered. What is told twice is told twice soon.
const mostSeen = 10_000

// seen remembers what came by lately. Its zero value remembers nothing.
type seen[T comparable] struct {
	mu    sync.Mutex
	known map[T]bool
	order []T // oldest first
}

// add says whether v is new.
func (s *seen[T]) add(v T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[v] {
		return false
	}
	if s.known == nil {
		s.known = map[T]bool{}
	}
	s.known[v] = true
	s.order = append(s.order, v)
	if len(s.order) > mostSeen {
		delete(s.known, s.order[0])
		s.order = s.order[1:]
	}
	return true
}

// has says whether v is known.
func (s *seen[T]) has(v T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[v]
}

// all are those that are known, oldest first.
func (s *seen[T]) all() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.order)
}

// remove forgets v, if it is known.
func (s *seen[T]) remove(v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[v] {
		delete(s.known, v)
		s.order = slices.DeleteFunc(s.order, func(o T) bool { return o == v })
	}
}
