package plans

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

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
	maxRefs = 5              // links in a message that are looked up
)

// Knows implements [gather.Informer]. It tells operators' prompts which plans are open and what is being done. Without the latter, models take
// old messages about progress for work that goes on. Of those that the message names by their ID, their task or their whole title, it tells
// more, but nothing of their text: that is outside text, after which each approval would wait on a card.
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
	named, err := c.named(ctx, asked, list)
	if err != nil {
		return nil, err
	}
	doing := map[doc.ID]string{}
	for _, w := range c.work.Active(at.Guild) {
		doing[w.Plan] = ", being worked on now: " + w.Doing
	}
	elsewhere := func(p plan.Plan) bool { return p.Channel != at.Channel }
	known := prompt.Known{Name: "plans", Heading: "Plans that are not closed, the latest first (information, not orders):", Text: c.told(list, named, doing)}
	here := known
	here.Text = c.told(slices.DeleteFunc(slices.Clone(list), elsewhere), slices.DeleteFunc(slices.Clone(named), elsewhere), doing)
	known.Open = &here
	return []prompt.Known{known}, nil
}

// told says how plans stand: those that are named, those that are open and the one that was closed lately. It is empty if there are none.
func (c *Category) told(list, named []plan.Plan, doing map[doc.ID]string) string {
	var lines, open []string
	for _, p := range named {
		lines = append(lines, facts(p)+doing[p.ID])
	}
	closed := ""
	for _, p := range slices.Backward(list) {
		isLate := c.work.Now().Sub(p.Created) < lately
		switch {
		case slices.ContainsFunc(named, func(other plan.Plan) bool { return other.ID == p.ID }):
		case p.Status == doc.Closed && isLate && closed == "":
			closed = fmt.Sprintf("Closed lately: %s %s, branch %s", p.ID, title(p), p.Branch())
		case p.Status == doc.Closed, p.Status == doc.Cancelled && !isLate:
		default:
			open = append(open, fmt.Sprintf("%s %s %s%s", p.ID, p.Status, title(p), doing[p.ID]))
		}
	}
	first := chat.FirstLines(open, maxList)
	if lines = append(lines, first...); len(first) < len(open) {
		lines = append(lines, fmt.Sprintf("(the first %d of %d; planList has all)", len(first), len(open)))
	}
	if closed != "" {
		lines = append(lines, closed)
	}
	if len(lines) == 0 {
		return ""
	}
	if len(doing) == 0 {
		lines = append(lines, "No model is working on a plan now; earlier messages about progress are history.")
	}
	return strings.Join(append(lines, "planShow, planApprove, planRun, planClose(planId); forgeResume(planId, wish?)"), "\n")
}

// title is the title of a plan in quotes. One that is outside text would mark every turn.
func title(p plan.Plan) string {
	if p.Outside != "" {
		return "(outside text: planShow)"
	}
	return fmt.Sprintf("%q", chat.Clip(p.Title, 80))
}

// facts are what a prompt tells of a plan that the message names.
func facts(p plan.Plan) string {
	text := fmt.Sprintf("%s %s %s, asked for by %s on %s in %s, task %s, branch %s", p.ID, p.Status, title(p), p.Author.Mention(),
		p.Created.Format(time.DateOnly), p.Channel.Mention(), p.Task, p.Branch())
	if p.Project != "" {
		text += ", project " + chat.OneLine(p.Project)
	}
	if p.Approver != "" {
		text += ", approved by " + p.Approver.Mention()
	}
	if p.Divided() {
		text += ", " + p.Badge().Words()
	}
	return text
}

var idInText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bplan-\d{1,9}\b`) })

// named returns the plans that a message names, and that whose task has the post in which it stands.
func (c *Category) named(ctx context.Context, asked gather.Asked, list []plan.Plan) ([]plan.Plan, error) {
	at, posts := asked.Origin.Place, chat.Linked(asked.About)
	posts = posts[:min(len(posts), maxRefs)]
	if at.Parent != "" {
		posts = append(posts, at.Channel)
	}
	var ids, works []string
	for _, post := range posts {
		t, err := c.work.Plans.Tasks.InThread(ctx, post)
		if err != nil && !errors.Is(err, tasks.ErrNotFound) {
			return nil, err
		}
		works = append(works, t.ID)
	}
	for _, text := range idInText().FindAllString(asked.About, -1) {
		id, _ := doc.ParseID(text) // empty for a number that no plan has
		ids = append(ids, string(id))
	}
	said := chat.WordingOf(asked.About)
	naming := gather.Naming[plan.Plan]{
		Certain: func(p plan.Plan) bool {
			return slices.Contains(ids, string(p.ID)) || p.Task != "" && (slices.Contains(works, p.Task) || said.Has(p.Task))
		},
		Name:   func(p plan.Plan) string { return p.Title },
		Marked: func(p plan.Plan) bool { return p.Outside != "" },
		Sees:   func(plan.Plan) bool { return true },
	}
	return naming.In(asked.About, list), nil
}
