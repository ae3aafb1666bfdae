package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/verdict"
	"discoclaw/internal/plan/worktree"
)

// An attempt is one try at a phase.
type attempt struct {
	*run
	plan   doc.Doc
	record phases.Record
	index  int
	phase  phases.Phase // as it will be saved

	kept    string   // see PhaseBegan
	answers []string // of models
	fixes   int      // how many there were
}

// carryOut carries the phase out. The outcome has no kind if it is done.
func (a *attempt) carryOut(ctx context.Context) (Outcome, error) {
	passed, err := a.hasPassed(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if !passed {
		if end, err := a.prepare(ctx); err != nil || end.Kind != "" {
			return end, err
		}
	}
	a.inform(PhaseBegan{Phase: a.phase, N: a.index + 1, Of: len(a.record.Phases), Kept: a.kept})
	timed, cancel := context.WithTimeout(ctx, a.o.PhaseTime)
	defer cancel()
	if passed {
		a.answers = []string{a.phase.Output}
		err = a.land(timed)
	} else {
		err = a.work(timed)
	}
	return a.settle(ctx, timed, err)
}

// hasPassed reports whether an earlier process was killed after the work had passed, and before that was written down as done.
func (a *attempt) hasPassed(ctx context.Context) (bool, error) {
	if a.phase.Status != phases.InProgress || a.phase.PassedTree == "" {
		return false, nil
	}
	tree, err := a.tree.Snapshot(ctx)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil && tree == a.phase.PassedTree, nil // an error means that the files are others: starting again mends that
}

// prepare brings the worktree to where the phase starts, and writes down that it begins.
func (a *attempt) prepare(ctx context.Context) (Outcome, error) {
	base, err := a.goToStart(ctx)
	if err != nil {
		return Outcome{}, fmt.Errorf("begin %s: %w", a.phase.ID, err)
	}
	if end, err := a.verifyBefore(ctx, base); err != nil || end.Kind != "" {
		return end, err
	}
	repeats := a.phase.Convergence // also over several runs
	a.phase = a.phase.Fresh()
	a.phase.Status, a.phase.Base, a.phase.Convergence = phases.InProgress, base, repeats
	return Outcome{}, a.save(ctx)
}

// goToStart resets the worktree to the commit from which the phase starts, and returns that.
func (a *attempt) goToStart(ctx context.Context) (string, error) {
	tip, err := a.tree.Begin(ctx)
	if err != nil {
		return "", err
	}
	start := tip
	if a.phase.Base != "" {
		start = afterDone(a.record.Phases, a.phase.Base)
	}
	kept, err := a.tree.Keep(ctx, tip, a.title()+" (taken back)")
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil: // such as a repository inside of the worktree, which only a reset removes
		a.o.Log.WarnContext(ctx, "what was in a worktree is not kept", "plan", a.job.Plan, "err", err)
	case !strings.HasPrefix(kept, start):
		a.kept = short(kept)
	}
	if err := a.tree.Reset(ctx, start); err != nil {
		return "", err
	}
	if !a.begun() {
		if err := a.tree.Renew(ctx); err != nil { // people may have mended the project in the meantime
			return "", err
		}
	}
	return a.tree.Begin(ctx)
}

// begun reports whether a phase of the plan is done.
func (a *attempt) begun() bool {
	return slices.ContainsFunc(a.record.Phases, func(p phases.Phase) bool { return p.Status == phases.Done })
}

// afterDone follows the commits of phases that were done since a commit, which must not be taken back when an earlier phase starts
// again.
func afterDone(list []phases.Phase, commit string) string {
	for range list {
		next := slices.IndexFunc(list, func(p phases.Phase) bool {
			return p.Status == phases.Done && p.GitCommit != "" && strings.HasPrefix(p.Base, commit)
		})
		if next < 0 {
			break
		}
		commit = list[next].GitCommit
	}
	return commit
}

// verifyBefore verifies the project before the first phase of a plan. If it does not pass as it is, no work on it could.
func (a *attempt) verifyBefore(ctx context.Context, base string) (Outcome, error) {
	if a.begun() && strings.TrimSpace(a.job.Project.Verify) != "" { // without a command, Verify says what to do
		return Outcome{}, nil
	}
	result, err := a.verify(ctx)
	if err == nil {
		err = a.tree.Reset(ctx, base) // what the command has left is not the phase's work
	}
	switch {
	case err != nil:
		return Outcome{}, err
	case !result.Passed:
		why := fmt.Sprintf("%s, before anything was changed. Fix the project and commit the fix, or correct its command in projects.json", result)
		return Outcome{Kind: NotVerified, Why: why, Output: result.Last(shownLines)}, nil
	}
	return Outcome{}, nil
}

