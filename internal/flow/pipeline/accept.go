package pipeline

import (
	"context"
	"encoding/json"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/lifecycle"
	"discoclaw/internal/status"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/convo"
)

// Apart runs work in its order among the turns of a conversation, none of which it joins.
func (p *Pipeline) Apart(id string, queue chat.ChannelID, do func(context.Context)) {
	p.convo.Add(convo.Work{ID: id, Channel: queue, Apart: true, Run: func(ctx context.Context, _ []any) { do(ctx) }})
}

// Waits reports whether something waits in the conversation of an event.
func (in *Entry[E]) Waits(e Event[E]) bool { return in.p.convo.Waits(in.queueOf(e)) }

// Follow enqueues an event that [inbox.Inbox.Follow] has accepted. One that was resumed is queued already.
func (in *Entry[E]) Follow(e Event[E]) {
	if w := in.work(e); !in.p.convo.Replace(w) {
		in.p.convo.Add(w)
	}
}

// Fail settles an event that was accepted, but must not begin.
func (in *Entry[E]) Fail(ctx context.Context, e Event[E]) {
	in.p.settle(ctx, inbox.Failed, e.Turn, turn.Report{}, e.ID)
}

// Event returns a new event.
func (in *Entry[E]) Event(body E, a Arrival) Event[E] {
	return Event[E]{Key: in.source.Key(body), Body: body, Arrival: a}
}

// Way returns the way in that an event takes.
func (in *Entry[E]) Way(e Event[E]) *access.Way { return in.source.Way(e) }

// Objection returns the refusal of the first guard that objects.
func (in *Entry[E]) Objection(ctx context.Context, e Event[E]) access.Refusal {
	for _, g := range in.source.Guards {
		if why := g.Objects(ctx, e); why != access.Admitted {
			return why
		}
	}
	return access.Admitted
}

// Tell accepts an event and enqueues it.
func (in *Entry[E]) Tell(ctx context.Context, body E, a Arrival) {
	if e, ok := in.accept(ctx, body, a); ok {
		in.enqueue(ctx, e)
	}
}

// accept runs the guards and writes the event to the inbox. It returns false if there is nothing to enqueue: a
// guard objects, the event is a duplicate or settled already, or it cannot be written. An event that is claimed
// is written only when its work begins.
func (in *Entry[E]) accept(ctx context.Context, body E, a Arrival) (Event[E], bool) {
	e := in.Event(body, a)
	why := in.Objection(ctx, e)
	if why == access.Admitted && in.source.Allow != nil {
		why = in.source.Allow(body)
	}
	if why != access.Admitted {
		in.ignore(ctx, e, why)
		return e, false
	}
	e = in.tidy(e)
	e.Turn = in.p.o.NewTurn()
	if in.source.Claim != nil {
		return e, true
	}
	fresh, err := in.write(ctx, e)
	if err != nil {
		in.refuse(ctx, e, err)
		return e, false
	}
	if in.p.refusing.Swap(false) {
		in.p.o.Recovered()
	}
	return e, fresh && (in.source.Accepted == nil || in.source.Accepted(ctx, e))
}

func (in *Entry[E]) tidy(e Event[E]) Event[E] {
	if in.source.Tidy != nil {
		e.Body = in.source.Tidy(e.Body)
	}
	return e
}

func (in *Entry[E]) ignore(ctx context.Context, e Event[E], why access.Refusal) {
	in.p.o.Log.DebugContext(ctx, string(in.source.Kind)+" ignored", "reason", string(why), "message", e.Place.Message, "channel", e.Place.Channel, "user", e.By.ID)
	if in.source.Ignored != nil {
		in.source.Ignored(ctx, e.Body, why)
	}
}

// Row returns an event as the inbox stores it.
func (in *Entry[E]) Row(e Event[E]) inbox.Event {
	body, _ := json.Marshal(in.source.Store(e.Body)) // cannot fail: bodies have no fields that JSON lacks
	return inbox.Event{ID: e.ID, DedupeKey: e.DedupeKey, Repeat: e.Repeat, Kind: in.source.Kind, Place: e.Place, Turn: e.Turn, Body: body}
}

func (in *Entry[E]) write(ctx context.Context, e Event[E]) (fresh bool, err error) {
	ctx, cancel := Writing(ctx)
	defer cancel()
	return in.p.o.Inbox.Accept(ctx, in.Row(e))
}

