package plans

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/phases"
)

func TestAChecklistFitsIntoAMessage(t *testing.T) {
	t.Parallel()
	var p plan.Plan
	text, err := doc.Render(doc.Template, doc.Fields{Title: "x", ID: "plan-001"})
	if err == nil {
		p.Doc, err = doc.Parse(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Phases.Hash = p.Hash()
	for _, id := range strings.Fields(strings.Repeat("phase ", 40)) {
		p.Phases.Phases = append(p.Phases.Phases, phases.Phase{ID: id, Title: strings.Repeat("long ", 30), Status: phases.Failed, Error: strings.Repeat("why ", 90), DependsOn: []string{"phase-1"}})
	}
	got := checklist(p, "")
	if n := chat.Length(got); n > maxChecklist || !strings.HasSuffix(got, " more phases") || !strings.Contains(got, "\n[!] phase: long") || !strings.Contains(got, " · after phase-1\n> why why") {
		t.Errorf("%d characters:\n%s", n, got)
	}
}
