package deferral

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// jobs is the table of jobs that wait.
type jobs struct{ db *store.DB }

const columns = "id, guild, channel, name, prompt, requester, prompter, turn, asked_in, outside, due, created"

// add inserts a job, unless most jobs wait already. Counting and inserting are one
// transaction, so that no two jobs get the last place.
func (s jobs) add(ctx context.Context, j Job, most int) (Job, error) {
	err := s.db.Tx(ctx, func(tx *store.Tx) error {
		waiting, err := store.Value[int](ctx, tx, "SELECT COUNT(*) FROM deferrals")
		if err != nil {
			return err
		}
		if waiting >= most {
			full := fmt.Errorf("%s already, and more may not; cancel one, or wait", chat.Counted(waiting, "follow-up waits", "follow-ups wait"))
			return chat.WithRemedy(full, "raise DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_CONCURRENT for more")
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO deferrals
			(guild, channel, name, prompt, requester, prompter, turn, asked_in, outside, due, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			j.Guild, j.Channel, j.Name, j.Prompt, j.Requester, j.Prompters, j.Turn, j.AskedIn, j.Outside, j.Due.UnixMicro(), j.Created.UnixMicro())
		if err != nil {
			return err
		}
		j.ID, err = res.LastInsertId()
		return err
	})
	return j, err
}

// list finds jobs by a condition, the earliest first.
func (s jobs) list(ctx context.Context, where string, args ...any) ([]Job, error) {
	return store.All(ctx, s.db, scan, "SELECT "+columns+" FROM deferrals WHERE "+where+" ORDER BY due, id", args...)
}

func scan(row store.Row) (j Job, err error) {
	return j, row.Scan(&j.ID, &j.Guild, &j.Channel, &j.Name, &j.Prompt, &j.Requester, &j.Prompters, &j.Turn, &j.AskedIn,
		&j.Outside, store.Time(&j.Due), store.Time(&j.Created))
}

// drop removes a job that waits, if may agrees.
func (s jobs) drop(ctx context.Context, id int64, may func(Job) bool) (Job, error) {
	var j Job
	err := s.db.Tx(ctx, func(tx *store.Tx) (err error) {
		j, err = scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM deferrals WHERE id = ?", id))
		switch {
		case errors.Is(err, sql.ErrNoRows), err == nil && !may(j):
			return ErrNotPending
		case err != nil:
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM deferrals WHERE id = ?", id)
		return err
	})
	return j, err
}

// take removes a job that waits, and calls also in the same transaction, unless it is nil. Of
// several concurrent calls, one returns true.
func (s jobs) take(ctx context.Context, id int64, also func(ctx context.Context, tx *store.Tx) error) (ours bool, err error) {
	err = s.db.Tx(ctx, func(tx *store.Tx) error {
		n, err := store.Changed(tx.ExecContext(ctx, "DELETE FROM deferrals WHERE id = ?", id))
		if err != nil || n == 0 {
			return err
		}
		if ours = true; also == nil {
			return nil
		}
		return also(ctx, tx)
	})
	return ours && err == nil, err
}

// afterRestore drops the due jobs of a restored copy, which may have run since it was made. Jobs that
// are due later stay.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM deferrals WHERE due <= ?", time.Now().UnixMicro())
	return err
}
