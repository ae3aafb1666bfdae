package plans

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/work"
)

// A Create asks for a new plan.
type Create struct {
	Description string `json:"description" alias:"title,task" doc:"What is to change, and why." max:"2000"`
	Context     string `json:"context,omitempty" doc:"What of the conversation matters for it." max:"8000"`
	Project     string `json:"project,omitempty" rare:"yes" doc:"Which project, if there are several." max:"100"`
}

func (c *Category) create() *actions.Action {
	return Define(actions.Spec[Create]{
		Name:       "planCreate",
		Aliases:    []string{"CREATE_PLAN"},
		Summary:    "Make an empty plan for people to fill in; forgeCreate has one written.",
		Sentence:   "Make an empty plan: {description}[, knowing {context}][, for the project {project}]",
		Brief:      "empty, for people to fill in",
		Stores:     []string{"description", "context"},
		Idempotent: true,
		Examples:   []Create{{Description: "Cache the weather for ten minutes"}},
		Do: func(ctx context.Context, call actions.Call, in Create) (actions.Result, error) {
			if _, err := call.Guild(); err != nil {
				return actions.Result{}, err
			}
			o := Order(call)
			o.Description, o.Context, o.Project = in.Description, in.Context, in.Project
			p, err := c.work.Draft(ctx, o)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{
				Summary: fmt.Sprintf("made an empty plan, %s; `!forge %s` has models write it, or an operator writes into its file %s", Called(call, p), p.ID, chat.InCode(p.File)),
				Undo:    []actions.Inverse{Closing(p.ID)},
			}, nil
		},
	})
}

// Closing is the inverse of what has made a plan.
func Closing(id doc.ID) actions.Inverse {
	return actions.Reverse("close the plan", "planClose", Which{string(id)})
}

// An Approve asks for the approval of a plan.
type Approve struct {
	PlanID  string `json:"planId" alias:"id,plan" word:"first" doc:"Its ID, such as plan-007 or 7, or the ID of its task." max:"40"`
	Version string `json:"version,omitempty" rare:"yes" doc:"The version that planShow told; if the plan has changed since, it is not approved." max:"16"`
}

func (c *Category) approve() *actions.Action {
	return Define(actions.Spec[Approve]{
		Name:     "planApprove",
		Summary:  "Approve a plan as it is now, so that it can be run.",
		Sentence: "Approve the plan {planId}[ in the version {version}]",
		Final:    true,
		Brief:    "only if asked to",
		Notes:    []string{"Only when an operator asks for it.", "It is not undone: planClose gives an approved plan up."},
		Examples: []Approve{{PlanID: "plan-007"}},
		Holds:    c.holdApproval,
		Settles:  c.settleApproval,
		Do: func(ctx context.Context, call actions.Call, in Approve) (actions.Result, error) {
			g, err := call.Guild()
			if err != nil {
				return actions.Result{}, err
			}
			p, err := c.work.Plans.Approve(ctx, g, in.PlanID, in.Version, call.Origin.Requester)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{Summary: "approved " + Called(call, p) + ". " + c.next(ctx, p)}, nil
		},
	})
}

// next says how an approved plan is started, or what is missing for that.
func (c *Category) next(ctx context.Context, p plan.Plan) string {
	if _, err := c.work.Runnable(ctx, p); err != nil {
		return "It cannot be run now: " + err.Error()
	}
	return fmt.Sprintf("Start it with `!plan run %s`", p.ID)
}

// holdApproval is what a card says of an approval that no operator has asked for in person: in work that begins by itself, unless it was
// set up to approve plans, and after outside text was read.
func (c *Category) holdApproval(ctx context.Context, call actions.Call, in Approve) string {
	o := call.Origin
	if o.Outside == "" && (!o.Unattended() || slices.Contains(o.Granted, "planApprove")) {
		return ""
	}
	p, err := c.Find(ctx, call, in.PlanID)
	if err != nil {
		return "Approve a plan." // settleApproval fails
	}
	return c.work.Effect(ctx, p)
}

// settleApproval settles which plan a card asks about, and as what: another text than the one that is approved must not run.
func (c *Category) settleApproval(ctx context.Context, call actions.Call, in Approve) (Approve, error) {
	p, err := c.Find(ctx, call, in.PlanID)
	if err == nil && !doc.AllowedByHand(p.Status, doc.Approved) {
		err = doc.Refusal(p.ID, p.Status, doc.Approved)
	}
	return Approve{PlanID: string(p.ID), Version: cmp.Or(in.Version, p.Hash())}, err
}

func (c *Category) close() *actions.Action {
	return Define(actions.Spec[Which]{
		Name:     "planClose",
		Summary:  "Close a plan for good, and its task.",
		Sentence: "Close the plan {planId} for good, and its task",
		Final:    true,
		Examples: []Which{{PlanID: "plan-007"}},
		Settles:  c.Settle,
		Names:    c.names,
		Do: func(ctx context.Context, call actions.Call, in Which) (actions.Result, error) {
			g, err := call.Guild()
			if err != nil {
				return actions.Result{}, err
			}
			p, err := c.work.Plans.Close(ctx, g, in.PlanID, call.Origin.Requester)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{Summary: "closed " + Called(call, p)}, nil
		},
	})
}

// A Run asks for a plan to be carried out.
type Run struct {
	Which
	Quiet bool `json:"skipCompletionNotify,omitempty" rare:"yes" doc:"Post no message of its own at the end of the run; its progress shows how it ended."`
}

func (c *Category) run() *actions.Action {
	return Define(actions.Spec[Run]{
		Name:       "planRun",
		Summary:    "Have an approved plan carried out; its progress is shown in this channel.",
		Sentence:   "Carry out the plan {planId}[{skipCompletionNotify?, without a message at its end|}]",
		Final:      true,
		TopLevel:   true,
		Idempotent: true,
		Examples:   []Run{{Which: Which{"plan-007"}}},
		Settles: func(ctx context.Context, call actions.Call, in Run) (Run, error) {
			which, err := c.Settle(ctx, call, in.Which)
			return Run{which, in.Quiet}, err
		},
		Names: func(ctx context.Context, call actions.Call, in Run) map[string]string {
			return c.names(ctx, call, in.Which)
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
		return actions.Result{Summary: "nothing is left to do: all phases of " + Called(call, p) + " are over"}, nil
	}
	text := fmt.Sprintf("started %s. A message here shows how it goes", Called(call, p))
	if p.Outside == "" || call.Origin.Outside != "" {
		text += "; the first phase is “" + chat.Literal(chat.Clip(first.Title, 100)) + "”"
	}
	return actions.Result{Summary: text}, nil
}
