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
		name        string
		ends        time.Duration // of the context
		d, want     time.Duration
		stillStands bool
	}{
		{"the whole time", time.Hour, time.Minute, time.Minute, true},
		{"until the context ends", time.Second, time.Minute, time.Second, false},
		{"with an end before", 0, time.Minute, 0, false},
		{"no time", time.Hour, 0, 0, true},
		{"no time, with an end before", 0, 0, 0, false},
		{"less than no time", time.Hour, -time.Minute, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tt.ends)
				defer cancel()
				began := time.Now()
				stands := sleep.For(ctx, tt.d)
				if took := time.Since(began); took != tt.want || stands != tt.stillStands {
					t.Errorf("it took %s, and the context stands: %v; want %s, %v", took, stands, tt.want, tt.stillStands)
				}
			})
		})
	}
}
