package actions_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
)

var (
	query  = actionstest.Define("look", func(s *actionstest.Spec) { s.Effect = actions.Queries })
	change = actionstest.Define("change")
	send   = actionstest.Define("send", func(s *actionstest.Spec) { s.Quiet = true })

	errRain   = errors.New("it rains")
	errMisfit = &actions.InputError{Err: errors.New("who: missing")}
)

func outcome(a *actions.Action, err error) actions.Outcome {
	return actions.Outcome{Request: actions.Request{Type: a.Name}, Action: a, Err: err, Result: actions.Result{Summary: a.Name + " worked"}}
}

func quiet(o actions.Outcome) actions.Outcome {
	o.Request.Quiet = true
	return o
}

func ignoring(o actions.Outcome) actions.Outcome {
	o.Ignored = []string{"tags"}
	return o
}

func repeated(o actions.Outcome) actions.Outcome {
	o.Repeated = true
	return o
}

func TestLines(t *testing.T) {
	outs := []actions.Outcome{
		outcome(query, nil), outcome(send, nil), outcome(send, errRain),
		quiet(outcome(change, nil)), quiet(outcome(change, errRain)), outcome(change, nil),
		ignoring(outcome(change, nil)), repeated(outcome(change, nil)),
		outcome(change, &actions.InputError{Err: errors.New("who: missing")}), {Request: actions.Request{Type: "fly"}, Err: errRain},
	}
	shown := []string{"Done: look worked", "Failed: it rains", "Done: change worked", "Done: change worked",
		"Failed: I got the details wrong, so that was not done; if I do not put it right below, please ask again", "Failed: `fly`: it rains"}
	if diff := cmp.Diff(shown, actions.Lines(outs)); diff != "" {
		t.Errorf("for the user (-want +got):\n%s", diff)
	}
	told := []string{"Done: look worked", "Done: send worked", "Failed: send: it rains", "Done: change worked", "Failed: change: it rains", "Done: change worked",
		"Done: change worked (ignored: tags; it has no fields)", "Done before, and not repeated: change worked", "Failed: change: who: missing", "Failed: `fly`: it rains"}
	if diff := cmp.Diff(told, actions.AllLines(outs)); diff != "" {
		t.Errorf("for the model (-want +got):\n%s", diff)
	}
	if got := outs[8].Detailed(); got != "Failed: I got the details wrong (`who: missing`)" {
		t.Errorf("for who runs the bot: %s", got)
	}
}

func found(summary string, from ...chat.ChannelID) actions.Outcome {
	o := outcome(query, nil)
	o.Result = actions.Result{Summary: summary, Found: "a secret", From: from}
	return o
}

// TestQueriesTakeOneLine: it names the first three, and a fifth has them counted. What is looked up twice is named once.
func TestQueriesTakeOneLine(t *testing.T) {
	t.Parallel()
	four := []actions.Outcome{found("a"), found("b"), outcome(change, nil), found("c"), found("d")}
	if diff := cmp.Diff([]string{"-# Done: a; b; c; d", "Done: change worked"}, actions.Lines(four)); diff != "" {
		t.Errorf("four (-want +got):\n%s", diff)
	}
	six := append(four, outcome(change, errRain), found("e"), found("a"), found("f"))
	if diff := cmp.Diff([]string{"-# Done: a; b; c; 3 more look-ups", "Done: change worked", "Failed: it rains"}, actions.Lines(six)); diff != "" {
		t.Errorf("six (-want +got):\n%s", diff)
	}
}

