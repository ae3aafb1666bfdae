// Package convo keeps conversations in order: one turn at a time in each, and as
// many at once as there are conversations.
//
// A conversation is a thread, a channel or a person's direct messages. What people
// do there, be it a message or a reaction, is [Work]. Work that arrives while a turn
// runs waits its turn; as long as it waits, it can still be replaced or withdrawn.
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

// Work is one turn to be had.
type Work struct {
	ID      string         // no other work has it
	Channel chat.ChannelID // the conversation
	Message chat.MessageID // what it is about: if that is deleted, nobody wants the turn
	// Run has the turn. Its context ends when the turn is cancelled; the cause says why.
	Run func(ctx context.Context)
}

// Conversations run turns. Make one with New and end it with Close.
type Conversations struct {
	alive context.Context // what all turns live in; the one thing that ends them together
	end   context.CancelCauseFunc
	turns sync.WaitGroup

	mu      sync.Mutex
	waiting map[key][]Work // a key is here from a conversation's first work until its last turn is over
	running map[string]context.CancelCauseFunc
}

// New returns conversations in which nothing happens yet.
func New() *Conversations {
	c := &Conversations{
		waiting: map[key][]Work{},
		running: map[string]context.CancelCauseFunc{},
	}
	c.alive, c.end = context.WithCancelCause(context.Background())
	return c
}

// Add lets w have its turn, behind the others of its conversation. It does not wait.
// After Close the turn begins in a context that has ended already, so that whoever
// runs it can say so.
func (c *Conversations) Add(w Work) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := w.Channel
	queue, busy := c.waiting[k]
	c.waiting[k] = append(queue, w)
	if !busy {
		c.turns.Go(func() { c.converse(k) })
	}
}

// converse runs the turns of one conversation until none is left.
func (c *Conversations) converse(k key) {
	for {
		w, ctx, ok := c.next(k)
		if !ok {
			return
		}
		w.Run(ctx)
		c.done(w)
	}
}

func (c *Conversations) next(k key) (Work, context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.waiting[k]
	if len(queue) == 0 {
		delete(c.waiting, k)
		return Work{}, nil, false
	}
	w := queue[0]
	c.waiting[k] = queue[1:]
	ctx, cancel := context.WithCancelCause(c.alive)
	c.running[w.ID] = cancel
	return w, ctx, true
}

func (c *Conversations) done(w Work) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[w.ID](nil)
	delete(c.running, w.ID)
}

// Replace puts w in the place of the work with its ID, if that still waits.
func (c *Conversations) Replace(w Work) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.waiting[w.Channel]
	i := slices.IndexFunc(queue, func(waiting Work) bool { return waiting.ID == w.ID })
	if i < 0 {
		return false
	}
	queue[i] = w
	return true
}

// Withdraw takes whatever is about a message out of the queue, and says whether
// anything was.
func (c *Conversations) Withdraw(p chat.Place) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue, busy := c.waiting[p.Channel]
	if !busy {
		return false
	}
	c.waiting[p.Channel] = slices.DeleteFunc(queue, func(w Work) bool { return w.Message == p.Message })
	return len(c.waiting[p.Channel]) < len(queue)
}

// Cancel ends the turn of the work with an ID, if it runs.
func (c *Conversations) Cancel(id string, cause error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	cancel, ok := c.running[id]
	if ok {
		cancel(cause)
	}
	return ok
}

// CancelAll ends every turn that runs and says how many these were. What waits goes
// on waiting.
func (c *Conversations) CancelAll(cause error) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cancel := range c.running {
		cancel(cause)
	}
	return len(c.running)
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
