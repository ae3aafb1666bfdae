package actions

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/consent"
)

// A Handler runs one bound action.
type Handler func(ctx context.Context, call Call, b Bound) (Result, error)

// A Middleware wraps a Handler with a concern of every action: permissions, confirmation,
// tracing, a deadline. It sees the decoded input.
type Middleware func(Handler) Handler

// A Holder holds destructive actions until they are approved.
type Holder interface {
	// Hold asks for approval of all destructive actions of one reply. The error says why that
	// is not possible.
	Hold(ctx context.Context, o Origin, held []Pending) error
}

// A Pending action waits for approval.
type Pending struct {
	Request Request // with resolved references: it means the same whenever it runs
	What    string  // its effect, in Markdown: one sentence that begins with a verb, "Kick zed."
	Kind    string  // what its type does, in a few words; only if it is held because there are so many changes

	Words   []string          // the words of messages in What, in quotes
	Outside chat.Sources      // the outside texts among them
	Names   map[string]string // of channels that What mentions
}

// Plain is the effect without the words of messages, for what stays longer than these may: one of them may be deleted.
func (p Pending) Plain() string {
	what := p.What
	for _, words := range p.Words {
		what = strings.Replace(what, " "+words, "", 1)
	}
	return what
}

// Record is Plain with the names of channels instead of mentions: it can still be understood when they are renamed or gone.
func (p Pending) Record() string {
	what := p.Plain()
	for mention, name := range p.Names {
		what = strings.ReplaceAll(what, mention, name)
	}
	return what
}

// A Recorder gets the outcome of every request, before the next one runs.
type Recorder interface {
	Settled(ctx context.Context, o Origin, out Outcome)
}

// DispatcherOptions are the dependencies of a dispatcher. The zero value works.
type DispatcherOptions struct {
	Hold   Holder   // for destructive actions; nil refuses them
	Mass   int      // how many changes of Discord a turn may make without approval; 0 means any number
	Taint  Taint    // what becomes of changes in a turn that has read outside text
	Record Recorder // may be nil
	// Channels finds the channels that a held change names besides its own. Nil leaves the names.
	Channels FindChannel
	// Users finds the users whom a change names that is held before they were looked up. Nil leaves the names.
	Users FindUser
	// Roles finds the roles that a request names, to compare it with what was done. Nil leaves the names.
	Roles FindRole
	// Messages finds the messages that a held request names. Nil leaves their links.
	Messages FindMessage
	// Readable tells where the words of a message may be quoted. Nil means nowhere.
	Readable FindReadable
	// Places finds channels of any kind, to tell whether words name one.
	Places FindChannel
	// Consent returns the clean reader for a turn, with TaintCheck. It needs Places, Users and Roles. Nil asks people instead.
	Consent func(o Origin) consent.Reader
	// Warn logs that something was dealt with; may be nil.
	Warn func(ctx context.Context, what string, err error)
	// Source returns the outside texts of a message; nil means that every author is an outsider.
	Source chat.SourceOf
	// Titles returns the outside texts of the titles that a result quotes; may be nil.
	Titles func(g chat.GuildID, text string) chat.Sources
	// Mark records the outside texts after which a message of the bot was written; may be nil.
	Mark func(of chat.Sources, m chat.MessageID)
	// MarkName does that for a name that the bot has given to something on a server; may be nil.
	MarkName func(of chat.Sources, g chat.GuildID, name string)
	// RoleOpens returns what channels allow those who have a role. Nil means that nobody knows, so giving a role asks.
	RoleOpens func(g chat.GuildID, r chat.RoleID) ([]chat.Permission, error)
	Limit     time.Duration // timeout of one action; 0 means none
}

// A Dispatcher runs requests. It is safe for concurrent use.
type Dispatcher struct {
	DispatcherOptions
	handle Handler
}

// NewDispatcher puts the middlewares around every action, the first outermost.
//
// An action that needs a permission or an approval runs only if a middleware has
// vouched for it on the Call. So a dispatcher without its guards refuses such actions
// instead of running them.
func NewDispatcher(o DispatcherOptions, mw ...Middleware) *Dispatcher {
	handle := Handler(runChecked)
	for i := len(mw) - 1; i >= 0; i-- {
		handle = mw[i](handle)
	}
	return &Dispatcher{o, handle}
}

