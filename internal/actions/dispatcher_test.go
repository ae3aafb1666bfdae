package actions_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
)

type greet struct {
	Who   string `json:"who" doc:"Whom to greet."`
	Times int    `json:"times,omitempty" doc:"How often." min:"1" max:"3" default:"1"`
}

// greetings is a category with actions for every kind of outcome.
func greetings() actions.Category {
	return actionstest.Category{Called: "greetings", List: []*actions.Action{
		actions.Define(actions.Spec[greet]{
			Name:     "greet",
			Summary:  "Greet someone.",
			Examples: []greet{{Who: "Ada"}},
			Check: func(in greet) error {
				switch in.Who {
				case "nobody":
					return errors.New("who: nobody is not a person")
				case "chaos":
					panic("secret detail")
				}
				return nil
			},
			Do: func(_ context.Context, call actions.Call, in greet) (actions.Result, error) {
				return actions.Result{Summary: fmt.Sprintf("%s greets %s %d times", call.Origin.Requester, in.Who, in.Times)}, nil
			},
		}),
		actionstest.Define("fail", func(s *actionstest.Spec) {
			s.Do = func(context.Context, actions.Call, struct{}) (actions.Result, error) {
				return actions.Result{}, errors.New("it rains")
			}
		}),
		actionstest.Define("crash", func(s *actionstest.Spec) {
			s.Do = func(context.Context, actions.Call, struct{}) (actions.Result, error) { panic("secret detail") }
		}),
	}}
}

func request(payload string) actions.Request {
	name := strings.Split(payload, `"`)[3]
	return actions.Request{Type: name, Args: []byte(payload)}
}

func TestExecute(t *testing.T) {
	reg := actionstest.Registry(t, greetings())
	g := reg.Gate(actionstest.Open(reg))
	outs := actions.NewDispatcher(actions.DispatcherOptions{}).Execute(t.Context(), actions.Origin{Requester: "42"}, g, []actions.Request{
		request(`{"type":"greet","who":"Ada","times":"2"}`),
		request(`{"type":"fail"}`),
		request(`{"type":"greet","times":9}`),
		request(`{"type":"crash"}`),
		request(`{"type":"greet","who":"nobody"}`),
		request(`{"type":"greet","who":"chaos"}`),
		request(`{"type":"unheardOf"}`),
		request(`{"type":"greet","who":"Grace"}`),
	})
	want := []string{
		"Done: 42 greets Ada 2 times",
		"Failed: fail: it rains",
		"Failed: greet: who: missing; times: 9 is not 1 to 3",
		"Failed: crash: there is a fault inside me; my log has the details",
		"Failed: greet: who: nobody is not a person",
		"Failed: greet: there is a fault inside me; my log has the details",
		"Failed: `unheardOf`: there is no such action",
		"Done: 42 greets Grace 1 times",
	}
	if diff := cmp.Diff(want, actions.AllLines(outs)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var fault *actions.PanicError
	if !errors.As(outs[3].Err, &fault) || !strings.Contains(fault.Details(), "secret detail") {
		t.Errorf("the fault %v should keep its details for the log", outs[3].Err)
	}
}

func TestExecuteStopsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	reg := actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{
		actionstest.Define("stop", func(s *actionstest.Spec) {
			s.Do = func(context.Context, actions.Call, struct{}) (actions.Result, error) {
				stop()
				return actions.Result{Summary: "stopped"}, nil
			}
		}),
		actionstest.Define("next"),
	}})
	outs := actions.NewDispatcher(actions.DispatcherOptions{}).Execute(ctx, actions.Origin{}, reg.Gate(actionstest.Open(reg)), []actions.Request{{Type: "stop"}, {Type: "next"}})
	if outs[0].Err != nil || !errors.Is(outs[1].Err, actions.ErrNotRun) {
		t.Errorf("errors %v, %v; want none and %v", outs[0].Err, outs[1].Err, actions.ErrNotRun)
	}
	if why := actions.FollowUp(actions.Round{Outcomes: outs}); why != actions.NoFollowUp {
		t.Errorf("a stopped turn asks for a follow-up: %v", why)
	}
}

