package deferral

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/store"
)

// A Status tells the receiver of a job what to do with it.
type Status uint8

const (
	Runs   Status = iota // due, maybe a little late: claim and run it
	Missed               // more than MaxLate late: report it
)

// pollInterval bounds Run's timer while jobs wait, so that it notices a machine that slept or a
// clock that was set.
const pollInterval = time.Minute

// Run delivers jobs that are due, until ctx ends. Deliver must return at once; it leads to
// Claim for a job that runs, and to Finish for one that is missed.
func (e *Engine) Run(ctx context.Context, deliver func(ctx context.Context, j Job, f Status)) {
	for {
		alarm, err := e.deliverDue(ctx, deliver)
		if err != nil && ctx.Err() == nil {
			e.Log.ErrorContext(ctx, "cannot load deferred runs", "err", err)
			alarm = time.After(pollInterval)
		}
		select {
		case <-ctx.Done():
			return
		case <-e.changed:
		case <-alarm:
		}
	}
}

// deliverDue delivers the jobs that are due. It returns the timer of the next call, or nil if no
// job waits.
func (e *Engine) deliverDue(ctx context.Context, deliver func(context.Context, Job, Status)) (<-chan time.Time, error) {
	waiting, err := e.jobs.list(ctx, "true")
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	next := pollInterval
	for _, j := range waiting {
		switch late := e.Now().Sub(j.Due); {
		case late < 0:
			next = min(next, -late)
		case !e.claim(j.ID):
		case late > MaxLate:
			deliver(ctx, j, Missed)
		default:
			deliver(ctx, j, Runs)
		}
	}
	return time.After(next), nil
}

// claim marks a job as delivered. It returns false if it was before.
func (e *Engine) claim(id int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.out[id] {
		return false
	}
	e.out[id] = true
	return true
}

// release lets a job be delivered again, within pollInterval.
func (e *Engine) release(id int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.out, id)
}

// Claim removes a delivered job just before its first effect. In the same transaction begin writes
// what another process needs to resume the job; nil writes nothing. It returns true to one
// caller, which runs the job, and false if the job was cancelled meanwhile. After an error
// the job is delivered again.
func (e *Engine) Claim(ctx context.Context, id int64, begin func(ctx context.Context, tx *store.Tx) error) (bool, error) {
	ours, err := e.jobs.take(ctx, id, begin)
	if err != nil {
		e.release(id)
		return false, fmt.Errorf("claim deferred run %d: %w", id, err)
	}
	return ours, nil
}

// Finish removes a job that will not run. Even if that fails, this process does not deliver
// it again.
func (e *Engine) Finish(ctx context.Context, id int64) error {
	if _, err := e.jobs.take(ctx, id, nil); err != nil {
		return fmt.Errorf("forget deferred run %d: %w", id, err)
	}
	return nil
}
