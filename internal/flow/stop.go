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

// StopAll cancels every running turn of every source, and all other work, and returns how many there were of each.
// Queued events stay queued.
func (k *deps) StopAll(by chat.UserID) (turns, work int) {
	return k.pipe.StopAll(by), k.work.StopAll(by)
}
