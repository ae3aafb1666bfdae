package runner_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/runner"
	"discoclaw/internal/plan/verdict"
)

const (
	first  = "plan-007 phase-1: Change greet.go"
	second = "plan-007 phase-2: Change docs/usage.md"
	third  = "plan-007 phase-3: Audit the changes"
)

// TestAWholePlan runs the tests of a real Go program. The first phase breaks them, because the plan forgot about the test.
func TestAWholePlan(t *testing.T) {
	t.Parallel()
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Skip("there is no go command to run the sample's tests")
	}
	s := newSample(t)
	s.project.Verify = "GOCACHE=" + strings.TrimSpace(string(cache)) + " GOTOOLCHAIN=local go test ./..."
	s.model.do["phase-1 mend"] = steps{edit("greet_test.go", "package greeter\n\nimport \"testing\"\n\nfunc TestGreet(t *testing.T) {\n\tif Greet(\"Ada\") != \"hello, Ada\" {\n\t\tt.Fatal(\"not hello\")\n\t}\n}\n")}
	end := s.ends(t, runner.Job{}, runner.Finished)
	require(t, "phases that were done", end.Done, []string{"phase-1", "phase-2", "phase-3"})
	require(t, "questions", s.model.asked, []string{"phase-1 implement", "phase-1 mend", "phase-2 implement", "phase-3 audit"})
	require(t, "commits", s.commits(t), []string{first, second})
	if got := s.show(t, "greet.go") + "\n"; got != named {
		t.Errorf("greet.go is %q", got)
	}
	if text := s.model.questions[1].Text; !strings.Contains(text, "not enough arguments in call to Greet") {
		t.Errorf("the question does not show what is wrong:\n%s", text)
	}
	list := s.store.phases(t)
	if badge := phases.BadgeOf(list); badge != phases.BadgeVerified {
		t.Errorf("the badge is %s", badge)
	}
	require(t, "changed files", list[0].ModifiedFiles, []string{"greet.go", "greet_test.go"})
	if e := list[0].Evidence; len(e) != 1 || e[0].Kind != verdict.Test || e[0].Status != verdict.Pass || e[0].Command != s.project.Verify || !strings.Contains(e[0].Summary, "passed in") {
		t.Errorf("evidence %+v", e)
	}
	if p := list[0]; p.Base == "" || p.GitCommit == "" || !strings.HasPrefix(list[1].Base, p.GitCommit) || p.PassedTree != "" || !strings.Contains(p.Output, "I have changed greet.go.\n\n---\n\nI have changed greet_test.go.") {
		t.Errorf("stored: %+v", p)
	}
}

func TestEventsTellHowARunGoesOn(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.model.do["phase-1 implement"] = steps{edit("greet.go", "BROKEN\n")}
	s.model.do["phase-1 mend"] = steps{edit("greet.go", named)}
	s.ends(t, runner.Job{}, runner.Finished)
	verifying := "runner.Verifying {Command:" + check + "}"
	passed := "runner.Verified {Passed:true Line:`" + check + "` passed in TIME}"
	require(t, "events", s.events, []string{
		verifying, passed, // as it is
		"phase-1 began (1 of 3)",
		verifying, "runner.Verified {Passed:false Line:`" + check + "` failed with exit code 1 after TIME}",
		"runner.Fixing {Attempt:1 Of:3}",
		verifying, passed,
		"phase-1 is done: greet.go | `" + check + "` passed in TIME | HASH |",
		"phase-2 began (2 of 3)",
		verifying, passed,
		"phase-2 is done: docs/usage.md | `" + check + "` passed in TIME | HASH |",
		"phase-3 began (3 of 3)",
		"runner.Auditing {}",
		"phase-3 is done:  |  |  |",
	})
}