func TestMiddlewares(t *testing.T) {
	reg := actionstest.Registry(t, greetings())
	g := reg.Gate(actionstest.Open(reg))
	var seen []string
	trace := func(label string) actions.Middleware {
		return func(next actions.Handler) actions.Handler {
			return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
				seen = append(seen, label+" before "+b.Action.Name)
				res, err := next(ctx, call, b)
				seen = append(seen, fmt.Sprintf("%s after: %v", label, err))
				return res, err
			}
		}
	}
	refuse := func(next actions.Handler) actions.Handler {
		return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
			if in, ok := b.Input.(greet); ok && in.Who == "Eve" {
				return actions.Result{}, errors.New("Eve may not be greeted")
			}
			return next(ctx, call, b)
		}
	}
	d := actions.NewDispatcher(actions.DispatcherOptions{}, trace("outer"), trace("inner"), refuse)
	outs := d.Execute(t.Context(), actions.Origin{}, g, []actions.Request{
		request(`{"type":"greet","who":"Eve"}`),
		request(`{"type":"crash"}`),
	})
	if diff := cmp.Diff("Failed: Eve may not be greeted", outs[0].Line()); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"outer before greet", "inner before greet", "inner after: Eve may not be greeted", "outer after: Eve may not be greeted",
		"outer before crash", "inner before crash", "inner after: there is a fault inside me; my log has the details", "outer after: there is a fault inside me; my log has the details",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("middlewares saw (-want +got):\n%s", diff)
	}

	faulty := func(actions.Handler) actions.Handler {
		return func(context.Context, actions.Call, actions.Bound) (actions.Result, error) { panic("in the middle") }
	}
	outs = actions.NewDispatcher(actions.DispatcherOptions{}, faulty).Execute(t.Context(), actions.Origin{}, g, []actions.Request{request(`{"type":"fail"}`)})
	if diff := cmp.Diff("Failed: there is a fault inside me; my log has the details", outs[0].Line()); diff != "" {
		t.Error(diff)
	}
}

func TestGuardedActionsNeedAVouchingMiddleware(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{
		actionstest.Define("kick", func(s *actionstest.Spec) { s.Needs = []chat.Permission{"Kick Members"} }),
		actionstest.Define("wipe", func(s *actionstest.Spec) { s.Destructive = true }),
		actionstest.Define("both", func(s *actionstest.Spec) { s.Needs, s.Destructive = []chat.Permission{"Kick Members"}, true }),
		actionstest.Define("plain"),
	}})
	vouch := func(change func(actions.Call) actions.Call) actions.Middleware {
		return func(next actions.Handler) actions.Handler {
			return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
				return next(ctx, change(call), b)
			}
		}
	}
	permit, approve := vouch(func(c actions.Call) actions.Call { return c.PermittedIn("") }), vouch(actions.Call.Approved)
	for _, tt := range []struct {
		name string
		mw   []actions.Middleware
		done string
	}{
		{"nobody", nil, "plain"},
		{"permissions checked", []actions.Middleware{permit}, "kick plain"},
		{"approval given", []actions.Middleware{approve}, "wipe plain"},
		{"both", []actions.Middleware{permit, approve}, "kick wipe both plain"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var done []string
			for _, o := range actions.NewDispatcher(actions.DispatcherOptions{}, tt.mw...).Execute(t.Context(), actions.Origin{}, reg.Gate(actionstest.Open(reg)), []actions.Request{{Type: "kick"}, {Type: "wipe"}, {Type: "both"}, {Type: "plain"}}) {
				if o.Err == nil {
					done = append(done, o.Request.Type)
				}
			}
			if got := strings.Join(done, " "); got != tt.done {
				t.Errorf("ran %q, want %q", got, tt.done)
			}
		})
	}
}

func TestRefusedActionsSayWhy(t *testing.T) {
	ran := false
	reg := actionstest.Registry(t, actionstest.Catalogue(func(string) { ran = true })...)
	g := reg.Gate(actionstest.Open(reg), actions.AtDepth(1))
	try, _ := g.Split([]actions.Request{{Type: "planRun"}})
	outs := actions.NewDispatcher(actions.DispatcherOptions{}).Execute(t.Context(), actions.Origin{Depth: 1, Place: chat.Place{Guild: "1"}}, g, try)
	want := []string{"Failed: that cannot be started from inside another run"}
	if diff := cmp.Diff(want, actions.Lines(outs)); diff != "" || ran {
		t.Errorf("ran: %v (-want +got):\n%s", ran, diff)
	}
}
