package actions

import (
	"context"
	"errors"
	"time"

	"discoclaw/internal/chat"
)

// An Outcome is the result of a request.
type Outcome struct {
	Request Request
	Action  *Action // nil when the name is unknown
	Verdict Verdict
	Input   any // the action's own struct; nil if the request was not decoded
	Result  Result
	Pending *Pending // not nil for an action without approval; with an Err, approval could not be asked for
	Err     error    // nil if it succeeded or waits for approval
	Took    time.Duration

	Approved bool // it was approved

	asked bool // it is held, and approval was asked for by an earlier process
}

// Done reports whether the action was carried out.
func (o Outcome) Done() bool { return o.Err == nil && o.Pending == nil }

// Line is the report of the outcome.
func (o Outcome) Line() string {
	if o.Err != nil {
		name := inCode(o.Request.Type) // whatever a model wrote
		if o.Action != nil {
			name = o.Action.Name
		}
		return "Failed: " + name + ": " + o.Err.Error()
	}
	if o.waits() {
		return "Asked: " + o.Action.Name + ": not done yet; a person has been asked to approve it"
	}
	return "Done: " + o.Result.Summary
}

// waits reports whether approval was asked for.
func (o Outcome) waits() bool { return o.Pending != nil && o.Err == nil }

// silent reports whether the user gets no line. A held action has its card instead.
func (o Outcome) silent() bool {
	return o.Request.Quiet || o.waits() || o.Done() && o.Action.Quiet
}

// maxShown is how many characters of one result the user gets. A result may be a very long
// list; the model gets more of it.
const maxShown = 1800

// Lines are the Done and Failed lines that the user sees below the reply.
func Lines(outs []Outcome) []string {
	var lines []string
	for _, o := range outs {
		if !o.silent() {
			lines = append(lines, chat.Cut(o.Line(), maxShown))
		}
	}
	return lines
}

// AllLines has one line for every outcome, for the model.
func AllLines(outs []Outcome) []string {
	lines := make([]string, len(outs))
	for i, o := range outs {
		lines[i] = o.Line()
	}
	return lines
}

// Replies are the texts of actions for the reader of the reply.
func Replies(outs []Outcome) []string {
	var texts []string
	for _, o := range outs {
		if o.Done() && o.Result.Reply != "" {
			texts = append(texts, o.Result.Reply)
		}
	}
	return texts
}

// A Round has the results of one reply.
type Round struct {
	Outcomes  []Outcome
	Stripped  []string
	Malformed []Malformed
}

// A Reason says why there is a follow-up.
type Reason uint8

const (
	NoFollowUp Reason = iota
	Results           // a query succeeded
	Failure           // something that was not a query failed
	Repair            // nothing worked because of malformed requests
)

// FollowUp reports whether the model should be asked again, and why.
//
// A failed query is no reason: its Failed line says all there is. A request whose fields
// did not fit was never tried; it gets one chance of a repair, query or not.
func FollowUp(r Round) Reason {
	var found, failed, misfit bool
	for _, o := range r.Outcomes {
		query := o.Action != nil && o.Action.Effect == Queries
		var input *InputError
		switch {
		case o.waits():
		case o.Err == nil:
			found = found || query
		case o.Request.Quiet || errors.Is(o.Err, ErrNotRun):
		case errors.As(o.Err, &input):
			misfit = true
		case !query:
			failed = true
		}
	}
	switch {
	case failed || found && misfit:
		return Failure
	case found:
		return Results
	case misfit || len(r.Malformed) > 0 && len(r.Outcomes)+len(r.Stripped) == 0:
		return Repair
	}
	return NoFollowUp
}

// Rounds calls step, and again with its result while a follow-up is due, at most extra
// more times. A reply is sent back for repair once: a second attempt would not succeed
// either.
func Rounds(ctx context.Context, extra int, step func(ctx context.Context, n int, why Reason, prev Round) (Round, error)) error {
	var prev Round
	why, repaired := NoFollowUp, false
	for n := 0; ; n++ {
		cur, err := step(ctx, n, why, prev)
		if err != nil {
			return err
		}
		why, prev = FollowUp(cur), cur
		if n >= extra || why == NoFollowUp || why == Repair && repaired {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx) // a follow-up is due, which a resumed turn goes on with
		}
		repaired = repaired || why == Repair
	}
}
