package scenario

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/consent"
	"discoclaw/internal/llm"
)

// readScript is a stage without a bot, with the answers and the checks of a script.
func readScript(t *testing.T, text string) (*stage, []step) {
	t.Helper()
	steps, answers, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &stage{t: t, answers: answers}, steps
}

// ask asks the model of a stage, as the bot does.
func (st *stage) ask(ctx context.Context, system, message string) (answer string, err error) {
	for event, err := range st.invoke(ctx, llm.Request{System: system, Messages: []llm.Message{{Role: llm.User, Text: message}}}) {
		if err != nil {
			return "", err
		}
		if d, ok := event.(llm.TextDelta); ok {
			answer += d.Text
		}
	}
	return answer, nil
}

var pins = consent.Request{Words: "pin that and thank zed", Wanted: []string{"pin a message", "send a message", "give a role"}}

func TestTheReaderOfASceneConfirmsWhatItsLinesSay(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []bool
		bad  bool
	}{
		{"reader: asked 1 3", []bool{true, false, true}, false},
		{"reader: none", []bool{false, false, false}, false},
		{"", []bool{false, false, false}, false},
		{`reader: {"asked":[2]}`, []bool{false, true, false}, false},
		{"reader: none of them was asked for", []bool{false, false, false}, true},
		{"reader: {fail timeout}", []bool{false, false, false}, true},
	} {
		st, _ := readScript(t, tt.line)
		got, err := consent.Reader(st.ask).Asked(t.Context(), pins)
		if !slices.Equal(got, tt.want) || tt.bad != (err != nil) {
			t.Errorf("%q confirms %v (%v), want %v", tt.line, got, err, tt.want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		st, _ := readScript(t, "reader: {40s}asked 1")
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		defer stop()
		if got, err := consent.Reader(st.ask).Asked(ctx, pins); err == nil || slices.Contains(got, true) {
			t.Errorf("a late answer confirms %v (%v)", got, err)
		}
	})
	for _, line := range []string{"reader: asked 1, 2", "reader: {2s}asked", "reader: none 1"} {
		if _, _, err := parse(line); err == nil || !strings.Contains(err.Error(), "asked 1 2") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestTheReaderAndTheModelHaveAnswersOfTheirOwn(t *testing.T) {
	st, _ := readScript(t, "model: Hello.\nreader: asked 2\nmodel: Bye.")
	got, err := consent.Reader(st.ask).Asked(t.Context(), pins)
	if err != nil || !slices.Equal(got, []bool{false, true, false}) {
		t.Errorf("the reader confirms %v (%v)", got, err)
	}
	if got, err := consent.Reader(st.ask).Asked(t.Context(), pins); err != nil || slices.Contains(got, true) {
		t.Errorf("without a further line it confirms %v (%v)", got, err)
	}
	for _, want := range []string{"Hello.", "Bye."} {
		if got, err := st.ask(t.Context(), "You are a bot.", "hi"); got != want {
			t.Errorf("the model says %q (%v), want %q", got, err, want)
		}
	}
	if len(st.asked) != 2 || len(st.shown) != 2 {
		t.Errorf("the model was asked %d times, the reader %d times", len(st.asked), len(st.shown))
	}
}

func TestAnswersThatNobodyAskedForAreMistakesOfTheScene(t *testing.T) {
	st, _ := readScript(t, "reader: none\nmodel: Hello.\nreader: asked 1")
	if _, err := st.ask(t.Context(), consent.Instruction, pins.String()); err != nil {
		t.Fatal(err)
	}
	want := []string{"1 of the model's answers were not asked for", "1 of the reader's answers were not asked for"}
	if diff := cmp.Diff(want, st.unasked()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAScriptChecksWhatTheReaderIsShown(t *testing.T) {
	st, steps := readScript(t, "reader sees: thank zed\nreader does not see: party\nreader sees: give a role")
	do := func() (list []string) {
		for _, s := range steps {
			result := "ok"
			if err := s.do(st); err != nil {
				result, _, _ = strings.Cut(err.Error(), "\n")
			}
			list = append(list, result)
		}
		return list
	}
	require := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, do()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	show := func(r consent.Request) {
		if _, err := st.ask(t.Context(), consent.Instruction, r.String()); err != nil {
			t.Fatal(err)
		}
	}
	require("the reader was not asked yet", "the reader was not asked yet", "the reader was not asked yet")
	show(pins)
	require("ok", "ok", "ok")
	show(consent.Request{Words: "plan a party", Wanted: []string{"give a role"}})
	require("it was last shown", "it was shown", "ok")
	show(pins)
	require("ok", "it was shown", "ok")
	if got, _ := st.report("reader"); !strings.HasPrefix(got, "1 The message that asks now:\n  \"pin that and thank zed\"\n") || !strings.Contains(got, "\n2 The message") {
		t.Errorf("the section is\n%s", got)
	}
}
