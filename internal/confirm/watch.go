package confirm

import (
	"context"
	"time"
)

// keepFor is how long questions stay in the database when they are over.
const keepFor = 30 * 24 * time.Hour

// Run takes answers and ends questions in time, until ctx ends. It begins with those
// that an earlier process left behind.
func (d *Desk) Run(ctx context.Context) error {
	if err := d.takeUp(ctx); err != nil {
		return err
	}
	for {
		wait, err := d.expireDue(ctx)
		if err != nil {
			d.Log.ErrorContext(ctx, "questions cannot be read", "err", err)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-d.changed:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// Serve says who carries out what is agreed to, and who is told. It is called once,
// before anything else.
func (d *Desk) Serve(h Hands, w Witness) { d.hands, d.witness = h, w }

// Close waits for answers that are being carried out, until ctx ends.
func (d *Desk) Close(ctx context.Context) error { return d.group.Close(ctx) }

// takeUp deals with what a former process left: a question whose card was never
// posted is asked now, and one that was being carried out is not carried out again.
func (d *Desk) takeUp(ctx context.Context) error {
	if err := d.questions.forget(ctx, time.Now().Add(-keepFor)); err != nil {
		return err
	}
	broken, err := d.questions.in(ctx, running)
	if err != nil {
		return err
	}
	for _, rec := range broken {
		if _, err := d.questions.settle(ctx, rec.token, running, interrupted); err != nil {
			return err
		}
		d.witness.Dismissed(ctx, rec.Question, "the bot was restarted while it was being done")
		d.close(ctx, rec, verdictInterrupted, nil)
	}
	unasked, err := d.questions.in(ctx, open)
	if err != nil {
		return err
	}
	for _, rec := range unasked {
		if rec.card == "" && time.Now().Before(rec.expires) {
			if err := d.post(ctx, &rec); err != nil {
				d.Log.WarnContext(ctx, "a question could not be asked", "channel", rec.Origin.Place.Channel, "err", err)
			}
		}
	}
	return nil
}

// expireDue ends the questions whose time is over, and returns how long it is until
// the next.
func (d *Desk) expireDue(ctx context.Context) (time.Duration, error) {
	list, err := d.questions.in(ctx, open)
	if err != nil {
		return patience, err
	}
	for _, rec := range list {
		if wait := time.Until(rec.expires); wait > 0 {
			return wait, nil
		}
		d.expire(ctx, rec)
	}
	return patience, nil
}

func (d *Desk) expire(ctx context.Context, rec record) {
	if ours, err := d.questions.settle(ctx, rec.token, open, expired); err == nil && ours {
		d.witness.Dismissed(ctx, rec.Question, "nobody answered in time")
		d.close(ctx, rec, verdictExpired, nil)
	}
}
