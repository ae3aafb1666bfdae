package llm

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"discoclaw/internal/sleep"
)

// maxRetries limits the retries of a request. Each one may cost money, and the requester waits
// for the answer.
const maxRetries = 2

const (
	firstBackoff  = time.Second      // before the first retry; it doubles with each
	maxRetryAfter = 30 * time.Second // that a server may ask for; if it asks for more, the error is returned at once and says how long
)

// Retrying retries requests that failed before the first event of an answer with a temporary
// error: RateLimited or Unavailable. A request that timed out may still be at work, and be
// paid for, so it is not retried.
//
// Log has a line for every retry. It may be nil.
func Retrying(r Runtime, log *slog.Logger) Runtime {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	return &retrying{runtime: r, log: log}
}

type retrying struct {
	runtime Runtime
	log     *slog.Logger
}

func (r *retrying) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for retries := 0; ; retries++ {
			begun, failure := attempt(r.runtime.Invoke(ctx, req), yield)
			if failure == nil {
				return
			}
			pause, again := backoffOf(failure, retries)
			if begun || !again {
				yield(nil, failure)
				return
			}
			e, _ := errors.AsType[*Error](failure)
			r.log.WarnContext(ctx, "model request failed, retrying", "runtime", e.Runtime, "reason", string(e.Kind), "pause", pause, "err", e.Details())
			if !sleep.For(ctx, pause) {
				yield(nil, context.Cause(ctx))
				return
			}
		}
	}
}

// attempt passes an answer on, but for its error. It returns whether the answer has begun, and the error, which is nil if the consumer
// has left.
func attempt(answer iter.Seq2[Event, error], yield func(Event, error) bool) (begun bool, failure error) {
	for event, err := range answer {
		if err != nil {
			return begun, err
		}
		if _, waits := event.(Queued); !waits {
			begun = true
		}
		if !yield(event, nil) {
			return begun, nil
		}
	}
	return begun, nil
}

// backoffOf returns the pause before another attempt, if there should be one.
func backoffOf(failure error, retries int) (time.Duration, bool) {
	e, ok := errors.AsType[*Error](failure)
	switch {
	case !ok || retries >= maxRetries || e.RetryAfter > maxRetryAfter:
		return 0, false
	case e.Kind != RateLimited && e.Kind != Unavailable:
		return 0, false
	}
	// Half of it is random (jitter), so that requests that failed together are not retried
	// together.
	backoff := firstBackoff << retries
	return max(e.RetryAfter, backoff/2) + rand.N(backoff/2+1), true
}

// Routed passes each request to the runtime that it names. The one that is called primary takes those that
// name none.
func Routed(primary string, runtimes map[string]Runtime) Runtime {
	return &routed{primary: primary, runtimes: runtimes}
}

type routed struct {
	primary  string
	runtimes map[string]Runtime
}

func (r *routed) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	if req.Runtime == "" {
		req.Runtime = r.primary
	}
	if to, ok := r.runtimes[req.Runtime]; ok {
		return to.Invoke(ctx, req)
	}
	return func(yield func(Event, error) bool) {
		yield(nil, &Error{Kind: Refused, Runtime: req.Runtime, Remedy: "name another one, or add its key to the settings", Err: errors.New("there is no such runtime")})
	}
}

// ForTools passes requests with tools to one runtime, and all others to another.
func ForTools(with, without Runtime) Runtime { return forTools{with, without} }

type forTools struct{ with, without Runtime }

func (f forTools) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	if len(req.Tools) > 0 {
		return f.with.Invoke(ctx, req)
	}
	return f.without.Invoke(ctx, req)
}

// Fallback passes requests that fail before the first event of an answer on to others, one after another, as
// long as the reason is one that another model need not have. It says so with a Switched.
func Fallback(r Runtime, others []Choice, log *slog.Logger) Runtime {
	if len(others) == 0 {
		return r
	}
	return &fallback{runtime: r, others: others, log: log}
}

type fallback struct {
	runtime Runtime
	others  []Choice
	log     *slog.Logger
}

func (f *fallback) Invoke(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		asked := Choice{Runtime: req.Runtime, Model: req.Model}
		others := slices.DeleteFunc(slices.Clone(f.others), func(c Choice) bool { return c == asked })
		for {
			begun, failure := attempt(f.runtime.Invoke(ctx, req), yield)
			if failure == nil {
				return
			}
			e, ok := errors.AsType[*Error](failure)
			if begun || !ok || !e.elsewhere() || len(others) == 0 || ctx.Err() != nil {
				yield(nil, failure)
				return
			}
			to := others[0]
			others = others[1:]
			f.log.WarnContext(ctx, "model request failed, asking another model", "runtime", e.Runtime, "to", to.String(), "reason", string(e.Kind), "err", e.Details())
			req.Runtime, req.Model = to.Runtime, to.Model
			if !yield(Switched{To: to, Why: e}, nil) {
				return
			}
		}
	}
}

// elsewhere reports whether another model may answer the same request.
func (e *Error) elsewhere() bool {
	switch e.Kind {
	case Unavailable, RateLimited, NoCredit, NoSuchModel, Unauthorized, Forbidden:
		return true
	}
	return false
}
