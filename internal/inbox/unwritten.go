package inbox

import (
	"context"
	"maps"
	"slices"
	"sync"

	"discoclaw/internal/store"
)

// unwritten is what could not be written down, as on a full disk, and will be as soon as
// that works. It is lost with the process; but the marks of channels stay before it.
type unwritten struct {
	mu     sync.Mutex
	events []Event             // in the order of acceptance
	turns  map[string][]string // that have begun, and the IDs of their events
}

// add keeps an event, unless it is there.
func (u *unwritten) add(e Event) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !slices.ContainsFunc(u.events, func(other Event) bool { return other.ID == e.ID }) {
		u.events = append(u.events, e)
	}
}

// knows says whether an event is there, or another one with its act.
func (u *unwritten) knows(e Event) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.ContainsFunc(u.events, func(other Event) bool { return other.ID == e.ID || e.Act != "" && other.Act == e.Act })
}

// list are the events with some IDs, or all of them.
func (u *unwritten) list(ids ...string) []Event {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(u.events), func(e Event) bool { return len(ids) > 0 && !slices.Contains(ids, e.ID) })
}

// change changes the events with some IDs.
func (u *unwritten) change(change func(*Event), ids ...string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range u.events {
		if slices.Contains(ids, u.events[i].ID) {
			change(&u.events[i])
		}
	}
}

// remove forgets events.
func (u *unwritten) remove(ids ...string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.events = slices.DeleteFunc(u.events, func(e Event) bool { return slices.Contains(ids, e.ID) })
}

// begin notes that a turn has begun.
func (u *unwritten) begin(turn string, ids []string) {
	u.change(func(e *Event) { e.State, e.Turn, e.Begun = Running, turn, true }, ids...)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.turns == nil {
		u.turns = map[string][]string{}
	}
	u.turns[turn] = ids
}

// begun are the events of a turn that has begun; none, if that is written down.
func (u *unwritten) begun(turn string) []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.turns[turn]
}

// over forgets the turn of some events.
func (u *unwritten) over(ids ...string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.turns, func(_ string, of []string) bool {
		return slices.ContainsFunc(of, func(id string) bool { return slices.Contains(ids, id) })
	})
}

// insertUnwritten writes down those of some events, or of all, that could not be before.
func (b *Inbox) insertUnwritten(ctx context.Context, tx *store.Tx, ids ...string) error {
	for _, e := range b.unwritten.list(ids...) {
		if _, err := insert(ctx, tx, e); err != nil {
			return err
		}
	}
	return nil
}

// saveUnwritten writes down all that could not be before.
func (b *Inbox) saveUnwritten(ctx context.Context) error {
	var ids []string
	for _, e := range b.unwritten.list() {
		ids = append(ids, e.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	if err := b.db.Tx(ctx, func(tx *store.Tx) error { return b.insertUnwritten(ctx, tx, ids...) }); err != nil {
		return err
	}
	b.written(ids...)
	return nil
}

// written notes that events are written down.
func (b *Inbox) written(ids ...string) {
	b.unwritten.remove(ids...)
	b.marks.release(ids...)
}

// Holds makes sure that a turn which has begun is written down, and tries once more if it is
// not. After an error nobody would go on with it, so nothing should be done for it that must
// not be done again.
func (b *Inbox) Holds(ctx context.Context, turn string) error {
	if ids := b.unwritten.begun(turn); len(ids) > 0 {
		return b.Begin(ctx, turn, ids...)
	}
	return nil
}
