//go:build unix

package runner_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/runner"
)

// TestARunIsStoppedWhileItVerifies: by a person, which is a result, or because the bot ends, after which the next run goes on.
func TestARunIsStoppedWhileItVerifies(t *testing.T) {
	t.Parallel()
	shutdown := errors.New("the bot ends")
	for name, tt := range map[string]struct {
		cause  error
		kind   runner.Kind
		err    error
		status phases.Status
		text   string
	}{
		"by a person": {&runner.Stop{By: "ada"}, runner.Stopped, nil, phases.Failed, "stopped by ada"},
		"by the end":  {shutdown, runner.Interrupted, shutdown, phases.InProgress, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSample(t)
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			s.project.Verify = "if grep -q SLOW greet.go; then echo ready > '" + pipe + "'; exec sleep 600; fi"
			s.model.do["phase-1 implement"] = steps{edit("greet.go", "SLOW\n"), edit("greet.go", named)}
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			go func() {
				_, _ = os.ReadFile(pipe) // waits for the command
				cancel(tt.cause)
			}()
			end, err := s.run(t, ctx, runner.Job{})
			if end.Kind != tt.kind || end.Phase != "phase-1" || !errors.Is(err, tt.err) {
				t.Errorf("%+v, %v", end, err)
			}
			if p := s.store.phases(t)[0]; p.Status != tt.status || p.Error != tt.text {
				t.Errorf("stored: %+v", p)
			}
			s.ends(t, runner.Job{}, runner.Finished)
			require(t, "commits", s.commits(t), []string{first, second})
		})
	}
}

// TestARunThatIsStoppedAfterACommit keeps what is done.
func TestARunThatIsStoppedAfterACommit(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	s.store.before = func(r phases.Record) {
		if r.Phases[0].Status == phases.Done {
			cancel(&runner.Stop{By: "ada"})
		}
	}
	end, err := s.run(t, ctx, runner.Job{})
	if err != nil || end.Kind != runner.Stopped || end.Phase != "" || len(end.Done) != 1 {
		t.Errorf("%+v, %v", end, err)
	}
	require(t, "phases", s.store.statuses(t), []phases.Status{phases.Done, phases.Pending, phases.Pending})
}

// TestARunThatIsStoppedBeforeItsCommit is marked as such, though the save that came with it failed.
func TestARunThatIsStoppedBeforeItsCommit(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	s.store.before = func(r phases.Record) {
		if r.Phases[0].PassedTree != "" {
			cancel(&runner.Stop{By: "ada"})
		}
	}
	end, err := s.run(t, ctx, runner.Job{})
	if err != nil || end.Kind != runner.Stopped || end.Phase != "phase-1" || len(end.Done) != 0 {
		t.Errorf("%+v, %v", end, err)
	}
	if p := s.store.phases(t)[0]; p.Status != phases.Failed || p.Error != "stopped by ada" || p.PassedTree != "" {
		t.Errorf("stored: %+v", p)
	}
	require(t, "commits", s.commits(t), []string(nil))
}
