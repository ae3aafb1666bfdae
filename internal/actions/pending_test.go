package actions_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
)

// A holder is a Holder that records the questions.
type holder struct {
	asked [][]actions.Pending
	err   error
}

func (d *holder) Hold(_ context.Context, _ actions.Origin, held []actions.Pending) error {
	d.asked = append(d.asked, held)
	return d.err
}

// A notebook is a Recorder.
type notebook struct{ lines []string }

func (n *notebook) Settled(_ context.Context, o actions.Origin, out actions.Outcome) {
	n.lines = append(n.lines, string(o.Turn)+" "+out.Line())
}

type wreck struct {
	What string `json:"what" doc:"What to wreck."`
}

func wrecking(ran *[]string) actions.Category {
	return actionstest.Category{Called: "wrecking", List: []*actions.Action{
		actions.Define(actions.Spec[wreck]{
			Name:        "wreck",
			Summary:     "Wreck something.",
			Destructive: true,
			Examples:    []wreck{{What: "car"}},
			Ask: func(_ context.Context, _ actions.Call, in wreck) (wreck, string, error) {
				if in.What == "moon" {
					return in, "", errors.New("the moon is out of reach")
				}
				return wreck{What: in.What + " 4711"}, "Wreck the " + in.What + ".", nil
			},
			Do: func(_ context.Context, _ actions.Call, in wreck) (actions.Result, error) {
				*ran = append(*ran, in.What)
				return actions.Result{Summary: "Wrecked " + in.What}, nil
			},
		}),
		actionstest.Define("look", func(s *actionstest.Spec) { s.Effect = actions.Queries }),
	}}
}

var wishes = []actions.Request{
	{Type: "wreck", Args: []byte(`{"type":"wreck","what":"car"}`)},
	{Type: "look"},
	{Type: "wreck", Args: []byte(`{"type":"wreck","what":"moon"}`)},
	{Type: "wreck", Args: []byte(`{"type":"wreck","what":"house"}`)},
}

func TestDestructiveActionsOfOneReplyShareAQuestion(t *testing.T) {
	var ran []string
	reg := actionstest.Registry(t, wrecking(&ran))
	gate := reg.Gate(actionstest.Open(reg))
	d := actions.NewDispatcher(actions.DispatcherOptions{}, actionstest.Permit)
	asked, notes := &holder{}, &notebook{}
	d.Hold, d.Record = asked, notes

	outs := d.Execute(t.Context(), actions.Origin{Turn: "t1"}, gate, wishes)
	if len(ran) > 0 {
		t.Fatalf("%v was wrecked without approval", ran)
	}
	want := [][]actions.Pending{{
		{Request: actions.Request{Type: "wreck", Args: []byte(`{"type":"wreck","what":"car 4711"}`)}, What: "Wreck the car."},
		{Request: actions.Request{Type: "wreck", Args: []byte(`{"type":"wreck","what":"house 4711"}`)}, What: "Wreck the house."},
	}}
	if diff := cmp.Diff(want, asked.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"-# Done: looked it up", "Failed: the moon is out of reach"}, actions.Lines(outs)); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	waits := "Asked: wreck: not done yet; a person has been asked to approve it"
	if got := actions.AllLines(outs); got[0] != waits || got[3] != waits {
		t.Errorf("the model is told %q", got)
	}
	if got := actions.FollowUp(actions.Round{Outcomes: outs[:1]}); got != actions.NoFollowUp {
		t.Errorf("a held action leads to a follow-up: %v", got)
	}
	held := "t1 Asked: not done yet; a person has been asked to approve it"
	settled := []string{held, "t1 Done: looked it up", "t1 Failed: the moon is out of reach", held}
	if diff := cmp.Diff(settled, notes.lines); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}

	outs = d.ExecuteApproved(t.Context(), actions.Origin{Turn: "t1"}, gate, []actions.Request{want[0][0].Request})
	if got := actions.Lines(outs); !slices.Equal(got, []string{"Done: Wrecked car 4711"}) || len(asked.asked) != 1 {
		t.Errorf("after the approval: %q, asked %d times", got, len(asked.asked))
	}
}

