package plans

import (
	"context"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/plan/work"
)

// A Run asks for a plan to be carried out.
type Run struct {
	Which
	Quiet bool `json:"skipCompletionNotify,omitempty" rare:"notif,silent,quiet" doc:"Post no message of its own at the end of the run; its progress shows how it ended."`
}

func (c *Category) run() *actions.Action {
	return Define(actions.Spec[Run]{
		Name:       "planRun",
		Summary:    "Have an approved plan carried out; its progress is shown in this channel.",
		Sentence:   "Carry out the plan {planId}[{skipCompletionNotify?, without a message at its end|}]",
		TopLevel:   true,
		Idempotent: true,
		Examples:   []Run{{Which: Which{"plan-007"}}},
		Settles: func(ctx context.Context, call actions.Call, in Run) (Run, error) {
			which, err := c.Settle(ctx, call, in.Which)
			return Run{which, in.Quiet}, err
		},
		Do: func(ctx context.Context, call actions.Call, in Run) (actions.Result, error) {
			o := Order(call)
			o.Ref, o.Quiet = in.PlanID, in.Quiet
			return c.start(ctx, call, o)
		},
	})
}

// start has an approved plan carried out, all of it or what an order names of it.
func (c *Category) start(ctx context.Context, call actions.Call, o work.Order) (actions.Result, error) {
	if _, err := call.Guild(); err != nil {
		return actions.Result{}, err
	}
	p, first, err := c.work.Start(ctx, o)
	switch {
	case err != nil:
		return actions.Result{}, err
	case first.ID == "":
		return actions.Result{Summary: fmt.Sprintf("nothing is left to do: all phases of %s are over", p.ID)}, nil
	}
	text := fmt.Sprintf("started %s: first %s", Called(call, p), first.ID)
	if p.Outside == "" || call.Origin.Outside != "" {
		text += ", “" + chat.Literal(chat.Clip(first.Title, 100)) + "”"
	}
	return actions.Result{Summary: text}, nil
}
