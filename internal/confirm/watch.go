package confirm

import (
	"context"
	"errors"
	"time"
)

const (
	keepFor = 30 * 24 * time.Hour // retention of questions in the database
	tellFor = 24 * time.Hour      // how long the update of a card is retried
	again   = time.Minute         // pause before a retry
)

// Run takes answers and expires questions, until ctx ends. It begins with the questions of
// an earlier process. It is called once.
func (d *Service) Run(ctx context.Context, live Live) {
	d.given = live
	close(d.running)
	behind := true // resume has not succeeded yet
	for {
		var left, due error
		if behind {
			left = d.resume(ctx)
			behind = left != nil
		}
		wait, due := d.tend(ctx)
		if err := errors.Join(left, due); err != nil && ctx.Err() == nil {
			d.Log.ErrorContext(ctx, "cannot process questions", "err", err)
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

// resume settles the questions that an earlier process was executing as interrupted. Their
// actions are not repeated.
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
			d.live().Observer.Interrupted(ctx, rec.Question)
			d.ended(rec, "approved, but interrupted by a restart")
		}
	}
	return nil
}

// tend expires questions, posts missing cards and retries failed updates of cards. It returns
// the time until the next of these is due.
func (d *Service) tend(ctx context.Context) (time.Duration, error) {
	list, err := d.questions.in(ctx, open)
	if err != nil {
		return again, err
	}
	next := keepFor
	for _, rec := range list {
		wait := rec.expires.Sub(d.Now())
		if wait <= 0 {
			if err := d.expire(ctx, rec); err != nil {
				return again, err
			}
			continue
		}
		next = min(next, wait, d.postLate(ctx, rec))
	}
	untold, err := d.questions.untold(ctx, d.Now().Add(-tellFor))
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

// postLate posts a card that may not have been posted: the process may have ended before it
// was recorded, or Discord did not answer. It returns the time until the next attempt.
func (d *Service) postLate(ctx context.Context, rec record) time.Duration {
	if rec.card != "" {
		return keepFor
	}
	if wait := rec.asked.Add(postTime).Sub(d.Now()); wait > 0 {
		return wait // Ask may still be posting it
	}
	if err := d.post(ctx, &rec); err != nil {
		d.Log.WarnContext(ctx, "cannot post the card of a question", "channel", rec.Origin.Place.Channel, "err", err)
		return again
	}
	return keepFor
}

// expire settles a question that was not answered.
func (d *Service) expire(ctx context.Context, rec record) error {
	ours, err := d.questions.settle(ctx, rec.token, open, expired, verdictExpired)
	if err == nil && ours {
		d.live().Observer.Dismissed(ctx, rec.Question, "nobody answered in time")
		d.ended(rec, "expired, since nobody answered")
		rec.state, rec.verdict = expired, verdictExpired
		d.close(ctx, rec) // also if the bot was away for longer than cards are updated
	}
	return err
}
