package plans

import (
	"context"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/plan/work"
)

func (c *Category) run() *actions.Action {
	return Define(actions.Spec[Which]{
		Name:       "planRun",
		Summary:    "Have an approved plan carried out; its progress is shown in this channel.",
		Sentence:   "Carry out the plan {planId}",
		TopLevel:   true,
		Idempotent: true,
		Examples:   []Which{{PlanID: "plan-007"}},
		Settles:    c.Settle,
		Do: func(ctx context.Context, call actions.Call, in Which) (actions.Result, error) {
			o := Order(call)
			o.Ref = in.PlanID
			return c.Start(ctx, call, o)
		},
	})
}

// Start has an approved plan carried out, all of it or what an order names of it.
func (c *Category) Start(ctx context.Context, call actions.Call, o work.Order) (actions.Result, error) {
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
