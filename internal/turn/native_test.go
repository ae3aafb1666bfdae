package turn_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
)

// calls is an answer that calls actions, after a text.
func calls(text string, names ...string) script.Answer {
	var a script.Answer
	if text != "" {
		a = script.Say(text)
	}
	for i, name := range names {
		a = append(a, script.Call(fmt.Sprint("c", i+1), name, `{}`))
	}
	return a
}

func TestCallsAreDoneLikeBlocks(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []script.Answer
		ran     []string
		shown   []string
	}{
		{"in order, with a text", []script.Answer{calls("Sure.", "act", "send", "act")}, []string{"act", "send"}, []string{"Sure.\n\nDone: act"}},
		{"without a text", []script.Answer{calls("", "act")}, []string{"act"}, []string{"Done: act"}},
		{"without a text and without a line", []script.Answer{calls("", "send")}, []string{"send"}, nil},
		{"beside blocks", []script.Answer{calls("Sure."+block("act")+block("act"), "send", "act")}, []string{"act", "act", "send"}, []string{"Sure.\n\nDone: act\nDone: act"}},
		{"a query", []script.Answer{calls("", "look"), script.Say("Seen.")}, []string{"look"}, []string{"Seen.\n\n-# Done: looked it up"}},
		{"unknown ones", []script.Answer{calls("Sure.", "fly"), calls("Hm.", "fly")}, nil, []string{"Sure.", "Hm.\n\nI tried something that I can't do, so that was not done."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := scene{model: script.New(tt.answers...)}
			s.play(t)
			if diff := cmp.Diff(tt.shown, s.wall.shown()); diff != "" || s.err != nil {
				t.Errorf("%v; on the wall (-want +got):\n%s", s.err, diff)
			}
			if diff := cmp.Diff(tt.ran, s.ran); diff != "" {
				t.Errorf("ran (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnAnswerHasSoManyCalls: a model that does not come to an end is stopped, and nothing of it is done.
func TestAnAnswerHasSoManyCalls(t *testing.T) {
	for name, answer := range map[string]script.Answer{
		"many": calls("Sure.", strings.Fields(strings.Repeat("act ", 129))...),
		"long": {script.Text("Sure."), script.Call("1", "act", `{"x":"`+strings.Repeat("x", 600<<10)+`"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scene{model: script.New(answer)}
			s.play(t)
			if got := strings.Join(s.wall.shown(), ""); s.err == nil || len(s.ran) > 0 || !strings.Contains(got, "did not come to an end") || !strings.Contains(got, "Nothing was done.") {
				t.Errorf("%v; ran %v; shown %q", s.err, s.ran, got)
			}
		})
	}
}

// TestAResumedTurnKnowsItsCalls: what they asked for is not done again, and the next request has them as they were.
func TestAResumedTurnKnowsItsCalls(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	asked := calls("Sure.", "act", "look")
	first := scene{model: script.New(asked, script.Answer{script.Fail(&llm.Error{Kind: llm.Unavailable})}), ledger: path}
	first.play(t)
	again := scene{model: script.New(script.Say("Seen.")), ledger: path}
	again.play(t)
	if again.err != nil || strings.Join(first.ran, " ") != "act look" || len(again.ran) != 0 {
		t.Errorf("%v; ran %v and then %v", again.err, first.ran, again.ran)
	}
	before, after := first.model.(*script.Replies).Requests()[1], again.model.(*script.Replies).Requests()[0]
	if diff := cmp.Diff(before.Messages, after.Messages); diff != "" || len(after.Messages[0].Calls) != 2 {
		t.Errorf("the next request (-before +after):\n%s", diff)
	}
}

// TestThePromptIsThatOfTheWordsThatWereAsked, for the records of what prompts cost.
func TestThePromptIsThatOfTheWordsThatWereAsked(t *testing.T) {
	for name, answer := range map[string]script.Answer{"functions": script.Say("Hi."), "plain": {script.Event(llm.ToolsDropped{}), script.Text("Hi.")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scene{model: script.New(answer), prompt: talk{forms: true}}
			s.play(t)
			if got := s.outcome.Rounds[0].Prompt; len(got) != 1 || got[0].Name != name {
				t.Errorf("the prompt has %+v", got)
			}
		})
	}
}
