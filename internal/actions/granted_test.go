package actions_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
)

// TestGrantedActions: a scheduled job that names a type of action has its approval, but after it has read outside text only in its own
// channel, and not if the request needs rights over channels or roles, or rights elsewhere. A type that it does not name is held as ever.
func TestGrantedActions(t *testing.T) {
	t.Parallel()
	define := func(name string, change func(*actions.Spec[place])) *actions.Action {
		s := actions.Spec[place]{
			Name: name, Summary: "Do it.", Examples: []place{{Channel: "here"}},
			Ask: func(_ context.Context, _ actions.Call, in place) (place, string, error) { return in, "Do it?", nil },
			Do: func(context.Context, actions.Call, place) (actions.Result, error) {
				return actions.Result{Summary: "did it"}, nil
			},
		}
		change(&s)
		if !s.Destructive {
			s.Ask = nil
		}
		return actions.Define(s)
	}
	inChannel := func(s *actions.Spec[place]) {
		s.Needs = []chat.Permission{chat.ManageMessages}
		s.NeedsIn = func(_ context.Context, _ actions.Call, in place) (chat.ChannelID, error) {
			return chat.ChannelID(in.Channel), nil
		}
	}
	also := func(d actions.Demand) func(*actions.Spec[place]) {
		return func(s *actions.Spec[place]) {
			inChannel(s)
			s.MayNeed = d.Rights
			s.AlsoNeeds = func(context.Context, actions.Call, place) ([]actions.Demand, error) { return []actions.Demand{d}, nil }
		}
	}
	reg := actionstest.Registry(t, actionstest.Category{Called: "town", List: []*actions.Action{
		define("wreck", func(s *actions.Spec[place]) { inChannel(s); s.Destructive = true }),
		define("ban", func(s *actions.Spec[place]) { s.Destructive = true }), // in no channel
		define("send", inChannel),
		define("manage", func(s *actions.Spec[place]) { inChannel(s); s.Needs = []chat.Permission{chat.ManageChannels} }),
		define("rule", also(actions.Demand{Channel: "here", Rights: []chat.Permission{chat.ManagePermissions}})),
		define("move", also(actions.Demand{Channel: "there", Rights: []chat.Permission{chat.ManageMessages}})),
		define("lead", also(actions.Demand{AboveMember: "5"})),
		define("decorate", also(actions.Demand{Channel: "here", Rights: []chat.Permission{chat.ManageMessages}})),
	}})
	for _, tt := range []struct {
		do      string
		granted string
		outside chat.Sources
		taint   actions.Taint
		want    string // done, held or failed
	}{
		{do: "wreck here", want: "held"},
		{do: "wreck here", granted: "wreck", want: "done"},
		{do: "wreck there", granted: "wreck", want: "done"},
		{do: "wreck here", granted: "ban send", want: "held"},
		{do: "ban here", granted: "ban", want: "done"},
		{do: "send there", want: "done"},
		{do: "wreck here", granted: "wreck", outside: "a page", want: "done"},
		{do: "wreck there", granted: "wreck", outside: "a page", want: "held"},
		{do: "wreck here", granted: "send", outside: "a page", want: "held"},
		{do: "ban here", granted: "ban", outside: "a page", want: "held"},
		{do: "send here", outside: "a page", want: "held"},
		{do: "send here", granted: "send", outside: "a page", want: "done"},
		{do: "send there", granted: "send", outside: "a page", want: "held"},
		{do: "manage here", granted: "manage", outside: "a page", want: "held"},
		{do: "rule here", granted: "rule", want: "done"},
		{do: "rule here", granted: "rule", outside: "a page", want: "held"},
		{do: "move here", granted: "move", outside: "a page", want: "held"},
		{do: "lead here", granted: "lead", outside: "a page", want: "held"},
		{do: "decorate here", granted: "decorate", outside: "a page", want: "done"},
		{do: "wreck here", granted: "wreck", outside: "a page", taint: actions.TaintRefuse, want: "done"},
		{do: "wreck there", granted: "wreck", outside: "a page", taint: actions.TaintRefuse, want: "failed"},
		{do: "send there", granted: "send", outside: "a page", taint: actions.TaintRefuse, want: "failed"},
		{do: "wreck there", granted: "wreck", outside: "a page", taint: actions.TaintOff, want: "done"},
	} {
		t.Run(fmt.Sprintf("%s, granted %q, read %q, %s", tt.do, tt.granted, tt.outside, tt.taint), func(t *testing.T) {
			t.Parallel()
			name, channel, _ := strings.Cut(tt.do, " ")
			asked := &holder{}
			d := actions.NewDispatcher(actions.DispatcherOptions{Hold: asked, Taint: tt.taint}, guard)
			o := actions.Origin{Place: chat.Place{Channel: "here"}, Granted: strings.Fields(tt.granted), Outside: tt.outside}
			out := d.Execute(t.Context(), o, reg.Gate(actionstest.Open(reg)), []actions.Request{{Type: name, Args: fmt.Appendf(nil, `{"channel":%q}`, channel)}})[0]
			got := "done"
			switch {
			case len(asked.asked) > 0:
				got = "held"
			case out.Err != nil:
				got = "failed"
			}
			if got != tt.want {
				t.Errorf("%s (%v), want %s", got, out.Err, tt.want)
			}
		})
	}
}
