package llm_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

func TestWatchedLetsAnswersPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script.New(script.Typing("one two three", 4*time.Minute))
		text, err := collect(t.Context(), llm.Watched(model, llm.WatchOptions{}))
		if text != "one two three" || err != nil {
			t.Errorf("got %q and %v", text, err)
		}
	})
}

func TestWatchedEndsAnAnswerThatTakesTooLong(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer script.Answer
		opts   llm.WatchOptions
		kind   llm.Kind
		text   string
		after  time.Duration
		says   string
	}{
		{
			name: "no sign of life", answer: script.Answer{script.Pause(time.Hour), script.Text("late")},
			kind: llm.Stalled, after: 5 * time.Minute,
			says: "the model sent nothing for 5 minutes; try again, or raise DISCOCLAW_STREAM_STALL_TIMEOUT_MS if the model thinks for that long",
		},
		{
			name: "silence in the middle", answer: script.Answer{script.Pause(time.Minute), script.Text("one"), script.Pause(time.Hour)},
			opts: llm.WatchOptions{Stall: 2 * time.Minute},
			kind: llm.Stalled, text: "one", after: 3 * time.Minute,
			says: "the model sent nothing for 2 minutes; try again, or raise DISCOCLAW_STREAM_STALL_TIMEOUT_MS if the model thinks for that long",
		},
		{
			name: "an answer without end", answer: script.Typing("a b c d e f g h i j", 4*time.Minute),
			kind: llm.Timeout, text: "a b c d e f g ", after: 30 * time.Minute,
			says: "there was no complete answer within 30 minutes; ask for less at a time, or raise RUNTIME_TIMEOUT_MS",
		},
		{
			name: "an answer without end after a wait", answer: script.Answer{
				script.Event(llm.Queued{}), script.Pause(time.Minute), script.Event(llm.Queued{}), script.Pause(time.Minute), script.Text("one"), script.Pause(time.Hour),
			},
			opts: llm.WatchOptions{Limit: 100 * time.Second},
			kind: llm.Timeout, text: "one", after: 160 * time.Second,
			says: "there was no complete answer within 2 minutes; ask for less at a time, or raise RUNTIME_TIMEOUT_MS",
		},
		{
			name: "thinking without end", answer: script.Answer{script.Think(), script.Pause(time.Minute), script.Think(), script.Pause(time.Minute), script.Think()},
			opts: llm.WatchOptions{Limit: 100 * time.Second},
			kind: llm.Timeout, after: 100 * time.Second,
			says: "there was no complete answer within 2 minutes; ask for less at a time, or raise RUNTIME_TIMEOUT_MS",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				text, err := collect(t.Context(), llm.Watched(script.New(tt.answer), tt.opts))
				if kindOf(err) != tt.kind || text != tt.text || time.Since(began) != tt.after {
					t.Errorf("got %q and %v after %s, want %q and %s after %s", text, err, time.Since(began), tt.text, tt.kind, tt.after)
				}
				if err != nil && err.Error() != tt.says {
					t.Errorf("it says %q, want %q", err, tt.says)
				}
			})
		})
	}
}

func TestASlowConsumerIsNoStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script.New(script.Typing("one two", time.Minute))
		var err error
		for _, err = range llm.Watched(model, llm.WatchOptions{}).Invoke(t.Context(), llm.Request{}) {
			time.Sleep(10 * time.Minute)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

func TestWatchedCountsTheConsumersTimeTowardsTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script.New(script.Typing("one two", time.Minute))
		var err error
		for _, err = range llm.Watched(model, llm.WatchOptions{}).Invoke(t.Context(), llm.Request{}) {
			time.Sleep(40 * time.Minute)
		}
		if kindOf(err) != llm.Timeout {
			t.Errorf("got %v, want a timeout", err)
		}
	})
}

func TestNegativeTimesAreNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script.New(script.Answer{script.Pause(1000 * time.Hour), script.Text("at last"), script.Pause(1000 * time.Hour)})
		text, err := collect(t.Context(), llm.Watched(model, llm.WatchOptions{Limit: -1, Stall: -1}))
		if text != "at last" || err != nil {
			t.Errorf("got %q and %v", text, err)
		}
	})
}

func TestWatchedReturnsTheCauseOfACancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(errStopped) })
		_, err := collect(ctx, llm.Watched(script.New(script.Answer{script.Pause(time.Hour)}), llm.WatchOptions{}))
		if err != errStopped {
			t.Errorf("got %v, want the cause", err)
		}
	})
}

func TestWatchedPassesFailuresOn(t *testing.T) {
	if _, err := collect(t.Context(), llm.Watched(script.New(failing(limited)), llm.WatchOptions{})); err != limited {
		t.Errorf("got %v", err)
	}
}

func TestWatchedLeavesNothingRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inner context.Context
		model := script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
			inner = ctx
			return script.Typing("one two three", time.Second).Stream(ctx)
		})
		for range llm.Watched(model, llm.WatchOptions{}).Invoke(t.Context(), llm.Request{}) {
			break
		}
		if inner.Err() == nil {
			t.Error("the request was not cancelled")
		}
		began := time.Now()
		synctest.Wait()
		if d := time.Since(began); d != 0 {
			t.Errorf("the request went on for %s", d)
		}
	})
}

func TestWatchedGivesItsOwnReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		vague := script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
			return func(yield func(llm.Event, error) bool) {
				<-ctx.Done()
				yield(nil, ctx.Err())
			}
		})
		if _, err := collect(t.Context(), llm.Watched(vague, llm.WatchOptions{})); kindOf(err) != llm.Stalled {
			t.Errorf("got %v, want a stall", err)
		}
	})
}

// TestHalfAnAnswerIsNeverAWholeOne: the actions of a whole answer are executed.
func TestHalfAnAnswerIsNeverAWholeOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quiet := script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
			return func(yield func(llm.Event, error) bool) {
				yield(llm.TextDelta{Text: "half"}, nil)
				<-ctx.Done()
			}
		})
		if _, err := collect(t.Context(), llm.Watched(quiet, llm.WatchOptions{})); kindOf(err) != llm.Stalled {
			t.Errorf("a stall ended with %v", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(errStopped) })
		if _, err := collect(ctx, llm.Watched(quiet, llm.WatchOptions{})); err != errStopped {
			t.Errorf("a stop ended with %v", err)
		}
	})
}

func TestTheLimitHoldsForAllAttemptsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := script.Answer{script.Pause(40 * time.Second), script.Fail(unavailable)}
		model := script.New(slow, slow, slow)
		began := time.Now()
		_, err := collect(t.Context(), llm.Watched(llm.Retrying(model, nil), llm.WatchOptions{Limit: time.Minute}))
		if kindOf(err) != llm.Timeout || time.Since(began) != time.Minute || len(model.Requests()) != 2 {
			t.Errorf("got %v after %s and %d requests", err, time.Since(began), len(model.Requests()))
		}
	})
}
