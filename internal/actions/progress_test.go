package actions_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
)

// A logbook is a Progress in memory. Its writes can fail.
type logbook struct {
	records map[string]actions.Record
	full    bool
}

func (n *logbook) Recall(name string) (actions.Record, bool) {
	r, ok := n.records[name]
	return r, ok
}

func (n *logbook) IdempotencyKey(name string) string { return "part " + name }

func (n *logbook) Begin(_ context.Context, name string) error {
	if n.full {
		return errors.New("the logbook is full")
	}
	n.records[name] = actions.Record{}
	return nil
}

func (n *logbook) Settle(_ context.Context, records map[string]actions.Record) {
	maps.Copy(n.records, records)
}

// A crew has actions that record their runs.
type crew struct {
	registry *actions.Registry
	ran      []string
	held     int // calls of Hold
}

func (c *crew) Hold(context.Context, actions.Origin, []actions.Pending) error {
	c.held++
	return nil
}

func newCrew(t *testing.T) *crew {
	c := &crew{}
	define := func(name string, do func(actions.Call) (actions.Result, error), change func(*actionstest.Spec)) *actions.Action {
		return actionstest.Define(name, change, func(s *actionstest.Spec) {
			s.Do = func(_ context.Context, call actions.Call, _ struct{}) (actions.Result, error) {
				c.ran = append(c.ran, name)
				return do(call)
			}
		})
	}
	plain := func(*actionstest.Spec) {}
	c.registry = actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{
		define("send", func(call actions.Call) (actions.Result, error) {
			call.Sent("7", "99")
			return actions.Result{Summary: "Sent", Reply: "a text"}, nil
		}, plain),
		define("pin", func(call actions.Call) (actions.Result, error) {
			m, _ := call.LastSent("7")
			return actions.Result{Summary: fmt.Sprint("Pinned ", m)}, nil
		}, plain),
		define("fail", func(actions.Call) (actions.Result, error) { return actions.Result{}, errors.New("broken") }, plain),
		define("post", func(call actions.Call) (actions.Result, error) {
			part, _ := call.IdempotencyKey()
			return actions.Result{Summary: "Posted as " + part}, nil
		}, func(s *actionstest.Spec) { s.Idempotent = true }),
		define("look", func(actions.Call) (actions.Result, error) {
			return actions.Result{Summary: "looked", Found: "Seen", From: []chat.ChannelID{"7"}, Open: true}, nil
		},
			func(s *actionstest.Spec) { s.Effect = actions.Queries }),
		define("wreck", func(actions.Call) (actions.Result, error) { return actions.Result{Summary: "Wrecked"}, nil },
			func(s *actionstest.Spec) { s.Destructive = true }),
	}})
	return c
}

func (c *crew) run(t *testing.T, p actions.Progress, names ...string) []actions.Outcome {
	t.Helper()
	d := actions.NewDispatcher(actions.DispatcherOptions{})
	d.Hold = c
	var reqs []actions.Request
	for _, name := range names {
		reqs = append(reqs, actions.Request{Type: name, Args: []byte(`{"type":"` + name + `"}`)})
	}
	c.ran = nil
	return d.Resume(t.Context(), actions.Origin{}, c.registry.Gate(actionstest.Open(c.registry)), reqs, p, 0)
}

