// Package runner carries out the phases of an approved plan in the git worktree of the plan: implement, verify, mend, audit,
// commit. It is the only run loop there is. It uses neither Discord nor the database: a [Store] keeps the phases, an
// [ask.Model] answers, and the caller of a run gets [Event]s and an [Outcome].
//
// # What it promises
//
// A process may be killed at any moment. A phase is written down as in progress, with the commit from which it starts, before a
// model is asked; and the files that passed are written down before they are committed. So the next process finishes a phase
// that had passed without asking again, starts any other from its commit, and makes one commit of each phase.
//
// Evidence comes from commands that the bot itself has run, and these from the project's settings alone. What a model claims, and
// what a plan says about commands, folders and remotes, is never acted on.
//
// A phase that is to implement something and changes no file has failed, after a second try. One exception goes by facts: if earlier
// phases of the plan have changed all files that the phase names, for example because a test would not pass without, then there may
// be nothing left to do, and the audit has the last word. In other cases people can skip the phase.
//
// What a failed phase has changed stays in the worktree for people to look at. The next phase that runs starts from its commit, and what
// it takes back by that is kept for a while as a commit of its own, which [PhaseBegan] names.
package runner

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/worktree"
)

// A Store is one plan as the runner works on it.
type Store interface {
	// Load returns the plan and its phases as they are now: people may have edited the plan.
	Load(ctx context.Context) (doc.Doc, phases.Record, error)
	// Save writes the phases. While a run goes on, they are the run's alone to write.
	Save(ctx context.Context, r phases.Record) error
}

// Options of a Runner. Trees and Ask are required.
type Options struct {
	Trees *worktree.Trees
	Ask   ask.Model
	// Fixes is how often a phase may try to mend what verification or an audit has found. 0 means 3, and a negative number none.
	Fixes int
	// PhaseTime is what one phase may take, all in all; 30 minutes if it is 0. Half of it is for one run of the project's command.
	PhaseTime time.Duration
	// Level is what tools may do in phases that implement: write, which is the default, or shell.
	Level llm.ToolLevel
	Now   func() time.Time // time.Now if it is nil
	Log   *slog.Logger     // slog.Default if it is nil
}

const (
	usualFixes     = 3
	usualPhaseTime = 30 * time.Minute
	usualLimit     = 50
)

// A Runner carries out plans. Different plans may run at the same time, but of each plan only one run.
type Runner struct{ o Options }

// New returns a runner.
func New(o Options) *Runner {
	o.Fixes = max(cmp.Or(o.Fixes, usualFixes), 0)
	o.PhaseTime = cmp.Or(o.PhaseTime, usualPhaseTime)
	o.Level = cmp.Or(o.Level, llm.ToolsWrite)
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Runner{o}
}

// A Job is what a run has to do.
type Job struct {
	Project worktree.Project
	Plan    doc.ID
	Target  string // the one phase to run; without it, those whose turn it is
	Limit   int    // how many phases; 50 if it is 0
}

// Run carries out phases until none is left, the limit is reached, or one does not succeed. The error is for what is no result
// of the work: models that cannot be asked, a store or a repository that does not work, or a context that has ended. The outcome
// says also then how far the run has come.
//
// If the context ends, the phase stays in progress and the next run starts it again. To have it marked as failed, because a person
// has stopped it, cancel the context with a *[Stop] as its cause.
//
// tell is called in order, and has to return at once.
func (r *Runner) Run(ctx context.Context, j Job, s Store, tell func(Event)) (Outcome, error) {
	w := &run{o: r.o, job: j, store: s, tell: tell}
	end, err := w.all(ctx)
	if stopped, cause := ending(ctx); stopped != nil && end.Kind == "" {
		end, err = *stopped, cause
	}
	end.Done = w.done
	return end, err
}

// A run is one call of Run.
type run struct {
	o     Options
	job   Job
	store Store
	tell  func(Event)

	tree *worktree.Tree // nil until it is needed
	done []string       // IDs of phases
}

// all runs phase after phase. An outcome without a kind means that the error has to say it all.
func (w *run) all(ctx context.Context) (Outcome, error) {
	limit := cmp.Or(w.job.Limit, usualLimit)
	if w.job.Target != "" {
		limit = 1
	}
	for {
		a, end, err := w.choose(ctx, limit)
		if a == nil {
			return end, err
		}
		if end, err = a.carryOut(ctx); err != nil || end.Kind != "" {
			return end, err
		}
		w.done = append(w.done, a.phase.ID)
	}
}

// choose returns the next phase, or the outcome if there is none to run.
func (w *run) choose(ctx context.Context, limit int) (*attempt, Outcome, error) {
	if ctx.Err() != nil {
		return nil, Outcome{}, ctx.Err()
	}
	plan, record, err := w.store.Load(ctx)
	if err != nil {
		return nil, Outcome{}, err
	}
	switch {
	case len(w.done) > 0 && phases.AllOver(record.Phases):
		return nil, Outcome{Kind: Finished}, nil
	case phases.AllOver(record.Phases) && w.job.Target == "":
		return nil, Outcome{Kind: NothingToRun, Why: fmt.Sprintf("all phases of %s are over", w.job.Plan)}, nil
	case len(w.done) >= limit:
		return nil, Outcome{Kind: Paused}, nil
	}
	if err := record.Stale(plan.Hash()); err != nil {
		return nil, Outcome{Kind: Stale, Why: err.Error()}, nil
	}
	if err := phases.CheckGraph(record.Phases); err != nil {
		return nil, Outcome{}, fmt.Errorf("the phases of this plan cannot run; `!plan phases --regenerate %s` makes new ones: %w", w.job.Plan, err)
	}
	id := w.job.Target
	if id == "" {
		id, _ = phases.Next(record.Phases) // there is one, since not all are over and the graph is sound
	}
	if err := phases.Runnable(record.Phases, id); err != nil {
		return nil, Outcome{}, err
	}
	return w.attempt(ctx, plan, record, phases.Index(record.Phases, id))
}

// attempt returns the attempt at a phase, whose worktree is open.
func (w *run) attempt(ctx context.Context, plan doc.Doc, record phases.Record, index int) (*attempt, Outcome, error) {
	a := &attempt{run: w, plan: plan, record: record, index: index, phase: record.Phases[index]}
	for _, f := range a.phase.ContextFiles {
		if _, err := doc.CleanPath(f); err != nil {
			return nil, Outcome{}, fmt.Errorf("%s cannot run: %w", a.phase.ID, err)
		}
	}
	if w.tree == nil {
		number, err := strconv.Atoi(strings.TrimPrefix(string(w.job.Plan), "plan-"))
		if err != nil {
			return nil, Outcome{}, fmt.Errorf("%q is no ID of a plan", w.job.Plan)
		}
		if w.tree, err = w.o.Trees.Open(ctx, w.job.Project, number); err != nil {
			return nil, Outcome{}, err
		}
	}
	return a, Outcome{}, nil
}

// inform tells an event, if it is to be told.
func (w *run) inform(e Event) {
	if w.tell != nil {
		w.tell(e)
	}
}
