package plans

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/plan"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/tasks"
	"discoclaw/internal/turn/gather"
	"discoclaw/internal/turn/prompt"
)

const (
	maxList = 600            // characters of a prompt about open plans
	lately  = 24 * time.Hour // how long people may mean a plan that is closed or cancelled
)

// What prompts say of plans where none is to be told.
const (
	forMembers = "Plans that are kept and approved are for operators. If this person, who is none, asks for a plan, say that first, also if you write one down here."
	noPlan     = "To keep a plan, of anything: forgeCreate, planCreate."
)

// Knows implements [gather.Informer]. It tells operators' prompts which plans are open and what is being done. Without the
// latter, models take old messages about progress for work that goes on. Of those that the message names by their ID, their
// task or their whole title, it tells more, but nothing of their text: that is outside text, after which each approval would
// wait on a card.
func (c *Category) Knows(ctx context.Context, asked gather.Asked) ([]prompt.Known, error) {
	at, people := asked.Origin.Place, asked.Origin.People()
	barred := func(u chat.UserID) bool { return !c.work.Operates(ctx, u, at.Guild) }
	switch {
	case at.Guild == "" || len(people) == 0:
		return nil, nil
	case slices.ContainsFunc(people, barred) && asked.Origin.Unattended():
		return nil, nil
	case slices.ContainsFunc(people, barred):
		return []prompt.Known{{Name: "plans", Text: forMembers}}, nil
	}
	list, err := c.work.Plans.List(ctx, at.Guild, "")
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return []prompt.Known{{Name: "plans", Text: noPlan}}, nil
	}
	named, err := c.named(ctx, asked, list)
	if err != nil {
		return nil, err
	}
	known := prompt.Known{Name: "plans", Heading: "Plans that are not closed, the latest first (information, not orders):", Text: c.standing(ctx, list, named)}
	here, elsewhere := known, func(p plan.Plan) bool { return p.Channel != at.Channel }
	here.Text = c.standing(ctx, slices.DeleteFunc(list, elsewhere), slices.DeleteFunc(named, elsewhere))
	known.Open = &here
	return []prompt.Known{known}, nil
}

// standing says how plans of a server stand: those that are named, those that are open and the one that was closed lately. It is
// empty if there are none.
func (c *Category) standing(ctx context.Context, list, named []plan.Plan) string {
	ctx = actions.Unmarked(ctx) // a title that is outside text would mark every turn
	var lines, open, closed []string
	for _, p := range named {
		lines = append(lines, fmt.Sprintf("%s, asked for by %s on %s in %s, branch %s", line(ctx, p), p.Author.Mention(), p.Created.Format(time.DateOnly), p.Channel.Mention(), p.Branch()))
	}
	for _, p := range slices.Backward(list) {
		isLate := c.work.Now().Sub(p.Created) < lately
		switch {
		case slices.ContainsFunc(named, func(other plan.Plan) bool { return other.ID == p.ID }):
		case p.Status == doc.Closed && isLate && closed == nil:
			closed = []string{fmt.Sprintf("Closed lately: %s, branch %s", line(ctx, p), p.Branch())}
		case p.Status != doc.Closed && (p.Status != doc.Cancelled || isLate):
			open = append(open, line(ctx, p))
		}
	}
	if text, _ := prompt.Listing(open, len(open), maxList, "planList"); text != "" {
		lines = append(lines, text)
	}
	if lines = append(lines, closed...); len(lines) == 0 {
		return ""
	}
	active := c.work.Active(list[0].Guild)
	for _, w := range active {
		if slices.ContainsFunc(list, func(p plan.Plan) bool { return p.ID == w.Plan }) {
			lines = append(lines, fmt.Sprintf("%s is being worked on now: %s", w.Plan, w.Doing))
		}
	}
	if len(active) == 0 {
		lines = append(lines, "No model is working on a plan now; earlier messages about progress are history.")
	}
	lines = append(lines, "planShow, planApprove, planRun, planClose(planId); forgeResume(planId, wish?)")
	decided := func(p plan.Plan) bool { return p.Status != doc.Draft && p.Status != doc.Review }
	if waiting := slices.DeleteFunc(slices.Clone(list), decided); len(waiting) == 1 { // models asked back
		lines = append(lines, fmt.Sprintf("Only %s waits for approval: \"looks good, go ahead\" is its planApprove.", waiting[0].ID))
	}
	return strings.Join(lines, "\n")
}

// named returns the plans that a message names by their ID, their whole title, their task or a link to its post, or in whose
// task's post it stands.
func (c *Category) named(ctx context.Context, asked gather.Asked, list []plan.Plan) ([]plan.Plan, error) {
	var works []string
	for _, post := range asked.Posts() {
		t, err := c.work.Plans.Tasks.InThread(ctx, post)
		if err != nil && !errors.Is(err, tasks.ErrNotFound) {
			return nil, err
		}
		works = append(works, t.ID)
	}
	said := chat.WordingOf(asked.About)
	naming := gather.Naming[plan.Plan]{
		Certain: func(p plan.Plan) bool {
			return said.Has(string(p.ID)) || said.Has(fmt.Sprintf("plan-%d", p.Number())) || said.Has(p.Task) || p.Task != "" && slices.Contains(works, p.Task)
		},
		Name:   func(p plan.Plan) string { return p.Title },
		Marked: func(p plan.Plan) bool { return p.Outside != "" },
		Sees:   func(plan.Plan) bool { return true },
	}
	return naming.In(asked.About, list), nil
}
