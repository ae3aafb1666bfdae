package turn_test

import (
	"errors"
	"slices"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/turn"
)

// spoken are all dialects.
func spoken(t *testing.T) dialect.List {
	t.Helper()
	list, err := dialect.Options{Setting: "all", Named: func(string) (string, bool) { return "", false }}.List()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAnAnswerSaysHowItIsDelivered(t *testing.T) {
	offline := script.Answer{script.Fail(&llm.Error{Kind: llm.Unavailable, Runtime: "script", Host: "models.example"})}
	searched := func(then ...script.Answer) llm.Runtime {
		return script.New(append([]script.Answer{script.Say("Let me see.\n[SEARCH:tides]")}, then...)...)
	}
	for _, tt := range []struct {
		name  string
		scene scene
		shown []string
		ran   []string
	}{
		{"no reply", scene{model: says("<no-reply/>")}, nil, nil},
		{"no reply beside words", scene{model: says("Well. <no-reply/>")}, []string{"Well."}, nil},
		{"no reply with what was done", scene{model: says("<no-reply/>"+block("act"), "Two.")}, nil, []string{"act"}},
		{"no reply asks for no repair", scene{model: says("<no-reply/>"+block("unknown"), "Two.")}, nil, nil},
		{"no reply that cannot be taken away", scene{model: says("[IGNORE]"), wall: wall{stuck: true}}, []string{"*(No reply.)*"}, nil},
		{"no reply does not lose what was kept back", scene{model: says("[IGNORE]"), before: "Let me check."}, []string{"Let me check."}, nil},
		{"a stop ends the turn", scene{model: says("Fine."+block("hall")+"\n[STOP]", "Two.")}, []string{"Fine.\n\nDone: many"}, nil},
		{"a decision", scene{model: says("[YES]")}, []string{"Yes."}, nil},
		{"a quote", scene{model: says("Indeed.\n[QUOTE]"), asked: "It rains.\nOr not."}, []string{"> It rains.\n> Or not.\nIndeed."}, nil},
		{"a quote of nothing", scene{model: says("Indeed.\n[QUOTE]")}, []string{"Indeed."}, nil},
		{"a search replaces the answer", scene{model: searched(script.Say("High water is at nine."))}, []string{"High water is at nine."}, nil},
		{"what replaces an answer is no acknowledgement", scene{model: searched(script.Say("Done"))}, []string{"Done"}, nil},
		{"a search and an empty answer", scene{model: searched(script.Say(""))}, []string{"Done: three pages"}, nil},
		{"a search and a failure", scene{model: searched(offline)},
			[]string{"Done: three pages\n\n⚠️ I can't reach my language model right now; try again a little later."}, nil},
		{"a search that fails", scene{model: searched(script.Say("I cannot search.")), search: errors.New("offline")},
			[]string{"I cannot search.\n\nFailed: offline"}, nil},
		{"a search without a follow-up", scene{model: searched(), once: true}, []string{"Let me see.\n\nDone: three pages"}, nil},
		{"an ordinary search", scene{model: says("Let me see."+actions.BlockOpen+`{"type":"webSearch","query":"tides"}`+actions.BlockClose, "At nine.")}, []string{"At nine.\n\n-# Done: searched"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.scene.speaks = spoken(t)
			tt.scene.play(t)
			if got := tt.scene.wall.shown(); !slices.Equal(got, tt.shown) {
				t.Errorf("shown: %q, want %q", got, tt.shown)
			}
			if !slices.Equal(tt.scene.ran, tt.ran) {
				t.Errorf("ran %q, want %q", tt.scene.ran, tt.ran)
			}
		})
	}
}

// TestASearchThatReplacesAnAnswerGoesOnInOne: what it owes is not kept back once more.
func TestASearchThatReplacesAnAnswerGoesOnInOne(t *testing.T) {
	var kept []turn.Kept
	s := scene{speaks: spoken(t), model: says("[SEARCH:tides]", "Let me check the logs."), judge: byWords, goOn: on(&kept)}
	s.play(t)
	if got := s.wall.shown(); !slices.Equal(got, []string{"Let me check the logs."}) || len(kept) > 0 {
		t.Errorf("shown: %q; goes on after %+v", got, kept)
	}
}

func TestAModelMayAskForAnotherTurn(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		goesOn       bool
	}{
		{"by an envelope", `{"user":"bo","text":"First part.","action":"CONTINUE"}`, true},
		{"not if it stops", `{"user":"bo","text":"First part.","actions":["CONTINUE","STOP"]}`, false},
		{"not by words", "First part.", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var kept []turn.Kept
			s := scene{speaks: spoken(t), model: says(tt.answer), judge: byWords, goOn: on(&kept)}
			s.play(t)
			if got := s.wall.shown(); !slices.Equal(got, []string{"First part."}) {
				t.Errorf("shown: %q", got)
			}
			goesOn := len(kept) == 1 && kept[0].Posted && kept[0].Text == "First part." && kept[0].Placeholder == ""
			if goesOn != tt.goesOn || s.outcome.GoesOn != tt.goesOn {
				t.Errorf("it goes on after %+v", kept)
			}
		})
	}
}
