package cron

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// runRetention is how long the runs of jobs are listed.
const runRetention = 30 * 24 * time.Hour

// A Status is how a run ended.
type Status string

const (
	Success  Status = "success"
	Failed   Status = "error"
	Canceled Status = "canceled"
	LeftOut  Status = "left out" // it did not run; its error says why
)

// maxError is how much of an error is kept.
const maxError = 200

// An Outcome is how a run ended.
type Outcome struct {
	Fire
	Status  Status
	Error   string
	State   json.RawMessage // the job's new state; nil leaves it
	People  chat.UserIDs    // whose words are in its state
	Outside chat.Sources    // the outside texts that it has read
	Input   int             // tokens
	Output  int
}

// FailedWith reports whether the last run of a job failed with an error.
func (j Job) FailedWith(text string) bool { return j.Last == Failed && j.Error == shortened(text) }

// shortened is an error as it is kept.
func shortened(text string) string { return chat.Clip(chat.OneLine(text), maxError) }

// A Past run is one that has ended, or that was left out.
type Past struct {
	Slot, Ended   time.Time
	Why           Why
	Status        Status
	Error         string
	Input, Output int // tokens
}

// Ended records how a run ended, and has the jobs run that follow it. It is idempotent.
func (e *Engine) Ended(ctx context.Context, o Outcome) error {
	err := e.rows.db.Tx(ctx, func(tx *store.Tx) error {
		if err := endCall(ctx, tx, o.Fire); err != nil {
			return err
		}
		now := store.Rounded(e.Now())
		if first, err := addPast(ctx, tx, o.ID(), o, now); err != nil || !first {
			return err
		}
		j, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE id = ?", o.Job))
		if errors.Is(err, ErrNotFound) {
			return nil // it was deleted meanwhile
		}
		if err != nil {
			return err
		}
		j.Runs, j.LastRun, j.Last, j.Error = j.Runs+1, now, o.Status, shortened(o.Error)
		if o.State != nil && o.Channel == j.Channel { // what it keeps does not follow it to another channel
			j.State = o.State
			j.Outside.Add(o.Outside)
			for _, who := range o.People.List() {
				if who != j.Author { // whose words later runs read
					j.Prompters = chat.Together(who, j.Prompters)
				}
			}
		}
		if err := update(ctx, tx, j); err != nil || o.Status != Success {
			return err
		}
		return e.follow(ctx, tx, j, o, now)
	})
	e.changedNow(o.Guild, o.Job)
	return store.Plain(err)
}

// addPast adds a run to the list of past ones. It returns false if that was done before.
func addPast(ctx context.Context, tx *store.Tx, event string, o Outcome, now time.Time) (bool, error) {
	n, err := store.Changed(tx.ExecContext(ctx, "INSERT INTO cron_runs (event, job, slot, why, ended, status, error, input, output) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		event, o.Job, store.Micro(o.Slot), o.Why, store.Micro(now), o.Status, shortened(o.Error), o.Input, o.Output))
	return n > 0, err
}

// follow has the jobs run that follow another one, except for those that are paused.
func (e *Engine) follow(ctx context.Context, tx *store.Tx, j Job, o Outcome, now time.Time) error {
	for i, id := range j.Chain {
		next, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE guild = ? AND id = ?", j.Guild, id))
		if errors.Is(err, ErrNotFound) || err == nil && (next.Rests() || o.Depth >= MaxChain) {
			e.Log.WarnContext(ctx, "a scheduled job does not lead to the next one", "job", j.ID, "next", id, "paused", next.Rests(), "depth", o.Depth)
			continue
		}
		if err != nil {
			return err
		}
		// A microsecond keeps them in their order.
		next.again = &Fire{Why: Chained, Slot: now.Add(time.Duration(i) * time.Microsecond), Depth: o.Depth + 1, From: &Upstream{
			Job: j.ID, Event: o.ID(), State: j.State, People: o.People, Outside: o.Outside,
		}}
		if err := update(ctx, tx, next); err != nil {
			return err
		}
	}
	return nil
}

// Past returns the latest runs of a job, the latest first.
func (e *Engine) Past(ctx context.Context, id string, limit int) ([]Past, error) {
	list, err := store.All(ctx, e.rows.db, func(row store.Row) (p Past, err error) {
		return p, row.Scan(store.Time(&p.Slot), store.Time(&p.Ended), &p.Why, &p.Status, &p.Error, &p.Input, &p.Output)
	}, "SELECT slot, ended, why, status, error, input, output FROM cron_runs WHERE job = ? ORDER BY ended DESC LIMIT ?", id, limit)
	return list, store.Plain(err)
}
