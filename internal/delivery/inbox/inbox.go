// Package inbox keeps the events that the bot has accepted, from before the work on them
// begins until it is over. A process that ends in between loses none of them, and none is
// handled twice.
//
// An [Event] is written down, or it is not accepted. [Inbox.Accept] dedupes: an event that is
// told again is not new. [Inbox.Begin] and [Inbox.Settle] follow its turn; what is unfinished
// when a process starts is resumed from [Inbox.Unfinished].
//
// The inbox also has a watermark for each channel: everything up to it was accepted, or left
// alone on purpose. [Inbox.Gaps] compares the watermarks with what Discord says is there, and
// so finds what was said while the bot was away; [Inbox.Refuse] opens a gap before what could
// not be accepted.
package inbox

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// A Kind names the source of an event, which knows what its body means.
type Kind string

const (
	Message  Kind = "message"
	Command  Kind = "command"
	Slash    Kind = "slash" // a command chosen from a menu
	Reaction Kind = "reaction"
	Deferred Kind = "deferred" // asked for earlier, and due now
)

// A State is how far an event has come.
type State string

const (
	Received State = "received" // it waits for its turn
	Running  State = "running"
	Answered State = "answered"
	Failed   State = "failed" // nothing more will come of it
)

// unfinished is the condition for events that are not settled.
const unfinished = "state IN ('received', 'running')"

// An EventID names an event. No other event ever has it.
type EventID string

// An Event is something that happened and that the bot will deal with.
type Event struct {
	ID EventID
	// DedupeKey is for what can happen again, such as a reaction: of two events with the same
	// key, the second is a duplicate while the first is unfinished. Empty means that the ID
	// alone dedupes.
	DedupeKey string
	// Repeat says that it has certainly happened again. Otherwise, an event that comes soon
	// after the start, with the key of an earlier process's event, is a duplicate: Discord
	// replays what it does not know to have arrived.
	Repeat bool
	Kind   Kind
	Place  chat.Place // its Message is what the event is, or is about; empty for neither
	Turn   chat.TurnID
	Body   []byte // JSON, for the event's source

	// Known by the inbox.
	State    State
	Attempts int  // how often its turn was begun without coming to an end or being requeued
	Begun    bool // its turn was begun at least once
	Accepted time.Time
}

// Retention is how long an event is known. A deferred run is known until it is settled, however
// late.
const Retention = 3 * 24 * time.Hour

// ReplayTime is for how long after the start Discord may replay what an earlier process
// has heard.
const ReplayTime = time.Minute

// An Inbox keeps events and watermarks in a database. It is safe for concurrent use.
type Inbox struct {
	db         *store.DB
	began      time.Time
	before     int64 // the number of the last event that an earlier process accepted
	watermarks *watermarks
}

// New returns an inbox over a database that is open when it is used.
func New(db *store.DB) *Inbox {
	db.Retain("inbox", "accepted", Retention, fmt.Sprintf("kind = '%s' AND %s", Deferred, unfinished))
	db.OnRestore("inbox", afterRestore)
	return &Inbox{db: db, began: time.Now(), watermarks: newWatermarks()}
}

// Tx runs a transaction of the inbox, together with whatever else belongs to it. Watermarks
// that wait to be written are written along: they cost no commit of their own.
func (b *Inbox) Tx(ctx context.Context, do func(tx *store.Tx) error) error {
	marks, heard := b.watermarks.takeUnsaved()
	err := b.db.Tx(ctx, func(tx *store.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		return writeMarks(ctx, tx, marks, heard)
	})
	if err != nil {
		b.watermarks.putBack(marks)
	}
	return err
}

// Probe says whether something can be written down.
func (b *Inbox) Probe(ctx context.Context) error {
	return b.Tx(ctx, func(tx *store.Tx) error {
		if err := writeHeard(ctx, tx, "probe", 0); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM heard WHERE guild = 'probe'")
		return err
	})
}

// Begin notes that some events have a turn together, and that it begins. It is false if one
// of them is settled by now, such as one that somebody cancelled, or was never accepted.
func (b *Inbox) Begin(ctx context.Context, tx *store.Tx, turn chat.TurnID, ids ...EventID) (ours bool, err error) {
	n, err := update(ctx, tx, ids, "state = ?, turn = ?, attempts = attempts + 1, begun = CASE begun WHEN 0 THEN ? ELSE begun END",
		string(Running), string(turn), time.Now().UnixMicro())
	if err != nil {
		return false, fmt.Errorf("begin %s: %w", naming(ids), err)
	}
	return n == len(ids), nil
}

// Settle notes that events are over.
func (b *Inbox) Settle(ctx context.Context, tx *store.Tx, s State, ids ...EventID) error {
	if _, err := update(ctx, tx, ids, "state = ?, body = '', settled = ?", string(s), time.Now().UnixMicro()); err != nil {
		return fmt.Errorf("settle %s: %w", naming(ids), err)
	}
	return nil
}

