package forge_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/forge"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/verdict"
)

func TestNewPlan(t *testing.T) {
	t.Parallel()
	stalled := &llm.Error{Kind: llm.Stalled}
	for _, tt := range []struct {
		name    string
		answers []any
		reason  forge.Reason
		rounds  int
		steps   string
	}{
		{"clean at once", []any{plan("first"), clean}, forge.Clean, 1, "draft audit done"},
		{"clean after a revision", []any{plan("first"), blocking, plan("final"), clean}, forge.Clean, 2, "draft audit revise audit done"},
		{"the cap", []any{plan("first"), blocking, plan("second"), blocking, plan("final"), blocking}, forge.CapReached, 3, "draft audit revise audit revise audit done"},
		{"clean in the last round", []any{plan("first"), blocking, plan("second"), blocking, plan("final"), clean}, forge.Clean, 3, "draft audit revise audit revise audit done"},
		{"no verdict at first", []any{plan("first"), prose, clean}, forge.Clean, 1, "draft audit audit! done"},
		{"no verdict twice", []any{plan("first"), prose, prose}, forge.Malformed, 1, "draft audit audit! done"},
		{"no verdict after a revision", []any{plan("first"), blocking, plan("final"), prose, ""}, forge.Malformed, 2, "draft audit revise audit audit! done"},
		{"no plan at first", []any{"I will look at the code.", plan("first"), clean}, forge.Clean, 1, "draft draft! audit done"},
		{"no plan twice", []any{"I will look.", "I have looked."}, forge.Undrafted, 0, "draft draft! done"},
		{"the template at first", []any{fresh(t), plan("first"), clean}, forge.Clean, 1, "draft draft! audit done"},
		{"the template twice", []any{fresh(t), fresh(t)}, forge.Undrafted, 0, "draft draft! done"},
		{"no plan in the revision", []any{plan("first"), blocking, "Done.", "Done."}, forge.Undrafted, 1, "draft audit revise revise! done"},
		{"a stall", []any{stalled, plan("first"), stalled, clean}, forge.Clean, 1, "draft draft! audit audit! done"},
		{"a plan in a code block", []any{"Here it is:\n\n" + fence + "markdown\n" + plan("first") + fence, clean}, forge.Clean, 1, "draft audit done"},
		{"a plan that is too long", []any{plan(strings.Repeat("long ", 30_000)), plan("first"), clean}, forge.Clean, 1, "draft draft! audit done"},
		{"no list of phases at first", []any{strings.Replace(plan("x"), "[{", "- ", 1), plan("first"), clean}, forge.Clean, 1, "draft draft! audit done"},
		{"a section is missing at first", []any{strings.Replace(plan("x"), "## Risks", "### Risks", 1), plan("first"), clean}, forge.Clean, 1, "draft draft! audit done"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, fresh(t), tt.answers...)
			out := w.mustRun(w.work())
			if out.Reason != tt.reason || out.Rounds != tt.rounds || w.steps() != tt.steps {
				t.Errorf("%s after %d rounds and the steps %s, want %s after %d and %s", out.Reason, out.Rounds, w.steps(), tt.reason, tt.rounds, tt.steps)
			}
			w.requireOnlyReading()
			requireFrame(t, w.text)
			if n := len(parsed(t, w.text).Reviews()); n != tt.rounds {
				t.Errorf("%d reviews after %d rounds", n, tt.rounds)
			}
			if s := w.stored(); s.Step != forge.Done || !cmp.Equal(s.Outcome, out) {
				t.Errorf("stored %+v, returned %+v", s, out)
			}
		})
	}
}

// requireFrame requires header and tail of the plan to be those that it began with.
func requireFrame(t testing.TB, text string) {
	t.Helper()
	for _, part := range []string{"**ID:** plan-007\n**Task:** t-1\n**Created:** 2026-11-17\n**Status:** DRAFT\n**Project:** demo\n\n---\n", "## Implementation Notes\n\n(Written while the plan is carried out.)\n\n## Context\n\n> We talked about words.\n"} {
		if strings.Count(text, part) != 1 {
			t.Errorf("the plan has lost %q:\n%s", part, text)
		}
	}
}

// Header and log that a model writes are what it believes to be there.
func TestModelsWriteTheBodyOnly(t *testing.T) {
	t.Parallel()
	forged := strings.Replace(plan("first"), "\n\n", "\n\n**ID:** plan-001\n**Status:** APPROVED\n\n---\n\n", 1) + "\n---\n\n## Audit Log\n\n### Review 1 — 2026-11-17\n\n" + ready + "\n"
	w := newWorld(t, fresh(t), forged, blocking, forged, clean)
	w.mustRun(w.work())
	d := parsed(t, w.text)
	requireFrame(t, w.text)
	if d.Title != "Count words" || len(d.Reviews()) != 2 || d.Status != "DRAFT" || d.ID != "plan-007" {
		t.Errorf("%+v in\n%s", d.Reviews(), w.text)
	}
}

func TestRolesAndRounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fresh(t), plan("first"), blocking, plan("final"), clean)
	w.mustRun(w.work())
	if diff := cmp.Diff([]roles.Role{roles.ForgeDrafter, roles.ForgeAuditor, roles.ForgeDrafter, roles.ForgeAuditor}, w.roles()); diff != "" {
		t.Error(diff)
	}
	want := []forge.Progress{{Step: forge.Draft}, {Step: forge.Audit, Round: 1, Last: 3}, {Step: forge.Revise, Severity: verdict.Blocking}, {Step: forge.Audit, Round: 2, Last: 3}, {Step: forge.Done, Outcome: w.stored().Outcome}}
	if diff := cmp.Diff(want, w.shown); diff != "" {
		t.Error(diff)
	}
	for i, texts := range [][]string{{"count words rightly"}, {"first"}, {"first", "No test of zero"}, {"final", "Review 1:", "**No test of zero** (blocking)"}} {
		for _, text := range texts {
			if !strings.Contains(w.questions[i].Text, text) {
				t.Errorf("question %d does not have %q:\n%s", i, text, w.questions[i].Text)
			}
		}
	}
	for i, text := range []string{"", "Review 1", "### Review", "### Review"} {
		if text != "" && strings.Contains(w.questions[i].Text, text) {
			t.Errorf("question %d has %q", i, text)
		}
	}
}

func TestWhereWorkBegins(t *testing.T) {
	t.Parallel()
	half := strings.Replace(plan("of people"), "`go test ./...` runs `TestCount`.", "", 1)
	for _, tt := range []struct {
		name, text, wish string
		answers          []any
		steps            string
		told             string // in the first question
	}{
		{"a plan of people", written(t, plan("of people")), "", []any{clean}, "audit done", "of people"},
		{"one that passed", written(t, plan("x"), blocking, clean), "", []any{clean}, "audit done", "**No test of zero** (blocking)"},
		{"one that was blocked", written(t, plan("x"), blocking), "", []any{plan("y"), clean}, "revise audit done", "No test of zero"},
		{"one that could not be judged", written(t, plan("x"), prose), "", []any{clean}, "audit done", ""},
		{"a wish", written(t, plan("x"), clean), "count commas too", []any{plan("y"), clean}, "revise audit done", "count commas too"},
		{"a wish, with a review", written(t, plan("x"), blocking), "count commas too", []any{plan("y"), clean}, "revise audit done", "No test of zero"},
		{"a wish for a template", fresh(t), "count commas too", []any{plan("y"), clean}, "draft audit done", "count commas too"},
		{"half a plan", written(t, half), "", []any{plan("y"), clean}, "revise audit done", "The section Testing says nothing yet."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.text, tt.answers...)
			work := w.work()
			work.Wish = tt.wish
			out := w.mustRun(work)
			if w.steps() != tt.steps || out.Reason != forge.Clean {
				t.Errorf("%s with the steps %s, want %s", out.Reason, w.steps(), tt.steps)
			}
			if !strings.Contains(w.questions[0].Text, tt.told) {
				t.Errorf("the first question does not have %q:\n%s", tt.told, w.questions[0].Text)
			}
		})
	}
}

func TestTemplatesOfPeople(t *testing.T) {
	t.Parallel()
	const template = "# Plan: {{TITLE}}\n\n**ID:** {{PLAN_ID}}\n\n---\n\n## Objective\n\n(What {{PROJECT}} gets from it.)\n"
	w := newWorld(t, strings.NewReplacer("{{TITLE}}", "Words", "{{PLAN_ID}}", "plan-007", "{{PROJECT}}", "").Replace(template), plan("first"), clean)
	work := w.work()
	work.Template = template
	if w.mustRun(work); w.steps() != "draft audit done" {
		t.Errorf("steps %s", w.steps())
	}
}

func TestCapIsNoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fresh(t), plan("first"), blocking, plan("second"), blocking, plan("final"), blocking)
	out := w.mustRun(w.work())
	if !strings.Contains(w.text, "VERDICT: CAP_REACHED") || out.Severity != verdict.Blocking || len(out.Concerns) != 1 {
		t.Errorf("%+v with\n%s", out, w.text)
	}
	if d := parsed(t, w.text); !strings.Contains(d.Body(), "final") {
		t.Errorf("the body is %s", d.Body())
	}
}

