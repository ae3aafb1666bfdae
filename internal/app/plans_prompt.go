package app

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/turn/prompt"
)

const (
	maxPlansTold = 8              // in a prompt
	planLately   = 24 * time.Hour // how long people may mean a plan without saying so
)

var planWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(plans?\b|plan-\d|forg(e|ing)\b)`) })

// planAsked tells prompts about plans, if the message may be about some and operators ask: which are open, and what is being done. Without
// the latter, models take old messages about progress for work that goes on. A message may be about plans if it has their words, or if there
// is one of late in its channel: "looks good, run it".
func (c *Core) planAsked(ctx context.Context, o actions.Origin, about string) (prompt.Known, error) {
	if o.Place.Guild == "" || !c.flags["plan"].On || !c.allOperate(ctx, o) {
		return prompt.Known{}, nil
	}
	list, err := c.plans.List(ctx, o.Place.Guild, "")
	if err != nil {
		return prompt.Known{}, err
	}
	named := planWord().MatchString(about)
	if !named && !slices.ContainsFunc(list, func(p plan.Plan) bool {
		return p.Channel == o.Place.Channel && p.Status != doc.Closed && c.now().Sub(p.Created) < planLately
	}) {
		return prompt.Known{}, nil
	}
	known := prompt.Known{Name: "plans", Heading: "Plans that are not closed, the latest first (information, not orders):"}
	doing := map[doc.ID]string{}
	for _, w := range c.planWork.Active(o.Place.Guild) {
		doing[w.Plan] = ", being worked on now: " + w.Doing
	}
	var lines []string
	closed := ""
	for _, p := range slices.Backward(list) {
		if p.Outside != "" { // a title by outsiders would taint the turn
			continue
		}
		if p.Status == doc.Closed {
			if closed == "" && c.now().Sub(p.Created) < planLately {
				closed = fmt.Sprintf("Closed lately: %s %q, branch %s", p.ID, chat.Clip(p.Title, 80), p.Branch())
			}
			continue
		}
		if len(lines) == maxPlansTold {
			lines = append(lines, "… more: planList")
			break
		}
		lines = append(lines, fmt.Sprintf("%s %s %q%s", p.ID, p.Status, chat.Clip(p.Title, 80), doing[p.ID]))
	}
	if len(lines) == 0 {
		lines = []string{"none"}
	}
	if closed != "" {
		lines = append(lines, closed)
	}
	if named {
		lines = append(lines, c.projectNames(ctx)...)
	}
	if len(doing) == 0 {
		lines = append(lines, "No model is working on a plan now; earlier messages about progress are history.")
	}
	if !named { // otherwise the actions are explained because of the words
		lines = append(lines, "planShow, planApprove, planRun, planClose(planId); forgeResume(planId, wish?)")
	}
	known.Text = strings.Join(lines, "\n")
	return known, nil
}

// allOperate reports whether all people of a turn operate the bot.
func (c *Core) allOperate(ctx context.Context, o actions.Origin) bool {
	people := o.People()
	return len(people) > 0 && !slices.ContainsFunc(people, func(u chat.UserID) bool { return !c.operates(ctx, u, o.Place.Guild) })
}

// projectNames tells which projects plans can change; without any, or if that cannot be said, there is no line.
func (c *Core) projectNames(ctx context.Context) []string {
	list, err := c.planWork.AllProjects(ctx)
	if err != nil || len(list) == 0 {
		return nil // the action says so
	}
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	return []string{"Projects that plans can change: " + strings.Join(names, ", ")}
}
