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