// refuse handles an event that could not be written to the inbox. It reports the first one to the operators, and
// probes the inbox until it can be written again.
func (in *Entry[E]) refuse(ctx context.Context, e Event[E], err error) {
	in.p.o.Log.ErrorContext(ctx, "cannot accept "+string(in.source.Kind), "message", e.Place.Message, "channel", e.Place.Channel, "user", e.By.ID, "err", err)
	if !in.p.refusing.Swap(true) {
		in.p.o.Report(ctx, status.Storage, "⚠️ I cannot write down what people ask, so nothing new is started; the log has the details. What they write is answered when that works again.")
		in.p.bg.Go("accept again", in.p.tryAgain)
	}
	if in.source.Refused != nil {
		in.source.Refused(ctx, e, err)
	}
}

// tryAgain probes the inbox periodically until it can be written again.
func (p *Pipeline) tryAgain(ctx context.Context) {
	for p.refusing.Load() && p.bg.Pause(ctx, RetryDelay) {
		wctx, cancel := Writing(ctx)
		err := p.o.Inbox.Probe(wctx)
		cancel()
		if err == nil && p.refusing.Swap(false) {
			p.o.Recovered()
		}
	}
}

// enqueue adds an event to the queue of its conversation, or starts its work at once if its source is AtOnce. A
// missed event that has expired is dropped instead.
func (in *Entry[E]) enqueue(ctx context.Context, e Event[E]) {
	r := Run[E]{Turn: e.Turn, Work: string(e.ID), Events: []Event[E]{e}}
	if e.Arrival == Missed && in.source.Expired != nil {
		why, err := in.source.Expired(ctx, e, false)
		if err != nil {
			in.p.o.Log.ErrorContext(ctx, "cannot tell whether an event has expired", "kind", in.source.Kind, "message", e.Place.Message, "err", err)
			in.p.retryLater(ctx, false, e.ID)
			return
		}
		if why != "" {
			in.drop(r, why)
			return
		}
	}
	if in.source.AtOnce {
		in.p.bg.Go(string(in.source.Kind), func(ctx context.Context) { in.run(ctx, r) })
		return
	}
	if in.shows(e) {
		in.p.o.Progress.Received(e.Place, in.p.convo.Busy(in.queueOf(e)))
	}
	if !in.steer(e) {
		in.p.convo.Add(in.work(e))
	}
}

// work returns the queue item of an event.
func (in *Entry[E]) work(e Event[E]) convo.Work {
	w := convo.Work{
		ID: string(e.ID), Channel: in.queueOf(e), Message: e.Place.Message, Items: []any{e}, Late: e.Arrival == Missed,
		Run: func(ctx context.Context, items []any) {
			r := Run[E]{Turn: e.Turn, Work: string(e.ID)}
			for _, item := range items {
				r.Events = append(r.Events, item.(Event[E]))
			}
			in.run(ctx, r)
		},
	}
	if in.source.Ahead {
		// The earlier turn of its chain may be resumed as well, and was accepted before it.
		w.Message, w.Ahead = "", e.Arrival != Resumed
	}
	if e.Joins != "" {
		w.Joins = string(in.source.Kind) + "/" + e.Joins // events of different sources never share a turn
	}
	return w
}

// Replace replaces the queued event that has the same ID, and reports whether there was one. That event may
// belong to another source: a message may be edited into a command, or back.
func (in *Entry[E]) Replace(ctx context.Context, body E) bool {
	e := in.Event(body, Edited)
	if in.Objection(ctx, e) != access.Admitted {
		return false
	}
	e = in.tidy(e)
	e.Turn, e.Arrival = in.p.o.NewTurn(), Live
	if in.source.AtOnce && !in.p.convo.Take(e.Place.Channel, string(e.ID)) || !in.source.AtOnce && !in.p.convo.Replace(in.work(e)) {
		return false
	}
	wctx, cancel := Writing(ctx)
	defer cancel()
	if err := in.p.o.Inbox.UpdateBody(wctx, in.Row(e)); err != nil {
		in.p.o.Log.ErrorContext(ctx, "cannot update a waiting event", "message", e.Place.Message, "err", err)
	}
	if in.source.AtOnce {
		in.p.o.Progress.Ends(e.Place, lifecycle.Nothing) // it is no turn any more
		in.enqueue(ctx, e)
	}
	return true
}