func TestDestructiveActionsAreNotRunIfApprovalCannotBeAskedFor(t *testing.T) {
	var ran []string
	reg := actionstest.Registry(t, wrecking(&ran))
	gate := reg.Gate(actionstest.Open(reg))
	d := actions.NewDispatcher(actions.DispatcherOptions{}, actionstest.Permit)
	for _, tt := range []struct {
		hold actions.Holder
		want string
	}{
		{nil, "Failed: not done, because it cannot be undone and nobody was asked"},
		{&holder{err: errors.New("the bot may not write here")}, "Failed: not done, because nobody could be asked: the bot may not write here"},
	} {
		d.Hold = tt.hold
		outs := d.Execute(t.Context(), actions.Origin{}, gate, wishes[:1])
		if got := outs[0].Line(); got != tt.want || len(ran) > 0 || outs[0].Done() {
			t.Errorf("%s; ran %v", got, ran)
		}
		if got := actions.FollowUp(actions.Round{Outcomes: outs}); got != actions.Failure {
			t.Errorf("there is no follow-up: %v", got)
		}
	}
}

func TestAnActionTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{
			actionstest.Define("wait", func(s *actionstest.Spec) {
				s.Do = func(ctx context.Context, _ actions.Call, _ struct{}) (actions.Result, error) {
					<-ctx.Done()
					return actions.Result{}, ctx.Err()
				}
			}),
			actionstest.Define("next"),
		}})
		d := actions.NewDispatcher(actions.DispatcherOptions{})
		d.Limit = time.Minute
		began := time.Now()
		got := actions.AllLines(d.Execute(t.Context(), actions.Origin{}, reg.Gate(actionstest.Open(reg)), []actions.Request{{Type: "wait"}, {Type: "next"}}))
		want := []string{"Failed: wait: given up after 1m0s; please check whether it was done before trying again", "Done: next"}
		if diff := cmp.Diff(want, got); diff != "" || time.Since(began) != time.Minute {
			t.Errorf("after %v (-want +got):\n%s", time.Since(began), diff)
		}
	})
}

func TestLongResultsAreCutForPeople(t *testing.T) {
	list := "Channels:" + strings.Repeat("\n#general (id:1)", 500)
	reg := actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{
		actionstest.Define("list", func(s *actionstest.Spec) {
			s.Do = func(context.Context, actions.Call, struct{}) (actions.Result, error) {
				return actions.Result{Summary: list}, nil
			}
		}),
	}})
	outs := actions.NewDispatcher(actions.DispatcherOptions{}).Execute(t.Context(), actions.Origin{}, reg.Gate(actionstest.Open(reg)), []actions.Request{{Type: "list"}})
	shown := actions.Lines(outs)[0]
	if len(shown) > 1900 || !strings.HasSuffix(shown, "#general (id:1)\n… (389 lines more, 6223 characters, left out; ask for less)") {
		t.Errorf("%d characters, ending %q", len(shown), shown[max(0, len(shown)-100):])
	}
	if got := actions.AllLines(outs)[0]; got != "Done: "+list {
		t.Errorf("the model sees %d characters", len(got))
	}
}

func TestReverseIsARequestThatDecodes(t *testing.T) {
	var ran []string
	reg := actionstest.Registry(t, wrecking(&ran))
	back := actions.Reverse("wreck it again", "wreck", wreck{What: "a <car>"})
	a, _ := reg.Lookup("wreck")
	b, err := a.Bind(back.Request.Args)
	if err != nil || b.Input != (wreck{What: "a <car>"}) {
		t.Errorf("%s: %v, %v", back.Request.Args, b.Input, err)
	}
}
