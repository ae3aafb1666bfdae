// Package inbox keeps a row for every event that the bot has accepted, from before the work on
// it begins until it is settled. A crash in between loses no event, and none is handled
// twice.
//
// An [Event] has a row, or it is not accepted. [Inbox.Accept] dedupes: an event that is
// replayed is not new. [Inbox.Begin] and [Inbox.Settle] follow its turn; unfinished events of an
// earlier process are resumed from [Inbox.Unfinished].
//
// The inbox also has a watermark for each channel: everything up to it was accepted, or skipped
// on purpose. [Inbox.Gaps] compares the watermarks with the latest message of each channel, and
// so finds the gaps of an outage; [Inbox.Refuse] opens a gap before a message that could not be
// accepted.
package inbox

import (
	"cmp"
	"context"
	"errors"
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
	Slash    Kind = "slash" // a slash command
	Reaction Kind = "reaction"
	Deferred Kind = "deferred" // a deferred run that is due
	Cron     Kind = "cron"     // a run of a scheduled job
	// Continuation is the next turn of a chain, after an answer that only announced work.
	Continuation Kind = "continuation"
	Redo         Kind = "redo" // a further answer to messages that were answered before

	Voice Kind = "voice" // what somebody said in a call
	// Away is that messages stay unanswered which were written while the bot was away.
	Away Kind = "away"
)

// A State is how far an event has come.
type State string

const (
	Received State = "received" // its turn has not begun
	Running  State = "running"
	Answered State = "answered"
	Failed   State = "failed" // settled without an answer
)

// unfinished is the condition for events that are not settled.
const unfinished = "state IN ('received', 'running')"

// An EventID identifies an event. It is never reused.
type EventID string

// An Event is a row of the inbox.
type Event struct {
	ID EventID
	// DedupeKey is for events that can happen again, such as a reaction: of two events with the
	// same key, the second is a duplicate while the first is unfinished. Empty means that the ID
	// alone dedupes.
	DedupeKey string
	// Repeat marks an event that certainly is not a replay. Otherwise, an event that comes soon
	// after the start, with the key of an earlier process's event, is a duplicate: Discord
	// replays events whose arrival was not confirmed.
	Repeat bool
	Kind   Kind
	Place  chat.Place // its Message is the event itself, or the subject of it; empty for neither
	Turn   chat.TurnID
	Body   []byte // JSON, for the event's source

	// Set by the inbox.
	State    State
	Attempts int  // turns that were begun and neither settled nor requeued
	Unposted int  // turns that were requeued by RequeueUnposted
	Begun    bool // its turn was begun at least once
	Accepted time.Time
}

// Retention is how long an event is kept. A deferred run and a run of a scheduled job are kept
// until they are settled, however late.
const Retention = 3 * 24 * time.Hour

// ReplayTime is for how long after the start Discord may replay events that an earlier process
// has received.
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
	db.Retain("inbox", "accepted", Retention, fmt.Sprintf("kind IN ('%s', '%s') AND %s", Deferred, Cron, unfinished))
	db.OnRestore("inbox", afterRestore)
	return &Inbox{db: db, began: time.Now(), watermarks: newWatermarks()}
}

// Tx runs a transaction. Unsaved watermarks are written along, so that they cost no commit of
// their own.
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

// Probe returns an error unless the database can be written.
func (b *Inbox) Probe(ctx context.Context) error {
	return b.Tx(ctx, func(tx *store.Tx) error {
		if err := writeHeard(ctx, tx, "probe", 0); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM heard WHERE guild = 'probe'")
		return err
	})
}

// Begin marks events as running in one turn. It returns false if one of them is settled by now,
// as when it was cancelled, or was never accepted.
func (b *Inbox) Begin(ctx context.Context, tx *store.Tx, turn chat.TurnID, ids ...EventID) (ours bool, err error) {
	n, err := update(ctx, tx, ids, "state = ?, turn = ?, attempts = attempts + 1, begun = CASE begun WHEN 0 THEN ? ELSE begun END",
		string(Running), string(turn), time.Now().UnixMicro())
	return n == len(ids) && err == nil, store.Wrap(err, "begin %s", naming(ids))
}

