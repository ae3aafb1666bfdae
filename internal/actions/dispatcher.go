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

// A Holder keeps grave actions until a person has agreed to them.
type Holder interface {
	// Hold asks a person about all that one reply wants to do. The error says why
	// nobody could be asked.
	Hold(ctx context.Context, o Origin, held []Pending) error
}

// A Pending action waits for a person's word.
type Pending struct {
	Request Request // settled: it means the same whenever it runs
	What    string  // will happen, in Markdown
}

// A Recorder is told what became of every request, as soon as that is certain and
// before the next one runs.
type Recorder interface {
	Settled(ctx context.Context, o Origin, out Outcome)
}

// DispatcherOptions are what a dispatcher works with. The zero value will do.
type DispatcherOptions struct {
	Hold   Holder        // for grave actions; nil refuses them
	Record Recorder      // may be nil
	Limit  time.Duration // for one action; 0 means none
}

// A Dispatcher runs requests. It is safe for concurrent use.
type Dispatcher struct {
	DispatcherOptions
	handle Handler
}

// NewDispatcher puts the middlewares around every action, the first outermost.
//
// An action that needs a permission or an approval runs only if a middleware has
// vouched for it on the Call. So a dispatcher that somebody forgot to give its
// guards refuses such actions instead of running them.
func NewDispatcher(o DispatcherOptions, mw ...Middleware) *Dispatcher {
	handle := Handler(runChecked)
	for i := len(mw) - 1; i >= 0; i-- {
		handle = mw[i](handle)
	}
	return &Dispatcher{o, handle}
}

// runChecked is what all middlewares stand around. It turns a panic into an error
// itself, so that they see a fault like any other failure.
func runChecked(ctx context.Context, call Call, b Bound) (res Result, err error) {
	defer recoverInto(&err)
	switch {
	case b.Action.bounded && !call.permitted:
		return Result{}, errors.New("not run, because nothing checked the permissions of who asked")
	case b.Action.Destructive && !call.approved:
		return Result{}, hold(ctx, call, b)
	}
	if call.begin != nil && b.Action.Effect != Queries {
		if err := call.begin(ctx); err != nil {
			return Result{}, fmt.Errorf("%s: %w", NotWritten, err)
		}
	}
	return b.Action.do(ctx, call, b.Input)
}

// NotWritten begins the error of an action that was not run, since nobody could have known
// afterwards that it was. Of a command, people are told the same.
const NotWritten = "not run, because it could not be written down"

// hold prepares a grave action for the question about it.
func hold(ctx context.Context, call Call, b Bound) error {
	settled, what, err := b.Action.ask(ctx, call, b.Input)
	if err != nil {
		return err
	}
	r, err := b.Action.request(settled)
	if err != nil {
		return err
	}
	return &pendingError{Pending{Request: r, What: what}}
}

// A pendingError carries an action that nobody has agreed to yet out through the
// middlewares.
type pendingError struct{ held Pending }

func (*pendingError) Error() string {
	return "not run, because it cannot be undone and nobody was asked"
}

// Execute runs the requests in order, one outcome for each. A failure does not
// stop the next one; the end of ctx does, and what was not run says so. Nothing
// outside the gate is ever run, whether or not Split was asked before. What is grave
// is not run either: a person is asked about all of it at once, in the end.
func (d *Dispatcher) Execute(ctx context.Context, o Origin, g Gate, reqs []Request) []Outcome {
	return d.executeAll(ctx, Call{Origin: o}, g, reqs, nil)
}

// ExecuteApproved is Execute for requests that a person has agreed to, each as it
// stands.
func (d *Dispatcher) ExecuteApproved(ctx context.Context, o Origin, g Gate, reqs []Request) []Outcome {
	return d.executeAll(ctx, Call{Origin: o}.Approved(), g, reqs, nil)
}

// Resume is Execute for requests of which some may have been run by a process that was
// killed. These are not run again, but for actions of which that does nothing twice.
func (d *Dispatcher) Resume(ctx context.Context, o Origin, g Gate, reqs []Request, p Progress) []Outcome {
	return d.executeAll(ctx, Call{Origin: o}, g, reqs, p)
}

