package pipeline

import (
	"maps"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn"
)

// StopAll cancels every running turn of every source, and returns how many there were. Queued events stay queued.
func (p *Pipeline) StopAll(by chat.UserID) int { return p.convo.CancelAll(&turn.Stopped{By: by}) }

// StopIn cancels the running turn of a conversation, and reports whether there was one.
func (p *Pipeline) StopIn(queue chat.ChannelID, by chat.UserID) bool {
	return p.convo.CancelIn(queue, &turn.Stopped{By: by})
}

// Stop cancels a turn by an ID that [Pipeline.Stoppable] gave it, and reports whether there was one.
func (p *Pipeline) Stop(id string, by chat.UserID) bool {
	work, ok := p.stops.work(id)
	return ok && p.convo.Cancel(work, &turn.Stopped{By: by})
}

// Stoppable lets a run be stopped by an ID: that of its turn, or of a message it writes.
func (p *Pipeline) Stoppable(id, work string) { p.stops.add(id, work) }

// stops maps the IDs of running turns, and of the messages they write, to the IDs of their work. Its zero value is
// empty.
type stops struct {
	mu sync.Mutex
	by map[string]string
}

func (s *stops) add(id, work string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[string]string{}
	}
	s.by[id] = work
}

func (s *stops) work(id string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	work, ok := s.by[id]
	return work, ok
}

// over removes the IDs of a work.
func (s *stops) over(work string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.by, func(_, w string) bool { return w == work })
}
