package actions_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
)

type place struct {
	Channel chat.ChannelRef `json:"channel" alias:"name" doc:"Where."`
	Text    string          `json:"text,omitempty" doc:"What."`
}

// A lacking is a missing right.
type lacking struct{ lack actions.Lack }

func (l *lacking) Error() string          { return "permission denied" }
func (l *lacking) Lacking() *actions.Lack { return &l.lack }

// town has an action that makes channels, one that needs them, and others. Ran is what has run.
func town(ran *[]string) actions.Category {
	made := map[chat.ChannelRef]bool{"old": true, "77": true}
	do := func(name string, run func(place) error) func(*actions.Spec[place]) {
		return func(s *actions.Spec[place]) {
			s.Do = func(_ context.Context, _ actions.Call, in place) (actions.Result, error) {
				*ran = append(*ran, name+" "+string(in.Channel))
				return actions.Result{Summary: name}, run(in)
			}
		}
	}
	needs := func(_ context.Context, _ actions.Call, in place) (chat.ChannelID, error) {
		switch {
		case in.Channel == "theirs":
			return "", &lacking{actions.Lack{User: "zed", Needs: "*Send*"}}
		case !made[in.Channel]:
			return "", errors.New("there is no such channel")
		}
		return "77", nil
	}
	define := func(name string, changes ...func(*actions.Spec[place])) *actions.Action {
		s := actions.Spec[place]{Name: name, Summary: "Do " + name + ", at once.", Sentence: "Do " + name + " at {channel}", Examples: []place{{Channel: "old"}}}
		do(name, func(place) error { return nil })(&s)
		for _, change := range changes {
			change(&s)
		}
		return actions.Define(s)
	}
	return actionstest.Category{Called: "town", List: []*actions.Action{
		define("make", do("make", func(in place) error { made[in.Channel] = true; return nil })),
		define("send", func(s *actions.Spec[place]) { s.Needs, s.NeedsIn = []chat.Permission{chat.SendMessages}, needs }),
		define("look", func(s *actions.Spec[place]) { s.Effect = actions.Queries }),
		define("note", func(s *actions.Spec[place]) { s.Effect = actions.Keeps }),
		define("wreck", func(s *actions.Spec[place]) {
			s.Destructive = true
			s.Ask = func(_ context.Context, _ actions.Call, in place) (place, string, error) {
				if !made[in.Channel] {
					return in, "", errors.New("there is no such channel")
				}
				return in, "Wreck it.", nil
			}
		}),
	}}
}

// guard looks for the channel as the guard of rights does.
func guard(next actions.Handler) actions.Handler {
	return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
		if !b.Bounded() {
			return next(ctx, call, b)
		}
		ch, err := b.NeedsIn(ctx, call)
		if err != nil {
			return actions.Result{}, err
		}
		return next(ctx, call.PermittedIn(ch), b)
	}
}

