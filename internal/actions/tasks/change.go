package tasks

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
	"discoclaw/internal/clock"
	engine "discoclaw/internal/tasks"
)

// An Update asks for a change of a task. What is not given stays.
type Update struct {
	TaskID      string                   `json:"taskId" word:"first" alias:"id,task" doc:"Its ID, such as ws-001." max:"40"`
	Title       string                   `json:"title,omitempty" word:"text" alias:"name" doc:"New title." max:"200"`
	Description schema.Opt[string]       `json:"description,omitzero" word:"lines" alias:"content,details" doc:"New description; an empty text removes it." max:"1900"`
	Note        string                   `json:"note,omitempty" doc:"A paragraph that is added to its description." max:"1900"`
	Status      string                   `json:"status,omitempty" word:"status:" doc:"How far it is." enum:"open,in_progress,blocked,closed"`
	Priority    schema.Opt[int]          `json:"priority,omitzero" word:"p" doc:"From 0, urgent, to 4, some day." min:"0" max:"4"`
	Due         schema.Opt[string]       `json:"due,omitzero" word:"due:" alias:"dueDate,deadline,at" doc:"Until when: a date or a time; an empty text for no date." max:"40"`
	Assignee    schema.Opt[chat.UserRef] `json:"assignee,omitzero" word:"@,<@" alias:"owner,userId" doc:"Who is to do it: ID, mention or name; an empty text for nobody."`
	Tags        schema.Opt[[]string]     `json:"tags,omitzero" word:"#" alias:"labels,label" doc:"All of its tags from now on." max:"20"`
}

func (c *Category) update() *actions.Action {
	return define(c, actions.Spec[Update]{
		Name:       "taskUpdate",
		Summary:    "Change a task, and its post with it.",
		Sentence:   "Change the task {taskId}[ in {where}]:[, rename it to {title}][, {description?set its description to $|remove its description}][, add to its description: {note}][, set its status to {status}][, set its priority to {priority}][, {due:time?make it due $|remove its due date}][, give it to {assignee|nobody}][, {tags?set its tags to $|remove its tags}]",
		Stores:     []string{"title", "description", "note"},
		Idempotent: true,
		Examples:   []Update{{TaskID: "ws-001", Priority: schema.Some(0), Due: schema.Some("2027-05-01")}, {TaskID: "ws-001", Status: "in_progress"}},
		Check:      Update.check,
		Names: func(ctx context.Context, call actions.Call, in Update) map[string]string {
			return c.names(ctx, call, in.TaskID)
		},
		Do: c.doUpdate,
	})
}

func (in Update) check() error {
	if reflect.DeepEqual(in, Update{TaskID: in.TaskID}) {
		return errors.New("say what to change: title, description, note, status, priority, due, assignee or tags")
	}
	return checkDue(in.Due.Value)
}

func (c *Category) doUpdate(ctx context.Context, call actions.Call, in Update) (actions.Result, error) {
	ch, err := c.change(ctx, call, in)
	if err != nil {
		return actions.Result{}, failed("change", in.TaskID, err)
	}
	before, after, err := c.engine.Update(ctx, call.Origin.Place.Guild, in.TaskID, ch)
	if err != nil {
		return actions.Result{}, failed("change", in.TaskID, err)
	}
	name, linked, changed := c.name(ctx, call, after), c.linked(ctx, call, after), differences(before, after)
	did, undo := "changed", "change the task "+name+" back"
	switch {
	case before.Status == engine.Closed && after.Status != engine.Closed:
		did, undo = "reopened", "close the task "+name+" again"
	case before.Status != engine.Closed && after.Status == engine.Closed:
		did, undo = "closed", "reopen the task "+name
	case len(changed) == 0:
		return actions.Result{Summary: "nothing to change: " + linked + " is like that already", ID: after.ID}, nil
	}
	return actions.Result{
		Summary: did + " " + linked + details(changed),
		ID:      after.ID,
		Undo:    []actions.Inverse{actions.Reverse(undo, "taskUpdate", back(before, after))},
	}, nil
}