func TestSettledRequestsAreNotRunAgain(t *testing.T) {
	t.Parallel()
	c, p := newCrew(t), &logbook{records: map[string]actions.Record{}}
	names := []string{"send", "fail", "look", "wreck", "nonsense"}
	before := c.run(t, p, names...)
	after := c.run(t, p, names...)
	if len(c.ran) > 0 || c.held != 1 {
		t.Errorf("%v ran again, and Hold was called %d times", c.ran, c.held)
	}
	if diff := cmp.Diff(actions.AllLines(before), actions.AllLines(after)); diff != "" {
		t.Errorf("lines (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(before[2].Result, after[2].Result); diff != "" {
		t.Errorf("what a query found (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(actions.Replies(before), actions.Replies(after)); diff != "" {
		t.Errorf("replies (-before +after):\n%s", diff)
	}
	if a, b := actions.FollowUp(actions.Round{Outcomes: before}), actions.FollowUp(actions.Round{Outcomes: after}); a != b {
		t.Errorf("the reason to ask again was %v, and is %v", a, b)
	}
}

func TestBegunRequestsAreNotRunAgain(t *testing.T) {
	t.Parallel()
	c, p := newCrew(t), &logbook{records: map[string]actions.Record{}}
	c.run(t, p, "send", "look", "send")
	for name := range p.records { // as if the process had been killed before anything settled
		if r := p.records[name]; r.Summary == "Sent" {
			p.records[name] = actions.Record{}
		} else {
			delete(p.records, name)
		}
	}
	outs := c.run(t, p, "send", "look", "send", "send")
	if !slices.Equal(c.ran, []string{"look", "send"}) {
		t.Errorf("ran %v", c.ran)
	}
	const interrupted = "Failed: send: I was restarted in the middle of it (stand in for send); please check whether it was done before trying again"
	if diff := cmp.Diff([]string{interrupted, "Done: Seen", interrupted, "Done: Sent"}, actions.AllLines(outs)); diff != "" {
		t.Error(diff)
	}
	if why := actions.FollowUp(actions.Round{Outcomes: outs}); why != actions.Failure {
		t.Errorf("the model is asked again because of %v", why)
	}
}

// TestIdempotentActionsAreRepeated, with the same key.
func TestIdempotentActionsAreRepeated(t *testing.T) {
	t.Parallel()
	c, p := newCrew(t), &logbook{records: map[string]actions.Record{}}
	before := c.run(t, p, "post", "post")
	for name := range p.records {
		p.records[name] = actions.Record{}
	}
	p.full = true // they are recorded already
	after := c.run(t, p, "post", "post")
	if !slices.Equal(c.ran, []string{"post", "post"}) || before[0].Line() == before[1].Line() {
		t.Errorf("%v ran again after %q", c.ran, actions.AllLines(before))
	}
	if diff := cmp.Diff(actions.AllLines(before), actions.AllLines(after)); diff != "" {
		t.Errorf("lines (-before +after):\n%s", diff)
	}
	if outs := c.run(t, nil, "post"); outs[0].Line() != "Done: Posted as " {
		t.Errorf("without a resumable turn, it says %q", outs[0].Line())
	}
}

// TestAResumedRequestKnowsEarlierMessages: a request may refer to a message of an earlier
// one, and others may have been taken out of the reply by then.
func TestAResumedRequestKnowsEarlierMessages(t *testing.T) {
	t.Parallel()
	c, p := newCrew(t), &logbook{records: map[string]actions.Record{}}
	c.run(t, p, "fail", "send")
	outs := c.run(t, p, "send", "pin")
	if !slices.Equal(c.ran, []string{"pin"}) || outs[1].Line() != "Done: Pinned 99" {
		t.Errorf("%v ran, %q", c.ran, actions.AllLines(outs))
	}
}

func TestRequestsThatCannotBeRecordedAreNotRun(t *testing.T) {
	t.Parallel()
	c, p := newCrew(t), &logbook{records: map[string]actions.Record{}, full: true}
	outs := c.run(t, p, "send", "look")
	if !slices.Equal(c.ran, []string{"look"}) {
		t.Errorf("ran %v", c.ran)
	}
	if want := "Failed: not done, because it could not be written down: the logbook is full"; outs[0].Line() != want {
		t.Errorf("%q, want %q", outs[0].Line(), want)
	}
}

func TestUnreachedRequestsAreRunLater(t *testing.T) {
	t.Parallel()
	c, p := newCrew(t), &logbook{records: map[string]actions.Record{}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	reqs := []actions.Request{{Type: "send", Args: []byte(`{"type":"send"}`)}}
	d := actions.NewDispatcher(actions.DispatcherOptions{})
	d.Resume(ctx, actions.Origin{}, c.registry.Gate(actionstest.Open(c.registry)), reqs, p, 0)
	if outs := c.run(t, p, "send"); !outs[0].Done() {
		t.Error(outs[0].Line())
	}
}

// TestCancelledRequestsAreNotSettled: a resumed reply runs a query or an idempotent action
// again, and those that had not begun; the outcome of the others is unknown.
func TestCancelledRequestsAreNotSettled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, want string }{
		{"look", "Done: looked"},
		{"post", "Done: Posted as "},
		{"pin", "Failed: I was restarted in the middle of it (stand in for pin); please check whether it was done before trying again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, p := newCrew(t), &logbook{records: map[string]actions.Record{}}
			ctx, cancel := context.WithCancel(t.Context())
			cutOff := actions.NewDispatcher(actions.DispatcherOptions{}, func(next actions.Handler) actions.Handler {
				return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
					_, _ = next(ctx, call, b)
					cancel()
					return actions.Result{}, ctx.Err()
				}
			})
			reqs := []actions.Request{{Type: tt.name, Args: []byte(`{"type":"` + tt.name + `"}`)}}
			cutOff.Resume(ctx, actions.Origin{}, c.registry.Gate(actionstest.Open(c.registry)), reqs, p, 0)
			if got := c.run(t, p, tt.name)[0].Line(); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
