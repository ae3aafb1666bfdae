package inbox

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"discoclaw/internal/store"
)

// unwritten is what could not be written down, as on a full disk, and will be as soon as
// that works. It is lost with the process; but the marks of channels stay before it. As a disk
// may be full for days, nothing looks through all of it when something happens.
type unwritten struct {
	mu     sync.Mutex
	events map[string]keptEvent
	kept   int                 // how many events there ever were
	acts   map[string]string   // of events that are not over, and their IDs
	bodies map[string][]byte   // amended ones, of events that are written down
	turns  map[string][]string // that have begun, and the IDs of their events
	back   map[string]bool     // events that were put back, and are written down as running
}

// A keptEvent has its number in the order of acceptance.
type keptEvent struct {
	Event
	number int
}

func newUnwritten() *unwritten {
	return &unwritten{
		events: map[string]keptEvent{},
		acts:   map[string]string{},
		bodies: map[string][]byte{},
		turns:  map[string][]string{},
		back:   map[string]bool{},
	}
}

// add keeps an event, unless it is there.
func (u *unwritten) add(e Event) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, found := u.events[e.ID]; found {
		return
	}
	u.kept++
	u.events[e.ID] = keptEvent{e, u.kept}
	if e.Act != "" {
		u.acts[e.Act] = e.ID
	}
}

// knows says whether an event is there, or another one with its act that is not over.
func (u *unwritten) knows(e Event) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, found := u.events[e.ID]
	return found || e.Act != "" && u.acts[e.Act] != ""
}

// list are the events with some IDs, in the order of acceptance.
func (u *unwritten) list(ids ...string) []Event {
	u.mu.Lock()
	defer u.mu.Unlock()
	var found []keptEvent
	for _, id := range ids {
		if e, ok := u.events[id]; ok {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b keptEvent) int { return cmp.Compare(a.number, b.number) })
	events := make([]Event, len(found))
	for i, e := range found {
		events[i] = e.Event
	}
	return events
}

// all are all events, in the order of acceptance.
func (u *unwritten) all() []Event { return u.list(u.ids()...) }

func (u *unwritten) ids() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Collect(maps.Keys(u.events))
}

// change changes the events with some IDs.
func (u *unwritten) change(change func(*Event), ids ...string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range ids {
		if e, found := u.events[id]; found {
			change(&e.Event)
			u.events[id] = e
		}
	}
}

// amend keeps what is needed to go on with an event.
func (u *unwritten) amend(id string, body []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if e, found := u.events[id]; found {
		e.Body = body
		u.events[id] = e
	} else {
		u.bodies[id] = body
	}
}

// amended are the bodies that wait to be written, by the IDs of their events.
func (u *unwritten) amended() map[string][]byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.bodies)
}

// remove forgets events.
func (u *unwritten) remove(ids ...string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range ids {
		u.endAct(id)
		delete(u.events, id)
		delete(u.bodies, id)
	}
}

// endAct lets an act happen again. It is for who holds the lock.
func (u *unwritten) endAct(id string) {
	if act := u.events[id].Act; u.acts[act] == id {
		delete(u.acts, act)
	}
}

// begin notes that a turn has begun.
func (u *unwritten) begin(turn string, ids []string) {
	u.change(func(e *Event) { e.State, e.Turn, e.Begun = Running, turn, true }, ids...)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.turns[turn] = ids
}

// begun are the events of a turn that has begun; none, if that is written down.
func (u *unwritten) begun(turn string) []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.turns[turn]
}

// putBack notes that events wait.
func (u *unwritten) putBack(ids ...string) {
	u.change(func(e *Event) { e.State = Received }, ids...)
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range ids {
		if _, found := u.events[id]; !found {
			u.back[id] = true
		}
	}
}

// isBack says whether events were put back, and are written down as running.
func (u *unwritten) isBack(ids ...string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return !slices.ContainsFunc(ids, func(id string) bool { return !u.back[id] })
}

// forth notes that events do not wait any more, or that it is written down that they do.
func (u *unwritten) forth(ids ...string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range ids {
		delete(u.back, id)
	}
}

// settled keeps no more of events that are over than is needed to know them.
func (u *unwritten) settled(ids ...string) {
	u.change(func(e *Event) { e.Body = nil }, ids...)
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range ids {
		u.endAct(id)
		delete(u.bodies, id)
	}
}

// over forgets the turn of some events.
func (u *unwritten) over(ids ...string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.turns, func(_ string, of []string) bool {
		return slices.ContainsFunc(of, func(id string) bool { return slices.Contains(ids, id) })
	})
}

// insertUnwritten writes down what could not be written before of some events.
func (b *Inbox) insertUnwritten(ctx context.Context, tx *store.Tx, ids ...string) error {
	for _, e := range b.unwritten.list(ids...) {
		if _, err := insert(ctx, tx, e); err != nil {
			return err
		}
	}
	amended := b.unwritten.amended()
	for _, id := range ids {
		if body, found := amended[id]; found {
			if _, err := tx.ExecContext(ctx, "UPDATE inbox SET body = ? WHERE state IN ('received', 'running') AND id = ?", string(body), id); err != nil {
				return err
			}
		}
	}
	return nil
}

// saveUnwritten writes down all that could not be before.
func (b *Inbox) saveUnwritten(ctx context.Context) error {
	ids := ids(b.unwritten.all())
	for id := range b.unwritten.amended() {
		ids = append(ids, id)
	}
	for some := range slices.Chunk(ids, mostAtOnce) {
		if err := b.db.Tx(ctx, func(tx *store.Tx) error { return b.insertUnwritten(ctx, tx, some...) }); err != nil {
			return err
		}
		b.written(some...)
	}
	return nil
}

func ids(events []Event) []string {
	list := make([]string, len(events))
	for i, e := range events {
		list[i] = e.ID
	}
	return list
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
