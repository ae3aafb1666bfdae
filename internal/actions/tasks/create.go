package tasks

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
	engine "discoclaw/internal/tasks"
)

// A Create asks for a new task.
type Create struct {
	Title       string          `json:"title" word:"text" alias:"name" doc:"What is to be done, in a few words." max:"200"`
	Description string          `json:"description,omitempty" word:"lines" alias:"content,details" doc:"What and why, and when it is done." max:"1900"`
	Priority    schema.Opt[int] `json:"priority,omitzero" word:"p" doc:"From 0, urgent, to 4, some day." min:"0" max:"4" default:"2"`
	Due         string          `json:"due,omitempty" word:"due:" alias:"dueDate,deadline,at" doc:"Until when: a date such as 2027-05-01, which means 9 in the morning, or a time such as 2027-05-01T18:00+02:00." max:"40"`
	Assignee    chat.UserRef    `json:"assignee,omitempty" word:"@,<@" alias:"owner,userId" doc:"Who is to do it: ID, mention or name."`
	Tags        []string        `json:"tags,omitempty" word:"#" alias:"labels,label" doc:"Tags; those that the forum has are set on the post." max:"20"`
}

func (c *Category) create() *actions.Action {
	return define(c, actions.Spec[Create]{
		Name:       "taskCreate",
		Aliases:    []string{"CREATE_TASK", "ADD_TASK", "NEW_TASK", "CREATE_TODO"},
		Summary:    "Open a task, which gets a post in the task forum.",
		Sentence:   "Open the task {title}[ in {where}][, with the description {description}][, with priority {priority}][, due {due:time}][, for {assignee}][, with the tags {tags}]",
		Brief:      "priority: 0 urgent … 4; due: date or time",
		Stores:     []string{"title", "description"},
		Idempotent: true,
		Examples:   []Create{{Title: "Fix the login", Priority: schema.Some(1), Due: "2027-05-01", Assignee: "ada", Tags: []string{"bug"}}},
		Check:      func(in Create) error { return checkDue(in.Due) },
		Do:         c.doCreate,
	})
}

func (c *Category) doCreate(ctx context.Context, call actions.Call, in Create) (actions.Result, error) {
	o := call.Origin
	t := engine.Task{
		Guild: o.Place.Guild, Title: in.Title, Description: in.Description, Priority: in.Priority.Value, Labels: tags(in.Tags),
		DueBy: o.Requester, Creator: o.Requester, Outside: o.Outside,
	}
	if key, ok := call.IdempotencyKey(); ok {
		t.Dedupe = string(o.Turn) + "/" + key
	}
	var err error
	if t.Due, err = c.due(in.Due); err == nil {
		t.Owner, err = c.owner(ctx, call, in.Assignee)
	}
	if err == nil {
		t, err = c.engine.Create(ctx, t)
	}
	if err != nil {
		return actions.Result{}, fmt.Errorf("I could not open %s: %w", c.wanted(ctx, call, in), err)
	}
	if settled, err := c.engine.Settle(ctx, t.Guild, t.ID); err == nil {
		t.Thread = settled.Thread // the rest may have been changed since
	}
	fresh := engine.Task{Title: t.Title, Description: t.Description, Status: engine.Open, Priority: engine.DefaultPriority}
	return actions.Result{
		Summary: "opened " + c.linked(ctx, call, t) + details(differences(fresh, t)),
		Undo:    []actions.Inverse{actions.Reverse("close "+c.name(ctx, call, t), "taskClose", Close{TaskID: t.ID, Reason: "its opening was undone"})},
	}, nil
}

// wanted is a task that there is not, as people read it.
func (c *Category) wanted(ctx context.Context, call actions.Call, in Create) string {
	if !c.tells(ctx, call, engine.Task{}) {
		return "the task"
	}
	return "the task " + quoted(in.Title)
}

// moment is a time in what models and people read.
func (c *Category) moment(t time.Time) string { return t.In(c.zone).Format("2006-01-02 15:04") }
