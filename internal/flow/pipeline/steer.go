package pipeline

import (
	"context"
	"errors"
	"slices"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

const (
	maxSteers = 3 // how often in a row a turn is steered: each time a model is asked, and a person who writes on and on is to be answered, too
	maxMore   = 5 // events that steer a turn together
)

// steering has the turns of a source that run and can be steered, by their conversations. The zero value has none.
type steering[E any] struct {
	mu      sync.Mutex
	windows map[chat.ChannelID]*window[E]
}

// A window is the time in which a turn can be steered: until its first answer is complete, or it has begun to change something.
// The zero value is closed.
type window[E any] struct {
	by string // Joins of the events that steer

	mu   sync.Mutex
	left int         // how often it can still be steered
	stop func() bool // stops the answer, or returns false if it cannot be; nil if the window is closed
	more []Event[E]  // that have stopped it
}

// steer stops the running turn for an event, which is then answered together with the events of that turn. It returns false if the
// event has to wait.
func (in *Entry[E]) steer(e Event[E]) bool {
	if e.Arrival != Live {
		return false
	}
	in.steering.mu.Lock()
	w := in.steering.windows[in.queueOf(e)]
	in.steering.mu.Unlock()
	return w != nil && w.by == e.Joins && w.steer(e)
}

// steer is where it is decided, once, whether an event steers. After one that has to wait, all later ones have to as well: they
// must not overtake it.
func (w *window[E]) steer(e Event[E]) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch n := len(w.more); {
	case 0 < n && n < maxMore: // it is being stopped
	case n == 0 && w.left > 0 && w.stop != nil && w.stop():
		w.left--
	default:
		w.left = 0
		return false
	}
	w.more = append(w.more, e)
	return true
}

// commit closes the window, unless the turn was steered.
func (w *window[E]) commit() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.more) > 0 {
		return turn.ErrSteered
	}
	w.stop = nil
	return nil
}

// next opens the window for the next turn, and returns the events that have steered the one before.
func (w *window[E]) next(stop func() bool) []Event[E] {
	w.mu.Lock()
	defer w.mu.Unlock()
	more := w.more
	w.stop, w.more = stop, nil
	return more
}

// window returns the window of a run, and a function that ends it, after which its events wait that were not answered. A resumed
// turn cannot be steered: what it has done is not known here.
func (in *Entry[E]) window(r Run[E]) (w *window[E], over func()) {
	last := r.Last()
	if !in.source.Steered || last.Arrival == Resumed || last.By.Bot {
		return &window[E]{}, func() {}
	}
	w, k := &window[E]{by: last.Joins, left: maxSteers}, in.queueOf(last)
	in.steering.mu.Lock()
	defer in.steering.mu.Unlock()
	if in.steering.windows == nil {
		in.steering.windows = map[chat.ChannelID]*window[E]{}
	}
	in.steering.windows[k] = w
	return w, func() {
		in.steering.mu.Lock()
		delete(in.steering.windows, k)
		in.steering.mu.Unlock()
		for _, e := range w.next(nil) {
			in.p.convo.Add(in.work(e))
		}
	}
}

// join makes a run of one that was steered and the events that did so. It is written in the transaction that settles the turn
// before, so that a process that resumes them answers all of them together. If it cannot be, they are resumed later.
func (in *Entry[E]) join(ctx context.Context, r *Run[E], before turn.Report, more []Event[E]) bool {
	next := Run[E]{Turn: more[len(more)-1].Turn, Work: r.Work, Events: slices.Concat(r.Events, more)}
	next.start = &start{pipeline: in.p, turn: next.Turn, events: next.ids()}
	wctx, cancel := Writing(ctx)
	defer cancel()
	err := in.p.o.Inbox.Tx(wctx, func(tx *store.Tx) error {
		// If its placeholder could not be deleted, the next turn goes on with it.
		return errors.Join(in.p.o.Inbox.Join(wctx, tx, next.Turn, next.ids()...), in.p.Share(wctx, tx, r.Turn, turn.First, next.Turn),
			in.p.settled(wctx, tx, r.Turn, before))
	})
	in.p.stats.over(before)
	in.p.o.Over(ctx, before)
	if err != nil {
		in.p.o.Log.ErrorContext(ctx, "cannot answer events together", "turn", r.Turn, "err", err)
		in.p.retryLater(ctx, false, next.ids()...)
		return false
	}
	*r = next
	return true
}
