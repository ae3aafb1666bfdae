package llm

import (
	"context"
	"iter"
	"sync"
)

// Limited lets at most n answers be written at a time. Those that wait do so in order, and say so with a Queued.
// Work that no person waits for, since it belongs to no turn, has a quarter of the places to itself, so that it
// cannot hold up replies.
func Limited(r Runtime, n int) Runtime {
	return &limited{runtime: r, turns: places{free: n}, own: places{free: max(1, n/4)}}
}

type limited struct {
	runtime    Runtime
	turns, own places
}

func (l *limited) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	pool := &l.turns
	if req.Payer.Turn == "" {
		pool = &l.own
	}
	return func(yield func(Event, error) bool) {
		ticket, ahead := pool.enter()
		if ticket != nil {
			left := !yield(Queued{Ahead: ahead}, nil)
			if left || !ticket.wait(ctx) {
				pool.giveUp(ticket)
				if !left {
					yield(nil, context.Cause(ctx))
				}
				return
			}
		}
		defer pool.leave()
		l.runtime.Invoke(ctx, req)(yield)
	}
}

// places are handed out in the order of arrival.
type places struct {
	mu      sync.Mutex
	free    int
	waiting []*ticket
}

// A ticket is ready when its channel is closed.
type ticket struct{ ready chan struct{} }

// wait returns false if ctx ends first.
func (t *ticket) wait(ctx context.Context) bool {
	select {
	case <-t.ready:
		return true
	case <-ctx.Done():
		return false
	}
}

// enter takes a place, or returns a ticket for one and how many wait before it.
func (p *places) enter() (*ticket, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free > 0 {
		p.free--
		return nil, 0
	}
	t := &ticket{ready: make(chan struct{})}
	p.waiting = append(p.waiting, t)
	return t, len(p.waiting) - 1
}

// leave passes the place on to the next ticket.
func (p *places) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		p.free++
		return
	}
	close(p.waiting[0].ready)
	p.waiting = p.waiting[1:]
}

// giveUp takes a ticket out of the queue. If it has just got a place, that is passed on.
func (p *places) giveUp(t *ticket) {
	p.mu.Lock()
	for i, other := range p.waiting {
		if other == t {
			p.waiting = append(p.waiting[:i:i], p.waiting[i+1:]...)
			p.mu.Unlock()
			return
		}
	}
	p.mu.Unlock()
	p.leave()
}
