package tasks

import (
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/chat"
	"discoclaw/internal/forum"
)

// settleThread handles a post that is not a task's: somebody has made it in the forum. Failures are retried.
func (e *Engine) settleThread(ctx context.Context, id chat.ChannelID, tags tagSet, done *Report) {
	e.StepThread(ctx, tags.Guild, id, done, func(ctx context.Context) error {
		_, err := e.rows.get(ctx, byThread, id)
		if errors.Is(err, ErrNotFound) {
			err = e.stranger(ctx, id, tags, done)
		}
		return err
	})
}

// stranger makes a task of a post, links it to the task that it names, or explains to its author why it is none.
func (e *Engine) stranger(ctx context.Context, id chat.ChannelID, tags tagSet, done *Report) error {
	thread, err := e.Server.ChannelByID(ctx, id)
	if err != nil || thread.Archived || thread.Parent != tags.Forum {
		return err
	}
	if e.posts.Stranger(thread) {
		return e.refuse(ctx, thread, done)
	}
	own := thread.Owner == e.Server.Self().ID
	first, err := e.Server.Message(ctx, id, chat.MessageID(id))
	if err != nil && !chat.IsGone(err) {
		return err
	}
	if named := markedID(first.Text); own && named != "" {
		if settled, err := e.ofNamed(ctx, thread, named, tags, done); settled || err != nil {
			return err
		}
	}
	t := Task{Creator: thread.Owner, Description: chat.Shorten(first.Text, MaxDescription)}
	if own { // who asked for it is not known, nor what had been read
		t.Creator, t.Outside = "", chat.Sources("the post "+id.Mention())
	}
	named, err := e.posts.Namer(ctx, thread, "") // if it was never renamed, its name is its owner's
	if err != nil {
		return err
	}
	t.Outside.Add(named)
	return e.adopt(ctx, thread, t, tags, done)
}

// ofNamed links a post of the bot to the task that it names, or makes that task if the database is an older copy. Settled is false
// if it cannot be a task's.
func (e *Engine) ofNamed(ctx context.Context, thread chat.Channel, id string, tags tagSet, done *Report) (settled bool, err error) {
	r, err := e.rows.get(ctx, "id = ?", id)
	switch {
	case errors.Is(err, ErrNotFound):
		if lacks, err := e.rows.lacks(ctx, id); !lacks || err != nil {
			return false, err
		}
		return true, e.adopt(ctx, thread, Task{ID: id, Outside: chat.Sources("the post " + thread.ID.Mention())}, tags, done)
	case err != nil:
		return true, err
	case r.Thread != "" || r.Guild != thread.Guild:
		done.Orphans++
		e.Log.WarnContext(ctx, "a post names a task that has another post", "task", id, "channel", thread.ID)
		return true, nil
	}
	return true, e.rows.link(ctx, &r, thread.ID)
}

// adopt makes a task of a post. The post as it is becomes the base, so that only what the record adds to it is changed.
func (e *Engine) adopt(ctx context.Context, thread chat.Channel, t Task, tags tagSet, done *Report) error {
	status, number, title := parseName(thread.Name)
	if title == "" || status == "" && number != 0 { // a number without an emoji is the author's own
		title = thread.Name
	}
	t.Guild, t.Thread, t.Title, t.Status, t.Priority = thread.Guild, thread.ID, title, status, DefaultPriority
	for _, id := range thread.AppliedTags {
		if s := tags.status(id); s != "" {
			t.Status = s
		} else if name := tags.Names[id]; name != "" {
			t.Labels = append(t.Labels, name)
		}
	}
	t, err := started(t)
	if err != nil {
		return err
	}
	base := forum.Look(thread, forum.Post{Own: thread.Owner == e.Server.Self().ID, Status: string(t.Status)}).Post
	if !base.Own {
		base.Starter = forum.Hash(t.Description)
	}
	t, isNew, err := e.rows.add(ctx, e.Prefix, record{Task: t, Link: forum.Link{Base: base}})
	if err != nil || !isNew {
		return err
	}
	done.Adopted++
	e.suggestLabels(t)
	r, err := e.rows.get(ctx, "id = ?", t.ID)
	if err != nil {
		return err
	}
	return e.push(ctx, r, tags, done)
}

// notATask explains to the author of a post why it is archived.
const notATask = "This forum holds the tasks of the server, and I take them only from members who may use me. So I have archived this post; please ask one of them to post it."

// refuse explains once to the author of a post that it makes no task, and archives it.
func (e *Engine) refuse(ctx context.Context, thread chat.Channel, done *Report) error {
	told, err := e.rows.refused(ctx, thread.ID)
	if err != nil {
		return err
	}
	if !told {
		turn := chat.TurnID(fmt.Sprintf("task-refusal-%s", thread.ID))
		if _, err := e.Outbox.Of(turn, nil).Post(ctx, "0", thread.ID, chat.Outgoing{Text: notATask}); err != nil {
			return err
		}
		if err := e.rows.refuse(ctx, thread.ID); err != nil {
			return err
		}
		done.Refused++
	}
	_, err = e.Server.ChangeThread(ctx, thread.ID, chat.ThreadEdit{Archived: new(true)})
	return err
}
