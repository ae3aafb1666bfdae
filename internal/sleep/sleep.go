// Package sleep lets time pass for those who may be told to stop meanwhile. It is for
// one wait with nothing else to wait for; where there is more, a select says it better.
package sleep

import (
	"context"
	"time"
)

// For waits for d, or until ctx ends if that is sooner. It says whether ctx still
// stands, so also without a wait it notices one that has ended before.
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
