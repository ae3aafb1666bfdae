// Package sleep is a sleep that a context can end. It is for a wait on the clock alone;
// where a channel is waited for too, a select is clearer.
package sleep

import (
	"context"
	"time"
)

// For sleeps for d, or until ctx ends. It returns false if ctx has ended, even when d is not
// positive and there is nothing to wait for.
func For(ctx context.Context, d time.Duration) bool {
	if d > 0 && ctx.Err() == nil {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}
