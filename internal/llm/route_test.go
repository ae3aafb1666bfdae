package llm_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// named answers with its name and the model, or fails.
func named(name string, failure error) llm.Runtime {
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		if failure != nil {
			return script.Answer{script.Fail(failure)}.Stream(ctx)
		}
		return script.Say(name + " with " + req.Model).Stream(ctx)
	})
}

func said(r llm.Runtime, req llm.Request) string {
	text := ""
	for event, err := range r.Invoke(context.Background(), req) {
		switch e := event.(type) {
		case llm.TextDelta:
			text += e.Text
		case llm.Switched:
			text += fmt.Sprintf("[%s since %s] ", e.To, e.Why.Kind)
		}
		if err != nil {
			text += "failed: " + err.Error()
		}
	}
	return text
}

func TestRequestsReachTheRuntimeThatTheyName(t *testing.T) {
	r := llm.Routed("a", map[string]llm.Runtime{"a": named("a", nil), "b": named("b", nil)})
	for _, tt := range []struct{ runtime, want string }{
		{"", "a with m"}, {"a", "a with m"}, {"b", "b with m"}, {"c", "failed: c refused the request; name another one, or add its key to the settings"},
	} {
		if got := said(r, llm.Request{Runtime: tt.runtime, Model: "m"}); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.runtime, got, tt.want)
		}
	}
}

func TestAnotherModelAnswersWhereOneCannot(t *testing.T) {
	down := &llm.Error{Kind: llm.Unavailable, Runtime: "a"}
	for _, tt := range []struct {
		name    string
		failure error
		others  []llm.Choice
		want    string
	}{
		{"it works", nil, []llm.Choice{{Runtime: "b", Model: "n"}}, "a with m"},
		{"it is down", down, []llm.Choice{{Runtime: "b", Model: "n"}}, "[b:n since unavailable] b with n"},
		{"the first other is the same", down, []llm.Choice{{Runtime: "a", Model: "m"}, {Runtime: "b", Model: "n"}}, "[b:n since unavailable] b with n"},
		{"two are down", down, []llm.Choice{{Runtime: "a", Model: "k"}, {Runtime: "b", Model: "n"}}, "[a:k since unavailable] [b:n since unavailable] b with n"},
		{"all are down", down, []llm.Choice{{Runtime: "a", Model: "k"}}, "[a:k since unavailable] failed: a is not available; try again a little later"},
		{"the request itself is bad", &llm.Error{Kind: llm.TooLong}, []llm.Choice{{Runtime: "b", Model: "n"}}, "failed: this conversation is too long for the model; ask with less text, or in a new thread"},
		{"the budget is used up", &llm.Error{Kind: llm.OverBudget, Err: errors.New("no more")}, []llm.Choice{{Runtime: "b", Model: "n"}}, "failed: no more; the log has the details"},
		{"it was stopped", errors.New("stopped"), []llm.Choice{{Runtime: "b", Model: "n"}}, "failed: stopped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := llm.Routed("a", map[string]llm.Runtime{"a": named("a", tt.failure), "b": named("b", nil)})
			got := said(llm.Fallback(r, tt.others, slog.New(slog.DiscardHandler)), llm.Request{Runtime: "a", Model: "m"})
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestAnAnswerThatHasBegunIsNotPaidTwice.
func TestAnAnswerThatHasBegunIsNotPaidTwice(t *testing.T) {
	a := script.New(script.Answer{script.Text("Once upon"), script.Fail(&llm.Error{Kind: llm.Unavailable, Runtime: "a"})})
	r := llm.Fallback(llm.Routed("a", map[string]llm.Runtime{"a": a, "b": named("b", nil)}), []llm.Choice{{Runtime: "b", Model: "n"}}, slog.New(slog.DiscardHandler))
	if got, want := said(r, llm.Request{Model: "m"}), "Once uponfailed: a is not available; try again a little later"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