// change is what a request changes.
func (c *Category) change(ctx context.Context, call actions.Call, in Update) (ch engine.Change, err error) {
	ch = engine.Change{Description: in.Description.OrNil(), Note: in.Note, Priority: in.Priority.OrNil(), By: call.Origin.Requester,
		Outside: call.Origin.Outside}
	if in.Title != "" {
		ch.Title = &in.Title
	}
	if in.Status != "" {
		ch.Status = new(engine.Status(in.Status))
	}
	if in.Tags.Given {
		ch.Labels = new(tags(in.Tags.Value))
	}
	if in.Due.Given {
		ch.Due = new(time.Time)
		if *ch.Due, err = c.due(ctx, call, in.Due.Value, clock.Parse); err != nil {
			return ch, err
		}
	}
	if in.Assignee.Given {
		ch.Owner = new(chat.UserID)
		*ch.Owner, err = c.owner(ctx, call, in.Assignee.Value)
	}
	return ch, err
}

// back is the request that undoes a change.
func back(before, after engine.Task) Update {
	in := Update{TaskID: after.ID}
	if before.Title != after.Title {
		in.Title = before.Title
	}
	if before.Description != after.Description {
		in.Description = schema.Some(before.Description)
	}
	if before.Status != after.Status {
		in.Status = string(before.Status)
	}
	if before.Priority != after.Priority {
		in.Priority = schema.Some(before.Priority)
	}
	if !before.Due.Equal(after.Due) {
		in.Due = schema.Some("")
		if !before.Due.IsZero() {
			in.Due.Value = before.Due.UTC().Format(time.RFC3339)
		}
	}
	if before.Owner != after.Owner {
		in.Assignee = schema.Some(chat.UserRef(before.Owner))
	}
	if !slices.Equal(before.Labels, after.Labels) {
		in.Tags = schema.Some(append([]string{}, before.Labels...)) // never null, which would leave them alone
	}
	return in
}

// differences lists what a change has changed, as people read it.
func differences(before, after engine.Task) []string {
	var list []string
	say := func(differs bool, what string) {
		if differs {
			list = append(list, what)
		}
	}
	say(before.Title != after.Title, "new title")
	added := before.Description != "" && strings.HasPrefix(after.Description, before.Description+"\n\n")
	say(added, "a note")
	say(before.Description != after.Description && after.Description != "" && !added, "new description")
	say(before.Description != after.Description && after.Description == "", "no description")
	reopened := before.Status == engine.Closed && after.Status == engine.Open
	say(before.Status != after.Status && after.Status != engine.Closed && !reopened, "now "+after.Status.Words())
	say(before.Priority != after.Priority, after.Importance())
	due, owner, labels := "no date", "for nobody", "no tags"
	if !after.Due.IsZero() {
		due = "due " + chat.Clock(after.Due)
	}
	if after.Owner != "" {
		owner = "for " + after.Owner.Mention()
	}
	if len(after.Labels) > 0 {
		labels = "tagged " + chat.Literal(strings.Join(after.Labels, ", "))
	}
	say(!before.Due.Equal(after.Due), due)
	say(before.Owner != after.Owner, owner)
	say(!slices.Equal(before.Labels, after.Labels), labels)
	return list
}

// reasons says why a task was closed, if that is known.
func reasons(t engine.Task) []string {
	if t.Reason == "" {
		return nil
	}
	return []string{chat.Literal(chat.Clip(chat.OneLine(t.Reason), 100))}
}

// A Close asks for the end of a task.
type Close struct {
	TaskID string `json:"taskId" word:"first" alias:"id,task" doc:"Its ID, such as ws-001." max:"40"`
	Reason string `json:"reason,omitempty" word:"text" doc:"Why, for its post." max:"500"`
}

