package runner

import (
	"context"
	"errors"
	"slices"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/verdict"
)

// audit has a model judge the work of the plan, and mends what it objects to. What was mended is the commit of this phase; if the
// audit does not pass in the end, it is taken back.
func (a *attempt) audit(ctx context.Context) error {
	err := a.auditAndMend(ctx)
	if err == nil {
		return a.commit(ctx)
	}
	if _, ok := errors.AsType[*failure](err); ok {
		// of what is gone
		a.phase.Evidence = slices.DeleteFunc(a.phase.Evidence, func(e verdict.Evidence) bool { return e.Status == verdict.Pass })
		err = errors.Join(a.tree.Reset(ctx, a.phase.Base), err)
	}
	return err
}

// auditAndMend audits until the audit passes, or may not be tried again.
func (a *attempt) auditAndMend(ctx context.Context) error {
	for {
		v, err := a.judgeOnly(ctx)
		if err != nil || v.Passes() {
			return err
		}
		if err := a.converge(ctx, v); err != nil {
			return err
		}
		if a.fixes >= a.o.Fixes {
			return &failure{Outcome{Kind: AuditFailed, Why: v.Reason(), Concerns: v.Concerns}}
		}
		// Never with a shell: what to do is in the words of a model that has read the whole change.
		if err := a.fix(ctx, llm.ToolsWrite, func() (string, error) { return a.auditFixPrompt(ctx, v) }); err != nil {
			return err
		}
		err = a.mend(ctx, llm.ToolsWrite)
		if broken, ok := errors.AsType[*failure](err); ok {
			broken.Kind, broken.Concerns = AuditFailed, v.Concerns
			broken.Why = "what was done about the objections of the audit does not pass: " + broken.Why
		}
		if err != nil {
			return err
		}
	}
}

// judgeOnly fails if a runtime with tools of its own has changed files: they would be committed, and were not verified.
func (a *attempt) judgeOnly(ctx context.Context) (v verdict.Verdict, err error) {
	before, err := a.tree.Snapshot(ctx)
	if err != nil {
		return v, err
	}
	if v, err = a.judge(ctx); err != nil {
		return v, err
	}
	if after, err := a.tree.Snapshot(ctx); err != nil {
		return v, err
	} else if after != before {
		return v, failed("the audit has changed files, which it must not; run it again with another model, or skip it with `!plan skip`")
	}
	return v, nil
}

// judge returns the verdict of an audit, which is also evidence.
func (a *attempt) judge(ctx context.Context) (v verdict.Verdict, err error) {
	a.inform(Auditing{})
	word := verdict.NewWord()
	text, err := a.auditPrompt(ctx, word)
	if err != nil {
		return v, err
	}
	_, err = a.ask(ctx, a.o.Ask, text, llm.ToolsRead, func(answer string) (flaw error) {
		v, flaw = verdict.Read(answer, word)
		return flaw
	})
	if err == nil || errors.As(err, new(*ask.Malformed)) {
		a.prove(v.Evidence())
	}
	return v, malformed(err, v.Reason())
}

// converge fails if the audit objects to the same as before.
func (a *attempt) converge(ctx context.Context, v verdict.Verdict) error {
	changes, err := a.tree.Changed(ctx, a.tree.Base)
	if err != nil {
		return err
	}
	c := phases.Converge(a.phase.Convergence, v, storable(changes))
	a.phase.Convergence = &c
	if !c.Blocked() {
		return nil
	}
	c.BlockedAt = a.o.Now().UTC().Format(time.RFC3339)
	why := "the audit objects to the same again: " + v.Reason() + "; look at it yourself, then change the plan, or skip the audit with `!plan skip`"
	return &failure{Outcome{Kind: Blocked, Why: why, Concerns: v.Concerns}}
}
