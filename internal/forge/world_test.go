package forge_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/forge"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
	"discoclaw/internal/plan/ask"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/plantest"
	"discoclaw/internal/plan/verdict"
)

const (
	fence = "```"
	ready = "**Verdict:** Ready to approve"

	clean    = `{"word": "{word}", "severity": "minor", "concerns": [{"title": "Names", "severity": "minor"}]}`
	blocking = `{"word": "{word}", "severity": "blocking", "concerns": [{"title": "No test of zero", "severity": "blocking"}]}`
	prose    = "This looks good to me."
)

// plan is what a drafter writes; the objective tells one plan from another.
func plan(objective string) string {
	return "# Plan: Count words\n\n## Objective\n\nThe count is right: " + objective + "\n\n## Scope\n\nOnly the command `count`, nothing else.\n\n" +
		"## Changes\n\n" + `[{"title": "Skip blanks", "files": ["count.go", "count_test.go"], "change": "Count skips blanks; the test is new: blanks and zero"}]` + "\n\n" +
		"## Risks\n\nTabs may count as words; the test has one.\n\n## Testing\n\n`go test ./...` runs `TestCount`.\n"
}

// fresh is a plan of which only the template is there.
func fresh(t testing.TB) string {
	t.Helper()
	text, err := doc.Render(doc.Template, doc.Fields{Title: "Words", ID: "plan-007", Task: "t-1", Date: "2026-11-17", Project: "demo", Context: "We talked about words."})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// written is a plan with a text, and reviews.
func written(t testing.TB, draft string, reviews ...string) string {
	t.Helper()
	text, err := parsed(t, fresh(t)).Merge(draft)
	if err != nil {
		t.Fatal(err)
	}
	for _, notes := range reviews {
		if v, err := verdict.Read(notes, "{word}"); err == nil {
			notes = v.Notes()
		}
		text = parsed(t, text).WithReview("2026-11-16", notes)
	}
	return text
}

func parsed(t testing.TB, text string) doc.Doc {
	t.Helper()
	d, err := doc.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return d
}

var errKilled = errors.New("killed")

// A world is a plan, and a model with its answers: texts, errors, or functions that return one of them.
type world struct {
	t       testing.TB
	text    string
	state   []byte
	answers []any

	questions []ask.Question
	shown     []forge.Progress
	updates   int
	killAfter int // updates; 0 for never
}

func newWorld(t testing.TB, text string, answers ...any) *world {
	return &world{t: t, text: text, answers: answers}
}

func (w *world) Load(context.Context) (doc.Doc, error) { return parsed(w.t, w.text), nil }

func (w *world) Update(ctx context.Context, change func(doc.Doc) (string, forge.State, error)) error {
	if ctx.Err() != nil {
		w.t.Error("something is stored after the end of its context")
	}
	text, state, err := change(parsed(w.t, w.text))
	if err != nil {
		return err
	}
	w.text = parsed(w.t, text).Text()
	if w.state, err = json.Marshal(state); err != nil {
		return err
	}
	if w.updates++; w.updates == w.killAfter {
		return errKilled
	}
	return nil
}

func (w *world) ask(_ context.Context, q ask.Question) (string, error) {
	w.questions = append(w.questions, q)
	if len(w.answers) == 0 {
		w.t.Fatalf("one question too many:\n%s", q.Text)
	}
	next := w.answers[0]
	w.answers = w.answers[1:]
	if f, ok := next.(func() any); ok {
		next = f()
	}
	if err, failed := next.(error); failed {
		return "", err
	}
	return plantest.WithWord(next.(string), q.Text), nil
}

func (w *world) forge() *forge.Forge {
	return forge.New(forge.Options{Ask: w.ask, Rounds: 3, Now: func() time.Time { return time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC) }})
}

func (w *world) stored() (s forge.State) {
	w.t.Helper()
	if w.state == nil {
		return s
	}
	if err := json.Unmarshal(w.state, &s); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// work is what a person asked for, to go on from the stored state.
func (w *world) work() forge.Work {
	return forge.Work{Description: "count words rightly", Project: forge.Project{Name: "demo", Dir: "/src/demo", Verify: "go test ./..."}, State: w.stored()}
}

func (w *world) run(work forge.Work) (forge.Outcome, error) {
	return w.forge().Run(w.t.Context(), work, w, func(p forge.Progress) { w.shown = append(w.shown, p) })
}

// mustRun runs to an outcome, for which every answer is needed.
func (w *world) mustRun(work forge.Work) forge.Outcome {
	w.t.Helper()
	out, err := w.run(work)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(w.answers) > 0 {
		w.t.Errorf("%d answers were not needed", len(w.answers))
	}
	return out
}

// steps are what was shown, in words.
func (w *world) steps() string {
	var list []string
	for _, p := range w.shown {
		step := string(p.Step)
		if p.Retrying {
			step += "!"
		}
		list = append(list, step)
	}
	return strings.Join(list, " ")
}

func (w *world) roles() []roles.Role {
	var list []roles.Role
	for _, q := range w.questions {
		list = append(list, q.Role)
	}
	return list
}

func (w *world) requireOnlyReading() {
	w.t.Helper()
	if i := slices.IndexFunc(w.questions, func(q ask.Question) bool { return q.Level != llm.ToolsRead || q.Folder != "/src/demo" }); i >= 0 {
		w.t.Errorf("question %d is asked with %q in %q", i, w.questions[i].Level, w.questions[i].Folder)
	}
}
