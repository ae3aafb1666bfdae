// Package forging is the category forge: models write a plan, audit it, and revise it until it holds, for a person to approve.
//
// Like that of plans, it needs an operator for everything.
package forging

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/plans"
	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/plan/work"
)

// A Category has plans written.
type Category struct {
	plans *plans.Category
	work  *work.Manager
}

// New returns the category forge.
func New(p *plans.Category, m *work.Manager) *Category { return &Category{plans: p, work: m} }

func (*Category) Name() string { return "forge" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_FORGE", Default: true, Part: "DISCOCLAW_FORGE_COMMANDS_ENABLED"}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.create(), c.resume(), c.status(), c.cancel()}
}

func (*Category) ForReference() string {
	return "Forging a plan takes minutes and goes on in the background: one model drafts it, another audits it, and it is revised until nothing grave is left. The plan is then posted in the channel, " +
		"with buttons for who decides. One plan is forged at a time."
}

func (c *Category) create() *actions.Action {
	return plans.Define(actions.Spec[plans.Create]{
		Name:       "forgeCreate",
		Aliases:    []string{"START_FORGE"},
		Summary:    "Have models write a plan, of a change to a project or of anything else, and audit it.",
		Sentence:   "Have models write a plan: {description}[, knowing {context}][, for the project {project}]",
		Brief:      "models write and audit it",
		Stores:     []string{"description", "context"},
		TopLevel:   true,
		Idempotent: true,
		Examples:   []plans.Create{{Description: "Cache the weather for ten minutes", Context: "Every request asks the weather service, which is slow."}},
		Do: func(ctx context.Context, call actions.Call, in plans.Create) (actions.Result, error) {
			if _, err := call.Guild(); err != nil {
				return actions.Result{}, err
			}
			o := plans.Order(call)
			o.Description, o.Context, o.Project = in.Description, in.Context, in.Project
			p, err := c.work.Forge(ctx, o)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{
				Summary: "models are writing and auditing " + plans.Called(call, p) + " now; it appears here in a few minutes",
				Undo:    []actions.Inverse{plans.Closing(p.ID)},
			}, nil
		},
	})
}

// A Resume asks for further work on a plan.
type Resume struct {
	PlanID string `json:"planId" alias:"id,plan" word:"first" doc:"Its ID, such as plan-007 or 7, or the ID of its task." max:"40"`
	Wish   string `json:"wish,omitempty" alias:"change,changes,feedback" word:"text" doc:"What should be different." max:"2000"`
}

func (c *Category) resume() *actions.Action {
	return plans.Define(actions.Spec[Resume]{
		Name:       "forgeResume",
		Summary:    "Go on with a plan that is not approved: revise and audit it.",
		Sentence:   "Have models revise and audit the plan {planId}[: {wish}]",
		Final:      true,
		Brief:      "revises and audits it",
		Stores:     []string{"wish"},
		TopLevel:   true,
		Idempotent: true,
		Examples:   []Resume{{PlanID: "plan-007", Wish: "Keep the old API."}},
		Settles: func(ctx context.Context, call actions.Call, in Resume) (Resume, error) {
			p, err := c.plans.Find(ctx, call, in.PlanID)
			return Resume{PlanID: string(p.ID), Wish: in.Wish}, err
		},
		Names: func(ctx context.Context, call actions.Call, in Resume) map[string]string {
			p, err := c.plans.Find(ctx, call, in.PlanID)
			if err != nil {
				return nil // it fails anyway
			}
			return plans.Titled(call, p)
		},
		Do: c.doResume,
	})
}

func (c *Category) doResume(ctx context.Context, call actions.Call, in Resume) (actions.Result, error) {
	p, err := c.plans.Find(ctx, call, in.PlanID)
	if err != nil {
		return actions.Result{}, err
	}
	if p.Status == doc.Approved {
		return actions.Result{}, fmt.Errorf("this plan is approved, so its text stays as it is; "+
			"run it with planRun (`!plan run %s`), or edit its file, which takes the approval back", p.ID)
	}
	o := plans.Order(call)
	o.Ref, o.Wish = string(p.ID), in.Wish
	if p, err = c.work.Forge(ctx, o); err != nil {
		return actions.Result{}, err
	}
	return actions.Result{Summary: "models are revising and auditing " + plans.Called(call, p) + " now; what comes of it appears here in a few minutes"}, nil
}

func (c *Category) status() *actions.Action {
	return plans.Define(actions.Spec[struct{}]{
		Name:     "forgeStatus",
		Summary:  "Show which plans are being forged or carried out.",
		Effect:   actions.Queries,
		Reads:    actions.Names,
		Examples: []struct{}{{}},
		Do: func(ctx context.Context, call actions.Call, _ struct{}) (actions.Result, error) {
			g, err := call.Guild()
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{Found: c.doing(ctx, call, g), Summary: "looked up what is being done on plans"}, nil
		},
	})
}

// doing says what is being done on plans.
func (c *Category) doing(ctx context.Context, call actions.Call, g chat.GuildID) string {
	var lines []string
	for _, w := range c.work.Active(g) {
		what := "being carried out"
		if w.Kind == plan.Forging {
			what = "being written and audited"
		}
		name := string(w.Plan)
		if p, err := c.plans.Find(ctx, call, name); err == nil {
			name = plans.Called(call, p)
		}
		line := fmt.Sprintf("%s is %s in %s, since %s", name, what, w.At.Channel.Mention(), chat.Clock(w.Began))
		if w.Doing != "" {
			line += ": " + w.Doing
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return "no plan is being written or carried out"
	}
	return strings.Join(lines, "\n")
}

func (c *Category) cancel() *actions.Action {
	return plans.Define(actions.Spec[struct{}]{
		Name:     "forgeCancel",
		Summary:  "Stop the forging of a plan, which can be resumed later.",
		Sentence: "Stop the forging of a plan",
		Examples: []struct{}{{}},
		Do: func(_ context.Context, call actions.Call, _ struct{}) (actions.Result, error) {
			g, err := call.Guild()
			if err != nil {
				return actions.Result{}, err
			}
			ids := c.work.Cancel(g, plan.Forging, "", call.Origin.Requester)
			if len(ids) == 0 {
				return actions.Result{}, errors.New("no plan is being written here")
			}
			return actions.Result{Summary: fmt.Sprintf("stopped the work on the plan; `!forge %s` goes on with it", ids[0])}, nil
		},
	})
}