// work does what the kind of the phase asks for.
func (a *attempt) work(ctx context.Context) error {
	switch a.phase.Kind {
	case phases.Read:
		return a.read(ctx)
	case phases.Audit:
		return a.audit(ctx)
	}
	return a.implement(ctx)
}

// commit makes the commit of the phase, if it has changed anything, and writes down that it is done.
func (a *attempt) commit(ctx context.Context) error {
	changes, err := a.tree.Changed(ctx, a.phase.Base)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return a.finish(ctx)
	}
	a.phase.ModifiedFiles = storable(changes)
	if a.phase.PassedTree, err = a.tree.Snapshot(ctx); err != nil {
		return err
	}
	if err := a.save(ctx); err != nil {
		return err
	}
	return a.land(ctx)
}

// land commits what has passed. If that was done before, the same commit takes its place.
func (a *attempt) land(ctx context.Context) error {
	commit, err := a.tree.Commit(ctx, a.phase.Base, a.title())
	if err != nil {
		return err
	}
	a.phase.GitCommit = short(commit)
	return a.finish(ctx)
}

// finish writes down that the phase is done, also if the run is being stopped: its commit is there.
func (a *attempt) finish(ctx context.Context) error {
	a.phase.Status, a.phase.PassedTree = phases.Done, ""
	return a.save(context.WithoutCancel(ctx))
}

// settle writes down why a phase is not done, and tells how it ended.
func (a *attempt) settle(ctx, timed context.Context, err error) (Outcome, error) {
	after := context.WithoutCancel(ctx)
	if err == nil {
		a.ended("")
		return Outcome{}, nil
	}
	stopped, cause := ending(ctx)
	fail, isResult := errors.AsType[*failure](err)
	switch {
	case isResult:
		err = nil
	case stopped != nil && stopped.Kind == Interrupted:
		stopped.Phase = a.phase.ID
		return *stopped, cause
	case errors.As(err, new(unsaved)) && (stopped == nil || a.phase.GitCommit != ""): // after its commit, the next run finishes a phase
		return Outcome{Phase: a.phase.ID}, err
	case stopped != nil:
		fail, err = &failure{*stopped}, nil
	case timed.Err() != nil:
		fail, err = failed("it took longer than %s, which is all that a phase may take", chat.Lasting(a.o.PhaseTime)), nil
	default:
		fail = failed("%v", err)
	}
	fail.Phase = a.phase.ID
	a.phase.Status, a.phase.PassedTree = phases.Failed, ""
	a.phase.Error = strings.TrimSpace(fail.Why + "\n" + fail.Output)
	if changes, err := a.tree.Changed(after, a.phase.Base); err == nil {
		a.phase.ModifiedFiles = storable(changes)
	}
	if saving := a.save(after); saving != nil {
		return fail.Outcome, errors.Join(err, saving)
	}
	a.ended(a.phase.Error)
	return fail.Outcome, err
}

// ended tells how the phase has ended.
func (a *attempt) ended(why string) {
	a.inform(PhaseEnded{Phase: a.phase, Verified: a.verifiedLine(), Err: why})
}

// verifiedLine says how the last verification ended.
func (a *attempt) verifiedLine() (line string) {
	for _, e := range a.phase.Evidence {
		if e.Kind != verdict.Audit {
			line = e.Summary
		}
	}
	return line
}

// An unsaved error means that the record is as it was.
type unsaved struct{ error }

func (u unsaved) Unwrap() error { return u.error }

// save writes the phase into the record.
func (a *attempt) save(ctx context.Context) error {
	a.phase.Output = phases.Capped(strings.Join(a.answers, "\n\n---\n\n"))
	a.phase.Error = phases.Capped(a.phase.Error)
	a.record.Phases = slices.Clone(a.record.Phases)
	a.record.Phases[a.index] = a.phase
	a.record.Updated = a.o.Now().Format(time.DateOnly)
	if err := a.store.Save(ctx, a.record); err != nil {
		return unsaved{fmt.Errorf("write down how far %s is: %w", a.phase.ID, err)}
	}
	return nil
}

// title is that of the phase's commit.
func (a *attempt) title() string {
	return fmt.Sprintf("%s %s: %s", a.job.Plan, a.phase.ID, a.phase.Title)
}

func short(commit string) string { return commit[:min(len(commit), 12)] }

// storable returns the paths of changes. A record has no names that cannot be shown; the commit has all.
func storable(changes []worktree.Change) []string {
	var list []string
	for _, c := range changes {
		if _, err := doc.CleanPath(c.Path); err == nil {
			list = append(list, c.Path)
		}
	}
	return list
}
