package inbox

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// owed are events that are over, though that could not be written down. If it never is,
// the next process takes them up again.
type owed struct {
	mu     sync.Mutex
	events map[string]State
}

func (o *owed) add(s State, ids ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.events == nil {
		o.events = map[string]State{}
	}
	for _, id := range ids {
		o.events[id] = s
	}
}

// has says whether an event is among them.
func (o *owed) has(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, found := o.events[id]
	return found
}

// byState are all, by their states.
func (o *owed) byState() map[State][]string {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := map[State][]string{}
	for _, id := range slices.Sorted(maps.Keys(o.events)) {
		found[o.events[id]] = append(found[o.events[id]], id)
	}
	return found
}

// remove forgets events that are written down as over.
func (o *owed) remove(ids ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range ids {
		delete(o.events, id)
	}
}

// settleOwed writes down what could not be written down before.
func (b *Inbox) settleOwed(ctx context.Context) error {
	for s, ids := range b.owed.byState() {
		for some := range slices.Chunk(ids, mostAtOnce) {
			if err := b.settle(ctx, s, some...); err != nil {
				return err
			}
			b.owed.remove(some...)
		}
	}
	return nil
}
