package reminder

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// rows is the table of reminders.
type rows struct{ db *store.DB }

const columns = "id, guild, channel, asked_in, recipient, requester, text, outside, due, created, tried"

// add inserts a reminder, unless its requester has enough of them. Counting and inserting are one
// transaction, so that no two get the last place.
func (s rows) add(ctx context.Context, r Reminder) (Reminder, error) {
	err := s.db.Tx(ctx, func(tx *store.Tx) error {
		waiting, err := store.Value[int](ctx, tx, "SELECT COUNT(*) FROM reminders WHERE requester = ?", r.Requester)
		if err != nil {
			return err
		}
		if waiting >= MaxWaiting {
			return store.ForPeople(fmt.Errorf("%d reminders are waiting already, and nobody may have more; cancel one first", MaxWaiting))
		}
		waiting, err = store.Value[int](ctx, tx, "SELECT COUNT(*) FROM reminders WHERE requester = ? AND recipient = ?", r.Requester, r.Recipient)
		if err != nil {
			return err
		}
		if waiting >= MaxForOne && r.Recipient != r.Requester {
			return store.ForPeople(fmt.Errorf("%d reminders from you are waiting for %s already, and nobody gets more from one person; cancel one first", MaxForOne, r.Recipient.Mention()))
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO reminders (guild, channel, asked_in, recipient, requester, text, outside, due, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			r.Guild, r.Channel, r.AskedIn, r.Recipient, r.Requester, r.Text, r.Outside, r.Due.UnixMicro(), r.Created.UnixMicro())
		if err != nil {
			return err
		}
		r.ID, err = res.LastInsertId()
		return err
	})
	return r, store.Plain(err)
}

// list finds reminders by a condition, the earliest first.
func (s rows) list(ctx context.Context, where string, args ...any) ([]Reminder, error) {
	return store.All(ctx, s.db, scan, "SELECT "+columns+" FROM reminders WHERE "+where+" ORDER BY due, id", args...)
}

func scan(row store.Row) (r Reminder, err error) {
	return r, row.Scan(&r.ID, &r.Guild, &r.Channel, &r.AskedIn, &r.Recipient, &r.Requester, &r.Text, &r.Outside,
		store.Time(&r.Due), store.Time(&r.Created), &r.tried)
}

// next returns when the first reminder after a time is due. It is zero if there is none.
func (s rows) next(ctx context.Context, after time.Time) (time.Time, error) {
	due, err := store.Value[int64](ctx, s.db, "SELECT COALESCE(MIN(due), 0) FROM reminders WHERE due > ?", after.UnixMicro())
	return store.At(due), err
}

// drop removes a reminder of a requester, on a server if g is not empty, unless it may have been posted.
func (s rows) drop(ctx context.Context, id int64, requester chat.UserID, g chat.GuildID) (Reminder, error) {
	var r Reminder
	err := s.db.Tx(ctx, func(tx *store.Tx) (err error) {
		r, err = scan(tx.QueryRowContext(ctx, "DELETE FROM reminders WHERE id = ? AND requester = ? AND ? IN ('', guild) AND tried = 0 RETURNING "+columns, id, requester, g))
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return Reminder{}, ErrNotWaiting
	}
	return r, store.Plain(err)
}

// try marks a reminder as one that may have been posted. It returns false if it was cancelled.
func (s rows) try(ctx context.Context, id int64) (bool, error) {
	n, err := store.Changed(s.db.ExecContext(ctx, "UPDATE reminders SET tried = 1 WHERE id = ?", id))
	return n == 1, err
}

// done removes a reminder that was posted, or never will be.
func (s rows) done(ctx context.Context, id int64) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM reminders WHERE id = ?", id)
	return err
}

// afterRestore is for a restored copy of the database. What is overdue in it may have been posted
// since it was made, but a reminder that was not must not be lost: so it is searched for in its
// channel before it is posted. Reminders that are due later stay as they are.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "UPDATE reminders SET tried = 1 WHERE due <= ?", time.Now().UnixMicro())
	return err
}