// Requeue lets events wait until they are resumed, by this process or the next one, with the
// turn that they have. The attempt that ends here does not count.
func (b *Inbox) Requeue(ctx context.Context, ids ...EventID) error {
	err := b.Tx(ctx, func(tx *store.Tx) error {
		// Twice in a row, the second must not take another attempt away.
		_, err := update(ctx, tx, ids, "attempts = MAX(attempts - (state = 'running'), 0), state = ?", string(Received))
		return err
	})
	if err != nil {
		return fmt.Errorf("requeue %s: %w", naming(ids), err)
	}
	return nil
}

// UpdateBody replaces what an event is, while it waits.
func (b *Inbox) UpdateBody(ctx context.Context, e Event) error {
	_, err := b.db.ExecContext(ctx, "UPDATE inbox SET kind = ?, body = ? WHERE id = ? AND state = ?", string(e.Kind), string(e.Body), string(e.ID), string(Received))
	if err != nil {
		return fmt.Errorf("update %s %s: %w", e.Kind, e.ID, err)
	}
	return nil
}

// Cancel settles an event that waits, and says whether it did: its turn may have begun.
func (b *Inbox) Cancel(ctx context.Context, id EventID) (bool, error) {
	n, err := changed(b.db.ExecContext(ctx, "UPDATE inbox SET state = ?, body = '', settled = ? WHERE state = ? AND id = ?",
		string(Failed), time.Now().UnixMicro(), string(Received), string(id)))
	if err != nil {
		return false, fmt.Errorf("cancel %s: %w", id, err)
	}
	return n == 1, nil
}

// Withdraw settles what waits and is about a message that is gone.
func (b *Inbox) Withdraw(ctx context.Context, p chat.Place) error {
	_, err := b.db.ExecContext(ctx, "UPDATE inbox SET state = ?, body = '', settled = ? WHERE state = ? AND channel = ? AND message = ?",
		string(Failed), time.Now().UnixMicro(), string(Received), string(p.Channel), string(p.Message))
	if err != nil {
		return fmt.Errorf("withdraw message %s: %w", p.Message, err)
	}
	return nil
}

// maxBatch is how many events one statement names. A database takes no more than some
// values at a time.
const maxBatch = 500

// update changes events that are not settled, and says how many there were.
func update(ctx context.Context, tx *store.Tx, ids []EventID, set string, values ...any) (rows int, err error) {
	for some := range slices.Chunk(ids, maxBatch) {
		args := slices.Clone(values)
		for _, id := range some {
			args = append(args, string(id))
		}
		query := fmt.Sprintf("UPDATE inbox SET %s WHERE %s AND id IN (?%s)", set, unfinished, strings.Repeat(", ?", len(some)-1))
		n, err := changed(tx.ExecContext(ctx, query, args...))
		if err != nil {
			return 0, err
		}
		rows += n
	}
	return rows, nil
}

// changed is how many rows a statement changed.
func changed(res sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// naming is how an error names events, of which there may be many.
func naming(ids []EventID) string {
	const most = 5
	var names []string
	for _, id := range ids[:min(len(ids), most)] {
		names = append(names, string(id))
	}
	if more := len(ids) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}

// Unfinished are the events that are not settled, in the order of acceptance. What is older
// than the retention is left out, but not what was deferred: its requester is told, however
// late.
func (b *Inbox) Unfinished(ctx context.Context) ([]Event, error) {
	return b.find(ctx, unfinished+" AND (accepted > ? OR kind = ?)", time.Now().Add(-Retention).UnixMicro(), string(Deferred))
}

// Waiting are the events of a kind that wait, in the order of acceptance.
func (b *Inbox) Waiting(ctx context.Context, k Kind) ([]Event, error) {
	return b.find(ctx, "state = 'received' AND kind = ?", string(k))
}

func (b *Inbox) find(ctx context.Context, where string, args ...any) ([]Event, error) {
	rows, err := b.db.QueryContext(ctx, "SELECT id, dedupe_key, kind, state, guild, channel, parent, message, turn, body, attempts, begun > 0, accepted FROM inbox WHERE "+where+" ORDER BY number", args...)
	if err != nil {
		return nil, fmt.Errorf("look for unfinished events: %w", err)
	}
	defer rows.Close()
	var list []Event
	for rows.Next() {
		var e Event
		var accepted int64
		if err := rows.Scan(&e.ID, &e.DedupeKey, &e.Kind, &e.State, &e.Place.Guild, &e.Place.Channel, &e.Place.Parent, &e.Place.Message, &e.Turn, &e.Body, &e.Attempts, &e.Begun, &accepted); err != nil {
			return nil, fmt.Errorf("look for unfinished events: %w", err)
		}
		e.Accepted = time.UnixMicro(accepted)
		list = append(list, e)
	}
	return list, rows.Err()
}

// afterRestore is for a database that is an old copy. What was unfinished in it may be answered
// since, and so may be what was said after it was made: nothing of that is resumed.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "UPDATE inbox SET state = ?, body = '', settled = ? WHERE "+unfinished, string(Failed), time.Now().UnixMicro())
	if err != nil {
		return fmt.Errorf("settle what waits: %w", err)
	}
	for _, table := range []string{"watermarks", "heard"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table); err != nil {
			return fmt.Errorf("forget the watermarks: %w", err)
		}
	}
	return nil
}
