package ask_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/plan/ask"
)

// answering returns a model with these answers, each a text or an error, and the questions that it was asked.
func answering(list ...any) (ask.Model, *[]string) {
	asked := new([]string)
	return func(_ context.Context, q ask.Question) (string, error) {
		*asked = append(*asked, q.Text)
		next := list[len(*asked)-1]
		if err, failed := next.(error); failed {
			return "", err
		}
		return next.(string), nil
	}, asked
}

func TestChecked(t *testing.T) {
	stalled, refused := &llm.Error{Kind: llm.Stalled}, &llm.Error{Kind: llm.OverBudget}
	for _, tt := range []struct {
		name      string
		answers   []any
		want      string
		calls     int
		malformed bool
		err       error
	}{
		{"at once", []any{"good"}, "good", 1, false, nil},
		{"a second time", []any{"bad", "good"}, "good", 2, false, nil},
		{"never", []any{"bad", "bad"}, "", 2, true, nil},
		{"after a stall", []any{stalled, "good"}, "good", 2, false, nil},
		{"two stalls", []any{stalled, stalled}, "", 2, false, stalled},
		{"no money", []any{refused}, "", 1, false, refused},
		{"no money for the second", []any{"bad", refused}, "", 2, false, refused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			model, asked := answering(tt.answers...)
			got, err := model.Checked(t.Context(), ask.Question{Text: "do it"}, func(answer string) error {
				if answer != "good" {
					return errors.New("it is not good")
				}
				return nil
			})
			if got != tt.want || len(*asked) != tt.calls || errors.As(err, new(*ask.Malformed)) != tt.malformed || tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v after %d calls", got, err, len(*asked))
			}
			if tt.answers[0] == "bad" && !strings.Contains((*asked)[1], "it is not good") {
				t.Errorf("the second question does not say what was wrong: %q", (*asked)[1])
			}
		})
	}
}

// What was cancelled is not asked again.
func TestCheckedEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	model := ask.Model(func(context.Context, ask.Question) (string, error) {
		calls++
		cancel()
		return "", &llm.Error{Kind: llm.Stalled}
	})
	if _, err := model.Checked(ctx, ask.Question{}, func(string) error { return nil }); err == nil || calls != 1 {
		t.Errorf("got %v after %d calls", err, calls)
	}
}
