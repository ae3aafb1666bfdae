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
	"cmp"
	"context"
	"database/sql"
	"errors"
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

// Accept writes an event down, and says whether it is new. The channel's mark moves
// along with a message, in the same transaction. If that fails, as on a full disk, the event
// is tried again with everything that becomes of it, and by Save; until then, the channel's
// mark stays before it on the disk.
func (b *Inbox) Accept(ctx context.Context, e Event) (fresh bool, err error) {
	if b.unwritten.knows(e) {
		return false, nil
	}
	var up int64
	known, risen := b.marks.known(e.Place.Channel), false
	if e.Kind == Message || e.Kind == Command {
		up, risen = b.marks.rise(e.Place)
	}
	err = b.db.Tx(ctx, func(tx *store.Tx) error {
		if again, err := b.isToldAgain(ctx, tx, e); err != nil || again {
			return err
		}
		n, err := insert(ctx, tx, e)
		fresh = n == 1
		if err != nil || !risen {
			return err
		}
		return writeMark(ctx, tx, e.Place.Channel, e.Place.Guild, b.marks.capped(e.Place.Channel, up))
	})
	if err != nil {
		return b.keep(ctx, e, risen && !known), fmt.Errorf("write down %s %s: %w", e.Kind, e.ID, err)
	}
	if risen { // not before its mark is written, on which that relies
		b.marks.hear(e.Place.Guild, up)
	}
	return fresh, nil
}

// keep keeps an event that could not be written down, and says whether it is new. Nothing
// but a write need have failed.
func (b *Inbox) keep(ctx context.Context, e Event, inNewChannel bool) (fresh bool) {
	var known bool
	err := b.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM inbox WHERE id = ?)", e.ID).Scan(&known)
	if err == nil && !known {
		known, err = b.isToldAgain(ctx, b.db, e)
	}
	if err == nil && known {
		return false
	}
	e.State, e.Accepted = Received, time.Now()
	b.unwritten.add(e)
	if e.Kind == Message || e.Kind == Command {
		b.marks.hold(e.ID, e.Place, inNewChannel)
	}
	b.marks.nudge()
	return true
}

// Entry writes an event down in a transaction in which it leaves where it was kept before.
// It is one that moves no mark, and goes on at once. Without an inbox there is nothing to do.
func (b *Inbox) Entry(e Event) func(ctx context.Context, tx *store.Tx) error {
	if b == nil {
		return nil
	}
	e.State = Running
	return func(ctx context.Context, tx *store.Tx) error {
		if _, err := insert(ctx, tx, e); err != nil {
			return fmt.Errorf("write down %s %s: %w", e.Kind, e.ID, err)
		}
		return nil
	}
}

// insert returns how many rows it made: none for an event that is known already.
func insert(ctx context.Context, tx *store.Tx, e Event) (rows int64, err error) {
	if e.Accepted.IsZero() {
		e.Accepted = time.Now()
	}
	var begun int64
	if e.Begun {
		begun = e.Accepted.UnixMicro()
	}
	res, err := tx.ExecContext(ctx, `INSERT INTO inbox (id, act, kind, state, channel, message, turn, body, begun, accepted)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		e.ID, e.Act, string(e.Kind), cmp.Or(string(e.State), string(Received)), string(e.Place.Channel), string(e.Place.Message), e.Turn, string(e.Body), begun, e.Accepted.UnixMicro())
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// A reader is a database, or a transaction in it.
type reader interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// isToldAgain says whether an event is the one with its act that is already known.
func (b *Inbox) isToldAgain(ctx context.Context, tx reader, e Event) (bool, error) {
	if e.Act == "" {
		return false, nil
	}
	var id string
	var state State
	var number int64
	err := tx.QueryRowContext(ctx, "SELECT id, state, number FROM inbox WHERE act = ? ORDER BY number DESC LIMIT 1", e.Act).Scan(&id, &state, &number)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	case (state == Received || state == Running) && !b.owed.has(id):
		return true, nil
	}
	// By their numbers, since the clock may have been put back between two processes.
	return !e.Anew && number <= b.before && time.Since(b.began) < ReplayTime, nil
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

// IsSettled says whether an event is over. One that was never accepted is not.
func (b *Inbox) IsSettled(ctx context.Context, id string) (settled bool, err error) {
	if b.owed.has(id) {
		return true, nil
	}
	err = b.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM inbox WHERE id = ? AND state NOT IN ('received', 'running'))", id).Scan(&settled)
	if err != nil {
		return false, fmt.Errorf("look whether %s is settled: %w", id, err)
	}
	return settled, nil
}

// IsAlone says whether an event is the only one that is known to be about a message, or to be
// that message.
func (b *Inbox) IsAlone(ctx context.Context, id string, p chat.Place) (alone bool, err error) {
	err = b.db.QueryRowContext(ctx, "SELECT NOT EXISTS (SELECT 1 FROM inbox WHERE channel = ? AND message = ? AND id <> ?)",
		string(p.Channel), string(p.Message), id).Scan(&alone)
	if err != nil {
		return false, fmt.Errorf("look what is known about message %s: %w", p.Message, err)
	}
	return alone, nil
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

// Unfinished are the events that are not settled, in the order of acceptance. Of a
// Place, only channel and message are known. What was said too long ago is left out, but
// not what was put off: who waits for that is told, however late.
func (b *Inbox) Unfinished(ctx context.Context) ([]Event, error) {
	list, err := b.find(ctx, "state IN ('received', 'running') AND (accepted > ? OR kind = ?)", time.Now().Add(-Keep).UnixMicro(), string(Deferred))
	if err != nil {
		return nil, err
	}
	return b.notOwed(append(list, b.unwritten.all()...)), nil
}

// notOwed leaves out what is over, though that is not written down.
func (b *Inbox) notOwed(list []Event) []Event {
	return slices.DeleteFunc(list, func(e Event) bool { return b.owed.has(e.ID) })
}

// find finds events that are not settled, as far as they are written down.
func (b *Inbox) find(ctx context.Context, where string, args ...any) ([]Event, error) {
	rows, err := b.db.QueryContext(ctx, "SELECT id, act, kind, state, channel, message, turn, body, attempts, begun > 0, accepted FROM inbox WHERE "+where+" ORDER BY number", args...)
	if err != nil {
		return nil, fmt.Errorf("look for unfinished events: %w", err)
	}
	defer rows.Close()
	var list []Event
	for rows.Next() {
		var e Event
		var accepted int64
		if err := rows.Scan(&e.ID, &e.Act, &e.Kind, &e.State, &e.Place.Channel, &e.Place.Message, &e.Turn, &e.Body, &e.Attempts, &e.Begun, &accepted); err != nil {
			return nil, fmt.Errorf("look for unfinished events: %w", err)
		}
		e.Accepted = time.UnixMicro(accepted)
		list = append(list, e)
	}
	return list, rows.Err()
}

// Prune forgets what was accepted before a time, but for what is still Unfinished.
func (b *Inbox) Prune(ctx context.Context, before time.Time) error {
	if _, err := b.db.ExecContext(ctx, "DELETE FROM inbox WHERE accepted < ? AND NOT (kind = ? AND state IN ('received', 'running'))", before.UnixMicro(), string(Deferred)); err != nil {
		return fmt.Errorf("forget old events: %w", err)
	}
	return nil
}
