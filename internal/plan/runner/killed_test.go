package runner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/runner"
)

// TestAKilledRunLosesAndRepeatsNothing kills the process at every save, before it is written and after, and has another process go on.
// The model mends an audit, so that every phase has a commit.
func TestAKilledRunLosesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	const saves = 9 // begun, passed and done, for each phase
	for at := 1; at <= saves+1; at++ {
		for _, lost := range []bool{true, false} {
			t.Run(fmt.Sprintf("save %d, lost %v", at, lost), func(t *testing.T) {
				t.Parallel()
				s := newSample(t)
				s.model.do["phase-3 audit"] = steps{func(folder string) (string, error) {
					if strings.Contains(read(folder, "greet.go"), "tested") {
						return clean, nil
					}
					return objecting("No test"), nil
				}}
				s.model.do["phase-3 fix"] = steps{edit("greet.go", named+"\n// tested\n")}
				ctx, kill := context.WithCancel(t.Context())
				defer kill()
				s.store.killAt, s.store.lost, s.store.kill = at, lost, kill
				end, err := s.run(t, ctx, runner.Job{})
				if killed := s.store.dead; killed == (err == nil) || killed && end.Kind == runner.Finished || killed != (at <= saves) {
					t.Fatalf("killed %v: %+v, %v", killed, end, err)
				}
				s.store.dead, s.store.killAt = false, 0
				before := s.store.phases(t)
				s.model.forget()
				if at <= saves {
					s.goesOn(t)
				}
				require(t, "phases", s.store.statuses(t), []phases.Status{phases.Done, phases.Done, phases.Done})
				require(t, "commits", s.commits(t), []string{first, second, third})
				for i, p := range s.store.phases(t) {
					if len(p.Evidence) == 0 || p.Output == "" || p.PassedTree != "" || !strings.HasPrefix(git(t, s.project.Dir, "rev-parse", p.GitCommit+"^"), p.Base) {
						t.Errorf("stored: %+v", p)
					}
					passed := before[i].Status == phases.Done || before[i].PassedTree != ""
					if asked := slices.ContainsFunc(s.model.asked, func(q string) bool { return strings.HasPrefix(q, p.ID+" ") }); passed && asked {
						t.Errorf("%s had passed, and was asked for again: %q", p.ID, s.model.asked)
					}
				}
			})
		}
	}
}

// goesOn runs the plan to its end. A run that finds all phases over has nothing to do.
func (s *sample) goesOn(t *testing.T) {
	t.Helper()
	end, err := s.run(t, t.Context(), runner.Job{})
	if err != nil || end.Kind != runner.Finished && end.Kind != runner.NothingToRun {
		t.Fatalf("the next run ended with %+v, %v", end, err)
	}
}

// TestFilesThatWereChangedAfterTheyPassed are not committed as if they had.
func TestFilesThatWereChangedAfterTheyPassed(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	s.store.killAt, s.store.kill = 2, kill
	if end, err := s.run(t, ctx, runner.Job{}); err == nil {
		t.Fatalf("not killed: %+v", end)
	}
	s.store.dead, s.store.killAt = false, 0
	write(t, s.tree(), "greet.go", "BROKEN\n")
	s.model.forget()
	s.ends(t, runner.Job{Limit: 1}, runner.Paused)
	require(t, "questions", s.model.asked, []string{"phase-1 implement"})
	if got := s.show(t, "greet.go") + "\n"; got != named {
		t.Errorf("greet.go is %q", got)
	}
}

// TestALostModelIsAnError, after which the phase can be run again, though it has changed nothing (F9).
func TestALostModelIsAnError(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	refused := &llm.Error{Kind: llm.OverBudget, Err: errors.New("the budget of the day is spent")}
	s.model.do["phase-1 implement"] = steps{func(string) (string, error) { return "", refused }, edit("greet.go", named)}
	end, err := s.run(t, t.Context(), runner.Job{})
	if !errors.Is(err, refused) || end.Kind != runner.Failed || end.Phase != "phase-1" {
		t.Errorf("%+v, %v", end, err)
	}
	if p := s.store.phases(t)[0]; p.Status != phases.Failed || !strings.Contains(p.Error, "budget") || len(p.ModifiedFiles) != 0 {
		t.Errorf("stored: %+v", p)
	}
	s.ends(t, runner.Job{}, runner.Finished)
}

// TestAnAnswerThatBreaksOff is asked for again with the files as they were.
func TestAnAnswerThatBreaksOff(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.model.do["phase-1 implement"] = steps{
		func(folder string) (string, error) {
			return "", errors.Join(put(folder, "half.go", "BROKEN\n"), &llm.Error{Kind: llm.Broken})
		},
		edit("greet.go", named),
	}
	s.ends(t, runner.Job{Limit: 1}, runner.Paused)
	require(t, "changed files", s.store.phases(t)[0].ModifiedFiles, []string{"greet.go"})
}

func TestAPhaseHasItsTime(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.ends(t, runner.Job{Limit: 1}, runner.Paused)
	s.options.PhaseTime = 20 * time.Millisecond
	s.options.Ask = func(ctx context.Context, _ ask.Question) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	end, err := s.run(t, t.Context(), runner.Job{})
	if err != nil || end.Kind != runner.Failed || end.Phase != "phase-2" || !strings.Contains(end.Why, "longer than 0 seconds") {
		t.Errorf("%+v, %v", end, err)
	}
	s.options.PhaseTime, s.options.Ask = 0, nil
	s.ends(t, runner.Job{}, runner.Finished)
}

// TestWhatCannotBeWrittenDownIsNotForgotten: the save after the commit fails, and the next run finishes the phase.
func TestWhatCannotBeWrittenDownIsNotForgotten(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.store.killAt, s.store.lost, s.store.kill = 3, true, func() {} // the process lives on
	end, err := s.run(t, t.Context(), runner.Job{})
	if !errors.Is(err, errKilled) || end.Kind != "" || end.Phase != "phase-1" || !strings.Contains(err.Error(), "write down how far phase-1 is") {
		t.Errorf("%+v, %v", end, err)
	}
	s.store.dead = false
	s.model.forget()
	s.ends(t, runner.Job{}, runner.Finished)
	require(t, "questions", s.model.asked, []string{"phase-2 implement", "phase-3 audit"})
	require(t, "commits", s.commits(t), []string{first, second})
}