// runChecked is the innermost Handler. It turns a panic into an error itself, so that
// middlewares see it like any other failure.
func runChecked(ctx context.Context, call Call, b Bound) (res Result, err error) {
	defer recoverInto(&err)
	if call.weigh != nil {
		call.weigh(ctx, call, b)
		return Result{}, errWeighed
	}
	granted := call.granted(ctx, b)
	switch {
	case b.Bounded() && !call.permitted:
		return Result{}, errors.New("not done, because nothing checked the rights of who asked")
	case call.tainted(b) && call.taint == TaintRefuse && !granted:
		return Result{}, call.refusal()
	case call.tainted(b) && !b.Action.Destructive && !granted:
		return Result{}, asWritten(ctx, call, b)
	case b.holds(ctx, call) != "" && !call.approved:
		return Result{}, asWritten(ctx, call, b)
	case call.mass && b.Action.counts() && !b.Action.Destructive && !call.approved:
		return Result{}, asWritten(ctx, call, b)
	case b.Action.Destructive && (!call.approved || call.tainted(b)) && !granted:
		return Result{}, hold(ctx, call, b)
	case b.Action.Effect != Queries && slices.Contains(call.closing, call.checked) && !b.Action.Destructive && !call.approved:
		return Result{}, asWritten(ctx, call, b)
	}
	if !call.approved && !granted {
		asks, err := b.asks(ctx, call)
		if err == nil && asks {
			err = asWritten(ctx, call, b)
		}
		if err != nil {
			return Result{}, err
		}
	}
	if call.begin != nil && b.Action.Effect != Queries {
		if err := call.begin(ctx); err != nil {
			return Result{}, fmt.Errorf("%s: %w", NotWritten, err)
		}
	}
	res, err = b.do(chat.AskedBy(ctx, chat.Asker{User: call.Origin.Requester, Place: call.Origin.Place}), call)
	if b.Action.Effect != Queries && err == nil {
		res.Summary = b.saying(res.Summary)
	}
	if b.Action.Effect == Queries && res.Found == "" {
		res.Found, res.Summary = res.Summary, "looked it up" // what a query finds is never in its line by mistake
	}
	if res.Found != "" && b.Action.Reads == Undeclared {
		res.Outside.Add(chat.Sources("what " + b.Action.Name + " found"))
	}
	return res, err
}

// NotWritten begins the error of an action that was not run, since that could not be
// recorded first. The reply to a command has the same words.
const NotWritten = "not done, because it could not be written down"

// hold prepares a destructive action for its approval.
func hold(ctx context.Context, call Call, b Bound) error {
	call.quoted = new(quotes)
	settled, what, err := b.ask(ctx, call)
	if err != nil {
		return err
	}
	r, err := b.Action.request(settled)
	if err != nil {
		return err
	}
	return &pendingError{call.pending(ctx, r, b.saying(what))}
}

// A pendingError carries an action without approval out through the middlewares.
type pendingError struct{ held Pending }

func (*pendingError) Error() string {
	return "not done, because it cannot be undone and nobody was asked"
}

// Execute runs the requests in order, one outcome for each. A failure does not
// stop the next one; the end of ctx does, and the outcomes of the rest say so. Nothing
// outside the gate is ever run, with or without Split. Destructive actions are not run
// either: they are held, and approval is asked for all of them at once.
func (d *Dispatcher) Execute(ctx context.Context, o Origin, g Gate, reqs []Request) []Outcome {
	return d.Resume(ctx, o, g, reqs, nil, 0)
}

// ExecuteApproved is Execute for approved requests, each as it stands.
func (d *Dispatcher) ExecuteApproved(ctx context.Context, o Origin, g Gate, reqs []Request) []Outcome {
	call := Call{Origin: o, afterwards: true}
	return d.executeAll(ctx, call.Approved(), g, reqs, nil)
}

// Resume is Execute for a reply that an earlier process may have begun to execute. Requests
// that have begun are not repeated, unless their action is idempotent. Before is how many changes the
// earlier replies of the turn have made.
func (d *Dispatcher) Resume(ctx context.Context, o Origin, g Gate, reqs []Request, p Progress, before int) []Outcome {
	return d.executeAll(ctx, Call{Origin: o, mass: d.isMass(g, reqs, before), taint: d.taintOf(o), source: d.Source}, g, reqs, p)
}

