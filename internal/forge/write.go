package forge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/llm"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/doc"
)

// maxPlan bounds what a model can make of a plan, in bytes.
const maxPlan = 100 << 10

// write has a plan drafted or revised.
func (r *run) write(ctx context.Context, d doc.Doc, p Progress, q ask.Question) error {
	strict := true
	answer, err := r.model(p).Checked(ctx, q, func(answer string) error {
		if r.keeps(answer) {
			return nil
		}
		err := r.checkPlan(d, planIn(answer), strict)
		r.note(ctx, d, err)
		// Sections that are missing are worth a second try, but no third: an audit can say so as well.
		strict = false
		return err
	})
	var bad *ask.Malformed
	if err != nil && !errors.As(err, &bad) {
		return err
	}
	return r.update(ctx, func(now doc.Doc) (string, State, error) {
		switch {
		case bad != nil:
			return now.Text(), r.done(Outcome{Reason: Undrafted}), nil
		case isEdited(d, now):
			return now.Text(), r.done(Outcome{Reason: Edited}), nil
		}
		next := State{Step: Audit, Round: r.state.Round, Last: r.state.Last}
		if r.keeps(answer) {
			return now.Text(), next, nil
		}
		text, err := now.Merge(planIn(answer))
		return text, next, err
	})
}

// keeps reports whether an answer leaves the plan as it is, which only a revision can.
func (r *run) keeps(answer string) bool {
	return r.state.Step == Revise && strings.Trim(strings.TrimSpace(answer), "`*.") == unchanged
}

// checkPlan returns what is wrong with a model's plan. If it is strict, that includes issues which an audit would find.
func (r *run) checkPlan(d doc.Doc, plan string, strict bool) error {
	if len(plan) > maxPlan {
		return fmt.Errorf("the plan is longer than %d KiB; write less", maxPlan>>10)
	}
	if err := doc.CheckDraft(plan, r.Template); err != nil {
		return err
	}
	text, err := d.Merge(plan)
	if err != nil {
		return err
	}
	merged, err := doc.Parse(text)
	if err != nil {
		return err
	}
	if issues := graveIssues(merged); strict && len(issues) > 0 {
		return errors.New(strings.TrimSuffix(issueLine(issues), "."))
	}
	return nil
}

// planIn returns the plan in an answer, without what models say before it and without a code block around it.
func planIn(answer string) string {
	const title = "# Plan:"
	answer = strings.TrimSpace(answer)
	at := strings.Index("\n"+answer, "\n"+title)
	if at <= 0 {
		return answer
	}
	before, plan := strings.TrimRight(answer[:at], " \t\r\n"), answer[at:]
	opening := before[strings.LastIndexByte(before, '\n')+1:]
	fence := opening[:len(opening)-len(strings.TrimLeft(opening, "`"))]
	end := strings.LastIndexByte(plan, '\n') + 1
	if len(fence) >= 3 && plan[end:] == fence {
		plan = plan[:end]
	}
	return strings.TrimSpace(plan)
}

// model is the model for one step, which shows what it does and ends in time.
func (r *run) model(p Progress) ask.Model {
	tries := 0
	return func(ctx context.Context, q ask.Question) (string, error) {
		if err := context.Cause(ctx); err != nil {
			return "", err
		}
		p.Retrying = tries > 0
		tries++
		r.tell(p)
		limited, cancel := context.WithTimeout(ctx, r.timeout)
		defer cancel()
		answer, err := r.ask(limited, q)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			err = &llm.Error{Kind: llm.Timeout, Waited: r.timeout, Err: err}
		}
		return answer, err
	}
}

// note logs that an answer cannot be used.
func (r *run) note(ctx context.Context, d doc.Doc, flaw error) {
	if flaw != nil {
		r.log.WarnContext(ctx, "model's answer cannot be used", "plan", d.ID, "reason", flaw)
	}
}

// done is the state of work that ended. Without an audit of its own, an outcome has what the last one found.
func (r *run) done(o Outcome) State {
	if o.Rounds == 0 {
		o.Rounds, o.Severity = r.state.Round, r.state.Severity
	}
	return State{Step: Done, Round: o.Rounds, Last: r.state.Last, Outcome: o}
}
