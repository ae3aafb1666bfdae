// Package plans is the category plan: plans for changes of a project, which a person approves before models carry them out. It fronts
// the engine of package plan, and what has models work on plans.
//
// All of it needs an operator, queries too: a plan says what a project of the operators is about.
package plans

import (
	"context"
	"slices"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/work"
)

// A Server is what the category needs of Discord.
type Server interface {
	// Messages returns messages before one, the newest first.
	Messages(ctx context.Context, ch chat.ChannelID, before chat.MessageID, limit int) ([]chat.Message, error)
	// RespondEphemeral answers the press of a button with a message that only its user sees.
	RespondEphemeral(ctx context.Context, p chat.Press, text string) error
}

// A Category has plans made, approved and carried out.
type Category struct {
	work   *work.Manager
	server Server
	source func(chat.Message) chat.Sources
}

// New returns the category plan. Source returns the outside texts of a message.
func New(m *work.Manager, s Server, source func(chat.Message) chat.Sources) *Category {
	return &Category{m, s, source}
}

func (*Category) Name() string { return "plan" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_PLAN", Default: true, Part: "DISCOCLAW_PLAN_COMMANDS_ENABLED"}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.list(), c.show(), c.create(), c.approve(), c.close(), c.run()}
}

func (*Category) ForReference() string {
	return "A plan says what is to be done: a party, a move, a change of a project. One of a project is carried out phase by phase once an operator has approved it. Its status goes from DRAFT over REVIEW and APPROVED to " +
		"IMPLEMENTING and CLOSED. forgeCreate has one written and audited; planCreate makes one for people to fill in. Runs go on in the background and show their progress in the channel."
}

// Define defines an action on plans: for operators, and told to models when plans are spoken of.
func Define[T any](s actions.Spec[T]) *actions.Action {
	s.Needs = []chat.Permission{chat.Operator}
	s.Rare = true
	return actions.Define(s)
}

// A Which names a plan.
type Which struct {
	PlanID string `json:"planId" alias:"id,plan" word:"first" doc:"Its ID, such as plan-007 or 7, or the ID of its task." max:"40"`
}

// Find returns the plan that a request names.
func (c *Category) Find(ctx context.Context, call actions.Call, ref string) (plan.Plan, error) {
	g, err := call.Guild()
	if err != nil {
		return plan.Plan{}, err
	}
	return c.work.Plans.Find(ctx, g, ref)
}

// Settle settles which plan a held request means.
func (c *Category) Settle(ctx context.Context, call actions.Call, in Which) (Which, error) {
	p, err := c.Find(ctx, call, in.PlanID)
	return Which{string(p.ID)}, err
}

// Order is an order of the people of a turn.
func Order(call actions.Call) work.Order {
	o := call.Origin
	order := work.Order{At: o.Place, Requester: o.Requester, Prompters: o.Prompters, Job: o.Job, Outside: o.Outside}
	order.Waits = o.Unattended() && !(slices.Contains(o.Granted, "planApprove") && slices.Contains(o.Granted, "planRun"))
	if key, ok := call.IdempotencyKey(); ok {
		order.Dedupe = string(o.Turn) + "/" + key
	}
	return order
}

// Called is a plan as people read it. Its title is left out in other channels than its own, and if it is outside text that the turn has
// not read: the answer is not marked then.
func Called(call actions.Call, p plan.Plan) string {
	if p.Outside != "" && call.Origin.Outside == "" || p.Channel != call.Origin.Place.Channel {
		return string(p.ID)
	}
	return quoted(p.Title)
}

// Titled is a plan for a card: by its title, if that may be told there.
func Titled(call actions.Call, p plan.Plan) map[string]string {
	names := map[string]string{}
	if p.Title != "" && Called(call, p) != string(p.ID) {
		names["planId"] = actions.Quoted(chat.Clip(p.Title, 100))
	}
	if p.Author == call.Origin.Requester {
		names[actions.OwnField] = "planId"
	}
	return names
}

// names is Titled for what a request names.
func (c *Category) names(ctx context.Context, call actions.Call, in Which) map[string]string {
	p, err := c.Find(ctx, call, in.PlanID)
	if err != nil {
		return nil // it fails anyway
	}
	return Titled(call, p)
}

func quoted(title string) string { return "“" + chat.Literal(chat.Clip(title, 100)) + "”" }
