// Package convo keeps conversations in order: one turn at a time in each, and as
// many at once as there are conversations.
//
// A conversation is a thread, a channel or a person's direct messages. An event there,
// such as a message or a reaction, is [Work]. Work that arrives while a turn
// runs is queued; until its turn begins, it can be replaced or withdrawn.
// Neighbouring messages of one author in the queue are batched into one turn.
package convo

import (
	"context"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// A key names a conversation. Every channel, thread and direct message has an ID
// of its own.
type key = chat.ChannelID

// Work is one turn to be run, or a part of one.
type Work struct {
	ID      string         // unique
	Channel chat.ChannelID // the conversation
	Message chat.MessageID // the message it is about; deleting that withdraws the work
	// Joins names what the work is batched by. Neighbours with the same Joins share one
	// turn; work without it has a turn of its own.
	Joins string
	Items []any // of the event, passed to Run
	// Late says that the work comes from a gap: live work goes first.
	Late bool
	// Ahead puts the work before all that is queued, since it continues work that has run.
	Ahead bool
	// Apart says that the work is no turn, though it is queued in the conversation: it is
	// not counted, and only Close cancels it.
	Apart bool
	// Run runs the turn with the items of the whole batch, oldest first; the Run of the
	// last work in the batch is called. Its context is cancelled with the turn; the cause
	// says why.
	Run func(ctx context.Context, items []any)
}

// maxBatch is how many works share a turn at most. A model would hardly answer more one
// by one.
const maxBatch = 10

// Options configure conversations. The zero value is fine.
type Options struct {
	// Wait is how long an idle conversation waits for more work to batch before a turn
	// begins. Further work does not prolong it. With 0 it does not wait.
	Wait time.Duration
}

// Conversations run turns. Make one with New and end it with Close.
type Conversations struct {
	Options
	alive context.Context // the parent of all turns' contexts
	end   context.CancelCauseFunc

	mu      sync.Mutex
	waiting map[key][]Work // a key is here from a conversation's first work until its last turn has ended
	running map[key]turn
	over    []chan struct{} // closed when all conversations are idle
}

// A turn is one that runs.
type turn struct {
	ids    []string // of its batch
	apart  bool
	cancel context.CancelCauseFunc
}

// New returns idle conversations.
func New(o Options) *Conversations {
	c := &Conversations{Options: o, waiting: map[key][]Work{}, running: map[key]turn{}}
	c.alive, c.end = context.WithCancelCause(context.Background())
	return c
}

// Add queues w, behind the others of its conversation, but before late work, unless it
// is late itself. It does not block. After Close the turn runs with a context that is
// already cancelled, so that Run can report that.
func (c *Conversations) Add(w Work) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := w.Channel
	queue, busy := c.waiting[k]
	at := len(queue)
	if w.Ahead {
		at = 0
	} else if !w.Late {
		if late := slices.IndexFunc(queue, func(w Work) bool { return w.Late }); late >= 0 {
			at = late
		}
	}
	c.waiting[k] = slices.Insert(queue, at, w)
	if !busy {
		go c.converse(k, w.Joins != "") // Close waits for it
	}
}

// converse runs the turns of one conversation until its queue is empty. More says that
// the first work may be batched with later work.
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

// next takes the next batch off the queue.
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

// tell closes the channels of waiting Close calls once all conversations are idle. The lock is held.
func (c *Conversations) tell() {
	if len(c.waiting) > 0 {
		return
	}
	for _, over := range c.over {
		close(over)
	}
	c.over = nil
}

// neighbours is the size of the batch at the head of a queue.
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

// Replace puts w in the place of the queued work with its ID, if there is one.
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

// Take removes the work with an ID from a conversation's queue, and reports whether it
// was there.
func (c *Conversations) Take(k chat.ChannelID, id string) bool {
	return c.take(k, func(w Work) bool { return w.ID == id })
}

// Withdraw removes all work about a message from the queue, and reports whether there
// was any.
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

// Cancel cancels the running turn of the work with an ID, if there is one.
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

// CancelIn cancels the running turn of a conversation, if there is one.
func (c *Conversations) CancelIn(k chat.ChannelID, cause error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.running[k]
	if ok && !t.apart {
		t.cancel(cause)
	}
	return ok && !t.apart
}

// CancelAll cancels every running turn and returns their number. Queued work stays
// queued.
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

// Close cancels every turn, queued ones included, and waits until they have ended or
// ctx ends.
func (c *Conversations) Close(ctx context.Context, cause error) error {
	c.end(cause)
	// No WaitGroup, since work may be added meanwhile.
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

// Busy reports whether a turn runs or waits in a conversation.
func (c *Conversations) Busy(ch chat.ChannelID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, busy := c.waiting[ch]
	return busy
}

// Waits reports whether work is queued in a conversation.
func (c *Conversations) Waits(ch chat.ChannelID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting[ch]) > 0
}

// Count returns the numbers of running turns and of queued works.
func (c *Conversations) Count() (running, waiting int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, queue := range c.waiting {
		waiting += len(queue)
	}
	for _, t := range c.running {
		if !t.apart {
			running++
		}
	}
	return running, waiting
}
