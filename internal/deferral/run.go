package deferral

import (
	"context"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/store"
)

// A Fate is what becomes of a job that is handed out.
type Fate uint8

const (
	Runs        Fate = iota // it is due, maybe a little late: claim it and run it
	Missed                  // its time is too long ago
	Interrupted             // it was running when an earlier process ended
)

// look is how long Run trusts its timer while jobs wait. A machine that slept, or
// whose clock was set, is found out after that.
const look = time.Minute

// Run hands out jobs whose time has come, until ctx ends. It begins with what an
// earlier process left behind. Hand must return at once; whatever the fate of the job,
// it leads to Finish, or to Release or Return if nothing came of it.
func (e *Engine) Run(ctx context.Context, hand func(ctx context.Context, j Job, f Fate)) {
	behind := true // what was left behind is not handed out yet
	for {
		var left error
		if behind {
			left = e.takeUp(ctx, hand)
			behind = left != nil
		}
		alarm, err := e.handOut(ctx, hand)
		if err = errors.Join(left, err); err != nil && ctx.Err() == nil {
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

// takeUp hands out what was running when an earlier process ended.
func (e *Engine) takeUp(ctx context.Context, hand func(context.Context, Job, Fate)) error {
	broken, err := e.jobs.list(ctx, "state = ?", running)
	if err != nil {
		return err
	}
	for _, j := range broken {
		e.give(j.ID)
		hand(ctx, j, Interrupted)
	}
	return nil
}

// handOut hands out what is due. It returns what rings when there is something to look
// at again; that is nil if nothing waits.
func (e *Engine) handOut(ctx context.Context, hand func(context.Context, Job, Fate)) (<-chan time.Time, error) {
	waiting, err := e.jobs.list(ctx, "state = ?", pending)
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	next := look
	for _, j := range waiting {
		switch late := time.Since(j.Due); {
		case late < 0:
			next = min(next, -late)
		case !e.give(j.ID):
		case late > Patience:
			hand(ctx, j, Missed)
		default:
			hand(ctx, j, Runs)
		}
	}
	return time.After(next), nil
}

// give notes that a job is handed out, and says whether it was not before.
func (e *Engine) give(id int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.out[id] {
		return false
	}
	e.out[id] = true
	return true
}

// Return gives a job back that could not be dealt with for now. It is handed out again
// within a minute.
func (e *Engine) Return(id int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.out, id)
}

// Claim is called just before something can come of a job that was handed out. Only
// who is told yes may go on; a job that somebody has cancelled meanwhile says no.
func (e *Engine) Claim(ctx context.Context, id int64) (bool, error) {
	ours, err := e.jobs.move(ctx, id, pending, running, time.Now().UnixMicro())
	if err != nil {
		e.Return(id)
		return false, fmt.Errorf("claim deferred run %d: %w", id, err)
	}
	return ours, nil
}

// Release takes a claim back, since nothing has come of the job: it waits on.
func (e *Engine) Release(ctx context.Context, id int64) error {
	if _, err := e.jobs.move(ctx, id, running, pending, 0); err != nil {
		return fmt.Errorf("put deferred run %d back: %w", id, err)
	}
	e.Return(id)
	e.wake()
	return nil
}

// Finish forgets a job that is over, or that will not run. Even if that fails, this
// process does not hand it out again.
func (e *Engine) Finish(ctx context.Context, id int64) error {
	if err := e.jobs.remove(ctx, id); err != nil {
		return fmt.Errorf("forget deferred run %d: %w", id, err)
	}
	return nil
}

// LetGo is for a database that is an old copy: jobs whose time has come may have run since
// it was made. Those that are due later wait on.
func (e *Engine) LetGo(ctx context.Context, tx *store.Tx) error {
	if err := e.jobs.letGo(ctx, tx, time.Now()); err != nil {
		return fmt.Errorf("let go of deferred runs: %w", err)
	}
	return nil
}