// TestAttemptsAreUsedUp also tries what comes after that: the worktree is there to be looked at, and the retry starts from the
// commit of the phase, and commits what it changes (F8).
func TestAttemptsAreUsedUp(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.model.do["phase-1 implement"] = steps{edit("greet.go", "BROKEN\n"), edit("docs/usage.md", "First.\n")}
	s.model.do["phase-1 mend"] = steps{edit("greet_test.go", "still BROKEN\n")}
	end := s.ends(t, runner.Job{}, runner.Failed)
	if end.Phase != "phase-1" || !strings.Contains(end.Why, "failed with exit code 1") || !strings.Contains(end.Output, "./greet.go:1:BROKEN") || len(end.Done) != 0 {
		t.Errorf("outcome %+v", end)
	}
	require(t, "questions", s.model.asked, []string{"phase-1 implement", "phase-1 mend", "phase-1 mend", "phase-1 mend"})
	require(t, "commits", s.commits(t), []string(nil))
	p := s.store.phases(t)[0]
	if p.Status != phases.Failed || !strings.Contains(p.Error, "BROKEN") || p.Evidence[0].Status != verdict.Fail || !slices.Equal(p.ModifiedFiles, []string{"greet.go", "greet_test.go"}) {
		t.Errorf("stored: %+v", p)
	}
	if got := read(s.tree(), "greet.go"); got != "BROKEN\n" {
		t.Errorf("the worktree has %q, which is not what failed", got)
	}
	write(t, s.tree(), "by-hand.txt", "of a person\n")

	s.ends(t, runner.Job{Limit: 1}, runner.Paused)
	require(t, "commits", s.commits(t), []string{first})
	if got := s.show(t, "docs/usage.md") + "|" + git(t, s.project.Dir, "diff", "--name-only", "main", "discoclaw/plan-7"); got != "First.|docs/usage.md" {
		t.Errorf("the commit of the retry has %s", got)
	}
	if p := s.store.phases(t)[0]; p.Status != phases.Done || p.Error != "" || len(p.Evidence) != 1 {
		t.Errorf("stored: %+v", p)
	}
	if !slices.Contains(s.events, "phase-1 began (1 of 3) HASH") {
		t.Errorf("what was taken back is not kept: %q", s.events)
	}
}

// TestWhatWasTakenBackIsKept: people find what they have written into a worktree.
func TestWhatWasTakenBackIsKept(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.ends(t, runner.Job{Limit: 1}, runner.Paused)
	write(t, s.tree(), "by-hand.txt", "of a person\n")
	s.ends(t, runner.Job{Limit: 1}, runner.Paused)
	if got := git(t, s.project.Dir, "show", s.kept+":by-hand.txt"); got != "of a person" {
		t.Errorf("%s has %q", s.kept, got)
	}
	require(t, "commits", s.commits(t), []string{first, second})
}

func TestWithoutFixesAFailureIsFinal(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.options.Fixes = -1
	s.model.do["phase-1 implement"] = steps{edit("greet.go", "BROKEN\n")}
	s.ends(t, runner.Job{}, runner.Failed)
	require(t, "questions", s.model.asked, []string{"phase-1 implement"})
}

// TestNothingIsSpentOnAProjectThatDoesNotPass: a phase could not be verified.
func TestNothingIsSpentOnAProjectThatDoesNotPass(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.project.Verify = "echo the compiler is missing; exit 3"
	end := s.ends(t, runner.Job{}, runner.NotVerified)
	if !strings.Contains(end.Why, "failed with exit code 3") || !strings.Contains(end.Why, "projects.json") || end.Output != "the compiler is missing" {
		t.Errorf("outcome %+v", end)
	}
	s.project.Verify = " "
	if end, err := s.run(t, t.Context(), runner.Job{}); err == nil || !strings.Contains(err.Error(), "no command is known") || end.Kind != "" {
		t.Errorf("without a command: %+v, %v", end, err)
	}
	require(t, "questions", s.model.asked, []string(nil))
	require(t, "phases", s.store.statuses(t), []phases.Status{phases.Pending, phases.Pending, phases.Pending})
}

// TestAProjectThatWasMendedIsTakenUp: the plan has a worktree by then, of the commit that did not pass.
func TestAProjectThatWasMendedIsTakenUp(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.project.Verify = "test -e mended"
	s.ends(t, runner.Job{}, runner.NotVerified)
	git(t, s.project.Dir, "stash", "-q")
	write(t, s.project.Dir, "mended", "")
	git(t, s.project.Dir, "add", "mended")
	git(t, s.project.Dir, "commit", "-q", "-m", "mend")
	s.before = checkout(t, s.project.Dir)
	s.ends(t, runner.Job{}, runner.Finished)
	require(t, "commits", s.commits(t), []string{first, second})
}

