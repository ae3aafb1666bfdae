package llm_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// slowly answers each request with its own text, after a minute.
func slowly() llm.Runtime {
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		return script.Answer{script.Pause(time.Minute), script.Text(req.System)}.Stream(ctx)
	})
}

func TestAnswersWaitTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := llm.Limited(slowly(), 1)
		began := time.Now()
		came := make(chan string, 8)
		ask := func(name string, p llm.Payer, ctx context.Context) {
			go func() {
				line := name + ":"
				for event, err := range r.Invoke(ctx, llm.Request{System: name, Payer: p}) {
					switch e := event.(type) {
					case llm.Queued:
						line += fmt.Sprintf(" waits behind %d,", e.Ahead)
					case llm.TextDelta:
						line += " answered"
					}
					if err != nil {
						line += " " + err.Error()
					}
				}
				came <- fmt.Sprintf("%s after %s", line, time.Since(began))
			}()
			synctest.Wait()
		}
		turn := llm.Payer{Turn: "t"}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(30*time.Second, func() { cancel(errors.New("stopped")) })
		ask("first", turn, t.Context())
		ask("second", turn, t.Context())
		ask("third", turn, ctx)
		ask("fourth", turn, t.Context())
		ask("own work", llm.Payer{}, t.Context())
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		var got []string
		for range 5 {
			got = append(got, <-came)
		}
		want := []string{
			"third: waits behind 1, stopped after 30s", "first: answered after 1m0s", "own work: answered after 1m0s",
			"second: waits behind 0, answered after 2m0s", "fourth: waits behind 2, answered after 3m0s",
		}
		if diff := cmp.Diff(want[0], got[0]); diff != "" || len(got) != len(want) {
			t.Errorf("got %q", got)
		}
		for _, line := range want {
			if !contains(got, line) {
				t.Errorf("%q is not in %q", line, got)
			}
		}
	})
}

func contains(list []string, want string) bool {
	for _, s := range list {
		if s == want {
			return true
		}
	}
	return false
}

// TestAPlaceIsNotLost: whoever leaves while waiting, or in the middle of an answer, leaves the place to others.
func TestAPlaceIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := llm.Limited(slowly(), 1)
		turn := llm.Payer{Turn: "t"}
		go func() {
			for range r.Invoke(t.Context(), llm.Request{Payer: turn}) {
			}
		}()
		synctest.Wait()
		for range r.Invoke(t.Context(), llm.Request{Payer: turn}) {
			break // at the Queued
		}
		for range 3 {
			for event, err := range r.Invoke(t.Context(), llm.Request{System: "x", Payer: turn}) {
				if _, ok := event.(llm.TextDelta); ok {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
