// Package convo keeps conversations in order: one turn at a time in each, and as
// many at once as there are conversations.
//
// A conversation is a thread, a channel or a person's direct messages. What people
// do there, be it a message or a reaction, is [Work]. Work that arrives while a turn
// runs waits its turn; as long as it waits, it can still be replaced or withdrawn.
// Messages of one author that wait next to each other have one turn together.
package convo

import (
	"context"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// A key names a conversation. Every channel, thread and direct message has an ID
// of its own, so that is what tells conversations apart.
type key = chat.ChannelID

// Work is one turn to be had, or a part of one.
type Work struct {
	ID      string         // no other work has it
	Channel chat.ChannelID // the conversation
	Message chat.MessageID // what it is about: if that is deleted, nobody wants the turn
	// Joins says whose work it is. Neighbours with the same Joins have one turn together;
	// work without it has a turn of its own.
	Joins string
	Items []any // that it is about
	// Late says that it comes from a time when nobody listened: what is done now goes first.
	Late bool
	// Apart says that it is no turn, though it has its place in the conversation: nobody
	// counts it, and it ends early with Close alone.
	Apart bool
	// Run has the turn, with all items of the work that has it together, oldest first; of
	// several, that of the last one runs. Its context ends when the turn is
	// cancelled; the cause says why.
	Run func(ctx context.Context, items []any)
}

// maxBatch is how many works have a turn together. More would hardly be answered
// one by one.
const maxBatch = 10

// Options are how conversations go. The zero value is fine.
type Options struct {
	// Wait is how long a conversation in which nothing happens waits for more by the
	// same author before a turn begins. More does not prolong it. With 0 it does not wait.
	Wait time.Duration
}

// Conversations run turns. Make one with New and end it with Close.
type Conversations struct {
	Options
	alive context.Context // what all turns live in; the one thing that ends them together
	end   context.CancelCauseFunc

	mu      sync.Mutex
	waiting map[key][]Work // a key is here from a conversation's first work until its last turn is over
	running map[key]turn
	over    []chan struct{} // of those who wait until nothing happens any more
}

// A turn is one that runs.
type turn struct {
	ids    []string // of the works that have it together
	apart  bool
	cancel context.CancelCauseFunc
}

// New returns conversations in which nothing happens yet.
func New(o Options) *Conversations {
	c := &Conversations{Options: o, waiting: map[key][]Work{}, running: map[key]turn{}}
	c.alive, c.end = context.WithCancelCause(context.Background())
	return c
}

// Add lets w have its turn, behind the others of its conversation, but before those that are
// late, unless it is late itself. It does not wait.
// After Close the turn begins in a context that has ended already, so that whoever
// runs it can say so.
func (c *Conversations) Add(w Work) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := w.Channel
	queue, busy := c.waiting[k]
	at := len(queue)
	if !w.Late {
		if late := slices.IndexFunc(queue, func(w Work) bool { return w.Late }); late >= 0 {
			at = late
		}
	}
	c.waiting[k] = slices.Insert(queue, at, w)
	if !busy {
		go c.converse(k, w.Joins != "") // Close waits for it
	}
}

// converse runs the turns of one conversation until none is left. There may be more to
// come that joins its first work.
func (c *Conversations) converse(k key, more bool) {
	if more && c.Wait > 0 {
		select {
		case <-time.After(c.Wait):
		case <-c.alive.Done():
		}
	}
	for {
		together, ctx := c.next(k)
		if len(together) == 0 {
			return
		}
		var items []any
		for _, w := range together {
			items = append(items, w.Items...)
		}
		together[len(together)-1].Run(ctx, items)
		c.done(k)
	}
}

// next takes what has the next turn.
func (c *Conversations) next(k key) ([]Work, context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.waiting[k]
	if len(queue) == 0 {
		delete(c.waiting, k)
		c.tell()
		return nil, nil
	}
	n := neighbours(queue)
	together := slices.Clone(queue[:n])
	c.waiting[k] = queue[n:]
	ctx, cancel := context.WithCancelCause(c.alive)
	t := turn{apart: together[0].Apart, cancel: cancel}
	for _, w := range together {
		t.ids = append(t.ids, w.ID)
	}
	c.running[k] = t
	return together, ctx
}

// tell lets those go on who wait until nothing happens any more. The lock is held.
func (c *Conversations) tell() {
	if len(c.waiting) > 0 {
		return
	}
	for _, over := range c.over {
		close(over)
	}
	c.over = nil
}

// neighbours is how many works at the head of a queue have a turn together.
func neighbours(queue []Work) int {
	n := 1
	for n < min(len(queue), maxBatch) && queue[0].Joins != "" && queue[n].Joins == queue[0].Joins {
		n++
	}
	return n
}

func (c *Conversations) done(k key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[k].cancel(nil)
	delete(c.running, k)
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

// Take takes the work with an ID out of a conversation's queue, and says whether it was
// there.
func (c *Conversations) Take(k chat.ChannelID, id string) bool {
	return c.take(k, func(w Work) bool { return w.ID == id })
}

// Withdraw takes whatever is about a message out of the queue, and says whether
// anything was.
func (c *Conversations) Withdraw(p chat.Place) bool {
	return c.take(p.Channel, func(w Work) bool { return w.Message == p.Message })
}

func (c *Conversations) take(k key, which func(Work) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue, busy := c.waiting[k]
	if !busy {
		return false
	}
	c.waiting[k] = slices.DeleteFunc(queue, which)
	return len(c.waiting[k]) < len(queue)
}

// Cancel ends the turn that the work with an ID has, if it runs.
func (c *Conversations) Cancel(id string, cause error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.running {
		if slices.Contains(t.ids, id) {
			t.cancel(cause)
			return true
		}
	}
	return false
}

// CancelAll ends every turn that runs and says how many these were. What waits goes
// on waiting.
func (c *Conversations) CancelAll(cause error) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, t := range c.running {
		if !t.apart {
			t.cancel(cause)
			n++
		}
	}
	return n
}

// Close ends every turn, those that wait included, and waits until they are over
// or ctx ends.
func (c *Conversations) Close(ctx context.Context, cause error) error {
	c.end(cause)
	// No WaitGroup, since there may be more work while this waits.
	over := make(chan struct{})
	c.mu.Lock()
	c.over = append(c.over, over)
	c.tell()
	c.mu.Unlock()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
