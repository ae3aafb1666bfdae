package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/forge"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/phases"
	planwork "discoclaw/internal/plan/work"
	"discoclaw/internal/tasks"
)

// An ending is what there is when the story is over.
type ending struct {
	status, task string   // of the plan, and of its task
	commits      []string // of its branch
	things       []string // plans, tasks, and messages
	files        []string // all of them that the bot could have made
	checkout     string   // what has changed in people's checkout
	wrong        []string // questions about what was over
	repeated     int      // how often an answer was asked for again, at most
	stages       int      // steps of the forge and phases of the run in which answers were asked for again
}

// isBad reports whether a story has ended in another way than one without a kill. A kill may cost the answers of the step or the phase in
// which it comes.
func (e ending) isBad(want ending) bool { return e.compared(want) != "" }

func (e ending) compared(want ending) string {
	problems := cmp.Diff(want.facts(), e.facts())
	if e.checkout != "" {
		problems += "\nin the checkout of people: " + e.checkout
	}
	if len(e.wrong) > 0 {
		problems += "\nasked: " + strings.Join(e.wrong, "\n")
	}
	if e.repeated > 1 || e.stages > 1 {
		problems += fmt.Sprintf("\n%d steps or phases were repeated, up to %d times", e.stages, e.repeated)
	}
	return problems
}

func (e ending) facts() map[string][]string {
	return map[string][]string{"status": {e.status, e.task}, "commits": e.commits, "things": e.things, "files": e.files}
}

// ending looks at all that the story has left, when the process is off.
func (r *planRig) ending(t *testing.T) ending {
	t.Helper()
	e := ending{commits: r.project.commits(t), checkout: cmp.Diff(r.before, r.project.checkout(t))}
	r.withPlans(t, func(ctx context.Context, engine *plan.Engine, _ *planwork.Manager) error {
		plans, err := engine.List(ctx, r.world.GuildID(), "")
		if err != nil {
			return err
		}
		for _, p := range plans {
			e.status = string(p.Status)
			e.things = append(e.things, fmt.Sprintf("%s %s: %s", p.ID, p.Title, p.Badge()))
		}
		list, err := engine.Tasks.List(ctx, r.world.GuildID(), tasks.Filter{Status: tasks.All})
		for _, task := range list {
			e.task = string(task.Status)
			e.things = append(e.things, "task "+task.Title)
		}
		return err
	})
	for _, m := range r.world.Messages("general") {
		what := "other message: " + m.Content
		switch {
		case m.OnlyFor != "":
			continue // what pressing a button twice leads to
		case m.ReplyTo != "" && isFinished(m) && strings.Contains(m.Content, "Done: models are writing and auditing "):
			what = "answer"
		case len(m.Attachments) > 0:
			what = fmt.Sprintf("card with %d files", len(m.Attachments))
		case len(m.Components) == 0 && endOf(m.Content) == "" && strings.HasPrefix(m.Content, "**"):
			continue // the progress of a slow machine's run, whose end is told in a message of its own
		case len(m.Components) == 0 && endOf(m.Content) != "":
			what = fmt.Sprintf("progress of the %s, over", endOf(m.Content))
		}
		e.things = append(e.things, what)
	}
	for _, f := range listing(t, filepath.Dir(r.project.dir)) {
		if !strings.HasPrefix(f, filepath.Base(string(r.orders))) {
			e.files = append(e.files, f)
		}
	}
	r.countQuestions(&e)
	return e
}

// countQuestions counts what models were asked more than once.
func (r *planRig) countQuestions(e *ending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.wrong = r.wrong
	stages := map[string]bool{}
	for name, n := range r.counts {
		if e.repeated = max(e.repeated, n-1); n > 1 {
			stage, _, _ := strings.Cut(name, ":")
			stages[stage] = true
		}
	}
	e.stages = len(stages)
}

// requireOpen notes a question about something that is written down as over.
func (r *planRig) requireOpen(name string) {
	if name == chatPart {
		return // answers of turns are kept by the ledger
	}
	stage, _, isPhase := strings.Cut(name, ":")
	var over bool
	var err error
	if isPhase {
		r.mu.Lock()
		over = r.over[stage]
		r.mu.Unlock()
		var passed map[string]bool
		passed, err = r.passed()
		over = over || passed[stage]
	} else {
		over, err = r.isStepOver(stage)
	}
	switch {
	case err != nil:
		r.note(err.Error())
	case over:
		r.note(name)
	}
}

// steps are those of a forge that are stored when a part is asked.
var steps = map[string]forge.State{
	"draft": {}, "audit of the draft": {Step: forge.Audit}, "revision": {Step: forge.Revise, Round: 1}, "audit of the revision": {Step: forge.Audit, Round: 1},
}

// isStepOver looks up whether a step of the forge is over.
func (r *planRig) isStepOver(name string) (bool, error) {
	var state string
	var now forge.State
	err := r.query("SELECT state FROM plan_work WHERE kind = 'forge'", nil, &state)
	if err == nil && state != "" {
		err = json.Unmarshal([]byte(state), &now)
	}
	return now.Step != steps[name].Step || now.Round != steps[name].Round, err
}

// passed looks up the phases whose work has passed, whether they are committed or about to be.
func (r *planRig) passed() (map[string]bool, error) {
	var text string
	err := r.query("SELECT phases FROM plans", nil, &text)
	if err != nil || text == "" {
		return nil, err
	}
	record, err := phases.Decode([]byte(text))
	list := map[string]bool{}
	for _, p := range record.Phases {
		list[strings.Replace(p.ID, "-", " ", 1)] = p.Status == phases.Done || p.PassedTree != ""
	}
	return list, err
}
