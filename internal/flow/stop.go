package flow

import (
	"context"
	"maps"
	"sync"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/turn"
)

// stopPrefix begins the ID of a button that stops a turn. The rest is the turn's ID, by which the outbox of the next
// process also recognises a placeholder.
const stopPrefix = "stop:"

// venue returns the destination of a run's answers, with a button that stops the run.
func (k *kit) venue(o actions.Origin, work string, begins *start) turn.Venue {
	k.stops.add(string(o.Turn), work)
	return k.Server.Venue(reply.Options{
		Place: o.Place, Turn: o.Turn, For: o.Requester, Stop: stopPrefix + string(o.Turn), Begin: begins.in,
		Opened: func(m chat.MessageID) { k.stops.add(string(m), work) },
	})
}

// Work is long work that is not a turn. Its methods do not block.
type Work interface {
	// StopAll stops all of it, and returns how many pieces of it there were.
	StopAll(by chat.UserID) int
	// StopMessage stops the piece that a message reports on, and returns whether there was one.
	StopMessage(m chat.MessageID, by chat.UserID) bool
	// Pressed handles the press of one of its buttons. It returns false for all others.
	Pressed(ctx context.Context, p chat.Press) bool
}

// noWork is the Work of a bot that has none.
type noWork struct{}

func (noWork) StopAll(chat.UserID) int                      { return 0 }
func (noWork) StopMessage(chat.MessageID, chat.UserID) bool { return false }
func (noWork) Pressed(context.Context, chat.Press) bool     { return false }

// StopAll cancels every running turn of every source, and all other work, and returns how many there were of each.
// Queued events stay queued.
func (k *kit) StopAll(by chat.UserID) (turns, work int) {
	return k.convo.CancelAll(&turn.Stopped{By: by}), k.Work.StopAll(by)
}

// stop cancels what a stop sign on a message cancels: the turn that writes it or the work that it reports on, or else everything.
// It returns how many turns and pieces of work that were.
func (k *kit) stop(m chat.MessageID, by chat.UserID) int {
	if !k.Reactions.StopOne {
		turns, work := k.StopAll(by)
		return turns + work
	}
	if k.stopOne(string(m), by) || k.Work.StopMessage(m, by) {
		return 1
	}
	return 0
}

// stopOne cancels a turn by its own ID or by that of the message it writes, and reports whether there was one.
func (k *kit) stopOne(id string, by chat.UserID) bool {
	work, ok := k.stops.work(id)
	return ok && k.convo.Cancel(work, &turn.Stopped{By: by})
}

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
