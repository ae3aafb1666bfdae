// Package convo keeps conversations in order: one turn at a time in each, and as
// many at once as there are conversations.
//
// A conversation is a thread, a channel or a person's direct messages. Messages
// that arrive while a turn runs wait their turn; as long as they wait, they can
// still be replaced or withdrawn.
package convo

import (
	"context"
	"slices"
	"sync"

	"discoclaw/internal/chat"
)

// A key names a conversation. Every channel, thread and direct message has an ID
// of its own, so that is what tells conversations apart.
type key = chat.ChannelID

// Conversations run turns. Make one with New and end it with Close.
type Conversations struct {
	run   func(ctx context.Context, m chat.Message)
	alive context.Context // what all turns live in; the one thing that ends them together
	end   context.CancelCauseFunc
	turns sync.WaitGroup

	mu      sync.Mutex
	waiting map[key][]chat.Message // a key is here from a conversation's first message until its last turn is over
	running map[chat.MessageID]context.CancelCauseFunc
}

// New returns conversations whose turns are run by run. It is called with a context
// that ends when the turn is cancelled, whose cause says why.
func New(run func(ctx context.Context, m chat.Message)) *Conversations {
	c := &Conversations{
		run:     run,
		waiting: map[key][]chat.Message{},
		running: map[chat.MessageID]context.CancelCauseFunc{},
	}
	c.alive, c.end = context.WithCancelCause(context.Background())
	return c
}

// Add lets m have a turn, behind the others of its conversation. It does not wait.
// After Close the turn begins in a context that has ended already, so that whoever
// runs it can say so.
func (c *Conversations) Add(m chat.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := m.Place.Channel
	queue, busy := c.waiting[k]
	c.waiting[k] = append(queue, m)
	if !busy {
		c.turns.Go(func() { c.converse(k) })
	}
}

// converse runs the turns of one conversation until none is left.
func (c *Conversations) converse(k key) {
	for {
		m, ctx, ok := c.next(k)
		if !ok {
			return
		}
		c.run(ctx, m)
		c.done(m)
	}
}

func (c *Conversations) next(k key) (chat.Message, context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.waiting[k]
	if len(queue) == 0 {
		delete(c.waiting, k)
		return chat.Message{}, nil, false
	}
	m := queue[0]
	c.waiting[k] = queue[1:]
	ctx, cancel := context.WithCancelCause(c.alive)
	c.running[m.ID] = cancel
	return m, ctx, true
}

func (c *Conversations) done(m chat.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[m.ID](nil)
	delete(c.running, m.ID)
}

// Replace puts m in the place of the message with its ID, if that still waits.
func (c *Conversations) Replace(m chat.Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.waiting[m.Place.Channel]
	i := slices.IndexFunc(queue, func(w chat.Message) bool { return w.ID == m.ID })
	if i < 0 {
		return false
	}
	queue[i] = m
	return true
}

// Withdraw takes a message out of the queue, if it still waits.
func (c *Conversations) Withdraw(p chat.Place) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.waiting[p.Channel]
	i := slices.IndexFunc(queue, func(w chat.Message) bool { return w.ID == p.Message })
	if i < 0 {
		return false
	}
	c.waiting[p.Channel] = slices.Delete(queue, i, i+1)
	return true
}

// Cancel ends the turn that a message began, if it runs.
func (c *Conversations) Cancel(m chat.MessageID, cause error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	cancel, ok := c.running[m]
	if ok {
		cancel(cause)
	}
	return ok
}

// Close ends every turn, those that wait included, and waits until they are over
// or ctx ends.
func (c *Conversations) Close(ctx context.Context, cause error) error {
	c.end(cause)
	over := make(chan struct{})
	go func() {
		c.turns.Wait()
		close(over)
	}()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
