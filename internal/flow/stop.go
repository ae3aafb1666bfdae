package flow

import (
	"context"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// stopPrefix begins the ID of a button that stops a turn. The rest is the turn's ID, by which the outbox of the next
// process also recognises a placeholder.
const stopPrefix = "stop:"

// venue returns the destination of a run's answers, with a button that stops the run.
func (k *deps) venue(o actions.Origin, work string, begin func(context.Context, *store.Tx) error) turn.Venue {
	k.pipe.Stoppable(string(o.Turn), work)
	return k.server.Venue(reply.Options{
		Place: o.Place, Turn: o.Turn, For: o.Requester, Stop: stopPrefix + string(o.Turn), Begin: begin,
		Opened: func(m chat.MessageID) { k.pipe.Stoppable(string(m), work) },
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
func (k *deps) StopAll(by chat.UserID) (turns, work int) {
	return k.pipe.StopAll(by), k.work.StopAll(by)
}

// stop cancels what a stop sign on a message cancels: the turn that writes it or the work that it reports on, or else everything.
// It returns how many turns and pieces of work that were.
func (s *reactionSource) stop(m chat.MessageID, by chat.UserID) int {
	if !s.which.StopOne {
		turns, work := s.StopAll(by)
		return turns + work
	}
	if s.pipe.Stop(string(m), by) || s.work.StopMessage(m, by) {
		return 1
	}
	return 0
}
