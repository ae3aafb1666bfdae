// Package inbox remembers what people did that the bot has taken up, from before the work
// begins until it is over, so that a process that ends in between loses nothing and does
// nothing twice.
//
// An [Event] is accepted once, however often it is told. One that was put off comes in with
// [Inbox.Entry] when its time has come, and leaves where it waited in the same step. Its
// work is begun with Begin and over with Settle; what is neither answered nor failed when a
// process starts is found by Unfinished, to be taken up again.
//
// The inbox also has a mark in each channel, up to which it has been read. [Inbox.Behind]
// compares the marks with what Discord says is there, and so finds out what was said while
// nobody listened.
package inbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// A Kind is what somebody did, now or earlier.
type Kind string

const (
	Message  Kind = "message"
	Command  Kind = "command"
	Slash    Kind = "slash" // a command chosen from a menu
	Reaction Kind = "reaction"
	Deferred Kind = "deferred" // they asked for it earlier, and its time has come
)

// A State is how far an event has come.
type State string

const (
	Received State = "received" // its work waits
	Running  State = "running"
	Answered State = "answered"
	Failed   State = "failed" // nothing more will come of it
)

// An Event is something that somebody did.
type Event struct {
	ID string // no other event has it
	// Act is for what can happen again, such as a reaction: two events with the same act
	// are one while the first is not settled. Empty means that the ID says it all.
	Act string
	// Anew says that it has certainly happened again. Otherwise, what comes soon after the
	// start and is known from before is taken for the same, told once more.
	Anew  bool
	Kind  Kind
	Place chat.Place // its Message is what the event is, or is about
	Turn  string     // the name of its turn
	Body  []byte     // JSON: what is needed to do it again

	// Known by the inbox.
	State    State
	Attempts int  // how often its turn was begun, and neither came to its end nor was put back
	Begun    bool // its turn was begun at all, so it may have left traces
	Accepted time.Time
}

// Keep is how long an event is known.
const Keep = 3 * 24 * time.Hour

// ReplayTime is how long after the start Discord may tell again what an earlier process
// has heard.
const ReplayTime = time.Minute

// An Inbox keeps events and marks in a database. It is safe for concurrent use.
type Inbox struct {
	db     *store.DB
	began  time.Time
	before int64 // the number of the last event that an earlier process accepted
	marks  *marks

	unwritten *unwritten
	owed      owed
}

// New returns an inbox over a database that is open when it is used.
func New(db *store.DB) *Inbox {
	return &Inbox{db: db, began: time.Now(), marks: newMarks(), unwritten: newUnwritten()}
}

// Change replaces what an event is, while it waits.
func (b *Inbox) Change(ctx context.Context, e Event) error {
	b.unwritten.change(func(old *Event) {
		if old.State == Received {
			old.Kind, old.Body = e.Kind, e.Body
		}
	}, e.ID)
	_, err := b.db.ExecContext(ctx, "UPDATE inbox SET kind = ?, body = ? WHERE id = ? AND state = ?", string(e.Kind), string(e.Body), e.ID, string(Received))
	if err != nil {
		return fmt.Errorf("change %s %s: %w", e.Kind, e.ID, err)
	}
	return nil
}

// Amend replaces what is needed to go on with an event, until it is over. What cannot be
// written down is tried again with what becomes of the event, and by Save.
func (b *Inbox) Amend(ctx context.Context, e Event) error {
	_, err := b.update(ctx, "amend", []string{e.ID}, "body = ?", string(e.Body))
	if err != nil {
		b.unwritten.amend(e.ID, e.Body)
		b.marks.nudge()
	}
	return err
}

