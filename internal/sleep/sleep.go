// Package sleep is a sleep that a context can end, and a call that wakes a goroutine.
package sleep

import (
	"context"
	"time"
)

// Wake wakes the goroutine that receives from a channel with room for one. It does nothing if that is to wake up already.
func Wake(sleeper chan<- struct{}) {
	select {
	case sleeper <- struct{}{}:
	default:
	}
}

// For sleeps for d, or until ctx ends. It returns false if ctx has ended, even when d is not
// positive and there is nothing to wait for. Where a channel is waited for too, a select is clearer.
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
