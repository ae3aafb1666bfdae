package deferral

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/store"
)

// A Status is what becomes of a job that is handed out.
type Status uint8

const (
	Runs   Status = iota // it is due, maybe a little late: claim it and run it
	Missed               // its time is too long ago
)

// look is how long Run trusts its timer while jobs wait. A machine that slept, or
// whose clock was set, is found out after that.
const look = time.Minute

// Run hands out jobs whose time has come, until ctx ends. Hand must return at once; it
// leads to Claim for a job that runs, and to Finish for one that is missed.
func (e *Engine) Run(ctx context.Context, deliver func(ctx context.Context, j Job, f Status)) {
	for {
		alarm, err := e.deliverDue(ctx, deliver)
		if err != nil && ctx.Err() == nil {
			e.Log.ErrorContext(ctx, "deferred runs cannot be looked after", "err", err)
			alarm = time.After(look)
		}
		select {
		case <-ctx.Done():
			return
		case <-e.changed:
		case <-alarm:
		}
	}
}

// deliverDue hands out what is due. It returns what rings when there is something to look
// at again; that is nil if nothing waits.
func (e *Engine) deliverDue(ctx context.Context, deliver func(context.Context, Job, Status)) (<-chan time.Time, error) {
	waiting, err := e.jobs.list(ctx, "true")
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	next := look
	for _, j := range waiting {
		switch late := time.Since(j.Due); {
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

// claim notes that a job is handed out, and says whether it was not before.
func (e *Engine) claim(id int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.out[id] {
		return false
	}
	e.out[id] = true
	return true
}

// release lets a job be handed out again, within a minute.
func (e *Engine) release(id int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.out, id)
}

// Claim takes a job that was handed out, just before something can come of it. Begin
// writes down what is needed to go on with it after the end of the process, in the same
// transaction; nil writes nothing. Only who is told yes may go on; a job that somebody has
// cancelled meanwhile says no. After an error it is handed out again.
func (e *Engine) Claim(ctx context.Context, id int64, begin func(ctx context.Context, tx *store.Tx) error) (bool, error) {
	ours, err := e.jobs.take(ctx, id, begin)
	if err != nil {
		e.release(id)
		return false, fmt.Errorf("claim deferred run %d: %w", id, err)
	}
	return ours, nil
}

// Finish forgets a job that will not run. Even if that fails, this process does not hand
// it out again.
func (e *Engine) Finish(ctx context.Context, id int64) error {
	if _, err := e.jobs.take(ctx, id, nil); err != nil {
		return fmt.Errorf("forget deferred run %d: %w", id, err)
	}
	return nil
}