// Settle marks events as over, and drops their bodies.
func (b *Inbox) Settle(ctx context.Context, tx *store.Tx, s State, ids ...EventID) error {
	_, err := update(ctx, tx, ids, "state = ?, body = '', settled = ?", string(s), time.Now().UnixMicro())
	return store.Wrap(err, "settle %s", naming(ids))
}

// oneUnposted is what a turn whose answer could not be posted adds to the column attempts. The rest of it are attempts, of
// which there are always fewer.
const oneUnposted = 1000

// Requeue lets events wait until they are resumed, by this process or the next one, with the
// turn that they have. The attempt is not counted.
func (b *Inbox) Requeue(ctx context.Context, ids ...EventID) error { return b.requeue(ctx, 0, ids) }

// RequeueUnposted is Requeue for events whose turn could not post something. It is counted in Event.Unposted.
func (b *Inbox) RequeueUnposted(ctx context.Context, ids ...EventID) error {
	return b.requeue(ctx, oneUnposted, ids)
}

func (b *Inbox) requeue(ctx context.Context, more int, ids []EventID) error {
	err := b.Tx(ctx, func(tx *store.Tx) error {
		// Requeuing is idempotent: a second call must not take another attempt off, nor count more.
		_, err := update(ctx, tx, ids, "attempts = MAX(attempts - (state = 'running'), 0) + ? * (state = 'running'), state = ?", more, string(Received))
		return err
	})
	return store.Wrap(err, "requeue %s", naming(ids))
}

// Join lets events wait for a turn that they share, instead of the turns that they have, in a transaction of the caller's. As in
// Requeue, the attempt is not counted.
func (b *Inbox) Join(ctx context.Context, tx *store.Tx, turn chat.TurnID, ids ...EventID) error {
	n, err := update(ctx, tx, ids, "attempts = MAX(attempts - (state = 'running'), 0), state = ?, turn = ?, begun = CASE begun WHEN 0 THEN ? ELSE begun END",
		string(Received), string(turn), time.Now().UnixMicro())
	if err == nil && n != len(ids) {
		err = errors.New("one of them is settled")
	}
	return store.Wrap(err, "join %s", naming(ids))
}

// UpdateBody replaces the kind and body of an event that has not begun.
func (b *Inbox) UpdateBody(ctx context.Context, e Event) error {
	_, err := b.db.ExecContext(ctx, "UPDATE inbox SET kind = ?, body = ? WHERE id = ? AND state = ?", string(e.Kind), string(e.Body), string(e.ID), string(Received))
	return store.Wrap(err, "update %s %s", e.Kind, e.ID)
}

// Cancel settles an event that has not begun. It returns false if its turn has.
func (b *Inbox) Cancel(ctx context.Context, id EventID) (bool, error) {
	n, err := store.Changed(b.db.ExecContext(ctx, "UPDATE inbox SET state = ?, body = '', settled = ? WHERE state = ? AND id = ?",
		string(Failed), time.Now().UnixMicro(), string(Received), string(id)))
	return n == 1, store.Wrap(err, "cancel %s", id)
}

// Withdraw settles the events of a deleted message that have not begun.
func (b *Inbox) Withdraw(ctx context.Context, p chat.Place) error {
	_, err := b.db.ExecContext(ctx, "UPDATE inbox SET state = ?, body = '', settled = ? WHERE state = ? AND channel = ? AND message = ?",
		string(Failed), time.Now().UnixMicro(), string(Received), string(p.Channel), string(p.Message))
	return store.Wrap(err, "withdraw message %s", p.Message)
}

// maxBatch is how many events one statement names: SQLite limits the parameters of a
// statement.
const maxBatch = 500

