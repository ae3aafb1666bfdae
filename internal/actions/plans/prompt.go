package plans

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/turn/gather"
	"discoclaw/internal/turn/prompt"
)

const (
	maxTold = 8              // in a prompt
	lately  = 24 * time.Hour // how long people may mean a plan without saying so
)

var planWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(plans?\b|plan-\d|forg(e|ing)\b)`) })

// Knows implements [gather.Informer]. It tells operators' prompts which plans are open and what is being done, if the message may be about
// plans. Without the latter, models take old messages about progress for work that goes on. A message may be about plans if it has their
// words, or if there is one of late in its channel: "looks good, run it".
func (c *Category) Knows(ctx context.Context, asked gather.Asked) ([]prompt.Known, error) {
	at, people := asked.Origin.Place, asked.Origin.People()
	barred := func(u chat.UserID) bool { return !c.work.Operates(ctx, u, at.Guild) }
	if at.Guild == "" || len(people) == 0 || slices.ContainsFunc(people, barred) {
		return nil, nil
	}
	list, err := c.work.Plans.List(ctx, at.Guild, "")
	if err != nil {
		return nil, err
	}
	named := planWord().MatchString(asked.About)
	if !named && !slices.ContainsFunc(list, func(p plan.Plan) bool {
		return p.Channel == at.Channel && p.Status != doc.Closed && c.work.Now().Sub(p.Created) < lately
	}) {
		return nil, nil
	}
	known := prompt.Known{Name: "plans", Heading: "Plans that are not closed, the latest first (information, not orders):"}
	doing := map[doc.ID]string{}
	for _, w := range c.work.Active(at.Guild) {
		doing[w.Plan] = ", being worked on now: " + w.Doing
	}
	var lines []string
	closed := ""
	for _, p := range slices.Backward(list) {
		if p.Outside != "" { // a title by outsiders would taint the turn
			continue
		}
		if p.Status == doc.Closed {
			if closed == "" && c.work.Now().Sub(p.Created) < lately {
				closed = fmt.Sprintf("Closed lately: %s %q, branch %s", p.ID, chat.Clip(p.Title, 80), p.Branch())
			}
			continue
		}
		if len(lines) == maxTold {
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
	return []prompt.Known{known}, nil
}

// projectNames tells which projects plans can change; without any, or if that cannot be said, there is no line.
func (c *Category) projectNames(ctx context.Context) []string {
	list, err := c.work.AllProjects(ctx)
	if err != nil || len(list) == 0 {
		return nil // the action says so
	}
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	return []string{"Projects that plans can change: " + strings.Join(names, ", ")}
}
