package fakegateway

import "time"

// Limits of the sessions that a bot may start, by Discord's documentation ("Session Start Limit Object").
const (
	MaxStarts      = 1000 // in startsWindow
	MaxConcurrency = 1    // in startGap

	startsWindow = 24 * time.Hour
	startGap     = 5 * time.Second
)

// Starts returns how many sessions a bot has started within a day, and how long it takes until the first of them does not count any more.
func (s *Server) Starts(token string) (n int, reset time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	starts := s.startsOf(token)
	if len(starts) > 0 {
		reset = time.Until(starts[0].Add(startsWindow))
	}
	return len(starts), reset
}

// startsOf are the starts within a day. The Server's mutex is held.
func (s *Server) startsOf(token string) []time.Time {
	starts := s.starts[token]
	for len(starts) > 0 && time.Since(starts[0]) >= startsWindow {
		starts = starts[1:]
	}
	s.starts[token] = starts
	return starts
}

// spendStart counts a start, and reports whether the bot may have it. The Server's mutex is held.
func (s *Server) spendStart(token string) bool {
	starts := s.startsOf(token)
	if n := len(starts); n >= MaxStarts || n >= MaxConcurrency && time.Since(starts[n-MaxConcurrency]) < startGap {
		return false
	}
	s.starts[token] = append(starts, time.Now())
	return true
}

// takeBackStart uncounts the latest start: an IDENTIFY that is refused starts no session. The Server's mutex is held.
func (s *Server) takeBackStart(token string) {
	if starts := s.starts[token]; len(starts) > 0 {
		s.starts[token] = starts[:len(starts)-1]
	}
}
