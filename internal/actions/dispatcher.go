package actions

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"discoclaw/internal/chat"
)

// A Handler runs one bound action.
type Handler func(ctx context.Context, call Call, b Bound) (Result, error)

// A Middleware wraps a Handler with something that concerns every action:
// permissions, confirmation, tracing, a deadline. It sees the decoded input.
type Middleware func(Handler) Handler

// A Dispatcher runs requests. It is safe for concurrent use.
type Dispatcher struct {
	handle Handler
}

// NewDispatcher puts the middlewares around every action, the first outermost.
//
// An action that needs a permission or an approval runs only if a middleware has
// vouched for it on the Call. So a dispatcher that somebody forgot to give its
// guards refuses such actions instead of running them.
func NewDispatcher(mw ...Middleware) *Dispatcher {
	handle := Handler(runVouched)
	for i := len(mw) - 1; i >= 0; i-- {
		handle = mw[i](handle)
	}
	return &Dispatcher{handle: handle}
}

// runVouched is what all middlewares stand around. It turns a panic into an error
// itself, so that they see a fault like any other failure.
func runVouched(ctx context.Context, call Call, b Bound) (res Result, err error) {
	defer recoverInto(&err)
	switch {
	case len(b.Action.Needs) > 0 && !call.permitted:
		return Result{}, errors.New("not run, because nothing checked the permissions of who asked")
	case b.Action.Grave && !call.approved:
		return Result{}, errors.New("not run, because it cannot be undone and nobody was asked")
	}
	return b.Action.do(ctx, call, b.Input)
}

// Execute runs the requests in order, one outcome for each. A failure does not
// stop the next one; the end of ctx does, and what was not run says so. Nothing
// outside the gate is ever run, whether or not Split was asked before.
func (d *Dispatcher) Execute(ctx context.Context, o Origin, g Gate, reqs []Request) []Outcome {
	outs := make([]Outcome, len(reqs))
	call := Call{Origin: o, sent: map[chat.ChannelID]chat.MessageID{}}
	for i, r := range reqs {
		if i >= mostActions {
			outs[i] = Outcome{Request: r, Err: ErrTooMany}
			outs[i].Action, outs[i].Verdict = g.lookup(r.Type)
			continue
		}
		outs[i] = d.execute(ctx, call, g, r)
	}
	return outs
}

func (d *Dispatcher) execute(ctx context.Context, call Call, g Gate, r Request) (out Outcome) {
	defer recoverInto(&out.Err)
	out.Request = r
	out.Action, out.Verdict = g.lookup(r.Type)
	if out.Verdict.Decision != Allowed {
		out.Err = errors.New(out.Verdict.Reason())
		return out
	}
	if ctx.Err() != nil {
		out.Err = ErrNotRun
		return out
	}
	bound, err := out.Action.Bind(r.Args)
	if err != nil {
		out.Err = err
		return out
	}
	began := time.Now()
	defer func() { out.Took = time.Since(began) }()
	out.Result, out.Err = d.handle(ctx, call, bound)
	return out
}

// mostActions is how many actions one reply may have. No person means more; a model
// that repeats itself does.
const mostActions = 25

// ErrTooMany is the error of a request beyond the number that a reply may have.
var ErrTooMany = fmt.Errorf("not run, because a reply may have at most %d actions", mostActions)

// ErrNotRun is the error of a request that was not reached before its turn was
// stopped.
var ErrNotRun = errors.New("not run, because the turn was stopped")

// A PanicError is a fault in an action or a middleware. The user is told that
// there was one; Value and Stack are for the log.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return "internal fault; the log has the details" }

// Details describes the fault, for the log.
func (e *PanicError) Details() string { return fmt.Sprintf("%v\n%s", e.Value, e.Stack) }

// recoverInto is deferred where a panic must become an error.
func recoverInto(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}
