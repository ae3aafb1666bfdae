package flow

import (
	"slices"
	"testing"
	"time"
)

// TestDeferredRunsTakeTheirStepsInOrder: the order matters, since each step runs only if those before it succeed.
func TestDeferredRunsTakeTheirStepsInOrder(t *testing.T) {
	var names []string
	for _, s := range deferredSteps() {
		names = append(names, s.name)
	}
	if want := []string{"switch", "channel", "channel list", "requester", "context"}; !slices.Equal(names, want) {
		t.Errorf("the steps are %q, want %q", names, want)
	}
}

func TestLatenessIsInWholeMinutes(t *testing.T) {
	for late, want := range map[time.Duration]time.Duration{
		-time.Second:                 0,
		0:                            0,
		time.Minute - 1:              0,
		time.Minute:                  time.Minute,
		12*time.Minute + time.Second: 12 * time.Minute,
	} {
		if got := lateness(late); got != want {
			t.Errorf("late by %v: %v, want %v", late, got, want)
		}
	}
}
