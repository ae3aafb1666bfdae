package work

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/phases"
	"discoclaw/internal/plan/runner"
)

// planned is a plan with so many phases.
func planned(t *testing.T, n int) plan.Plan {
	t.Helper()
	text, err := doc.Render(doc.Template, doc.Fields{Title: "Add a *flag*", ID: "plan-001"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := doc.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p := plan.Plan{Doc: d}
	for i := range n {
		p.Phases.Phases = append(p.Phases.Phases, phases.Phase{ID: fmt.Sprintf("phase-%d", i+1), Title: fmt.Sprintf("Change file %d", i+1), Kind: phases.Implement, Status: phases.Pending})
	}
	return p
}

func TestAViewShowsEachPhase(t *testing.T) {
	t.Parallel()
	p := planned(t, 3)
	v := newView(p)
	v.hear(runner.Verifying{Command: "go test ./..."})
	if got := v.String(); !strings.HasSuffix(got, "▫️ 3. Change file 3\nFirst I check the project as it is, with `go test ./...` …") {
		t.Errorf("before the first phase it shows\n%s", got)
	}
	first := p.Phases.Phases[0]
	first.Status = phases.InProgress
	for _, tt := range []struct {
		event runner.Event
		want  string
	}{
		{runner.PhaseBegan{Phase: first, N: 1, Of: 3}, "⏳ 1. Change file 1: at work"},
		{runner.Verifying{Command: "go test ./..."}, "⏳ 1. Change file 1: checking with `go test ./...`"},
		{runner.Verified{Line: "`go test ./...` failed"}, "⏳ 1. Change file 1: `go test ./...` failed"},
		{runner.Fixing{Attempt: 1, Of: 3}, "⏳ 1. Change file 1: mending, attempt 1 of 3"},
	} {
		v.hear(tt.event)
		if got := v.String(); !strings.Contains(got, tt.want+"\n▫️ 2.") {
			t.Errorf("%T shows\n%s", tt.event, got)
		}
	}
	first.Status, first.GitCommit, first.ModifiedFiles, first.ContextFiles = phases.Done, "0123456789ab", []string{"file1"}, []string{"file1"}
	v.hear(runner.PhaseEnded{Phase: first, Verified: "it passed"})
	want := "**Add a \\*flag\\***\n✅ 1. Change file 1: changed `file1`; it passed; `0123456`\n▫️ 2. Change file 2\n▫️ 3. Change file 3"
	if got := v.String(); got != want {
		t.Errorf("got\n%s", got)
	}
	first.ModifiedFiles, first.ContextFiles = []string{"main.go", ".github/workflows/x.yml"}, []string{"main.go"}
	v.hear(runner.PhaseEnded{Phase: first})
	if got := v.String(); !strings.Contains(got, "1. Change file 1: changed `main.go`, `.github/workflows/x.yml`; `0123456`; beyond the plan: `.github/workflows/x.yml`\n") {
		t.Errorf("files that the plan does not name:\n%s", got)
	}
	if p.Phases.Phases[0].Status != phases.Pending {
		t.Error("the plan that it was given has changed")
	}
}

func TestALineSaysWhatAPhaseCameTo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		phase phases.Phase
		ended runner.PhaseEnded
		want  string
	}{
		{"implemented", phases.Phase{Kind: phases.Implement, Status: phases.Done, GitCommit: "0123456789ab", ModifiedFiles: []string{"a"}, ContextFiles: []string{"a"}}, runner.PhaseEnded{Verified: "it passed"}, ": changed `a`; it passed; `0123456`"},
		{"was done before", phases.Phase{Kind: phases.Implement, Status: phases.Done}, runner.PhaseEnded{}, ": nothing had to change"},
		{"stopped before a change", phases.Phase{Kind: phases.Implement, Status: phases.Failed}, runner.PhaseEnded{}, ""},
		{"audited", phases.Phase{Kind: phases.Audit, Status: phases.Done}, runner.PhaseEnded{}, ": passed"},
		{"audited and mended", phases.Phase{Kind: phases.Audit, Status: phases.Done, ModifiedFiles: []string{"a"}, ContextFiles: []string{"a"}}, runner.PhaseEnded{}, ": passed; changed `a`"},
		{"not passed", phases.Phase{Kind: phases.Audit, Status: phases.Failed}, runner.PhaseEnded{}, ""},
	} {
		tt.phase.ID, tt.phase.Title = "phase-1", "Change file 1"
		tt.ended.Phase = tt.phase
		v := newView(planned(t, 1))
		v.hear(tt.ended)
		if got := v.String(); !strings.HasSuffix(got, " 1. Change file 1"+tt.want) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
	// The next run, such as one after a restart, shows what an earlier one has committed.
	p := planned(t, 1)
	p.Phases.Phases[0].Status, p.Phases.Phases[0].GitCommit = phases.Done, "0123456789ab"
	if got := newView(p).String(); !strings.HasSuffix(got, "✅ 1. Change file 1: `0123456`") {
		t.Error(got)
	}
}

// However many phases there are, the message fits and shows where the run is.
func TestALongViewShowsWhereTheRunIs(t *testing.T) {
	t.Parallel()
	p := planned(t, 200)
	for _, at := range []int{0, 100, 199} {
		v := newView(p)
		now := p.Phases.Phases[at]
		now.Status = phases.InProgress
		v.hear(runner.PhaseBegan{Phase: now, N: at + 1, Of: 200})
		for _, text := range []string{v.String(), v.ended(strings.Repeat("x", 900))} {
			if chat.Length(text) > maxText || !strings.Contains(text, fmt.Sprintf("⏳ %d. ", at+1)) || !strings.Contains(text, "more") {
				t.Errorf("at %d it has %d characters:\n%s", at, chat.Length(text), text)
			}
		}
	}
}

func TestABlockShowsTheEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"one\ntwo", "```\none\ntwo\n```"},
		{"first line\nlast line", "```\nlast line\n```"},
		{"a ``` b", "```\na ''' b\n```"},
		{"abcdefghijklmnop", "```\nabcdefghij…\n```"},
	} {
		if got := block(tt.in, 11); got != tt.want {
			t.Errorf("%q became %q", tt.in, got)
		}
	}
}

func TestButtonsSayWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	p := planned(t, 0)
	b := button(Approve, "Approve", p)
	if got, ok := ParsePress(b.ID); !ok || got != (Press{Approve, "plan-001", p.Hash()}) || len(b.ID) > 100 {
		t.Errorf("%q is %+v, %t", b.ID, got, ok)
	}
	for _, id := range []string{"", "plan:", "plan:approve", "plan:approve:plan-001", "stop:x", stopButton + "1"} {
		if got, ok := ParsePress(id); ok {
			t.Errorf("%q is %+v", id, got)
		}
	}
}
