package llm

import (
	"cmp"
	"context"
	"iter"
	"math"
	"sync/atomic"
	"time"
)

// Limited lets at most n answers be written at a time. Those that wait do so in order, and say so with a Queued.
// Work that no person waits for, since it belongs to no turn, has a quarter of the places to itself, so that it
// cannot hold up replies.
func Limited(r Runtime, n int) Runtime {
	return &limited{runtime: r, turns: places{taken: make(chan struct{}, n)}, own: places{taken: make(chan struct{}, max(1, n/4))}}
}

type limited struct {
	runtime    Runtime
	turns, own places
}

// places are handed out in the order of arrival, which is that of channels.
type places struct {
	taken   chan struct{} // has an element for each answer that is being written
	waiting atomic.Int32
}

func (l *limited) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	pool := &l.turns
	if req.Payer.Turn == "" {
		pool = &l.own
	}
	return func(yield func(Event, error) bool) {
		select {
		case pool.taken <- struct{}{}:
		default:
			if !pool.wait(ctx, yield) {
				return
			}
		}
		defer func() { <-pool.taken }()
		l.runtime.Invoke(ctx, req)(yield)
	}
}

// wait returns when there is a place, or false if the consumer leaves or ctx ends first.
func (p *places) wait(ctx context.Context, yield func(Event, error) bool) bool {
	ahead := p.waiting.Add(1) - 1
	defer p.waiting.Add(-1)
	if !yield(Queued{Ahead: int(ahead)}, nil) {
		return false
	}
	select {
	case p.taken <- struct{}{}:
		return true
	case <-ctx.Done():
		yield(nil, context.Cause(ctx))
		return false
	}
}

// WatchOptions are the timeouts of an answer. A negative time is no limit.
type WatchOptions struct {
	// Limit is for the whole answer. The default is 30 minutes.
	Limit time.Duration
	// Stall is for the time without any event. The default is five minutes.
	Stall time.Duration
}

// Watched ends answers that take too long, with a Timeout, and those that have stalled, with a
// Stalled. The time that the consumer takes between two events is no stall. Put it around
// Retrying, so that the limit is for all attempts together.
//
// It cancels the context of the runtime below, and relies on that to return: an iterator runs
// in the goroutine of its consumer, and cannot be interrupted.
func Watched(r Runtime, o WatchOptions) Runtime {
	return &watched{runtime: r, WatchOptions: WatchOptions{
		Limit: limit(o.Limit, 30*time.Minute),
		Stall: limit(o.Stall, 5*time.Minute),
	}}
}

func limit(wanted, standard time.Duration) time.Duration {
	if wanted < 0 {
		return math.MaxInt64 // some 292 years
	}
	return cmp.Or(wanted, standard)
}

type watched struct {
	runtime Runtime
	WatchOptions
}

func (w *watched) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		inner, end := context.WithCancelCause(ctx)
		defer end(nil)
		whole := time.AfterFunc(w.Limit, func() { end(w.timeout()) })
		defer whole.Stop()
		stall := time.AfterFunc(w.Stall, func() { end(w.stalled()) })
		defer stall.Stop()

		for event, err := range w.runtime.Invoke(inner, req) {
			stall.Stop()
			if err != nil {
				yield(nil, cmp.Or(context.Cause(inner), err))
				return
			}
			if !yield(event, nil) {
				return
			}
			stall.Reset(w.Stall)
			if _, waits := event.(Queued); waits {
				whole.Reset(w.Limit) // the answer has not begun
			}
		}
		// A runtime that ends without an error when its context does must not make half an
		// answer look like a whole one.
		if err := context.Cause(inner); err != nil {
			yield(nil, err)
		}
	}
}

func (w *watched) timeout() error {
	return &Error{Kind: Timeout, Waited: w.Limit, Remedy: "ask for less at a time, or raise RUNTIME_TIMEOUT_MS"}
}

func (w *watched) stalled() error {
	return &Error{Kind: Stalled, Waited: w.Stall, Remedy: "try again, or raise DISCOCLAW_STREAM_STALL_TIMEOUT_MS if the model thinks for that long"}
}
