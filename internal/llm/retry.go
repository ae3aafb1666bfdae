package llm

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"math/rand/v2"
	"time"

	"discoclaw/internal/sleep"
)

// maxRetries limits the retries of a request. Each one may cost money, and the requester waits
// for the answer.
const maxRetries = 2

// RetryOptions say how to wait between attempts.
type RetryOptions struct {
	// Pause is the backoff before the first retry; it doubles with each. The default is one
	// second.
	Pause time.Duration
	// MaxRetryAfter is the longest pause that a server may ask for. If it asks for more, the
	// error is returned at once and says how long. The default is 30 seconds.
	MaxRetryAfter time.Duration
	// Log has a line for every retry. It may be nil.
	Log *slog.Logger
}

// Retrying retries requests that failed before the first event of an answer with a temporary
// error: RateLimited or Unavailable. A request that timed out may still be at work, and be
// paid for, so it is not retried.
func Retrying(r Runtime, o RetryOptions) Runtime {
	o.Pause = cmp.Or(o.Pause, time.Second)
	o.MaxRetryAfter = cmp.Or(o.MaxRetryAfter, 30*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &retrying{runtime: r, RetryOptions: o}
}

type retrying struct {
	runtime Runtime
	RetryOptions
}

func (r *retrying) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for retries := 0; ; retries++ {
			heard, left, failure := r.attempt(ctx, req, yield)
			if left || failure == nil {
				return
			}
			pause, again := r.pause(failure, retries)
			if heard || !again {
				yield(nil, failure)
				return
			}
			r.log(ctx, failure, pause)
			if !sleep.For(ctx, pause) {
				yield(nil, context.Cause(ctx))
				return
			}
		}
	}
}

// attempt passes one stream on. It returns whether there was an event, whether the consumer
// has left, and how the stream failed.
func (r *retrying) attempt(ctx context.Context, req Request, yield func(Event, error) bool) (heard, left bool, failure error) {
	for event, err := range r.runtime.Invoke(ctx, req) {
		if err != nil {
			return heard, false, err
		}
		heard = true
		if !yield(event, nil) {
			return heard, true, nil
		}
	}
	return heard, false, nil
}

// pause returns the backoff before another attempt, if there should be one.
func (r *retrying) pause(failure error, retries int) (time.Duration, bool) {
	e, ok := errors.AsType[*Error](failure)
	switch {
	case !ok || retries >= maxRetries || e.RetryAfter > r.MaxRetryAfter:
		return 0, false
	case e.Kind != RateLimited && e.Kind != Unavailable:
		return 0, false
	}
	// Half of it is random (jitter), so that requests that failed together are not retried
	// together.
	backoff := r.Pause << retries
	return max(e.RetryAfter, backoff/2) + rand.N(backoff/2+1), true
}

func (r *retrying) log(ctx context.Context, failure error, pause time.Duration) {
	e, _ := errors.AsType[*Error](failure)
	r.Log.WarnContext(ctx, "model request failed, retrying", "runtime", e.Runtime, "reason", string(e.Kind), "pause", pause, "err", e.Details())
}
