package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/doc"
	"discoclaw/internal/store"
	"discoclaw/internal/tasks"
)

// taskLabel is the label of the tasks behind plans.
const taskLabel = "plan"

// taskDescription is how much of the conversation a backing task has.
const taskDescription = 1800

// taskFor returns the ID of the task behind a new plan: that of the thread in which it is asked for, an open one of the same
// title, or a new one.
func (e *Engine) taskFor(ctx context.Context, tx *store.Tx, d Draft, title string) (string, error) {
	t, err := e.Tasks.InThread(ctx, d.Channel)
	if err == nil && t.Guild == d.Guild && t.Status != tasks.Closed {
		return t.ID, e.label(ctx, tx, t, d)
	}
	if err == nil || errors.Is(err, tasks.ErrNotFound) {
		if t, err = e.Tasks.FindOpen(ctx, tx, d.Guild, taskLabel, title); err == nil {
			return t.ID, nil
		}
	}
	if !errors.Is(err, tasks.ErrNotFound) {
		return "", store.ForPeople(err)
	}
	t, err = e.Tasks.CreateIn(ctx, tx, tasks.Task{
		Guild: d.Guild, Title: title, Description: chat.Clip(d.Context, taskDescription), Labels: []string{taskLabel},
		Priority: tasks.DefaultPriority, Creator: d.Author, Outside: d.Outside,
	})
	return t.ID, store.ForPeople(err)
}

func (e *Engine) label(ctx context.Context, tx *store.Tx, t tasks.Task, d Draft) error {
	if slices.Contains(t.Labels, taskLabel) {
		return nil
	}
	labels := append(slices.Clone(t.Labels), taskLabel)
	_, _, err := e.Tasks.UpdateIn(ctx, tx, d.Guild, t.ID, tasks.Change{Labels: &labels, By: d.Author, Outside: d.Outside})
	return store.ForPeople(err)
}

// set changes the status of a plan, with its task and the line in its text.
func (e *Engine) set(ctx context.Context, tx *store.Tx, p *Plan, to doc.Status, by chat.UserID, why string) error {
	if !doc.Allowed(p.Status, to) {
		return store.ForPeople(doc.Refusal(p.ID, p.Status, to))
	}
	from := p.Status
	p.Status = to
	switch to {
	case doc.Approved:
		if from != doc.Implementing { // a run that stops leaves the approval as it was
			p.Approved, p.Decider = p.Hash(), by
		}
	case doc.Draft, doc.Review:
		p.Approved, p.Decider = "", ""
	case doc.Cancelled, doc.Closed:
		if from != doc.Implementing { // what was carried out stays approved
			p.Approved, p.Decider = "", by
		}
	}
	if err := p.setText(p.Text()); err != nil {
		return err
	}
	return e.setTask(ctx, tx, *p, by, why)
}

// setTask changes the task behind a plan so that it says the same. People may have deleted it, which is no reason against the plan.
func (e *Engine) setTask(ctx context.Context, tx *store.Tx, p Plan, by chat.UserID, why string) error {
	c := tasks.Change{By: by, Reason: why}
	switch p.Status {
	case doc.Approved, doc.Implementing:
		c.Status = new(tasks.InProgress)
	case doc.Closed:
		c.Status = new(tasks.Closed)
	default:
		c.Status = new(tasks.Open)
	}
	_, _, err := e.Tasks.UpdateIn(ctx, tx, p.Guild, p.Task, c)
	if errors.Is(err, tasks.ErrNotFound) {
		return nil
	}
	return store.ForPeople(err)
}

// retitle gives the task behind a plan its new title, unless people have given it another one.
func (e *Engine) retitle(ctx context.Context, tx *store.Tx, p Plan, old string) error {
	title := chat.Clip(p.Title, maxTitle)
	if old = chat.Clip(old, maxTitle); title == old {
		return nil
	}
	t, err := e.Tasks.FindOpen(ctx, tx, p.Guild, taskLabel, old)
	if err == nil && t.ID == p.Task {
		_, _, err = e.Tasks.UpdateIn(ctx, tx, p.Guild, p.Task, tasks.Change{Title: &title, By: p.Author, Outside: p.Outside})
	}
	if errors.Is(err, tasks.ErrNotFound) {
		return nil
	}
	return store.ForPeople(err)
}

// IsDropped reports whether people have closed the task of a plan that is not closed.
func (e *Engine) IsDropped(ctx context.Context, p Plan) bool {
	t, err := e.Tasks.Get(ctx, p.Guild, p.Task)
	return err == nil && t.Status == tasks.Closed && p.Status != doc.Closed
}

// Approve approves a plan as it is now. With a hash, that is what was shown, it refuses if the plan has changed since.
func (e *Engine) Approve(ctx context.Context, g chat.GuildID, ref, shown string, by chat.UserID) (Plan, error) {
	return e.byHand(ctx, g, ref, func(tx *store.Tx, p *Plan) error {
		switch {
		case shown != "" && shown != p.Hash():
			return store.ForPeople(fmt.Errorf("this plan has changed since it was shown; look at it with `!plan show %s`, then approve it with `!plan approve %[1]s`", p.ID))
		case p.Status == doc.Approved:
			return store.ForPeople(fmt.Errorf("this plan is approved already; start it with `!plan run %s`", p.ID))
		}
		if err := e.move(ctx, tx, p, doc.Approved, by, ""); err != nil {
			return err
		}
		if template, err := e.Template(); err == nil && p.IsTemplate(template) {
			return store.ForPeople(fmt.Errorf("nobody has filled this plan in yet; `!forge %s` has models write it, or write into its file, %s", p.ID, chat.InCode(p.File)))
		}
		return nil
	})
}

// Close closes a plan for good, and its task.
func (e *Engine) Close(ctx context.Context, g chat.GuildID, ref string, by chat.UserID) (Plan, error) {
	return e.byHand(ctx, g, ref, func(tx *store.Tx, p *Plan) error {
		return e.move(ctx, tx, p, doc.Closed, by, "its plan was closed")
	})
}

// Cancel sets a plan aside that was not approved. Forge can take it up again.
func (e *Engine) Cancel(ctx context.Context, g chat.GuildID, ref string, by chat.UserID) (Plan, error) {
	return e.byHand(ctx, g, ref, func(tx *store.Tx, p *Plan) error {
		return e.move(ctx, tx, p, doc.Cancelled, by, "")
	})
}

func (e *Engine) byHand(ctx context.Context, g chat.GuildID, ref string, do func(*store.Tx, *Plan) error) (Plan, error) {
	number, err := e.resolve(ctx, g, ref)
	if err != nil {
		return Plan{}, err
	}
	return e.change(ctx, number, func(tx *store.Tx, p *Plan) error {
		if err := free(ctx, tx, *p); err != nil {
			return err
		}
		return do(tx, p)
	})
}

// move is set for what people and models ask for.
func (e *Engine) move(ctx context.Context, tx *store.Tx, p *Plan, to doc.Status, by chat.UserID, why string) error {
	if !doc.AllowedByHand(p.Status, to) {
		return store.ForPeople(doc.Refusal(p.ID, p.Status, to))
	}
	return e.set(ctx, tx, p, to, by, why)
}
