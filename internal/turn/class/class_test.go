package class_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/turn/class"
)

type vectors struct {
	Classify []struct {
		Text string
		Type class.Class
	}
	ToolLogs []struct{ Input, Output string }
}

func load(t *testing.T) (v vectors) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil || len(v.Classify) == 0 || len(v.ToolLogs) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	return v
}

func TestTheHeuristicKeepsTheVectors(t *testing.T) {
	t.Parallel()
	for _, v := range load(t).Classify {
		if got := class.Heuristic(v.Text); got != v.Type {
			t.Errorf("%q is a %s, want %s", v.Text, got, v.Type)
		}
	}
}

// TestOrdinaryAnswersAreNotKeptBack: a status may be, so only the words of the rules make one.
func TestOrdinaryAnswersAreNotKeptBack(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]class.Class{
		"Running is healthy.":                           class.Status, // the rules know no better, and the chain ends with the text
		"Run it again tomorrow.":                        class.Completion,
		"I'll check main.go":                            class.Status,
		"I’ll check the logs.":                          class.Status,
		"**Let me check the logs.**":                    class.Status,
		"I think I will check it tomorrow.":             class.Completion,
		"Checking `main.go` now.":                       class.Status,
		"Let me check.\n" + strings.Repeat("word ", 90): class.Completion,
		"> Let me check the logs.":                      class.Completion,
		"`go test`":                                     class.Completion,
		"   \n":                                         class.Status,
		"Working on it!":                                class.Status,
	} {
		if got := class.Heuristic(text); got != want {
			t.Errorf("%q is a %s, want %s", text, got, want)
		}
	}
}

func TestToolLogsAreRemoved(t *testing.T) {
	t.Parallel()
	for _, v := range load(t).ToolLogs {
		if got := class.WithoutToolLogs(v.Input); got != v.Output {
			t.Errorf("of %q is left %q, want %q", v.Input, got, v.Output)
		}
	}
	const kept = "One:\n\n\nTwo"
	if got := class.WithoutToolLogs(kept); got != kept {
		t.Errorf("an answer without tool logs became %q", got)
	}
	if got, want := class.WithoutToolLogs("🔧 run: x\n```\na\n\n\n\nb\n```"), "```\na\n\n\n\nb\n```"; got != want {
		t.Errorf("code became %q", got)
	}
}

func TestAModelNamesTheClass(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text, answer string
		want               class.Class
	}{
		{"believed", "The rest is up to the build.", `{"type":"status","confidence":0.9,"reason":"x"}`, class.Status},
		{"in a fence", "The rest is up to the build.", "```json\n{\"type\":\"blocker\",\"confidence\":1}\n```", class.Blocker},
		{"above 1", "Fine.", `{"type":"error","confidence":7}`, class.Error},
		{"not sure", "Fine.", `{"type":"status","confidence":0.79}`, class.Question},
		{"no JSON", "Let me check the logs.", "status", class.Status},
		{"unknown type", "Let me check the logs.", `{"type":"maybe","confidence":1}`, class.Status},
		{"substance", "Let me see https://example.org", `{"type":"status","confidence":1}`, class.Completion},
		{"blank", " ", `{"type":"completion","confidence":1}`, class.Status},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := class.ByModel(t.Context(), tt.text, func(context.Context, string, string) (string, error) { return tt.answer, nil })
			if got != tt.want {
				t.Errorf("a %s, want %s", got, tt.want)
			}
		})
	}
}

func TestTheHeuristicDecidesWithoutAModel(t *testing.T) {
	t.Parallel()
	failing := func(context.Context, string, string) (string, error) { return "", errors.New("out of order") }
	if got := class.ByModel(t.Context(), "Let me check the logs.", failing); got != class.Status {
		t.Errorf("after an error it is a %s", got)
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		got := class.ByModel(t.Context(), "Let me check the logs.", func(ctx context.Context, _, _ string) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		if took := time.Since(began); got != class.Status || took != 5*time.Second {
			t.Errorf("a %s after %v", got, took)
		}
	})
}

func TestAModelIsShownBothEndsOfALongAnswer(t *testing.T) {
	t.Parallel()
	var shown string
	class.ByModel(t.Context(), "begin"+strings.Repeat("é", 5000)+"end", func(_ context.Context, _, text string) (string, error) {
		shown = text
		return "", nil
	})
	if n := len([]rune(shown)); n != 2003 || !strings.HasPrefix(shown, "begin") || !strings.HasSuffix(shown, "end") {
		t.Errorf("it is shown %d characters", n)
	}
}
