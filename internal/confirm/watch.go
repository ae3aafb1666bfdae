package confirm

import (
	"context"
	"errors"
	"time"
)

const (
	keepFor = 30 * 24 * time.Hour // questions stay in the database when they are over
	tellFor = 24 * time.Hour      // it is tried to tell how a question ended
	again   = time.Minute         // until something that failed is tried again
)

// Run takes answers and ends questions in time, until ctx ends. It begins with those
// that an earlier process left behind.
func (d *Service) Run(ctx context.Context) {
	behind := true // what was left behind is not dealt with yet
	for {
		var left, due error
		if behind {
			left = d.resume(ctx)
			behind = left != nil
		}
		wait, due := d.tend(ctx)
		if err := errors.Join(left, due); err != nil && ctx.Err() == nil {
			d.Log.ErrorContext(ctx, "questions cannot be looked after", "err", err)
			wait = again
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-d.changed:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// resume deals with what a former process left: what was being carried out is not
// carried out again.
func (d *Service) resume(ctx context.Context) error {
	broken, err := d.questions.in(ctx, running)
	if err != nil {
		return err
	}
	for _, rec := range broken {
		ours, err := d.questions.settle(ctx, rec.token, running, interrupted, verdictInterrupted)
		if err != nil {
			return err
		}
		if ours {
			d.Observer.Interrupted(ctx, rec.Question)
		}
	}
	return nil
}

// tend ends the questions whose time is over and tells how questions ended where that
// failed before. It returns how long it is until there is something to do.
func (d *Service) tend(ctx context.Context) (time.Duration, error) {
	list, err := d.questions.in(ctx, open)
	if err != nil {
		return again, err
	}
	next := keepFor
	for _, rec := range list {
		wait := time.Until(rec.expires)
		if wait <= 0 {
			if err := d.expire(ctx, rec); err != nil {
				return again, err
			}
			continue
		}
		next = min(next, wait, d.postLate(ctx, rec))
	}
	untold, err := d.questions.untold(ctx, time.Now().Add(-tellFor))
	if err != nil {
		return again, err
	}
	for _, rec := range untold {
		if !d.close(ctx, rec) {
			next = min(next, again)
		}
	}
	return next, nil
}

// postLate posts a card of which nobody knows whether it was posted: the process may
// have ended before it was certain, or Discord did not answer. It returns how long it
// is until that is due.
func (d *Service) postLate(ctx context.Context, rec record) time.Duration {
	if rec.card != "" {
		return keepFor
	}
	if wait := time.Until(rec.asked.Add(postTime)); wait > 0 {
		return wait // it is on its way
	}
	if err := d.post(ctx, &rec); err != nil {
		d.Log.WarnContext(ctx, "a question could not be asked", "channel", rec.Origin.Place.Channel, "err", err)
		return again
	}
	return keepFor
}

// expire ends a question that nobody has answered.
func (d *Service) expire(ctx context.Context, rec record) error {
	ours, err := d.questions.settle(ctx, rec.token, open, expired, verdictExpired)
	if err == nil && ours {
		d.Observer.Dismissed(ctx, rec.Question, "nobody answered in time")
	}
	return err
}
