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
	first.Status, first.GitCommit = phases.Done, "0123456789ab"
	v.hear(runner.PhaseEnded{Phase: first, Stat: "1 file changed", Verified: "it passed"})
	want := "**plan-001**: Add a \\*flag\\*\n✅ 1. Change file 1: 1 file changed; it passed; `0123456`\n▫️ 2. Change file 2\n▫️ 3. Change file 3"
	if got := v.String(); got != want {
		t.Errorf("got\n%s", got)
	}
	if p.Phases.Phases[0].Status != phases.Pending {
		t.Error("the plan that it was given has changed")
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
