package pipeline

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn"
)

func TestHealthCountsTurnsAndActions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := stats{began: began}
		s.online()
		time.Sleep(time.Minute)
		s.heard()
		for _, o := range []struct {
			flow actions.Flow
			took time.Duration
			err  error
		}{
			{actions.FlowMessage, 3 * time.Second, nil},
			{actions.FlowMessage, time.Second, fmt.Errorf("wrapped: %w", turn.ErrStopped)},
			{actions.FlowMessage, 2 * time.Second, &llm.Error{Kind: llm.Timeout}},
			{actions.FlowReaction, time.Second, errors.New("swordfish")},
		} {
			s.over(turn.Report{Origin: actions.Origin{Flow: o.flow}, Took: o.took, Err: o.err, Result: turn.Result{Rounds: []turn.Round{{Round: actions.Round{Outcomes: []actions.Outcome{
				{}, {Err: errors.New("no")}, {Pending: &actions.Pending{}},
			}}}}}})
		}
		s.over(turn.Report{Command: "help"})
		want := Health{
			Since: began, Sessions: 1, Online: began, LastMessage: began.Add(time.Minute), Messages: 1, Commands: 1,
			Flows: []FlowHealth{
				{Flow: actions.FlowMessage, Done: 1, Failed: 1, Stopped: 1, Half: 2 * time.Second, Most: 2 * time.Second},
				{Flow: actions.FlowReaction, Failed: 1, Half: time.Second, Most: time.Second},
			},
			Done: 4, Failed: 4, Pending: 4,
			Faults: map[string]int{"my language model (timed out)": 1, "something inside me": 1},
		}
		if diff := cmp.Diff(want, s.health()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestHealthForgetsOldDurations, so that the percentiles are recent and memory is bounded.
func TestHealthForgetsOldDurations(t *testing.T) {
	t.Parallel()
	var s stats
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range maxTimes {
				s.over(turn.Report{Took: time.Hour})
			}
		})
	}
	all.Wait()
	for range maxTimes {
		s.over(turn.Report{Took: time.Second})
	}
	h := s.health()
	if got := h.Flows[0]; got.Most != time.Second || got.Done != 5*maxTimes || len(s.flow("").took) != maxTimes {
		t.Errorf("%+v", got)
	}
}
