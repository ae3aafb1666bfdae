package turn_test

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// toolUser is a model that uses a tool before it answers. Used counts how often that began.
func toolUser(tool llm.ToolStart, used *int) llm.Runtime {
	return script.Func(func(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
		return func(yield func(llm.Event, error) bool) {
			if !yield(tool, nil) {
				return
			}
			*used++
			yield(llm.TextDelta{Text: "Used."}, nil)
		}
	})
}

// TestASteeredTurnLeavesNothingBehind: it has no effect, and nothing of it is seen or recorded, so that the model is asked again.
func TestASteeredTurnLeavesNothingBehind(t *testing.T) {
	var changed, read int
	for _, tt := range []struct {
		name  string
		model llm.Runtime
	}{
		{"a whole answer", says("Fine." + block("act"))},
		{"a failure", script.New(script.Answer{script.Text("So"), script.Fail(errors.New("broken"))})},
		{"a tool that changes something", toolUser(llm.ToolStart{Name: "post", Changes: true}, &changed)},
		{"a tool that reads", toolUser(llm.ToolStart{Name: "read"}, &read)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			book := filepath.Join(t.TempDir(), store.FileName)
			s := scene{model: tt.model, ledger: book, commit: func() error { return turn.ErrSteered }}
			s.play(t)
			if !errors.Is(s.err, turn.ErrSteered) || !errors.Is(s.err, turn.ErrStopped) || len(s.wall.shown()) > 0 || len(s.ran) > 0 {
				t.Errorf("%v, %q is shown, and %q was done", s.err, s.wall.shown(), s.ran)
			}
			again := scene{model: says("Again."), ledger: book}
			again.play(t)
			if got := again.wall.shown(); !slices.Equal(got, []string{"Again."}) {
				t.Errorf("then %q is shown", got)
			}
		})
	}
	if changed != 0 || read != 1 {
		t.Errorf("the tool that changes something was used %d times, and the one that reads %d times", changed, read)
	}
}

// TestATurnCommitsBeforeItsFirstEffect, and then cannot be steered any more.
func TestATurnCommitsBeforeItsFirstEffect(t *testing.T) {
	for _, tt := range []struct {
		name  string
		model llm.Runtime
	}{
		{"an action", says("Fine." + block("act"))},
		{"an answer", says("Fine.")},
		{"a failure", script.New(script.Answer{script.Fail(errors.New("broken"))})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			commits, s := 0, &scene{model: tt.model, once: true}
			s.commit = func() error {
				commits++
				if len(s.ran) > 0 || s.wall.n > 0 {
					t.Errorf("it commits after %q, and %d replies", s.ran, s.wall.n)
				}
				return nil
			}
			s.play(t)
			if commits == 0 || len(s.wall.shown()) != 1 {
				t.Errorf("it commits %d times, and shows %q", commits, s.wall.shown())
			}
		})
	}
}