func (d *Dispatcher) executeAll(ctx context.Context, call Call, g Gate, reqs []Request, p Progress) []Outcome {
	call.sent = map[chat.ChannelID]chat.MessageID{}
	progress := newProgress(p, reqs)
	outs := make([]Outcome, len(reqs))
	for i, r := range reqs {
		record, known := progress.recall(i)
		switch {
		case known && record.Settled:
			outs[i] = record.outcome(g, r, call.sent)
			continue
		case known && !g.runsAgain(r.Type):
			outs[i] = Outcome{Request: r, Err: errInterrupted}
			outs[i].Action, outs[i].Verdict = g.lookup(r.Type)
		case i < maxActions || call.approved: // what somebody agreed to is what they saw
			call.begin, call.idempotencyKey = progress.beginning(i), progress.idempotencyKey(i)
			outs[i] = d.execute(ctx, call, g, r)
		default:
			outs[i] = Outcome{Request: r, Err: ErrTooMany}
			outs[i].Action, outs[i].Verdict = g.lookup(r.Type)
		}
		outs[i].Approved = call.approved
		// Also what is held: it is written down before anybody can answer.
		d.settled(ctx, call.Origin, outs[i])
		if outs[i].Pending == nil {
			progress.settle(ctx, call.sent, outs, i)
		}
	}
	if asked := d.askAbout(ctx, call.Origin, outs); len(asked) > 0 {
		progress.settle(ctx, call.sent, outs, asked...)
	}
	return outs
}

// askAbout has a person asked about what is held, and returns which these are. If that is
// not possible, it failed.
func (d *Dispatcher) askAbout(ctx context.Context, o Origin, outs []Outcome) (asked []int) {
	var held []Pending
	for i, out := range outs {
		if out.Pending != nil && !out.asked {
			held, asked = append(held, *out.Pending), append(asked, i)
		}
	}
	if len(held) == 0 {
		return nil
	}
	err := d.hold(ctx, o, held)
	if err == nil {
		return asked
	}
	for _, i := range asked {
		outs[i].Err = err
		d.settled(ctx, o, outs[i])
	}
	return asked
}

func (d *Dispatcher) hold(ctx context.Context, o Origin, held []Pending) (err error) {
	defer recoverInto(&err)
	if ctx.Err() != nil {
		return ErrNotRun // nobody wants to know any more
	}
	if err := d.Hold.Hold(ctx, o, held); err != nil {
		return fmt.Errorf("not done, because nobody could be asked: %w", err)
	}
	return nil
}

func (d *Dispatcher) settled(ctx context.Context, o Origin, out Outcome) {
	if d.Record != nil {
		d.Record.Settled(ctx, o, out)
	}
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
	out.Input = bound.Input
	began := time.Now()
	defer func() { out.Took = time.Since(began) }()
	out.Result, out.Err = d.run(ctx, call, bound)
	if waits := (*pendingError)(nil); errors.As(out.Err, &waits) && d.Hold != nil {
		out.Pending, out.Err = &waits.held, nil
	}
	return out
}

// run gives an action its time, and no more.
func (d *Dispatcher) run(ctx context.Context, call Call, b Bound) (Result, error) {
	if d.Limit <= 0 {
		return d.handle(ctx, call, b)
	}
	late := fmt.Errorf("given up after %v; look whether it was done before trying again", d.Limit)
	ctx, cancel := context.WithTimeoutCause(ctx, d.Limit, late)
	defer cancel()
	res, err := d.handle(ctx, call, b)
	if err != nil && context.Cause(ctx) == late {
		return res, late
	}
	return res, err
}

// maxActions is how many actions one reply may have. No person means more; a model
// that repeats itself does.
const maxActions = 25

// ErrTooMany is the error of a request beyond the number that a reply may have.
var ErrTooMany = fmt.Errorf("not run, because a reply may have at most %d actions", maxActions)

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