// update changes events that are not settled, and returns how many there were.
func update(ctx context.Context, tx *store.Tx, ids []EventID, set string, values ...any) (rows int, err error) {
	for some := range slices.Chunk(ids, maxBatch) {
		args := slices.Clone(values)
		for _, id := range some {
			args = append(args, string(id))
		}
		query := fmt.Sprintf("UPDATE inbox SET %s WHERE %s AND id IN (?%s)", set, unfinished, strings.Repeat(", ?", len(some)-1))
		n, err := store.Changed(tx.ExecContext(ctx, query, args...))
		if err != nil {
			return 0, err
		}
		rows += n
	}
	return rows, nil
}

// naming lists events in an error, of which there may be many.
func naming(ids []EventID) string {
	return chat.FirstOf(ids, 5, func(id EventID) string { return string(id) })
}

// Unfinished returns the events that are not settled, in the order of acceptance. Those past
// their retention are left out, but not deferred runs and runs of scheduled jobs: people are
// told, however late.
func (b *Inbox) Unfinished(ctx context.Context) ([]Event, error) {
	return b.find(ctx, unfinished+" AND (accepted > ? OR kind IN (?, ?))", time.Now().Add(-Retention).UnixMicro(), string(Deferred), string(Cron))
}

// HasUnfinished reports whether there is an unfinished event whose ID begins with a prefix.
func (b *Inbox) HasUnfinished(ctx context.Context, tx *store.Tx, prefix string) (bool, error) {
	return store.Value[bool](ctx, tx, "SELECT EXISTS (SELECT 1 FROM inbox WHERE id >= ? AND id < ? AND "+unfinished+")", prefix, prefix+"\xff")
}

// Waiting returns the events of a kind that have not begun or were requeued, in the order of
// acceptance.
func (b *Inbox) Waiting(ctx context.Context, k Kind) ([]Event, error) {
	return b.find(ctx, "state = 'received' AND kind = ?", string(k))
}

// Asked returns the messages that a turn answered, for as long as their events are kept. For an event that continues another
// turn, before returns that turn, whose messages count instead.
func (b *Inbox) Asked(ctx context.Context, t chat.TurnID, before func(EventID) (chat.TurnID, bool)) ([]chat.MessageID, error) {
	const longest = 20 // turns that go on with each other
	for range longest {
		if t == "" {
			return nil, nil
		}
		events, err := b.find(ctx, "turn = ?", string(t))
		if err != nil || len(events) == 0 {
			return nil, err
		}
		if earlier, ok := before(events[0].ID); ok {
			t = earlier
			continue
		}
		var asked []chat.MessageID
		for _, e := range events {
			asked = append(asked, e.Place.Message)
		}
		return asked, nil
	}
	return nil, nil
}

func (b *Inbox) find(ctx context.Context, where string, args ...any) ([]Event, error) {
	list, err := store.All(ctx, b.db, func(row store.Row) (e Event, err error) {
		err = row.Scan(&e.ID, &e.DedupeKey, &e.Kind, &e.State, &e.Place.Guild, &e.Place.Channel, &e.Place.Parent,
			&e.Place.Message, &e.Turn, &e.Body, &e.Attempts, &e.Begun, store.Time(&e.Accepted))
		e.Attempts, e.Unposted = e.Attempts%oneUnposted, e.Attempts/oneUnposted
		return e, err
	}, "SELECT id, dedupe_key, kind, state, guild, channel, parent, message, turn, body, attempts, begun > 0, accepted FROM inbox WHERE "+where+" ORDER BY number", args...)
	return list, store.Wrap(err, "look for unfinished events")
}

