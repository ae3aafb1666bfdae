package forge_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/forge"
	"discoclaw/internal/llm"
	"discoclaw/internal/plan/verdict"
)

func TestSingleAudits(t *testing.T) {
	t.Parallel()
	closed := parsed(t, written(t, plan("x"))).WithStatus("CLOSED")
	for _, tt := range []struct {
		name, text string
		answers    []any
		reason     forge.Reason
		log        string
	}{
		{"passes", written(t, plan("x")), []any{clean}, forge.Clean, "**Names**"},
		{"blocks", written(t, plan("x")), []any{blocking}, forge.Blocked, "No test of zero"},
		{"no verdict", written(t, plan("x")), []any{prose, prose}, forge.Malformed, prose},
		{"no verdict at first", written(t, plan("x")), []any{prose, clean}, forge.Clean, "**Names**"},
		{"form", fresh(t), nil, forge.Blocked, "- The section Objective says nothing yet. (medium)"},
		{"a note on the form", closed, []any{clean}, forge.Clean, "- The plan is closed. (minor)"},
		{"without a log", "# Plan: x\n\n**ID:** plan-007\n\n---\n" + strings.SplitN(plan("x"), "\n", 2)[1], []any{clean}, forge.Clean, "## Audit Log"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.text, tt.answers...)
			w.state = []byte(`{"step":"audit","round":1,"last":3}`)
			before := w.stored()
			out, err := w.forge().Audit(t.Context(), w.work(), w, nil)
			if err != nil || out.Reason != tt.reason || len(w.answers) > 0 {
				t.Fatalf("%+v, %v", out, err)
			}
			if d := parsed(t, w.text); len(d.Reviews()) != 1 || !strings.Contains(w.text, tt.log) || d.Body() != parsed(t, tt.text).Body() {
				t.Errorf("no %q in\n%s", tt.log, w.text)
			}
			if !cmp.Equal(before, w.stored()) {
				t.Errorf("the state became %+v", w.stored())
			}
		})
	}
}

func TestSingleAuditOfWhatPeopleEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, written(t, plan("x")))
	w.answers = []any{func() any {
		w.text = written(t, plan("what people wrote"), blocking)
		return clean
	}}
	out, err := w.forge().Audit(t.Context(), w.work(), w, nil)
	d := parsed(t, w.text)
	if err != nil || out.Reason != forge.Edited || len(d.Reviews()) != 2 || d.Reviews()[1].Number != 2 || !strings.Contains(d.Body(), "what people wrote") {
		t.Errorf("%+v, %v with\n%s", out, err, w.text)
	}
}

func TestSingleAuditFails(t *testing.T) {
	t.Parallel()
	broke := &llm.Error{Kind: llm.Unauthorized}
	w := newWorld(t, written(t, plan("x")), broke)
	if _, err := w.forge().Audit(t.Context(), w.work(), w, nil); !errors.Is(err, broke) || w.updates > 0 {
		t.Errorf("%v after %d updates", err, w.updates)
	}
}

func TestOutcomesInWords(t *testing.T) {
	t.Parallel()
	concerns := []verdict.Concern{{Title: "No test of zero", Severity: verdict.Blocking}}
	for _, tt := range []struct {
		of   forge.Progress
		want string
	}{
		{forge.Progress{Step: forge.Draft}, "📝 Drafting"},
		{forge.Progress{Step: forge.Draft, Retrying: true}, "📝 Drafting 🔄 once more"},
		{forge.Progress{Step: forge.Audit, Round: 2, Last: 5}, "🔍 Auditing, round 2 of 5"},
		{forge.Progress{Step: forge.Revise, Severity: verdict.Blocking}, "✏️ Revising (blocking)"},
		{forge.Progress{Step: forge.Revise}, "✏️ Revising"},
		{done(forge.Outcome{Reason: forge.Clean, Rounds: 1, Severity: verdict.Minor}), "The plan passed after 1 audit; the gravest concern is minor."},
		{done(forge.Outcome{Reason: forge.Clean, Rounds: 2, Severity: verdict.None, Warning: "The section Risks is missing."}), "The plan passed after 2 audits, without concerns. Its form is wrong, though: The section Risks is missing."},
		{done(forge.Outcome{Reason: forge.Blocked, Rounds: 1, Concerns: concerns}), "The plan needs revision: No test of zero."},
		{done(forge.Outcome{Reason: forge.CapReached, Rounds: 5, Concerns: concerns}), "The plan still needs revision after 5 audits, and no rounds are left: No test of zero. Say what to change, or decide yourself."},
		{done(forge.Outcome{Reason: forge.Malformed}), "I could not get a clear verdict, so treat the plan as unaudited: read it carefully, or have it audited again with `!plan audit`."},
		{done(forge.Outcome{Reason: forge.Undrafted}), "The model's draft was not a plan. Try again, or use a stronger model."},
		{done(forge.Outcome{Reason: forge.Edited}), "The plan was changed while a model worked on it, so that work was not used. Start forge again for the plan as it is now."},
	} {
		if got := tt.of.String(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.of.Step, got, tt.want)
		}
	}
}

func done(o forge.Outcome) forge.Progress { return forge.Progress{Step: forge.Done, Outcome: o} }
