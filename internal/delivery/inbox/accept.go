package inbox

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/store"
)

// Accept writes an event down, and says whether it is new. The channel's watermark advances
// with a message, in the same transaction. After an error the event is not accepted, and the
// watermark stays before it.
func (b *Inbox) Accept(ctx context.Context, e Event) (fresh bool, err error) {
	said := string(e.ID) == string(e.Place.Message) // a message is its own event
	advances := said && b.watermarks.isAhead(e.Place)
	err = b.Tx(ctx, func(tx *store.Tx) error {
		if again, err := b.isDuplicate(ctx, tx, e); err != nil || again {
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
	if said && b.watermarks.advance(e.Place) {
		// Not before its watermark is written, on which that relies.
		b.watermarks.hear(e.Place.Guild, number(e.Place.Message))
	}
	return fresh, nil
}

// Entry accepts an event in a transaction in which it leaves where it was kept before. It
// moves no watermark, and begins at once.
func (b *Inbox) Entry(e Event) func(ctx context.Context, tx *store.Tx) error {
	e.State = Running
	return func(ctx context.Context, tx *store.Tx) error {
		if _, err := insert(ctx, tx, e); err != nil {
			return fmt.Errorf("accept %s %s: %w", e.Kind, e.ID, err)
		}
		return nil
	}
}

// insert returns how many rows it made: none for an event that is known already.
func insert(ctx context.Context, tx *store.Tx, e Event) (rows int, err error) {
	return changed(tx.ExecContext(ctx, `INSERT INTO inbox (id, dedupe_key, kind, state, guild, channel, parent, message, turn, body, accepted)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		string(e.ID), e.DedupeKey, string(e.Kind), cmp.Or(string(e.State), string(Received)), string(e.Place.Guild), string(e.Place.Channel),
		string(e.Place.Parent), string(e.Place.Message), string(e.Turn), string(e.Body), time.Now().UnixMicro()))
}

// isDuplicate says whether an event is the one with its dedupe key that is already known.
func (b *Inbox) isDuplicate(ctx context.Context, tx *store.Tx, e Event) (bool, error) {
	if e.DedupeKey == "" {
		return false, nil
	}
	var state State
	var number int64
	err := tx.QueryRowContext(ctx, "SELECT state, number FROM inbox WHERE dedupe_key = ? ORDER BY number DESC LIMIT 1", e.DedupeKey).Scan(&state, &number)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	case state == Received || state == Running:
		return true, nil
	}
	// By their numbers, since the clock may have been put back between two processes.
	return !e.Repeat && number <= b.before && time.Since(b.began) < ReplayTime, nil
}