func TestWhatAQueryFoundIsForTheModel(t *testing.T) {
	outs := []actions.Outcome{
		found("looked around"), found("read 1 message in <#1>", "1"), found("listed 2 channels", "1", "2"),
		outcome(query, errRain), quiet(found("looked away")), outcome(change, nil),
	}
	short := []string{"-# Done: looked around; read 1 message in <#1>; listed 2 channels", "Failed: it rains", "Done: change worked"}
	if diff := cmp.Diff(short, actions.Lines(outs)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	told := []string{"Done: a secret", "Done: a secret", "Done: a secret", "Failed: look: it rains", "Done: a secret", "Done: change worked"}
	if diff := cmp.Diff(told, actions.AllLines(outs)); diff != "" {
		t.Errorf("for the model (-want +got):\n%s", diff)
	}
	shown := []string{"Done: a secret", "Done: a secret", "Done: a secret", "Failed: it rains", "Done: change worked"}
	if diff := cmp.Diff(shown, actions.LastLines(outs, func(actions.Result) bool { return true })); diff != "" {
		t.Errorf("in a last answer (-want +got):\n%s", diff)
	}
	hidden := []string{
		"-# Done: looked around; not shown here, because not every member may look that up",
		"-# Done: read 1 message in <#1>; not shown here, because not everybody here may read that channel",
		"-# Done: listed 2 channels; not shown here, because not everybody here may read all of these channels",
		"Failed: it rains", "Done: change worked",
	}
	if diff := cmp.Diff(hidden, actions.LastLines(outs, func(actions.Result) bool { return false })); diff != "" {
		t.Errorf("in a last answer, for others (-want +got):\n%s", diff)
	}
}

// showing makes it an outcome that has found something.
func showing(o actions.Outcome) actions.Outcome {
	o.Result.Found = "a rule"
	return o
}

// settled makes it an outcome whose result the reply has already.
func settled(o actions.Outcome) actions.Outcome {
	o.Request.Settled = true
	return o
}

func TestFollowUp(t *testing.T) {
	bad := []actions.Malformed{{Flaw: actions.NotJSON}}
	for _, tt := range []struct {
		name  string
		round actions.Round
		want  actions.Reason
	}{
		{"nothing happened", actions.Round{}, actions.NoFollowUp},
		{"a query succeeded", actions.Round{Outcomes: []actions.Outcome{outcome(query, nil)}}, actions.Results},
		{"a query failed", actions.Round{Outcomes: []actions.Outcome{outcome(query, errRain)}}, actions.Failure},
		{"a query succeeded whose result is in the reply", actions.Round{Outcomes: []actions.Outcome{settled(showing(outcome(query, nil)))}}, actions.NoFollowUp},
		{"such a query failed", actions.Round{Outcomes: []actions.Outcome{settled(outcome(query, errRain))}}, actions.Failure},
		{"a change succeeded", actions.Round{Outcomes: []actions.Outcome{outcome(change, nil)}}, actions.NoFollowUp},
		{"a change only showed something", actions.Round{Outcomes: []actions.Outcome{showing(outcome(change, nil))}}, actions.Results},
		{"a change failed", actions.Round{Outcomes: []actions.Outcome{outcome(change, errRain)}}, actions.Failure},
		{"a quiet change failed", actions.Round{Outcomes: []actions.Outcome{quiet(outcome(change, errRain))}}, actions.NoFollowUp},
		{"a silent action failed", actions.Round{Outcomes: []actions.Outcome{outcome(send, errRain)}}, actions.Failure},
		{"a query succeeded and a change failed", actions.Round{Outcomes: []actions.Outcome{outcome(query, nil), outcome(change, errRain)}}, actions.Failure},
		{"fields of a change did not fit", actions.Round{Outcomes: []actions.Outcome{outcome(change, errMisfit)}}, actions.Repair},
		{"fields of a query did not fit", actions.Round{Outcomes: []actions.Outcome{outcome(query, errMisfit)}}, actions.Repair},
		{"fields did not fit beside a result", actions.Round{Outcomes: []actions.Outcome{outcome(query, nil), outcome(change, errMisfit)}}, actions.Results},
		{"every block was malformed", actions.Round{Malformed: bad}, actions.Repair},
		{"one of two blocks was malformed", actions.Round{Malformed: bad, Outcomes: []actions.Outcome{outcome(change, nil)}}, actions.Repair},
		{"malformed beside stripped", actions.Round{Malformed: bad, Stripped: []string{"ban"}}, actions.Repair},
		{"only stripped", actions.Round{Stripped: []string{"ban"}}, actions.Repair},
		{"only blocks in code", actions.Round{Fenced: true}, actions.Repair},
		{"a field was ignored", actions.Round{Outcomes: []actions.Outcome{ignoring(outcome(change, nil))}}, actions.Repair},
		{"done before", actions.Round{Outcomes: []actions.Outcome{repeated(ignoring(outcome(change, nil)))}}, actions.NoFollowUp},
		{"not reached", actions.Round{Outcomes: []actions.Outcome{outcome(change, actions.ErrNotRun)}}, actions.NoFollowUp},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := actions.FollowUp(tt.round); got != tt.want {
				t.Errorf("FollowUp = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestRounds(t *testing.T) {
	results := actions.Round{Outcomes: []actions.Outcome{outcome(query, nil)}}
	broken := actions.Round{Malformed: []actions.Malformed{{Flaw: actions.CutOff}}}
	done := actions.Round{Outcomes: []actions.Outcome{outcome(change, nil)}}
	for _, tt := range []struct {
		name   string
		extra  int
		rounds []actions.Round // what each reply leads to; the last repeats
		want   []actions.Reason
	}{
		{"one is enough", 3, []actions.Round{done}, []actions.Reason{actions.NoFollowUp}},
		{"no follow-ups", 0, []actions.Round{results}, []actions.Reason{actions.NoFollowUp}},
		{"until nothing is due", 3, []actions.Round{results, done}, []actions.Reason{actions.NoFollowUp, actions.Results}},
		{"at most as many as allowed", 3, []actions.Round{results}, []actions.Reason{actions.NoFollowUp, actions.Results, actions.Results, actions.Results}},
		{"one repair", 3, []actions.Round{broken}, []actions.Reason{actions.NoFollowUp, actions.Repair}},
		{"one repair, also later", 5, []actions.Round{broken, results, broken}, []actions.Reason{actions.NoFollowUp, actions.Repair, actions.Results}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []actions.Reason
			err := actions.Rounds(t.Context(), tt.extra, func(_ context.Context, n int, why actions.Reason, prev actions.Round) (actions.Round, error) {
				if n != len(got) || (n == 0) != (len(prev.Outcomes)+len(prev.Malformed) == 0) {
					t.Errorf("round %d was told it is %d, after %v", len(got), n, prev)
				}
				got = append(got, why)
				return tt.rounds[min(n, len(tt.rounds)-1)], nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRoundsEndWithAnErrorOrTheContext(t *testing.T) {
	results := actions.Round{Outcomes: []actions.Outcome{outcome(query, nil)}}
	calls := 0
	err := actions.Rounds(t.Context(), 3, func(context.Context, int, actions.Reason, actions.Round) (actions.Round, error) {
		calls++
		return results, errRain
	})
	if !errors.Is(err, errRain) || calls != 1 {
		t.Errorf("%d calls, error %v", calls, err)
	}
	// A resumed turn must find out that a follow-up is due.
	for _, tt := range []struct {
		came actions.Round
		want error
	}{{results, errRain}, {actions.Round{}, nil}} {
		ctx, stop := context.WithCancelCause(t.Context())
		calls = 0
		err = actions.Rounds(ctx, 3, func(context.Context, int, actions.Reason, actions.Round) (actions.Round, error) {
			calls++
			stop(errRain)
			return tt.came, nil
		})
		if !errors.Is(err, tt.want) || calls != 1 {
			t.Errorf("%d calls after the context ended, error %v, want %v", calls, err, tt.want)
		}
	}
}
