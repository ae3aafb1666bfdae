package runner

import (
	"context"
	"errors"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/verdict"
	"discoclaw/internal/plan/worktree"
)

// shownLines is how much of a command's output models and people are shown.
const shownLines = 60

// read has a model look at the project, and keeps what it says.
func (a *attempt) read(ctx context.Context) error {
	text, err := a.readPrompt()
	if err != nil {
		return err
	}
	if _, err := a.ask(ctx, a.o.Ask, text, llm.ToolsRead, notBlank); err != nil {
		return malformed(err, "the model's answer was empty")
	}
	return a.finish(ctx)
}

func notBlank(answer string) error {
	if strings.TrimSpace(answer) == "" {
		return errors.New("it was empty")
	}
	return nil
}

// implement has a model change the project until it passes, and commits that.
func (a *attempt) implement(ctx context.Context) error {
	already, err := a.changedBefore(ctx)
	if err != nil {
		return err
	}
	if err := a.change(ctx, already); err != nil {
		return err
	}
	if err := a.mend(ctx, a.o.Level); err != nil {
		return err
	}
	changed, err := a.changed(ctx)
	switch {
	case err != nil:
		return err
	case !changed && !already:
		return failed("the model has taken its changes back, because the project did not pass with them; run it again, or change the plan")
	}
	return a.commit(ctx)
}

// change asks for the changes of the phase, and once more if there are none, unless they are there already.
func (a *attempt) change(ctx context.Context, already bool) error {
	text, err := a.implementPrompt(already)
	if err != nil {
		return err
	}
	var gitErr error
	_, err = a.ask(ctx, a.fromStart(), text, a.o.Level, func(string) error {
		var changed bool
		if changed, gitErr = a.changed(ctx); gitErr != nil || changed || already {
			return nil
		}
		return errors.New("no file has changed, and the phase asks for changes; make them with your tools")
	})
	return errors.Join(malformed(err, "the model changed no file"), gitErr)
}

// changed reports whether the phase has changed anything.
func (a *attempt) changed(ctx context.Context) (bool, error) {
	changes, err := a.tree.Changed(ctx, a.phase.Base)
	return len(changes) > 0, err
}

// changedBefore reports whether earlier phases of the plan have changed all files that this one names.
func (a *attempt) changedBefore(ctx context.Context) (bool, error) {
	changes, err := a.tree.Changed(ctx, a.tree.Base)
	changed := map[string]bool{}
	for _, c := range changes {
		changed[c.Path], changed[c.From] = true, true
	}
	files := a.files()
	return len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool { return !changed[f] }), err
}

// fromStart asks with the worktree as it was when the phase began, also after an answer that broke off in the middle of its changes: the
// question shows files as they were.
func (a *attempt) fromStart() ask.Model {
	broke := false
	return func(ctx context.Context, q ask.Question) (string, error) {
		if broke {
			if err := a.tree.Reset(ctx, a.phase.Base); err != nil {
				return "", err
			}
		}
		answer, err := a.o.Ask(ctx, q)
		broke = err != nil
		return answer, err
	}
}

// mend verifies the work and has it mended, as often as the phase may still try that.
func (a *attempt) mend(ctx context.Context, level llm.ToolLevel) error {
	for {
		result, err := a.verify(ctx)
		if err != nil || result.Passed {
			return err
		}
		if a.fixes >= a.o.Fixes {
			return &failure{Outcome{Kind: Failed, Why: result.String(), Output: result.Last(shownLines)}}
		}
		if err := a.fix(ctx, level, func() (string, error) { return a.mendPrompt(ctx, result) }); err != nil {
			return err
		}
	}
}

// fix asks for an attempt to mend what was found.
func (a *attempt) fix(ctx context.Context, level llm.ToolLevel, prompt func() (string, error)) error {
	a.fixes++
	a.inform(Fixing{Attempt: a.fixes, Of: a.o.Fixes})
	text, err := prompt()
	if err != nil {
		return err
	}
	_, err = a.ask(ctx, a.o.Ask, text, level, func(string) error { return nil })
	return err
}

// ask puts a question about the worktree, and keeps the last answer for the record, also one that cannot be used: it may say why.
func (a *attempt) ask(ctx context.Context, model ask.Model, text string, level llm.ToolLevel, check func(string) error) (string, error) {
	last := ""
	heard := ask.Model(func(ctx context.Context, q ask.Question) (string, error) {
		answer, err := model(ctx, q)
		last = strings.TrimSpace(answer)
		return answer, err
	})
	q := ask.Question{Role: roles.PlanRun, System: rules(level), Text: text, Folder: a.tree.Dir, Level: level}
	answer, err := heard.Checked(ctx, q, check)
	if last != "" {
		a.answers = append(a.answers, last)
	}
	return answer, err
}

// malformed makes a failure of the error for two answers that could not be used.
func malformed(err error, why string) error {
	if errors.As(err, new(*ask.Malformed)) {
		return failed("%s, twice; run it again, or skip it with `!plan skip`", why)
	}
	return err
}

// verify runs the project's command on the worktree. Its result is evidence of the phase.
func (a *attempt) verify(ctx context.Context) (worktree.Result, error) {
	command := a.job.Project.Verify
	a.inform(Verifying{Command: command})
	result, err := a.o.Trees.Verify(ctx, a.tree.Dir, command, a.o.PhaseTime/2)
	if err != nil {
		return result, err
	}
	a.inform(Verified{Passed: result.Passed, Line: result.String()})
	const longest = 500
	e := verdict.Evidence{Kind: checkKind(command), Status: verdict.Pass, Command: chat.Clip(chat.OneLine(command), longest),
		Summary: chat.Clip(result.String(), longest)}
	if !result.Passed {
		e.Status, e.Reason = verdict.Fail, e.Summary
	}
	a.prove(e)
	return result, nil
}

// prove adds evidence in the place of what was there of its kind.
func (a *attempt) prove(e verdict.Evidence) {
	a.phase.Evidence = append(slices.DeleteFunc(a.phase.Evidence, func(old verdict.Evidence) bool { return old.Kind == e.Kind }), e)
}

// checkKind is what a command shows: that the project can be built, or that its tests pass.
func checkKind(command string) string {
	if strings.Contains(command, "build") && !strings.Contains(command, "test") {
		return verdict.Build
	}
	return verdict.Test
}

// files are those that the phase is about. A plan without files has itself as context, which the prompts have anyway.
func (a *attempt) files() []string {
	return slices.DeleteFunc(slices.Clone(a.phase.ContextFiles), func(f string) bool { return f == a.record.File })
}

// found is what earlier phases have read.
func (a *attempt) found() string {
	var list []string
	for _, p := range a.record.Phases {
		if p.Kind == phases.Read && p.Status == phases.Done && p.Output != "" {
			list = append(list, p.Output)
		}
	}
	return strings.Join(list, "\n\n")
}
