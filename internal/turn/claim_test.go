package turn_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/turn"
)

const (
	claim     = "All set."
	broken    = actions.BlockOpen + `{"type":"act"` + actions.BlockClose
	wrongForm = "I made a mistake in writing down 1 step, so it was not done. Please ask again."
	unknown   = "I tried something that I can't do, so that was not done."
)

// TestAFalseClaimDoesNotStand: what was left to the follow-up to mend is told to people if that is not posted.
func TestAFalseClaimDoesNotStand(t *testing.T) {
	outage := script.Answer{script.Fail(&llm.Error{Members: "the model is down"})}
	for _, tt := range []struct {
		name  string
		scene scene
		want  []string
	}{
		{"malformed, then blank", scene{model: says(claim+broken, "")}, []string{claim, wrongForm}},
		{"malformed, then an acknowledgement", scene{model: says(claim+broken, "Done.")}, []string{claim, wrongForm}},
		{"malformed, then silence", scene{model: says(claim+broken, "<no-reply/>"), speaks: spoken(t)}, []string{claim, wrongForm}},
		{"malformed, then a sign of life", scene{model: says(claim+broken, "HEARTBEAT_OK"), mayPass: true}, []string{claim, wrongForm}},
		{"malformed, then an error", scene{model: script.New(script.Say(claim+broken), outage)}, []string{claim, wrongForm + "\n\n⚠️ The model is down."}},
		{"malformed, then half an answer", scene{model: script.New(script.Say(claim+broken), script.Answer{script.Text("Now it"), outage[0]})},
			[]string{claim, "Now it\n\n" + wrongForm + "\n\n⚠️ The model is down. Nothing was done."}},
		{"malformed without words, then an acknowledgement", scene{model: says(broken, "Done.")}, []string{wrongForm}},
		{"an unknown type", scene{model: says(claim+block("teleport"), "Done.")}, []string{claim, unknown}},
		{"an unknown type, then an error", scene{model: script.New(script.Say(claim+block("teleport")), outage)}, []string{claim, unknown + "\n\n⚠️ The model is down."}},
		{"a field that is not there", scene{model: says(claim+actions.BlockOpen+`{"type":"act","loud":true}`+actions.BlockClose, "Done.")},
			[]string{claim + "\n\nDone: act", "Not all of it was done: I don't know what to do with `loud`."}},
		{"beside a look-up", scene{model: says(claim+broken+block("look"), "Done.")}, []string{claim + "\n\n-# Done: looked it up", wrongForm}},
		{"look-ups mend nothing", scene{model: says(claim+broken+block("look"), block("look"), "Done.")},
			[]string{claim + "\n\n-# Done: looked it up", "-# Done: looked it up\n\n" + wrongForm}},
		{"a repetition mends nothing", scene{model: says(claim+block("act")+broken, block("act"))}, []string{claim + "\n\nDone: act", wrongForm}},
		{"beside a search that is withheld", scene{model: says("[SEARCH:tides]"+block("teleport"), ""), speaks: spoken(t)}, []string{"Done: three pages\n\n" + unknown}},
		{"mended", scene{model: says(claim+broken, block("act"))}, []string{claim, "Done: act"}},
		{"mended without a word", scene{model: says(claim+broken, block("send"))}, []string{claim}},
		{"mended, with a look-up and an acknowledgement", scene{model: says(claim+broken, block("act")+block("look"), "Done.")},
			[]string{claim, "Done: act\n-# Done: looked it up"}},
		{"a look-up that was mended", scene{model: says(claim+broken, block("look"), "Done.")}, []string{claim, "-# Done: looked it up"}},
		{"claimed again", scene{model: says(claim+broken, "Have fun there!")}, []string{claim, "Have fun there!\n\n" + wrongForm}},
		{"an unknown type, claimed again", scene{model: says(claim+block("teleport"), "Have fun there!")}, []string{claim, "Have fun there!\n\n" + unknown}},
		{"wrong again", scene{model: says(claim+broken, "Now."+broken)}, []string{claim, "Now.\n\n" + wrongForm}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.scene
			s.play(t)
			if diff := cmp.Diff(tt.want, s.wall.shown()); diff != "" {
				t.Errorf("on the wall (-want +got):\n%s", diff)
			}
			if got := strings.Join(tt.want, "\n\n"); !strings.Contains(got, "⚠️") && s.outcome.Text != got {
				t.Errorf("the result has %q", s.outcome.Text)
			}
		})
	}
}

// TestAFalseClaimDoesNotStandInATurnThatIsStopped before, while or after the follow-up is written.
func TestAFalseClaimDoesNotStandInATurnThatIsStopped(t *testing.T) {
	for _, alone := range []bool{false, true} {
		during := &scene{alone: alone}
		during.model = script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
			if len(req.Messages) == 0 {
				return script.Say(claim + broken).Stream(ctx)
			}
			during.stop(turn.ErrStopped)
			return script.Say("Done.").Stream(ctx)
		})
		before := &scene{alone: alone, model: says(claim+broken, "Done.")}
		before.wall.failing = func(_ int, text string) (string, error) {
			before.stop(turn.ErrStopped)
			return text, nil
		}
		for _, s := range []*scene{during, before} {
			s.play(t)
			if diff := cmp.Diff([]string{claim, wrongForm + "\n\n*(Stopped.)*"}, s.wall.shown()); diff != "" || !errors.Is(s.err, turn.ErrStopped) {
				t.Errorf("%v; on the wall (-want +got):\n%s", s.err, diff)
			}
		}
	}
}

// TestTheSameFailureIsToldOnce, however often the model tries again.
func TestTheSameFailureIsToldOnce(t *testing.T) {
	const failed = "Failed: no luck"
	try := actions.BlockOpen + `{"type":"webSearch","query":"tides"}` + actions.BlockClose
	for _, tt := range []struct {
		name    string
		answers []string
		want    []string
	}{
		{"the same answer", []string{"On it." + try, "On it." + try, "On it." + try, "On it." + try}, []string{"On it.\n\n" + failed}},
		{"no words", []string{try, try, try, try}, []string{failed}},
		{"no words at the end", []string{"On it." + try, try, "Done."}, []string{"On it.\n\n" + failed}},
		{"other words, which may claim success", []string{"One." + try, "Two." + try, "Three." + try, "Four." + try},
			[]string{"Four.\n\n" + failed}},
		{"a claim that is not taken back", []string{"One." + try, "Two." + try, "Done."}, []string{"One.\n\nTwo.\n\n" + failed}},
		{"beside something that was done", []string{"One." + try, block("look") + try, "No."}, []string{"No.\n\n" + failed + "\n-# Done: looked it up"}},
		{"twice, then once", []string{try + try, try, "No."}, []string{"No.\n\n" + failed + "; 2 things were not done"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := scene{model: says(tt.answers...), search: errors.New("no luck")}
			s.play(t)
			if diff := cmp.Diff(tt.want, s.wall.shown()); diff != "" {
				t.Errorf("on the wall (-want +got):\n%s", diff)
			}
		})
	}
}
