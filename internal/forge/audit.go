package forge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/verdict"
)

// maxNotes bounds, in characters, what is kept of an audit, so that a plan does not grow without end.
const maxNotes = 16 << 10

// Audit has a plan audited once, and writes the review into it. Faults of its form are a review of their own, for which no
// model is asked. The state of the work on the plan stays what it is.
func (f *Forge) Audit(ctx context.Context, w Work, store Store, tell func(Progress)) (Outcome, error) {
	r := f.work(w, store, tell)
	d, err := store.Load(ctx)
	if err != nil {
		return Outcome{}, err
	}
	var o opinion
	if issues := graveIssues(d); len(issues) > 0 {
		o.notes, o.Severity = formReview(issues), verdict.Blocking
		for _, i := range issues {
			o.Concerns = append(o.Concerns, verdict.Concern{Title: strings.TrimSuffix(i.Text, "."), Severity: i.Severity})
		}
	} else {
		if o, err = r.judge(ctx, d, Progress{Step: Audit, Round: 1, Last: 1}); err != nil {
			return Outcome{}, err
		}
		o.notes = joined(issueNotes(d.Check()), o.notes)
	}
	var out Outcome
	err = r.update(ctx, func(now doc.Doc) (string, State, error) {
		edited := isEdited(d, now)
		out = o.outcome(edited)
		return r.withReview(now, o.notes, edited), w.State, nil
	})
	return out, err
}

// audit is one round of the loop.
func (r *run) audit(ctx context.Context, d doc.Doc) error {
	round := r.state.Round + 1
	o, err := r.judge(ctx, d, Progress{Step: Audit, Round: round, Last: r.state.Last})
	if err != nil {
		return err
	}
	return r.update(ctx, func(now doc.Doc) (string, State, error) {
		edited := isEdited(d, now)
		out := o.outcome(edited)
		out.Rounds = round
		text := r.withReview(now, o.notes, edited)
		switch {
		case out.Reason == Clean:
			return r.clean(text, out)
		case out.Reason != Blocked:
			return text, r.done(out), nil
		case round >= r.state.Last:
			out.Reason = CapReached
			return r.capReached(text, out)
		}
		return text, State{Step: Revise, Round: round, Last: r.state.Last, Severity: o.Severity, Notes: o.notes}, nil
	})
}

// clean ends the work on a plan that passed. An auditor may overlook what a look at its form shows.
func (r *run) clean(text string, out Outcome) (string, State, error) {
	d, err := doc.Parse(text)
	if err != nil {
		return "", State{}, err
	}
	if issues := graveIssues(d); len(issues) > 0 {
		out.Warning = issueLine(issues)
		text = r.withReview(d, formReview(issues), false)
	}
	return text, r.done(out), nil
}

func (r *run) capReached(text string, out Outcome) (string, State, error) {
	d, err := doc.Parse(text)
	if err != nil {
		return "", State{}, err
	}
	note := fmt.Sprintf("VERDICT: CAP_REACHED. Something still blocks after %s, and no rounds are left. A person has to decide.", chat.Counted(out.Rounds, "audit", "audits"))
	return d.WithLogNote(note), r.done(out), nil
}

func (r *run) withReview(d doc.Doc, notes string, edited bool) string {
	if edited {
		notes = joined(notes, "The plan was changed while this audit ran, which is about the text before.", "**Verdict:** none for the plan as it is now")
	}
	return d.WithReview(r.now().Format(time.DateOnly), notes)
}

// formReview is the review of a plan whose form is wrong.
func formReview(issues []doc.Issue) string {
	return joined("The form of the plan, without an auditor:", issueNotes(issues), "**Verdict:** "+verdict.NeedsRevision)
}

// An opinion is what an auditor said.
type opinion struct {
	verdict.Verdict
	notes string // for the audit log
}

func (o opinion) outcome(edited bool) Outcome {
	out := Outcome{Reason: Blocked, Severity: o.Severity, Concerns: o.Concerns, Rounds: 1}
	switch {
	case edited:
		out.Reason = Edited
	case o.Severity == verdict.Unstated:
		out.Reason = Malformed
	case o.Passes():
		out.Reason = Clean
	}
	return out
}

// judge asks the auditor about a plan. An answer without a verdict is no error, but an opinion without one.
func (r *run) judge(ctx context.Context, d doc.Doc, p Progress) (opinion, error) {
	var o opinion
	word := verdict.NewWord()
	_, err := r.model(p).Checked(ctx, r.auditQuestion(d, word), func(answer string) error {
		v, flaw := verdict.Read(answer, word)
		o = opinion{v, v.Notes()}
		if flaw != nil {
			said := strings.Join(chat.Lines(strings.TrimSpace(chat.Clip(answer, maxNotes))), "\n> ")
			o.notes = joined("> "+said, "**Verdict:** none that can be used; a person has to review the plan")
		}
		r.note(ctx, d, flaw)
		return flaw
	})
	if err != nil && !errors.As(err, new(*ask.Malformed)) {
		return opinion{}, err
	}
	return o, nil
}