func (c *Category) close() *actions.Action {
	return define(c, actions.Spec[Close]{
		Name:       "taskClose",
		Aliases:    []string{"CLOSE_TASK", "COMPLETE_TASK", "FINISH_TASK"},
		Summary:    "Close a task, and archive its post.",
		Sentence:   "Close the task {taskId}[ in {where}][, for the reason {reason}]",
		Stores:     []string{"reason"},
		Idempotent: true,
		Examples:   []Close{{TaskID: "ws-001", Reason: "shipped"}},
		Names: func(ctx context.Context, call actions.Call, in Close) map[string]string {
			return c.names(ctx, call, in.TaskID)
		},
		Do: func(ctx context.Context, call actions.Call, in Close) (actions.Result, error) {
			g := call.Origin.Place.Guild
			before, err := c.engine.Get(ctx, g, in.TaskID)
			if err != nil {
				return actions.Result{}, failed("close", in.TaskID, err)
			}
			t, already, err := c.engine.Close(ctx, g, in.TaskID, in.Reason, call.Origin.Requester, call.Origin.Outside)
			if err != nil {
				return actions.Result{}, failed("close", in.TaskID, err)
			}
			if already {
				return actions.Result{Summary: "already closed: " + c.linked(ctx, call, t), ID: t.ID}, nil
			}
			return actions.Result{
				Summary: "closed " + c.linked(ctx, call, t) + details(reasons(t)),
				ID:      t.ID,
				Undo:    []actions.Inverse{actions.Reverse("reopen the task "+c.name(ctx, call, t), "taskUpdate", Update{TaskID: t.ID, Status: string(before.Status)})},
			}, nil
		},
	})
}

// A Create asks for a new task.
type Create struct {
	Title       string          `json:"title" word:"text" alias:"name" doc:"What is to be done, in a few words." max:"200"`
	Description string          `json:"description,omitempty" word:"lines" alias:"content,details" doc:"What and why, and when it is done." max:"1900"`
	Priority    schema.Opt[int] `json:"priority,omitzero" word:"p" doc:"From 0, urgent, to 4, some day." min:"0" max:"4" default:"2"`
	Due         string          `json:"due,omitempty" word:"due:" alias:"dueDate,deadline,at" doc:"Until when: a date such as 2027-05-01, which means 9 in the morning, or a time such as 2027-05-01T18:00+02:00." max:"40"`
	Assignee    chat.UserRef    `json:"assignee,omitempty" word:"@,<@" alias:"owner,userId" doc:"Who is to do it: ID, mention or name."`
	Tags        []string        `json:"tags,omitempty" word:"#" alias:"labels,label" doc:"Tags that fit; those that the forum has are set on the post." max:"20"`
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
		Plain:      c.plainTags,
		Do:         c.doCreate,
	})
}

// plainTags tells the clean reader of tags that the forum has, which the model chooses without being asked.
func (c *Category) plainTags(ctx context.Context, call actions.Call, in Create) map[string]string {
	known := c.tagNames(ctx, call.Origin.Place.Guild)
	for _, tag := range tags(in.Tags) {
		if !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, tag) }) {
			return nil
		}
	}
	return map[string]string{"tags": "some of those that the task forum has"}
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
	if t.Due, err = c.due(ctx, call, in.Due, clock.Parse); err == nil {
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
		Summary: strings.Join(append([]string{"opened " + c.linked(ctx, call, t)}, differences(fresh, t)...), ", "),
		ID:      t.ID,
		Undo:    []actions.Inverse{actions.Reverse("close the task "+c.name(ctx, call, t), "taskClose", Close{TaskID: t.ID, Reason: "its opening was undone"})},
	}, nil
}

// wanted is a task that there is not, as people read it.
func (c *Category) wanted(ctx context.Context, call actions.Call, in Create) string {
	if !c.tells(ctx, call, engine.Task{}) {
		return "the task"
	}
	return "the task " + quoted(in.Title)
}
