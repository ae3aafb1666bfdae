package turn_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/turn"
)

// TestAnAnswerReplacesItsLookUp in the same message. What is not replaced is not lost.
func TestAnAnswerReplacesItsLookUp(t *testing.T) {
	outage := script.Answer{script.Fail(&llm.Error{Members: "the model is down"})}
	misfit := actions.BlockOpen + `{"type":"webSearch"}` + actions.BlockClose
	search := actions.BlockOpen + `{"type":"webSearch","query":"tides"}` + actions.BlockClose
	const held = "Wait.\n\n-# Done: looked around"
	for _, tt := range []struct {
		name  string
		scene scene
		want  []string
	}{
		{"an answer", scene{model: says("Wait."+block("hall"), "Two.")}, []string{"Two.\n\n-# Done: looked around"}},
		{"after several", scene{model: says("Wait."+block("hall"), "Still."+block("look"), "Two.")}, []string{"Two.\n\n-# Done: looked around; looked it up"}},
		{"beside a change", scene{model: says("Wait."+block("hall")+block("act"), "Two.")}, []string{held + "\nDone: act", "Two."}},
		{"beside what is not there", scene{model: says("Wait."+block("hall")+block("fly"), "Two.")}, []string{held, "Two.\n\n" + unknown}},
		{"nothing", scene{model: says("Wait."+block("hall"), "")}, []string{held}},
		{"nothing after nothing", scene{model: says(block("hall"), "")}, []string{"-# Done: looked around"}},
		{"no reply", scene{model: says("Wait."+block("hall"), "<no-reply/>"), speaks: spoken(t)}, []string{held}},
		{"nothing worth posting", scene{model: says("Wait."+block("hall"), "HEARTBEAT_OK"), mayPass: true}, nil},
		{"an acknowledgement, where none is needed", scene{model: says("Wait."+block("hall"), "Got it."), mayPass: true}, []string{held}},
		{"nothing worth posting, and a failure", scene{model: says("Wait."+search, "HEARTBEAT_OK"), search: errors.New("no luck"), mayPass: true},
			[]string{"Wait.\n\nFailed: no luck"}},
		{"an error", scene{model: script.New(script.Say("Wait."+block("hall")), outage)}, []string{held + "\n\n⚠️ The model is down."}},
		{"half an answer", scene{model: script.New(script.Say("Wait."+block("hall")), script.Answer{script.Text("Now it"), outage[0]})},
			[]string{held + "\n\nNow it\n\n⚠️ The model is down. Nothing more was done."}},
		{"a look-up that was mended", scene{model: says("Wait."+misfit, "Still."+search, "Two.")}, []string{"Two.\n\n-# Done: searched"}},
		{"a look-up that could not be mended", scene{model: says("Wait."+misfit, "Two.")},
			[]string{"Two.\n\nFailed: I got the details wrong, so that was not done; if I do not put it right below, please ask again"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.scene
			s.play(t)
			if diff := cmp.Diff(tt.want, s.wall.shown()); diff != "" {
				t.Errorf("on the wall (-want +got):\n%s", diff)
			}
		})
	}
}

// TestALookUpThatIsCancelledIsEnded: neither its placeholder nor its button stays, also if it is cancelled before the model is asked again.
func TestALookUpThatIsCancelledIsEnded(t *testing.T) {
	for cause, want := range map[error]string{
		turn.ErrStopped:   "Wait.\n\n-# Done: looked it up\n\n*(Stopped.)*",
		turn.ErrGoingDown: "*(Interrupted: the bot is going offline and will finish this when it is back.)*",
	} {
		s := scene{model: says("Wait."+block("look"), "Two."), ends: cause, stopping: "look"}
		s.play(t)
		if diff := cmp.Diff([]string{want}, s.wall.shown()); diff != "" || !errors.Is(s.err, cause) || s.wall.n != 1 {
			t.Errorf("%v after %d deliveries; on the wall (-want +got):\n%s", s.err, s.wall.n, diff)
		}
	}
}
