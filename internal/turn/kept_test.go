package turn_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/class"
)

// byWords is a judge.
func byWords(_ context.Context, text string) class.Class { return class.Heuristic(text) }

// on has another turn go on, under a label.
func on(kept *[]turn.Kept) turn.Continue {
	return func(_ context.Context, k turn.Kept) (string, error) {
		*kept = append(*kept, k)
		return "going on", nil
	}
}

func TestAnAnswerThatAnnouncesWorkIsKeptBack(t *testing.T) {
	const announced = "Let me check the logs."
	for _, tt := range []struct {
		name  string
		model llm.Runtime
		goOn  func(*[]turn.Kept) turn.Continue
		shown []string
		kept  string
		class class.Class
	}{
		{"kept back", says(announced), on, []string{"going on"}, announced, class.Status},
		{"after a follow-up", says("Wait."+block("look"), announced), on, []string{"going on"}, announced, class.Status},
		{"not a last answer", says(announced+block("look"), "Two."), on, []string{"Two.\n\n-# Done: looked it up"}, "", class.Completion},
		{"with what was done", says(announced + block("act")), on, []string{announced + "\n\nDone: act"}, "", class.Completion},
		{"something else", says("All is well."), on, []string{"All is well."}, "", class.Completion},
		{"not now", says(announced), func(*[]turn.Kept) turn.Continue {
			return func(context.Context, turn.Kept) (string, error) { return "", turn.ErrNotNow }
		}, []string{announced}, "", class.Status},
		{"not written down", says(announced), func(*[]turn.Kept) turn.Continue {
			return func(context.Context, turn.Kept) (string, error) { return "", errors.New("full") }
		}, []string{announced}, "", class.Status},
		{"nothing goes on", says(announced), func(*[]turn.Kept) turn.Continue { return nil }, []string{announced}, "", class.Status},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var kept []turn.Kept
			s := scene{model: tt.model, judge: byWords, goOn: tt.goOn(&kept)}
			s.play(t)
			if got := s.wall.shown(); !slices.Equal(got, tt.shown) {
				t.Errorf("shown: %q, want %q", got, tt.shown)
			}
			if s.err != nil || s.outcome.KeptBack != tt.kept || s.outcome.Class != tt.class || (len(kept) == 1) != (tt.kept != "") {
				t.Errorf("%+v, %v", s.outcome, s.err)
			}
		})
	}
}

// TestWhatWasKeptBackIsShownIfNothingElseIs: it is not lost.
func TestWhatWasKeptBackIsShownIfNothingElseIs(t *testing.T) {
	const earlier = "Let me check the logs."
	broken := script.New(script.Answer{script.Fail(&llm.Error{Kind: llm.Unavailable, Runtime: "script", Host: "models.example"})})
	for _, tt := range []struct {
		name  string
		model llm.Runtime
		want  string
	}{
		{"an answer", says("It was the network."), "It was the network."},
		{"an empty answer", says(""), earlier},
		{"nothing but a done action", says(block("send")), earlier},
		{"a failure", broken, earlier + "\n\n⚠️ I can't reach my language model right now"},
		{"a stop", says("Fine." + block("halt")), earlier + "\n\nFine."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var kept []turn.Kept
			s := scene{model: tt.model, judge: byWords, before: earlier, goOn: on(&kept)}
			s.play(t)
			if got := strings.Join(s.wall.shown(), "|"); !strings.HasPrefix(got, tt.want) {
				t.Errorf("shown: %q, want %q", got, tt.want)
			}
			if len(kept) > 0 {
				t.Errorf("it goes on after %+v", kept)
			}
		})
	}
}

// TestAFilterDoesNotEmptyAnAnswer: a model that wrote something has answered.
func TestAFilterDoesNotEmptyAnAnswer(t *testing.T) {
	for answer, want := range map[string]string{
		"🛠️ exec: ls":                       "Done.",
		"🛠️ exec: ls\nAll good.":            "All good.",
		"":                                  turn.NoOutput,
		actions.BlockOpen + `{"type":"act"`: "",
	} {
		s := scene{model: says(answer, "Two."), judge: byWords, clean: class.WithoutToolLogs, once: true}
		s.play(t)
		if got := s.wall.shown()[0]; want != "" && got != want || got == turn.NoOutput && answer != "" {
			t.Errorf("of %q is shown %q, want %q", answer, got, want)
		}
	}
}

func TestTheClassOfAnAnswerGoesByTheModelsWords(t *testing.T) {
	for _, tt := range []struct {
		answer string
		want   class.Class
	}{
		{"Should I delete it?" + block("act"), class.Question},
		{"Error: it is broken.", class.Error},
		{"", class.Error},
		{block("act"), class.Completion},
		{block("unknown"), class.Completion},
	} {
		s := scene{model: says(tt.answer), judge: byWords, once: true}
		s.play(t)
		if got := s.outcome.Class; got != tt.want || !s.outcome.Due {
			t.Errorf("%q is a %s, want %s", tt.answer, got, tt.want)
		}
	}
}
