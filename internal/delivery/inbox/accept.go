package inbox

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"discoclaw/internal/store"
)

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
	return func(ctx context.Context, tx *store.Tx) error {
		if _, err := insert(ctx, tx, e); err != nil {
			return fmt.Errorf("accept %s %s: %w", e.Kind, e.ID, err)
		}
		return nil
	}
}

// Follow accepts an event that goes on with another one, in a transaction of the caller's. It does nothing if it was accepted
// before.
func (b *Inbox) Follow(ctx context.Context, tx *store.Tx, e Event) error {
	if _, err := insert(ctx, tx, e); err != nil {
		return fmt.Errorf("accept %s %s: %w", e.Kind, e.ID, err)
	}
	return nil
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
	state, found, err := store.One(ctx, tx, func(row store.Row) (s State, err error) { return s, row.Scan(&s, &number) },
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
