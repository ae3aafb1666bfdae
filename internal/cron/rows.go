package cron

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// rows is the table of jobs.
type rows struct{ db *store.DB }

const columns = "id, guild, dedupe, author, definition, state, paused, archived, rests, next, last_slot, again, triggered, runs, last_run, last_status, last_error, created, updated"

func scan(row store.Row) (j Job, err error) {
	err = row.Scan(&j.ID, &j.Guild, &j.Dedupe, &j.Author, store.JSON(&j.Definition), store.JSON(&j.State), &j.Paused, &j.Archived,
		store.Time(&j.restsAt), store.Time(&j.Next), store.Time(&j.lastSlot), store.JSON(&j.again), &j.triggered, &j.Runs,
		store.Time(&j.LastRun), &j.Last, &j.Error, store.Time(&j.Created), store.Time(&j.Updated))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return j, err
}

// add inserts a job, unless its request has made one before, which it returns then. An error of check is for people. Where a limit is
// reached, makeRoom may delete a job of the author, or of the server.
func (s rows) add(ctx context.Context, j Job, maxOwn int, check func(context.Context, *store.Tx, Job) error,
	makeRoom func(context.Context, *store.Tx, chat.GuildID, chat.UserID) (bool, error),
) (made Job, err error) {
	err = s.db.Tx(ctx, func(tx *store.Tx) error {
		known, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE dedupe = ? AND dedupe <> ''", j.Dedupe))
		if !errors.Is(err, ErrNotFound) {
			j = known
			return err
		}
		there, err := store.Value[int](ctx, tx, "SELECT COUNT(*) FROM crons WHERE guild = ?", j.Guild)
		if err != nil {
			return err
		}
		own, err := store.Value[int](ctx, tx, "SELECT COUNT(*) FROM crons WHERE guild = ? AND author = ?", j.Guild, j.Author)
		if err != nil {
			return err
		}
		if own >= maxOwn {
			freed, err := makeRoom(ctx, tx, j.Guild, j.Author)
			if err != nil {
				return err
			}
			if !freed {
				return store.ForPeople(fmt.Errorf("you have %d scheduled jobs here already, and may have no more; delete one that is no longer needed", own))
			}
			there--
		}
		if there >= MaxJobs {
			freed, err := makeRoom(ctx, tx, j.Guild, "")
			if err != nil {
				return err
			}
			if !freed {
				return store.ForPeople(fmt.Errorf("this server has %d scheduled jobs already, and may have no more; delete one that is no longer needed", there))
			}
		}
		if err := check(ctx, tx, j); err != nil {
			return store.ForPeople(err)
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO crons (id, guild, dedupe, author, definition, state, paused, next, last_slot, again, triggered, runs, last_run, last_status, last_error, created, updated)
			VALUES (?, ?, ?, ?, '', '', 0, 0, 0, '', '', 0, 0, '', '', ?, 0)`, j.ID, j.Guild, j.Dedupe, j.Author, store.Micro(j.Created))
		if err != nil {
			return err
		}
		return update(ctx, tx, j)
	})
	if err != nil {
		return Job{}, store.Plain(err)
	}
	return j, nil
}

// update writes a job that was read in the same transaction.
func update(ctx context.Context, tx *store.Tx, j Job) error {
	_, err := tx.ExecContext(ctx, `UPDATE crons SET author = ?, definition = ?, state = ?, paused = ?, archived = ?, rests = ?, next = ?, last_slot = ?, again = ?, triggered = ?, runs = ?, last_run = ?, last_status = ?, last_error = ?, updated = ? WHERE id = ?`,
		j.Author, store.JSON(j.Definition), string(j.State), j.Paused, j.Archived, store.Micro(j.restsAt), store.Micro(j.Next),
		store.Micro(j.lastSlot), store.JSON(j.again), j.triggered, j.Runs, store.Micro(j.LastRun), j.Last, j.Error, store.Micro(j.Updated), j.ID)
	return err
}

// change changes a job in a transaction. An error of do is for people, and changes nothing.
func (s rows) change(ctx context.Context, g chat.GuildID, id string, do func(*store.Tx, *Job) error) (before, after Job, err error) {
	err = s.db.Tx(ctx, func(tx *store.Tx) error {
		j, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE guild = ? AND id = ?", g, id))
		if err != nil {
			return err
		}
		before = j
		if err := do(tx, &j); err != nil {
			return store.ForPeople(err)
		}
		after = j
		return update(ctx, tx, j)
	})
	if err != nil {
		return Job{}, Job{}, store.Plain(err)
	}
	return before, after, nil
}

func (s rows) get(ctx context.Context, where string, args ...any) (Job, error) {
	j, err := scan(s.db.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE "+where, args...))
	return j, store.Plain(err)
}

func (s rows) list(ctx context.Context, where string, args ...any) ([]Job, error) {
	list, err := listIn(ctx, s.db, where, args...)
	return list, store.Plain(err)
}

// listIn returns jobs as a transaction sees them, or the database.
func listIn(ctx context.Context, from store.Reader, where string, args ...any) ([]Job, error) {
	return store.All(ctx, from, scan, "SELECT "+columns+" FROM crons WHERE "+where, args...)
}

// drop removes a job, and takes it out of the chains of others.
func (s rows) drop(ctx context.Context, g chat.GuildID, id string) (gone Job, err error) {
	err = s.db.Tx(ctx, func(tx *store.Tx) error {
		if gone, err = scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE guild = ? AND id = ?", g, id)); err != nil {
			return err
		}
		return dropIn(ctx, tx, g, id)
	})
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