func TestManyChangesAreHeld(t *testing.T) {
	for _, tt := range []struct {
		name   string
		do     string // types and channels
		before int
		ran    string
		held   string
		lines  string
	}{
		{name: "up to the limit", do: "make a, make b, make c", ran: "make a, make b, make c"},
		{name: "one more", do: "make a, make b, make c, make d", held: "Do make at “a”; Do make at “b”; Do make at “c”; Do make at “d”"},
		{name: "earlier ones count", do: "make a, make b", before: 2, held: "Do make at “a”; Do make at “b”"},
		{name: "queries and notes do not count", do: "make a, look b, look c, look d, note e, note f, note g", ran: "make a, look b, look c, look d, note e, note f, note g"},
		{name: "queries and notes run", do: "make a, make b, look c, note d, make e, make f", ran: "look c, note d", held: "Do make at “a”; Do make at “b”; Do make at “e”; Do make at “f”"},
		{name: "a channel that was found", do: "make a, make b, make c, send old", held: "Do make at “a”; Do make at “b”; Do make at “c”; Do send at <#77>"},
		{name: "one that is made first", do: "make a, make b, make c, send c", held: "Do make at “a”; Do make at “b”; Do make at “c”; Do send at “c”"},
		{name: "one that nobody makes", do: "make a, make b, make c, send d", held: "Do make at “a”; Do make at “b”; Do make at “c”", lines: "Failed: there is no such channel"},
		{name: "none that is made first", do: "send a, make b, make c, make d", held: "Do make at “b”; Do make at “c”; Do make at “d”", lines: "Failed: there is no such channel"},
		{name: "a right that is missing", do: "make a, make b, make c, send theirs", held: "Do make at “a”; Do make at “b”; Do make at “c”", lines: "Failed: permission denied"},
		{name: "a destructive one", do: "make a, make b, make c, wreck old", held: "Do make at “a”; Do make at “b”; Do make at “c”; Wreck it."},
		{name: "a destructive one that is not there yet", do: "make a, make b, make c, wreck c", held: "Do make at “a”; Do make at “b”; Do make at “c”", lines: "Failed: there is no such channel"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var ran []string
			reg := actionstest.Registry(t, town(&ran))
			gate := reg.Gate(actionstest.Open(reg))
			var reqs []actions.Request
			for what := range strings.SplitSeq(tt.do, ", ") {
				name, channel, _ := strings.Cut(what, " ")
				field := "channel"
				if name == "make" {
					field = "name"
				}
				reqs = append(reqs, actions.Request{Type: name, Args: fmt.Appendf(nil, `{%q:%q}`, field, channel)})
			}
			asked := &holder{}
			d := actions.NewDispatcher(actions.DispatcherOptions{Hold: asked, Mass: 3}, guard)
			outs := d.Resume(t.Context(), actions.Origin{}, gate, reqs, nil, tt.before)
			var held []string
			var approved []actions.Request
			for _, p := range slices.Concat(asked.asked...) {
				if p.Kind == "" {
					t.Errorf("%q has no kind", p.What)
				}
				held, approved = append(held, p.What), append(approved, p.Request)
			}
			if got := strings.Join(held, "; "); got != tt.held || len(asked.asked) > 1 {
				t.Errorf("held %q on %d cards, want %q", got, len(asked.asked), tt.held)
			}
			if got := strings.Join(ran, ", "); got != tt.ran {
				t.Errorf("ran %q, want %q", got, tt.ran)
			}
			lines := slices.DeleteFunc(actions.Lines(outs), func(l string) bool { return !strings.HasPrefix(l, "Failed") })
			if got := strings.Join(lines, "\n"); got != tt.lines {
				t.Errorf("the lines are %q, want %q", got, tt.lines)
			}
			for _, out := range d.ExecuteApproved(t.Context(), actions.Origin{}, gate, approved) {
				if out.Err != nil {
					t.Errorf("%s fails after the approval: %v", out.Request.Type, out.Err)
				}
			}
		})
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	got := actions.Fold([]string{"Done: a", "Failed: b", "Done: a", "Failed: c", "Failed: b", "Failed: b", "Failed: c"})
	want := []string{"Done: a", "Failed: b; 3 things were not done", "Done: a", "Failed: c; 2 things were not done"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAStepWaitsForAnother only if it names what an earlier step of its card makes, lacks no right, and can be undone.
func TestAStepWaitsForAnother(t *testing.T) {
	t.Parallel()
	missing := errors.New("there is no such channel")
	made := []actions.Request{{Type: "make", Args: []byte(`{"type":"make","name":"Smoke Test"}`)}}
	for _, tt := range []struct {
		what        string
		destructive bool
		channel     string
		err         error
		want        bool
	}{
		{"it names what is made", false, "smoke-test", missing, true},
		{"it names something else", false, "old", missing, false},
		{"a right is missing", false, "smoke-test", &lacking{}, false},
		{"it cannot be undone", true, "smoke-test", missing, false},
		{"nothing is wrong", false, "smoke-test", nil, false},
	} {
		a := actions.Define(actions.Spec[place]{
			Name: "use", Summary: "Use a channel.", Destructive: tt.destructive, Examples: []place{{Channel: "old"}},
			Ask: func(_ context.Context, _ actions.Call, in place) (place, string, error) { return in, "", nil },
			Do:  func(context.Context, actions.Call, place) (actions.Result, error) { return actions.Result{}, nil },
		})
		b, err := a.Bind([]byte(`{"type":"use","channel":"` + tt.channel + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := b.WaitsFor(tt.err, made); got != tt.want {
			t.Errorf("%s: %v", tt.what, got)
		}
	}
}
