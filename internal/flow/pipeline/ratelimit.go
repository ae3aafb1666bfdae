package pipeline

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// A RateLimiter limits how often something may happen in a period, for each key. Its zero value is ready to use.
type RateLimiter[K comparable] struct {
	mu   sync.Mutex
	last map[K][]time.Time
}

// Allow reports whether it may happen once more, and if so counts it.
func (l *RateLimiter[K]) Allow(k K, most int, per time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	recent := func(t time.Time) bool { return now.Sub(t) < per }
	maps.DeleteFunc(l.last, func(_ K, times []time.Time) bool { return !recent(times[len(times)-1]) })
	times := l.last[k]
	for len(times) > 0 && !recent(times[0]) {
		times = times[1:]
	}
	if len(times) >= most {
		return false
	}
	if l.last == nil {
		l.last = map[K][]time.Time{}
	}
	l.last[k] = append(times, now)
	return true
}

// Oldest returns the first time that still counts for a key, after Allow has refused it.
func (l *RateLimiter[K]) Oldest(k K) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if times := l.last[k]; len(times) > 0 {
		return times[0]
	}
	return time.Now()
}

// maxRecent is how many values a RecentSet keeps. Duplicates arrive soon after each other.
const maxRecent = 10_000

// A RecentSet keeps the latest values that were added. Its zero value is empty.
type RecentSet[T comparable] struct {
	mu    sync.Mutex
	known map[T]bool
	order []T // oldest first
}

// Add adds v, and reports whether it is new.
func (s *RecentSet[T]) Add(v T) bool {
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
	if len(s.order) > maxRecent {
		delete(s.known, s.order[0])
		s.order = slices.Delete(s.order, 0, 1)
	}
	return true
}

// Has reports whether v is among them.
func (s *RecentSet[T]) Has(v T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[v]
}
