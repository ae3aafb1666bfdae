package sleep_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/sleep"
)

func TestASleepEndsWithItsTimeOrItsContext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		timeout time.Duration // of the context
		d, want time.Duration
		live    bool
	}{
		{"the whole time", time.Hour, time.Minute, time.Minute, true},
		{"until the context ends", time.Second, time.Minute, time.Second, false},
		{"with an ended context", 0, time.Minute, 0, false},
		{"no time", time.Hour, 0, 0, true},
		{"no time, with an ended context", 0, 0, 0, false},
		{"a negative time", time.Hour, -time.Minute, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tt.timeout)
				defer cancel()
				began := time.Now()
				live := sleep.For(ctx, tt.d)
				if took := time.Since(began); took != tt.want || live != tt.live {
					t.Errorf("For took %s and returned %v, want %s, %v", took, live, tt.want, tt.live)
				}
			})
		})
	}
}