// afterRestore settles the unfinished events of a restored copy and forgets its watermarks: those
// events, and messages after the watermarks, may have been answered after the copy was made. Direct messages are opened
// again, since they have no watermark now.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "UPDATE inbox SET state = ?, body = '', settled = ? WHERE "+unfinished, string(Failed), time.Now().UnixMicro())
	if err != nil {
		return fmt.Errorf("settle what waits: %w", err)
	}
	for _, table := range []string{"watermarks", "heard", "directs"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table); err != nil {
			return fmt.Errorf("forget the watermarks: %w", err)
		}
	}
	return nil
}

// Accept writes an event, unless it is a duplicate. A message advances its channel's watermark in
// the same transaction. After an error the event is not accepted, and the watermark stays
// before it.
func (b *Inbox) Accept(ctx context.Context, e Event) (fresh bool, err error) {
	isMessage := string(e.ID) == string(e.Place.Message)
	advances := isMessage && b.watermarks.isAhead(e.Place)
	err = b.Tx(ctx, func(tx *store.Tx) error {
		if duplicate, err := b.isDuplicate(ctx, tx, e); err != nil || duplicate {
			return err
		}
		n, err := insert(ctx, tx, e)
		fresh = n == 1
		if err != nil || !advances {
			return err
		}
		return writeMark(ctx, tx, e.Place.Channel, e.Place.Guild, number(e.Place.Message))
	})
	if err != nil {
		return false, fmt.Errorf("accept %s %s: %w", e.Kind, e.ID, err)
	}
	if isMessage && b.watermarks.advance(e.Place) {
		// Only now: heard must not be ahead of the watermarks in the database.
		b.watermarks.hear(e.Place.Guild, number(e.Place.Message))
	}
	return fresh, nil
}

// Entry returns a function that accepts an event in the transaction that removes it from another
// table. The event is running at once, and no watermark moves.
func (b *Inbox) Entry(e Event) func(ctx context.Context, tx *store.Tx) error {
	e.State = Running
	return func(ctx context.Context, tx *store.Tx) error { return b.Follow(ctx, tx, e) }
}

// Follow accepts an event that goes on with another one, in a transaction of the caller's. It does nothing if it was accepted
// before.
func (b *Inbox) Follow(ctx context.Context, tx *store.Tx, e Event) error {
	_, err := insert(ctx, tx, e)
	return store.Wrap(err, "accept %s %s", e.Kind, e.ID)
}

// Has reports whether an event was accepted.
func (b *Inbox) Has(ctx context.Context, id EventID) (bool, error) {
	return store.Value[bool](ctx, b.db, "SELECT EXISTS (SELECT 1 FROM inbox WHERE id = ?)", string(id))
}

// insert returns how many rows it inserted: none for an event whose ID is known.
func insert(ctx context.Context, tx *store.Tx, e Event) (rows int, err error) {
	return store.Changed(tx.ExecContext(ctx, `INSERT INTO inbox (id, dedupe_key, kind, state, guild, channel, parent, message, turn, body, accepted)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		string(e.ID), e.DedupeKey, string(e.Kind), cmp.Or(string(e.State), string(Received)), string(e.Place.Guild), string(e.Place.Channel),
		string(e.Place.Parent), string(e.Place.Message), string(e.Turn), string(e.Body), time.Now().UnixMicro()))
}

// isDuplicate reports whether an event with the same dedupe key is unfinished, or this one may be
// a replay of it.
func (b *Inbox) isDuplicate(ctx context.Context, tx *store.Tx, e Event) (bool, error) {
	if e.DedupeKey == "" {
		return false, nil
	}
	var number int64
	state, found, err := store.One(ctx, tx, func(row store.Row) (s State, err error) {
		err = row.Scan(&s, &number)
		return s, err
	},
		"SELECT state, number FROM inbox WHERE dedupe_key = ? ORDER BY number DESC LIMIT 1", e.DedupeKey)
	switch {
	case err != nil || !found:
		return false, err
	case state == Received || state == Running:
		return true, nil
	}
	// Processes are told apart by number, since the clock may have been set back between them.
	return !e.Repeat && number <= b.before && time.Since(b.began) < ReplayTime, nil
}