// TestAPlanThatWasMergedHalfwayIsAuditedAsAWhole: people may take over what is done before the rest is.
func TestAPlanThatWasMergedHalfwayIsAuditedAsAWhole(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.ends(t, runner.Job{Limit: 1}, runner.Paused)
	git(t, s.project.Dir, "stash", "-q")
	git(t, s.project.Dir, "merge", "-q", "--no-ff", "-m", "merge", "discoclaw/plan-7")
	s.before = checkout(t, s.project.Dir)
	s.ends(t, runner.Job{}, runner.Finished)
	if text := s.model.questions[2].Text; !strings.Contains(text, "+func Greet(name string)") {
		t.Errorf("the audit does not see the first phase:\n%s", text)
	}
}

// TestWhatTheCommandLeavesBehindIsNotCommitted: before the first phase it runs on files that are not the phase's.
func TestWhatTheCommandLeavesBehindIsNotCommitted(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.project.Verify = "if ! grep -q name greet.go; then echo left > report.xml; fi"
	s.ends(t, runner.Job{Limit: 1}, runner.Paused)
	require(t, "changed files", s.store.phases(t)[0].ModifiedFiles, []string{"greet.go"})
}

func TestHowARunEndsComesFromWhatHappened(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	if _, err := s.run(t, t.Context(), runner.Job{Target: "phase-2"}); err == nil || !strings.Contains(err.Error(), "depends on phase-1") {
		t.Errorf("a phase whose turn it is not: %v", err)
	}
	s.ends(t, runner.Job{Limit: 1}, runner.Paused)
	s.ends(t, runner.Job{Target: "phase-2"}, runner.Paused)
	s.ends(t, runner.Job{Limit: 1}, runner.Finished)
	if end := s.ends(t, runner.Job{}, runner.NothingToRun); len(end.Done) != 0 {
		t.Errorf("outcome %+v", end)
	}
	if _, err := s.run(t, t.Context(), runner.Job{Target: "phase-2"}); err == nil || !strings.Contains(err.Error(), "done already") {
		t.Errorf("a phase that is over: %v", err)
	}
	require(t, "questions", s.model.asked, []string{"phase-1 implement", "phase-2 implement", "phase-3 audit"})
}

func TestAPlanThatWasEditedStopsBeforeTheNextPhase(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.store.after = func(r phases.Record) {
		if r.Phases[0].Status == phases.Done {
			s.store.plan = strings.Replace(planText, "by their names", "by their nicknames", 1)
		}
	}
	end := s.ends(t, runner.Job{}, runner.Stale)
	if !slices.Equal(end.Done, []string{"phase-1"}) || !strings.Contains(end.Why, "--regenerate") {
		t.Errorf("outcome %+v", end)
	}
	require(t, "questions", s.model.asked, []string{"phase-1 implement"})
	// An approval, or an audit of the plan, is no change of what is to be done.
	s.store.plan = strings.Replace(planText, "APPROVED", "IMPLEMENTING", 1) + "\n---\n\n## Audit Log\n\nFine.\n"
	s.store.after = nil
	s.ends(t, runner.Job{}, runner.Finished)
}

// TestNoChangeIsAFailure, after a second try, unless earlier phases have changed the same files.
func TestNoChangeIsAFailure(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.model.do["phase-1 implement"] = steps{say("Done, all tests pass.")}
	end := s.ends(t, runner.Job{}, runner.Failed)
	if !strings.Contains(end.Why, "changed no file") {
		t.Errorf("outcome %+v", end)
	}
	require(t, "questions", s.model.asked, []string{"phase-1 implement", "phase-1 implement"})
	if !strings.Contains(s.model.questions[1].Text, "no file has changed") {
		t.Error("the second question does not say why")
	}
	if p := s.store.phases(t)[0]; p.Output != "Done, all tests pass." {
		t.Errorf("people do not read what the model said: %+v", p)
	}

	s.model.do["phase-1 implement"] = steps{func(folder string) (string, error) {
		return "Both.", put(folder, "docs/usage.md", usage)
	}}
	s.model.do["phase-2 implement"] = steps{say("It is so already.")}
	s.model.forget()
	s.ends(t, runner.Job{}, runner.Finished)
	require(t, "questions", s.model.asked, []string{"phase-1 implement", "phase-2 implement", "phase-3 audit"})
	require(t, "commits", s.commits(t), []string{first})
	if p := s.store.phases(t)[1]; p.Status != phases.Done || p.GitCommit != "" || p.Evidence[0].Status != verdict.Pass {
		t.Errorf("stored: %+v", p)
	}
}

