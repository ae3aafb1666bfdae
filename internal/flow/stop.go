package flow

import (
	"maps"
	"sync"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/turn"
)

// stopPrefix begins the ID of a button that stops a turn. The rest is the ID of the turn: by its
// button, too, the outbox of the next process recognises a placeholder.
const stopPrefix = "stop:"

// venue is where the answers of a run go, with the means to stop it.
func (k *kit) venue(o actions.Origin, work string, begins *start) turn.Venue {
	k.stops.add(string(o.Turn), work)
	return k.Server.Venue(reply.Options{
		Place: o.Place, Turn: o.Turn, Stop: stopPrefix + string(o.Turn), Begin: begins.in,
		Opened: func(m chat.MessageID) { k.stops.add(string(m), work) },
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
	if k.stopOne(string(m)) {
		return 1
	}
	return 0
}

// stopOne ends the work on a turn, or on a message that is being written, and says whether there was one.
func (k *kit) stopOne(id string) bool {
	work, ok := k.stops.work(id)
	return ok && k.convo.Cancel(work, turn.ErrStopped)
}

// stops know the work behind the turns that run and the messages that are being written, by
// their IDs. Their zero value knows of none.
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

// over forgets a work.
func (s *stops) over(work string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.by, func(_, w string) bool { return w == work })
}
