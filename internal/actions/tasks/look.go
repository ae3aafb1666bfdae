package tasks

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/clock"
	engine "discoclaw/internal/tasks"
)

// A Show asks for one task.
type Show struct {
	TaskID string `json:"taskId" word:"first" alias:"id,task" doc:"Its ID, such as ws-001." max:"40"`
}

func (c *Category) show() *actions.Action {
	return define(c, actions.Spec[Show]{
		Name:     "taskShow",
		Summary:  "Show all of a task.",
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Examples: []Show{{TaskID: "ws-001"}},
		Names: func(ctx context.Context, call actions.Call, in Show) map[string]string {
			return c.names(ctx, call, in.TaskID)
		},
		Do: func(ctx context.Context, call actions.Call, in Show) (actions.Result, error) {
			t, err := c.engine.Get(ctx, call.Origin.Place.Guild, in.TaskID)
			if err != nil {
				return actions.Result{}, failed("look up", in.TaskID, err)
			}
			t = shown(ctx, t)
			return c.found(ctx, call, whole(t, c.zone(ctx, call.Origin.Requester)), "looked at "+c.name(ctx, call, t), t)
		},
	})
}

// shown is a task with what of it may be shown.
func shown(ctx context.Context, t engine.Task) engine.Task {
	if t.Outside != "" && actions.IsUnmarked(ctx) {
		t.Title, t.Description, t.Reason, t.Labels, t.Outside = "(from outside text)", "", "", nil, ""
	}
	return t
}

// moment is a time in what models and people read.
func moment(t time.Time, zone *time.Location) string { return t.In(zone).Format("2006-01-02 15:04") }

// whole is all of a task.
func whole(t engine.Task, zone *time.Location) string {
	text := "task " + line(t, zone)
	if !t.Created.IsZero() {
		text += "\nopened " + moment(t.Created, zone)
		if t.Creator != "" {
			text += " by " + t.Creator.Mention()
		}
	}
	if !t.Closed.IsZero() {
		text += "\nclosed " + moment(t.Closed, zone)
		if t.Reason != "" {
			text += ": " + chat.OneLine(t.Reason)
		}
	}
	if t.Description != "" {
		text += "\ndescription: " + t.Description
	}
	return text
}

// A List asks for tasks.
type List struct {
	Status   string       `json:"status,omitempty" word:"status:,text" doc:"A status (open, in_progress, blocked, closed) or all; what is not closed if left out." max:"20"`
	Assignee chat.UserRef `json:"assignee,omitempty" word:"@,<@" alias:"owner,userId" doc:"Only those of somebody: ID, mention or name."`
	Tag      string       `json:"tag,omitempty" word:"#" alias:"label" doc:"Only those with a tag." max:"60"`
	Due      string       `json:"due,omitempty" word:"due:" alias:"until,before" doc:"Only those due by a date or a time." max:"40"`
	Limit    int          `json:"limit,omitempty" rare:"yes" doc:"How many at most; 50 if left out." min:"1" max:"200"`
}

func (c *Category) list() *actions.Action {
	return define(c, actions.Spec[List]{
		Name:     "taskList",
		Aliases:  []string{"LIST_TASKS", "SHOW_TASKS"},
		Summary:  "List tasks, the most urgent first.",
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Examples: []List{{}, {Assignee: "ada", Due: "2027-05-01"}},
		Check:    List.check,
		Do:       c.doList,
	})
}

// status is that of a filter.
func (in List) status() (engine.Status, error) {
	if s := engine.Status(strings.ToLower(strings.TrimSpace(in.Status))); s == "" || s == engine.All {
		return s, nil
	}
	s, err := engine.ParseStatus(in.Status)
	if err != nil {
		err = fmt.Errorf("%w, and all lists all of them", err)
	}
	return s, err
}

func (in List) check() error {
	_, err := in.status()
	return cmp.Or(err, checkDue(in.Due))
}

func (c *Category) doList(ctx context.Context, call actions.Call, in List) (actions.Result, error) {
	in.Limit = cmp.Or(in.Limit, 50)
	until, err := c.due(ctx, call, in.Due, clock.ParseEnd)
	if err != nil {
		return actions.Result{}, err
	}
	status, err := in.status()
	if err != nil {
		return actions.Result{}, err
	}
	list, err := c.engine.List(ctx, call.Origin.Place.Guild, engine.Filter{
		Status: status, Owner: in.Assignee.ID(), Label: strings.TrimPrefix(in.Tag, "#"), Until: until, Limit: in.Limit + 1,
	})
	if err != nil {
		return actions.Result{}, err
	}
	more := len(list) > in.Limit
	list = list[:min(len(list), in.Limit)]
	lines := []string{in.none(status)}
	if len(list) > 0 {
		lines = []string{chat.Counted(len(list), "task", "tasks") + ":"}
	}
	zone := c.zone(ctx, call.Origin.Requester)
	for i := range list {
		list[i] = shown(ctx, list[i])
		lines = append(lines, line(list[i], zone))
	}
	if more {
		lines = append(lines, "… and more, which a higher limit shows")
	}
	return c.found(ctx, call, strings.Join(lines, "\n"), actions.Listed("listed", len(list), "task", "tasks"), list...)
}

// none says of an empty list what there is not any of.
func (in List) none(status engine.Status) string {
	switch filtered := in.Assignee != "" || in.Tag != "" || in.Due != ""; {
	case !filtered && status == "":
		return "there are no open tasks"
	case !filtered && status == engine.All:
		return "there are no tasks"
	}
	return "there are no tasks like that"
}

// line is a task in a list.
func line(t engine.Task, zone *time.Location) string {
	parts := []string{t.Status.Words(), t.PriorityWords()}
	if !t.Due.IsZero() {
		parts = append(parts, "due "+moment(t.Due, zone))
	}
	if t.Owner != "" {
		parts = append(parts, "for "+t.Owner.Mention())
	}
	if len(t.Labels) > 0 {
		parts = append(parts, "tags: "+chat.Literal(strings.Join(t.Labels, ", ")))
	}
	line := fmt.Sprintf("%s %s: %s", t.ID, quoted(t.Title), strings.Join(parts, ", "))
	if t.Thread != "" {
		line += ", " + t.Thread.Mention()
	}
	return line
}

// found is the result of a query: those may know it who see the forum, or without one everybody.
func (c *Category) found(ctx context.Context, call actions.Call, text, did string, list ...engine.Task) (actions.Result, error) {
	forum, err := c.forum(ctx, call)
	res := actions.Result{Found: text, Summary: did, Open: forum == ""}
	if forum != "" {
		res.From = []chat.ChannelID{forum}
	}
	for _, t := range list {
		res.Outside.Add(t.Outside)
	}
	return res, err
}
