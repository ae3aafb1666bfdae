package forge_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/forge"
	"discoclaw/internal/plan/ask"
)

// short is a plan in which most sections are missing.
const short = "# Plan: x\n\n## Objective\n\nToo little of it."

// stories are runs that end in every way.
var stories = map[string][]any{
	"clean":      {plan("first"), blocking, plan("final"), clean},
	"retries":    {"no plan", plan("first"), prose, blocking, "no plan", plan("final"), prose, clean},
	"cap":        {plan("first"), blocking, plan("second"), blocking, plan("final"), blocking},
	"malformed":  {plan("first"), blocking, plan("final"), prose, prose},
	"undrafted":  {plan("first"), blocking, "no plan", "no plan"},
	"structural": {plan("first"), blocking, short, short, clean},
}

// Whoever kills the process after any step, what was answered is not asked again, and the end is the same.
func TestKilledAfterEveryStep(t *testing.T) {
	t.Parallel()
	for name, answers := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := newWorld(t, fresh(t), answers...)
			want := whole.mustRun(whole.work())
			for k := 1; k <= whole.updates; k++ {
				w := newWorld(t, fresh(t), answers...)
				w.killAfter = k
				if _, err := w.run(w.work()); !errors.Is(err, errKilled) {
					t.Fatalf("update %d: %v", k, err)
				}
				got := w.mustRun(w.work())
				if diff := cmp.Diff(whole.text, w.text); diff != "" || !cmp.Equal(got, want) {
					t.Errorf("killed after update %d: %+v, want %+v; the plan (-whole +killed):\n%s", k, got, want, diff)
				}
				if !slices.Equal(texts(whole.questions), texts(w.questions)) {
					t.Errorf("killed after update %d: other questions", k)
				}
			}
		})
	}
}

func texts(list []ask.Question) (found []string) {
	for _, q := range list {
		found = append(found, whole(q))
	}
	return found
}

// Cancelled at any question, whether the model notices that or not, a run asks and stores nothing more.
func TestCancelledAtEveryQuestion(t *testing.T) {
	t.Parallel()
	stop := errors.New("stopped by Jo")
	for name, answers := range stories {
		for _, notices := range []bool{true, false} {
			for k := range answers {
				w := newWorld(t, fresh(t), answers...)
				ctx, cancel := context.WithCancelCause(t.Context())
				text, state := "", ""
				model := ask.Model(func(ctx context.Context, q ask.Question) (string, error) {
					answer, err := w.ask(ctx, q)
					if len(w.questions) == k+1 {
						text, state = w.text, string(w.state)
						cancel(stop)
					}
					if notices && ctx.Err() != nil {
						return "", context.Cause(ctx)
					}
					return answer, err
				})
				_, err := forge.New(forge.Options{Ask: model, Rounds: 3}).Run(ctx, w.work(), w, nil)
				if !errors.Is(err, stop) || w.text != text || string(w.state) != state || len(w.questions) != k+1 {
					t.Errorf("%s, question %d of %d: %v, and the state is %s, which was %s", name, k+1, len(w.questions), err, w.state, state)
				}
			}
		}
	}
}