// Begin notes that some events have a turn together, and that it begins. It is an error if
// one of them was never accepted, or is settled. What cannot be written down is tried again
// by Holds.
func (b *Inbox) Begin(ctx context.Context, turn string, ids ...string) error {
	attempts := "attempts + 1"
	if b.unwritten.isBack(ids...) {
		attempts = "MAX(attempts, 1)" // the last one does not count
	}
	n, err := b.update(ctx, "begin", ids, "state = ?, turn = ?, attempts = "+attempts+", begun = CASE begun WHEN 0 THEN ? ELSE begun END",
		string(Running), turn, time.Now().UnixMicro())
	if err != nil {
		b.unwritten.begin(turn, ids)
		return err
	}
	b.unwritten.over(ids...)
	b.unwritten.forth(ids...)
	if n < len(ids) {
		err = fmt.Errorf("begin %s: some of it was never written down, or is over", strings.Join(ids, ", "))
	}
	return err
}

// Settle notes that events are over. If that cannot be written down, Save tries again.
func (b *Inbox) Settle(ctx context.Context, s State, ids ...string) error {
	b.unwritten.over(ids...)
	b.unwritten.forth(ids...)
	err := b.settle(ctx, s, ids...)
	if err != nil {
		b.unwritten.settled(ids...)
		b.owed.add(s, ids...)
		b.marks.nudge()
	}
	b.marks.release(ids...) // nobody has to read it again
	return err
}

// mostAtOnce is how many events are written in one step. A database takes no more than some
// values at a time, and everybody else who writes waits for it.
const mostAtOnce = 500

func (b *Inbox) settle(ctx context.Context, s State, ids ...string) error {
	for some := range slices.Chunk(ids, mostAtOnce) {
		if _, err := b.update(ctx, "settle", some, "state = ?, body = '', settled = ?", string(s), time.Now().UnixMicro()); err != nil {
			return err
		}
	}
	return nil
}

// LetGo is for a database that is an old copy. What was unfinished in it may be answered
// since, and so may be what was said after it was made: nothing of that is taken up.
func (b *Inbox) LetGo(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "UPDATE inbox SET state = ?, body = '', settled = ? WHERE state IN ('received', 'running')", string(Failed), time.Now().UnixMicro())
	if err != nil {
		return fmt.Errorf("let go of what waits: %w", err)
	}
	for _, table := range []string{"marks", "heard"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table); err != nil {
			return fmt.Errorf("forget how far channels were read: %w", err)
		}
	}
	return nil
}

// update changes events that are not settled, and says how many there are. Those that could
// not be written down before are, in the same step.
func (b *Inbox) update(ctx context.Context, what string, ids []string, set string, values ...any) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	for _, id := range ids {
		values = append(values, id)
	}
	query := fmt.Sprintf("UPDATE inbox SET %s WHERE state IN ('received', 'running') AND id IN (?%s)", set, strings.Repeat(", ?", len(ids)-1))
	var n int64
	err := b.db.Tx(ctx, func(tx *store.Tx) error {
		if err := b.insertUnwritten(ctx, tx, ids...); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, query, values...)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w", what, naming(ids), err)
	}
	b.written(ids...)
	return int(n), nil
}

// naming is how an error names events, of which there may be many.
func naming(ids []string) string {
	const most = 5
	if more := len(ids) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), more)
	}
	return strings.Join(ids, ", ")
}

// Withdraw settles what waits and is about a message that is gone.
func (b *Inbox) Withdraw(ctx context.Context, p chat.Place) error {
	for _, e := range b.unwritten.all() {
		if e.State == Received && e.Place.Channel == p.Channel && e.Place.Message == p.Message {
			b.written(e.ID) // it need not be
		}
	}
	_, err := b.db.ExecContext(ctx, "UPDATE inbox SET state = ?, body = '', settled = ? WHERE state = ? AND channel = ? AND message = ?",
		string(Failed), time.Now().UnixMicro(), string(Received), string(p.Channel), string(p.Message))
	if err != nil {
		return fmt.Errorf("withdraw message %s: %w", p.Message, err)
	}
	return nil
}

// Prune forgets what was accepted before a time, but for what is still Unfinished.
func (b *Inbox) Prune(ctx context.Context, before time.Time) error {
	if _, err := b.db.ExecContext(ctx, "DELETE FROM inbox WHERE accepted < ? AND NOT (kind = ? AND state IN ('received', 'running'))", before.UnixMicro(), string(Deferred)); err != nil {
		return fmt.Errorf("forget old events: %w", err)
	}
	return nil
}
