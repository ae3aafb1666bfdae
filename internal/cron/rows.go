package cron

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// rows is the table of jobs.
type rows struct{ db *store.DB }

const columns = "id, guild, dedupe, author, definition, state, paused, archived, rests, next, last_slot, again, triggered, runs, last_run, last_status, last_error, created, updated"

func scan(row interface{ Scan(...any) error }) (Job, error) {
	var j Job
	var definition, state, again string
	var rests, next, lastSlot, lastRun, created, updated int64
	err := row.Scan(&j.ID, &j.Guild, &j.Dedupe, &j.Author, &definition, &state, &j.Paused, &j.Archived, &rests,
		&next, &lastSlot, &again, &j.triggered, &j.Runs, &lastRun, &j.Last, &j.Error, &created, &updated)
	if errors.Is(err, sql.ErrNoRows) {
		return j, ErrNotFound
	}
	if err != nil {
		return j, err
	}
	j.restsAt, j.Next, j.lastSlot, j.LastRun, j.Created, j.Updated = at(rests), at(next), at(lastSlot), at(lastRun), at(created), at(updated)
	if state != "" {
		j.State = json.RawMessage(state)
	}
	if err := json.Unmarshal([]byte(definition), &j.Definition); err != nil {
		return j, fmt.Errorf("read job %s: %w", j.ID, err)
	}
	if again != "" {
		j.again = new(Fire)
		err = json.Unmarshal([]byte(again), j.again)
	}
	return j, err
}

// at is a time of the database, where 0 means none.
func at(micro int64) time.Time {
	if micro == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micro)
}

// micro is the opposite of at.
func micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// add inserts a job, unless its request has made one before, which it returns then. An error of check is for people. Where a limit is
// reached, makeRoom may delete a job of the author, or of the server.
func (s rows) add(ctx context.Context, j Job, maxOwn int, check func(context.Context, *store.Tx, Job) error,
	makeRoom func(context.Context, *store.Tx, chat.GuildID, chat.UserID) (bool, error),
) (made Job, err error) {
	var refused error
	err = s.db.Tx(ctx, func(tx *store.Tx) error {
		known, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE dedupe = ? AND dedupe <> ''", j.Dedupe))
		if !errors.Is(err, ErrNotFound) {
			j = known
			return err
		}
		var there int
		if err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM crons WHERE guild = ?", j.Guild).Scan(&there); err != nil {
			return err
		}
		var own int
		if err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM crons WHERE guild = ? AND author = ?", j.Guild, j.Author).Scan(&own); err != nil {
			return err
		}
		if own >= maxOwn {
			freed, err := makeRoom(ctx, tx, j.Guild, j.Author)
			if err != nil {
				return err
			}
			if !freed {
				refused = fmt.Errorf("you have %d scheduled jobs here already, and may have no more; delete one that is no longer needed", own)
				return refused
			}
			there--
		}
		if there >= MaxJobs {
			freed, err := makeRoom(ctx, tx, j.Guild, "")
			if err != nil {
				return err
			}
			if !freed {
				refused = fmt.Errorf("this server has %d scheduled jobs already, and may have no more; delete one that is no longer needed", there)
				return refused
			}
		}
		if refused = check(ctx, tx, j); refused != nil {
			return refused
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO crons (id, guild, dedupe, author, definition, state, paused, next, last_slot, again, triggered, runs, last_run, last_status, last_error, created, updated)
			VALUES (?, ?, ?, ?, '', '', 0, 0, 0, '', '', 0, 0, '', '', ?, 0)`, j.ID, j.Guild, j.Dedupe, j.Author, micro(j.Created))
		if err != nil {
			return err
		}
		return update(ctx, tx, j)
	})
	if refused != nil {
		return Job{}, refused
	}
	return j, store.Plain(err)
}

// update writes a job that was read in the same transaction.
func update(ctx context.Context, tx *store.Tx, j Job) error {
	definition, err := json.Marshal(j.Definition)
	if err != nil {
		return err
	}
	var again []byte
	if j.again != nil {
		if again, err = json.Marshal(j.again); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `UPDATE crons SET author = ?, definition = ?, state = ?, paused = ?, archived = ?, rests = ?, next = ?, last_slot = ?, again = ?, triggered = ?, runs = ?, last_run = ?, last_status = ?, last_error = ?, updated = ? WHERE id = ?`,
		j.Author, string(definition), string(j.State), j.Paused, j.Archived, micro(j.restsAt), micro(j.Next), micro(
			j.lastSlot), string(again), j.triggered, j.Runs, micro(j.LastRun), j.Last, j.Error, micro(j.Updated), j.ID)
	return err
}

// change changes a job in a transaction. An error of do is for people, and changes nothing.
func (s rows) change(ctx context.Context, g chat.GuildID, id string, do func(*store.Tx, *Job) error) (before, after Job, err error) {
	var refused error
	err = s.db.Tx(ctx, func(tx *store.Tx) error {
		j, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE guild = ? AND id = ?", g, id))
		if errors.Is(err, ErrNotFound) {
			refused = err
		}
		if err != nil {
			return err
		}
		before = j
		if refused = do(tx, &j); refused != nil {
			return refused
		}
		after = j
		return update(ctx, tx, j)
	})
	if refused != nil {
		return Job{}, Job{}, refused
	}
	return before, after, store.Plain(err)
}

func (s rows) get(ctx context.Context, where string, args ...any) (Job, error) {
	j, err := scan(s.db.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE "+where, args...))
	if errors.Is(err, ErrNotFound) {
		return j, err
	}
	return j, store.Plain(err)
}

func (s rows) list(ctx context.Context, where string, args ...any) (list []Job, err error) {
	rows, err := s.db.QueryContext(ctx, "SELECT "+columns+" FROM crons WHERE "+where, args...)
	if err != nil {
		return nil, store.Plain(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		j, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, j)
	}
	return list, rows.Err()
}

// drop removes a job, and takes it out of the chains of others.
func (s rows) drop(ctx context.Context, g chat.GuildID, id string) (gone Job, err error) {
	var missing error
	err = s.db.Tx(ctx, func(tx *store.Tx) error {
		if gone, err = scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE guild = ? AND id = ?", g, id)); err != nil {
			missing = err
			return err
		}
		return dropIn(ctx, tx, g, id)
	})
	if errors.Is(missing, ErrNotFound) {
		return Job{}, missing
	}
	return gone, store.Plain(err)
}

// dropIn is drop within a transaction.
func dropIn(ctx context.Context, tx *store.Tx, g chat.GuildID, id string) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM crons WHERE id = ?", id); err != nil {
		return err
	}
	others, err := listIn(ctx, tx, "guild = ? AND definition LIKE ?", g, "%"+id+"%")
	if err != nil {
		return err
	}
	for _, j := range others {
		j.Chain = slices.DeleteFunc(j.Chain, func(next string) bool { return next == id })
		if err := update(ctx, tx, j); err != nil {
			return err
		}
	}
	return nil
}

// listIn returns jobs within a transaction.
func listIn(ctx context.Context, tx *store.Tx, where string, args ...any) ([]Job, error) {
	rows, err := tx.QueryContext(ctx, "SELECT "+columns+" FROM crons WHERE "+where, args...)
	if err != nil {
		return nil, err
	}
	var list []Job
	for rows.Next() {
		j, err := scan(rows)
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		list = append(list, j)
	}
	return list, errors.Join(rows.Err(), rows.Close())
}
