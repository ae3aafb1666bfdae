package llm

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
)

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
			failure, left := f.attempt(ctx, req, yield)
			if left || failure == nil {
				return
			}
			e, ok := errors.AsType[*Error](failure)
			if !ok || !e.elsewhere() || len(others) == 0 || ctx.Err() != nil {
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

// attempt passes one answer on. It returns the error of one that has not begun, which is not passed on.
func (f *fallback) attempt(ctx context.Context, req Request, yield func(Event, error) bool) (failure error, left bool) {
	begun := false
	for event, err := range f.runtime.Invoke(ctx, req) {
		if err != nil && !begun {
			return err, false
		}
		if _, waits := event.(Queued); !waits {
			begun = true
		}
		if !yield(event, err) {
			return nil, true
		}
	}
	return nil, false
}

// elsewhere reports whether another model may answer the same request.
func (e *Error) elsewhere() bool {
	switch e.Kind {
	case Unavailable, RateLimited, NoCredit, NoSuchModel, Unauthorized, Forbidden:
		return true
	}
	return false
}
