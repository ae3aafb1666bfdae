package flow

import (
	"maps"
	"sync"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/turn"
)

// stopPrefix begins the ID of a button that stops a turn. The rest is the ID of the
// work.
const stopPrefix = "stop:"

// venue is where the answers of a run go, with the means to stop it.
func (k *kit) venue(o actions.Origin, work string, begins *start) turn.Venue {
	return k.Server.Venue(reply.Options{
		Place: o.Place, Turn: o.Turn, Stop: stopPrefix + work, Begin: begins.in,
		Opened: func(m chat.MessageID) { k.stops.add(m, work) },
	})
}

// StopAll ends every turn that runs, whatever began it, and says how many these were.
// What waits for its turn goes on waiting.
func (p *Pipeline) StopAll() int { return p.convo.CancelAll(turn.ErrStopped) }

// stop ends what the stop sign on a message is meant to end, and says how many turns
// these were.
func (k *kit) stop(m chat.MessageID) int {
	if !k.Reactions.StopOne {
		return k.StopAll()
	}
	if work, ok := k.stops.work(m); ok && k.convo.Cancel(work, turn.ErrStopped) {
		return 1
	}
	return 0
}

// stops know which messages are being written, and by what work. Their zero value knows of
// none.
type stops struct {
	mu sync.Mutex
	by map[chat.MessageID]string
}

func (s *stops) add(m chat.MessageID, work string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[chat.MessageID]string{}
	}
	s.by[m] = work
}

func (s *stops) work(m chat.MessageID) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	work, ok := s.by[m]
	return work, ok
}

// over forgets the messages of a work.
func (s *stops) over(work string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.by, func(_ chat.MessageID, w string) bool { return w == work })
}
