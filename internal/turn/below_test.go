package turn_test

import (
	"errors"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/turn"
)

// TestButtonsBelowAnAnswer: they are below the last answer of a turn, and know whether it may have changed something.
func TestButtonsBelowAnAnswer(t *testing.T) {
	for _, tt := range []struct {
		name  string
		model llm.Runtime
		ends  error
		want  []string
	}{
		{"words alone", says("Hello."), nil, []string{"idle"}},
		{"a query before it", says("Let me see. "+block("look"), "There it is."), nil, []string{"idle"}},
		{"a change", says("I did it. " + block("act")), nil, []string{"acted"}},
		{"a change before it", says("First this. "+block("act")+block("look"), "There it is."), nil, []string{"", "acted"}},
		{"what is not there", says("I try. "+block("fly"), "I cannot fly."), nil, []string{"", "idle"}},
		{"an error", script.New(script.Answer{script.Fail(errors.New("no answer"))}), nil, []string{"idle"}},
		{"stopped", says("I did it. " + block("halt")), turn.ErrStopped, []string{"acted"}},
		{"going offline", says("I did it. " + block("halt")), turn.ErrGoingDown, []string{""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := scene{model: tt.model, ends: tt.ends}
			s.play(t)
			var got []string
			for _, r := range s.wall.replies {
				got = append(got, r.below)
			}
			if len(got) != len(tt.want) || got[len(got)-1] != tt.want[len(got)-1] || got[0] != tt.want[0] {
				t.Errorf("the buttons are %q, want %q", got, tt.want)
			}
		})
	}
}