// TestChangesThatWereTakenBackAreAFailure: a project passes its check best if it is left as it is.
func TestChangesThatWereTakenBackAreAFailure(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.model.do["phase-1 implement"] = steps{edit("greet.go", "BROKEN\n")}
	s.model.do["phase-1 mend"] = steps{func(folder string) (string, error) {
		return "I have restored it.", put(folder, "greet.go", git(t, s.project.Dir, "show", "main:greet.go")+"\n")
	}}
	if end := s.ends(t, runner.Job{}, runner.Failed); !strings.Contains(end.Why, "taken its changes back") {
		t.Errorf("outcome %+v", end)
	}
	require(t, "phases", s.store.statuses(t), []phases.Status{phases.Failed, phases.Pending, phases.Pending})
}

// TestAPhaseThatReads: the next phase gets its answer.
func TestAPhaseThatReads(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.store.change(t, 0, func(p *phases.Phase) { p.Kind, p.ContextFiles = phases.Read, []string{"plans/plan-007.md"} })
	s.model.do = map[string]steps{
		"phase-1 read":      {say(" "), say("greet.go has to change.")},
		"phase-2 implement": {edit("greet.go", named)},
		"phase-3 audit":     {say(clean)},
	}
	s.ends(t, runner.Job{}, runner.Finished)
	require(t, "questions", s.model.asked, []string{"phase-1 read", "phase-1 read", "phase-2 implement", "phase-3 audit"})
	require(t, "levels", s.levels(), []llm.ToolLevel{llm.ToolsRead, llm.ToolsRead, llm.ToolsWrite, llm.ToolsRead})
	if text := s.model.questions[2].Text; !strings.Contains(text, "greet.go has to change.") || strings.Contains(text, "does not exist") {
		t.Errorf("the question lacks what was found, or speaks of the plan's file:\n%s", text)
	}
	require(t, "commits", s.commits(t), []string{"plan-007 phase-2: Change docs/usage.md"})
}

// TestPathsThatLeadOutAreRefused: such phases cannot be stored, and are not begun if they were.
func TestPathsThatLeadOutAreRefused(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"../x", "/etc/passwd", ".git/config", "docs/../../x"} {
		s := newSample(t)
		leak := leaky{s.store, path}
		end, err := s.runWith(t, t.Context(), runner.Job{}, leak)
		if err == nil || !strings.Contains(err.Error(), "the path `"+path+"`") || end.Kind != "" || len(s.model.asked) != 0 {
			t.Errorf("%s: %+v, %v, asked %q", path, end, err, s.model.asked)
		}
	}
}

// TestFilesOfAnyNameAreCommitted, also those that a record cannot have.
func TestFilesOfAnyNameAreCommitted(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.model.do["phase-1 implement"] = steps{edit("new\nline.txt", "odd"), edit("greet.go", named)}
	s.ends(t, runner.Job{Limit: 1}, runner.Paused)
	require(t, "commits", s.commits(t), []string{first})
	if got := s.show(t, "new\nline.txt"); got != "odd" {
		t.Errorf("the file is %q", got)
	}
}

// TestACircleIsRefused, and a dependency that is not there.
func TestACircleIsRefused(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.store.change(t, 0, func(p *phases.Phase) { p.DependsOn = []string{"phase-3"} })
	if end, err := s.run(t, t.Context(), runner.Job{}); err == nil || !strings.Contains(err.Error(), "does not stand before it") || end.Kind != "" {
		t.Errorf("%+v, %v", end, err)
	}
}

// TestPhasesThatWereDoneLaterStay when an earlier one, on which they do not depend, starts again.
func TestPhasesThatWereDoneLaterStay(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	s.store.change(t, 1, func(p *phases.Phase) { p.DependsOn = nil })
	s.model.do["phase-1 implement"] = steps{edit("greet.go", "BROKEN\n"), edit("greet.go", named)}
	s.model.do["phase-1 mend"] = steps{say("I give up.")}
	s.ends(t, runner.Job{}, runner.Failed)
	s.ends(t, runner.Job{Target: "phase-2"}, runner.Paused)
	s.ends(t, runner.Job{}, runner.Finished)
	require(t, "commits", s.commits(t), []string{second, first})
	if s.show(t, "docs/usage.md")+"\n" != usage || s.show(t, "greet.go")+"\n" != named {
		t.Error("the branch has not both changes")
	}
}
