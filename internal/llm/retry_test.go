package llm_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

var (
	limited     = &llm.Error{Kind: llm.RateLimited, Runtime: "openai", Status: 429, Err: errors.New("slow down, sk-canary-123456")}
	unavailable = &llm.Error{Kind: llm.Unavailable}
)

func failing(err error) script.Answer { return script.Answer{script.Fail(err)} }

func TestRetryingRetriesATemporaryFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script.New(failing(limited), failing(unavailable), script.Say("hello"))
		var log bytes.Buffer
		began := time.Now()
		r := llm.Retrying(model, slog.New(slog.NewTextHandler(&log, nil)))
		text, err := collect(t.Context(), r)
		if text != "hello" || err != nil {
			t.Errorf("got %q and %v", text, err)
		}
		// The backoff is between a half and the whole of one second, then of two.
		if took := time.Since(began); took < 1500*time.Millisecond || took > 3*time.Second {
			t.Errorf("it took %s", took)
		}
		if got := log.String(); strings.Count(got, "model request failed, retrying") != 2 || !strings.Contains(got, "slow down") || strings.Contains(got, "canary") {
			t.Errorf("the log reads\n%s", got)
		}
	})
}

func TestRetryingGivesUpAfterTwoRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script.New(failing(limited), failing(limited), failing(unavailable), script.Say("too late"))
		if _, err := collect(t.Context(), llm.Retrying(model, nil)); err != unavailable {
			t.Errorf("got %v, want the last error", err)
		}
		if n := len(model.Requests()); n != 3 {
			t.Errorf("asked %d times, want 3", n)
		}
	})
}

func TestRetryingDoesNotRetryAfterTheFirstEvent(t *testing.T) {
	for name, first := range map[string]script.Step{
		"text": script.Text("hel"), "thinking": script.Think(), "tokens": script.Usage(1, 0),
	} {
		t.Run(name, func(t *testing.T) {
			model := script.New(script.Answer{first, script.Fail(unavailable)}, script.Say("hello"))
			if _, err := collect(t.Context(), llm.Retrying(model, nil)); err != unavailable {
				t.Errorf("got %v, want the error", err)
			}
			if n := len(model.Requests()); n != 1 {
				t.Errorf("asked %d times, want once", n)
			}
		})
	}
}

func TestRetryingDoesNotRetryOtherFailures(t *testing.T) {
	plain := errors.New("plain")
	for _, failure := range []error{
		plain, &llm.Error{Kind: llm.Unauthorized}, &llm.Error{Kind: llm.NoCredit}, &llm.Error{Kind: llm.TooLong},
		&llm.Error{Kind: llm.NoSuchModel}, &llm.Error{Kind: llm.Blocked}, &llm.Error{Kind: llm.Cut}, &llm.Error{Kind: llm.Timeout},
		&llm.Error{Kind: llm.Stalled}, &llm.Error{Kind: llm.Broken}, &llm.Error{Kind: llm.Refused},
	} {
		model := script.New(failing(failure), script.Say("hello"))
		if _, err := collect(t.Context(), llm.Retrying(model, nil)); err != failure || len(model.Requests()) != 1 {
			t.Errorf("%v: got %v after %d requests, want it after one", failure, err, len(model.Requests()))
		}
	}
}

func TestRetryingHonoursRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		after  time.Duration
		asked  int
		atMost time.Duration
	}{
		{"within the limit", 10 * time.Second, 2, 11 * time.Second},
		{"less than the pause", 100 * time.Millisecond, 2, time.Second},
		{"at the limit", 30 * time.Second, 2, 31 * time.Second},
		{"above the limit", 31 * time.Second, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model := script.New(failing(&llm.Error{Kind: llm.RateLimited, RetryAfter: tt.after}), script.Say("hello"))
				began := time.Now()
				_, err := collect(t.Context(), llm.Retrying(model, nil))
				took := time.Since(began)
				if n := len(model.Requests()); n != tt.asked || (err == nil) != (n == 2) {
					t.Errorf("asked %d times with %v, want %d times", n, err, tt.asked)
				}
				if took > tt.atMost || tt.asked == 2 && took < tt.after {
					t.Errorf("it waited %s, want between %s and %s", took, tt.after, tt.atMost)
				}
			})
		})
	}
}

func TestRetryingStopsWaitingWhenItIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script.New(failing(&llm.Error{Kind: llm.RateLimited, RetryAfter: 20 * time.Second}), script.Say("hello"))
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errStopped) })
		began := time.Now()
		_, err := collect(ctx, llm.Retrying(model, nil))
		if err != errStopped || time.Since(began) != time.Second || len(model.Requests()) != 1 {
			t.Errorf("got %v after %s and %d requests", err, time.Since(began), len(model.Requests()))
		}
	})
}

func TestRetryingEndsWhenTheConsumerLeaves(t *testing.T) {
	model := script.New(script.Answer{script.Text("one"), script.Text("two"), script.Fail(unavailable)}, script.Say("never"))
	for range llm.Retrying(model, nil).Invoke(t.Context(), llm.Request{}) {
		break
	}
	if n := len(model.Requests()); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
}
