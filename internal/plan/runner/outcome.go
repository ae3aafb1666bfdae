package runner

import (
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/verdict"
)

// A Kind is how a run has ended.
type Kind string

const (
	Finished     Kind = "finished"       // all phases are over
	Paused       Kind = "paused"         // what was asked for is done, and phases are left
	Failed       Kind = "failed"         // a phase has failed; it can be run again
	AuditFailed  Kind = "audit-failed"   // an audit still objects after all attempts to mend what it found
	Blocked      Kind = "blocked"        // an audit repeats itself, so a person has to look
	Stopped      Kind = "stopped"        // by a person
	Interrupted  Kind = "interrupted"    // the context has ended; the next run goes on
	Stale        Kind = "stale"          // the plan was edited after it was divided
	NothingToRun Kind = "nothing-to-run" // all phases were over before
	NotVerified  Kind = "not-verified"   // the project does not pass as it is, so no work was begun
)

// An Outcome is how a run has ended.
type Outcome struct {
	Kind     Kind              // empty if the error alone says it
	Done     []string          // IDs of the phases that this run has done
	Phase    string            // ID of the phase that did not succeed
	Why      string            // a clause for people
	Output   string            // the end of what the project's command printed, if that is why
	Concerns []verdict.Concern // of the last audit, if that is why
}

// A Stop is the cause of a context that a person has cancelled.
type Stop struct{ By string }

func (s *Stop) Error() string { return "stopped by " + s.By }

// ending returns the outcome and the error of a run whose context has ended, and nil if it has not.
func ending(ctx context.Context) (*Outcome, error) {
	if ctx.Err() == nil {
		return nil, nil
	}
	cause := context.Cause(ctx)
	if stop, ok := errors.AsType[*Stop](cause); ok {
		return &Outcome{Kind: Stopped, Why: stop.Error()}, nil
	}
	return &Outcome{Kind: Interrupted, Why: "the bot was stopped; the next run goes on from here"}, cause
}

// A failure is a result of the work that ends it.
type failure struct{ Outcome }

func (f *failure) Error() string { return f.Why }

func failed(format string, args ...any) *failure {
	return &failure{Outcome{Kind: Failed, Why: fmt.Sprintf(format, args...)}}
}

// An Event tells how a run goes on: PhaseBegan, Verifying, Verified, Fixing, Auditing or PhaseEnded.
type Event interface{ event() }

// PhaseBegan is told before a model is asked.
type PhaseBegan struct {
	Phase phases.Phase
	N, Of int
	// Kept is a commit with what was in the worktree and has been taken back, or empty. Git keeps it for two weeks.
	Kept string
}

// Verifying is told before the project's command runs.
type Verifying struct{ Command string }

// Verified is told after it.
type Verified struct {
	Passed bool
	Line   string // how it ended
}

// Fixing is told before an attempt to mend what verification or an audit has found.
type Fixing struct{ Attempt, Of int }

// Auditing is told before each audit.
type Auditing struct{}

// PhaseEnded is told when a phase is done or has failed, and was written down.
type PhaseEnded struct {
	Phase    phases.Phase
	Verified string // how the last verification ended, in a line; empty without one
	Err      string // why the phase has failed, with the end of what the project's command printed
}

func (PhaseBegan) event() {}
func (Verifying) event()  {}
func (Verified) event()   {}
func (Fixing) event()     {}
func (Auditing) event()   {}
func (PhaseEnded) event() {}