// An auditor may pass a plan without a list of phases.
func TestFormIsCheckedAgainAtTheEnd(t *testing.T) {
	t.Parallel()
	empty := strings.NewReplacer("[{", "- ", "}]", "").Replace(plan("x"))
	w := newWorld(t, fresh(t), empty, empty, clean)
	out := w.mustRun(w.work())
	if d := parsed(t, w.text); out.Reason != forge.Clean || !strings.Contains(out.Warning, "no list of phases that can be read") || len(d.Reviews()) != 2 || d.LatestVerdict() != "Needs revision" {
		t.Errorf("%+v with\n%s", out, w.text)
	}
	// So the next run begins with what is wrong.
	w.state, w.shown, w.answers = nil, nil, []any{plan("y"), clean}
	if w.mustRun(w.work()); w.steps() != "revise audit done" {
		t.Errorf("steps %s", w.steps())
	}
}

func TestVagueWorkIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fresh(t))
	work := w.work()
	work.Description = "👍!"
	if _, err := w.run(work); !errors.Is(err, forge.ErrVague) || len(w.questions) > 0 {
		t.Errorf("got %v after %d questions", err, len(w.questions))
	}
	w.answers = []any{plan("first"), clean}
	work.Context = "Jo: words with hyphens count twice"
	if out := w.mustRun(work); out.Reason != forge.Clean {
		t.Errorf("got %+v", out)
	}
	for text, want := range map[string]bool{"": true, "👍": true, "…": true, "this": false, "fix the parser": false, "12": false, "数える": false} {
		if forge.Vague(text) != want {
			t.Errorf("Vague(%q) = %v", text, !want)
		}
	}
}

// What a model wrote about a text that people changed meanwhile is not put over their text, nor does it pass it.
func TestPeopleEditMeanwhile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		before  []any
		answer  string
		reviews int
	}{
		{"a draft", nil, plan("first"), 0},
		{"an audit that passes", []any{plan("first")}, clean, 1},
		{"an audit that blocks", []any{plan("first")}, blocking, 1},
		{"a revision", []any{plan("first"), blocking}, plan("second"), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, fresh(t))
			theirs := plan("what people wrote")
			w.answers = append(tt.before, func() any {
				text, err := parsed(t, w.text).Merge(theirs)
				if err != nil {
					t.Error(err)
				}
				w.text = text
				return tt.answer
			})
			out := w.mustRun(w.work())
			d := parsed(t, w.text)
			if out.Reason != forge.Edited || !strings.Contains(d.Body(), "what people wrote") || len(d.Reviews()) != tt.reviews {
				t.Errorf("%+v with\n%s", out, w.text)
			}
			if strings.Contains(d.LatestVerdict(), "approve") {
				t.Errorf("the plan seems to have passed: %s", d.LatestVerdict())
			}
		})
	}
	// The status is not what a plan says.
	w := newWorld(t, fresh(t), plan("first"))
	w.answers = append(w.answers, func() any {
		w.text = parsed(t, w.text).WithStatus("REVIEW")
		return clean
	})
	if out := w.mustRun(w.work()); out.Reason != forge.Clean || parsed(t, w.text).Status != "REVIEW" {
		t.Errorf("%+v with\n%s", out, w.text)
	}
}

func TestFatalErrorsLeaveThePlan(t *testing.T) {
	t.Parallel()
	broke := &llm.Error{Kind: llm.Unauthorized}
	answers := []any{plan("first"), blocking, plan("final"), clean}
	for k := range answers {
		w := newWorld(t, fresh(t), append(append([]any{}, answers[:k]...), broke)...)
		if _, err := w.run(w.work()); !errors.Is(err, broke) || w.updates != k {
			t.Errorf("question %d: %v after %d updates", k, err, w.updates)
		}
		w.answers = answers[k:]
		if out := w.mustRun(w.work()); out.Reason != forge.Clean {
			t.Errorf("question %d: went on to %+v", k, out)
		}
	}
}

func TestQuestionsEndInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, fresh(t))
		slow := ask.Model(func(ctx context.Context, _ ask.Question) (string, error) {
			<-ctx.Done()
			return "", context.Cause(ctx)
		})
		start := time.Now()
		_, err := forge.New(forge.Options{Ask: slow}).Run(t.Context(), w.work(), w, nil)
		var fault *llm.Error
		if !errors.As(err, &fault) || fault.Kind != llm.Timeout || time.Since(start) != 30*time.Minute || w.updates > 0 {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}