func (d *Dispatcher) executeAll(ctx context.Context, call Call, g Gate, reqs []Request, p Progress) []Outcome {
	ctx, call.gate = chat.InRound(ctx), g
	call.sent, call.channels, call.users, call.mark = map[chat.ChannelID]chat.MessageID{}, d.Channels, d.Users, d.Mark
	call.messages, call.readable = d.Messages, d.Readable
	progress := newProgress(p, reqs)
	outs := make([]Outcome, len(reqs))
	weighed := d.weigh(ctx, call, g, reqs, progress)
	for i, r := range reqs {
		record, known := progress.recall(i)
		switch {
		case known && record.Settled:
			outs[i] = record.outcome(g, r, call.sent)
			continue
		case known && !g.runsAgain(r.Type):
			outs[i] = Outcome{Request: r}
			outs[i].Action, outs[i].Verdict = g.lookup(r.Type)
			outs[i].Err = interrupted(outs[i].Action)
		case i < maxActions || call.approved: // an approval is for all that the card showed
			call.begin, call.idempotencyKey = progress.beginning(i), progress.idempotencyKey(i)
			outs[i] = d.executeWeighed(ctx, call, g, r, weighed[i])
			if d.Titles != nil && call.Origin.Place.Guild != "" {
				outs[i].Result.Outside.Add(d.Titles(call.Origin.Place.Guild, strings.Join(AllLines(outs[i:i+1]), "\n")))
			}
			if outs[i].Pending != nil {
				call.makes = append(call.makes, member(r, "name"))
				call.closing = append(call.closing, outs[i].closes()...)
			}
			if known && outs[i].Err != nil { // it failed now, but had begun before
				outs[i].Err = fmt.Errorf("%w (it may have been done before I was restarted)", outs[i].Err)
			}
		default:
			outs[i] = Outcome{Request: r, Err: ErrTooMany}
			outs[i].Action, outs[i].Verdict = g.lookup(r.Type)
		}
		outs[i].Approved = call.approved
		// Held ones too: they are recorded before the question can be answered.
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

// askAbout asks for approval of the held actions, and returns their indexes. If that fails,
// so do they.
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
		return ErrNotRun // the turn was cancelled
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

// executeWeighed executes a request, in the form in which it was asked for if it was.
func (d *Dispatcher) executeWeighed(ctx context.Context, call Call, g Gate, r Request, w *weighed) Outcome {
	if w == nil || !w.asked {
		out := d.execute(ctx, call, g, r)
		if w != nil {
			out.wanted, out.unnamed = w.line, !w.named
		}
		return out
	}
	call.asked = true
	out := d.execute(ctx, call, g, w.request)
	if out.Action != nil {
		written, _ := out.Action.Bind(r.Args) // it was decoded before
		out.Ignored = written.Ignored
	}
	out.Request, out.Asked, out.wanted, out.unnamed = r, true, w.line, !w.named
	d.markNames(call.Origin, out, w.request)
	return out
}

func (d *Dispatcher) execute(ctx context.Context, call Call, g Gate, r Request) (out Outcome) {
	defer recoverInto(&out.Err)
	out.Request = r
	out.Action, out.Verdict = g.lookup(r.Type)
	if out.Verdict.Decision != Allowed {
		out.Err = out.Verdict.Refusal(out.Verdict.Why)
		return out
	}
	if ctx.Err() != nil {
		out.Err = ErrNotRun
		return out
	}
	if r.Lacks != "" {
		out.Err = errors.New(r.Lacks)
		return out
	}
	bound, err := out.Action.Bind(r.Args)
	out.Input, out.Ignored = bound.Input, bound.Ignored
	if err != nil {
		out.Err = err
		return out
	}
	began := time.Now()
	defer func() { out.Took = time.Since(began) }()
	out.Result, out.Err = d.run(ctx, call, bound)
	if out.Found() {
		if err := d.withheld(ctx, call, bound, out.Result); err != nil {
			out.Result, out.Err = Result{}, err
		}
	}
	if (call.mass || call.taint == TaintConfirm || call.taint == TaintCheck) && bound.Action.counts() && ctx.Err() == nil {
		out.Err = call.heldTogether(ctx, bound, out.Err)
	}
	if waits := (*pendingError)(nil); errors.As(out.Err, &waits) && d.Hold != nil {
		out.Pending, out.Err = &waits.held, nil
	}
	if denied := (interface{ Lacking() *Lack })(nil); errors.As(out.Err, &denied) {
		out.Lack = denied.Lacking()
	}
	return out
}

// run runs an action with its timeout.
func (d *Dispatcher) run(ctx context.Context, call Call, b Bound) (Result, error) {
	if d.Limit <= 0 {
		return d.handle(ctx, call, b)
	}
	limit := max(d.Limit, b.Action.Limit)
	late := fmt.Errorf("given up after %v; please check whether it was done before trying again", limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	res, err := d.handle(ctx, call, b)
	if err != nil && context.Cause(ctx) == late {
		return res, late
	}
	return res, err
}

// maxActions is how many actions one reply may have. More are the mistake of a model that
// repeats itself.
const maxActions = 25

// ErrTooMany is the error of a request beyond the number that a reply may have.
var ErrTooMany = fmt.Errorf("not done, because I do at most %d things in one reply", maxActions)

// ErrNotRun is the error of a request that was not reached before the turn was cancelled.
var ErrNotRun = errors.New("not done, because I was stopped")

// A PanicError is a panic in an action or a middleware. The user only gets that there was
// one; Value and Stack are for the log.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return "there is a fault inside me; my log has the details" }

// Details describes the fault, for the log.
func (e *PanicError) Details() string { return fmt.Sprintf("%v\n%s", e.Value, e.Stack) }

// recoverInto is deferred where a panic must become an error.
func recoverInto(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}
