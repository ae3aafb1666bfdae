package tasks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/forum"
)

// A Report counts what a sync has changed.
type Report = forum.Report

// compare mends what differs between the tasks of a server and their posts.
func (e *Engine) compare(ctx context.Context, of chat.Channel, threads []chat.Channel, done *Report) error {
	tags := e.tagSet(ctx, of)
	ids, err := e.rows.toCompare(ctx, of.Guild, threads)
	if err != nil {
		return err
	}
	for _, id := range ids {
		e.settle(ctx, id, tags, true, done)
	}
	for _, thread := range threads {
		if !thread.Archived {
			e.settleThread(ctx, thread.ID, tags, done)
		}
	}
	return nil
}

// Tags returns the names of the tags of a forum that a task may have.
func (e *Engine) Tags(ctx context.Context, forum chat.Channel) []string {
	return e.tagSet(ctx, forum).content()
}

// tagSet returns what the tags of a forum mean. A tag map that is damaged stays as it was.
func (e *Engine) tagSet(ctx context.Context, forum chat.Channel) tagSet {
	return newTagSet(forum, e.TagIDs(ctx))
}

// settle brings a task and its post in step, counts what it did, and has it retried if it failed.
func (e *Engine) settle(ctx context.Context, id string, tags tagSet, whole bool, done *Report) {
	e.Step(ctx, id, done, func(ctx context.Context) error { return e.step(ctx, id, tags, whole, done) })
}

// step brings a task and its post in step. Whole means that the first message of a person's post is read, too.
func (e *Engine) step(ctx context.Context, id string, tags tagSet, whole bool, done *Report) error {
	r, err := e.rows.get(ctx, "id = ?", id)
	if err != nil {
		return err
	}
	if r.Thread == "" {
		if r, err = e.open(ctx, r, tags, done); err != nil || r.Thread == "" {
			return err
		}
	}
	seen, err := e.see(ctx, r, whole)
	if chat.IsGone(err) || err == nil && seen.Forum != tags.Forum {
		// A post that is gone closes its task, unless it went with its forum, or the task was closed then and is open again.
		defer e.Wake()
		return e.rows.unlink(ctx, id, err != nil && r.Base.Forum == tags.Forum && r.Base.Status != string(Closed))
	}
	if err != nil {
		return err
	}
	r, taken, err := e.rows.merge(ctx, r, seen, tags)
	if err != nil {
		return err
	}
	if taken {
		done.Taken++
	}
	return e.push(ctx, r, tags, done)
}

// see returns the post of a task as it is. It costs no request while the post is in the client's cache, which knows
// all that are not archived.
func (e *Engine) see(ctx context.Context, r record, whole bool) (forum.Observed, error) {
	thread, err := e.Server.ChannelByID(ctx, r.Thread)
	if err != nil {
		return forum.Observed{}, err
	}
	s := forum.Look(thread, r.Base)
	if _, title := r.mergeName(s); title != "" {
		if s.Renamed, err = e.posts.Namer(ctx, thread, chat.Sources("the title of "+thread.ID.Mention())); err != nil {
			return s, err
		}
	}
	if s.Own || !whole && r.Base.Starter != "" {
		return s, nil
	}
	m, err := e.Server.Message(ctx, r.Thread, chat.MessageID(r.Thread))
	if err == nil {
		s.Text = &m.Text
		if e.Allowed != nil && !e.Allowed(m.Author.ID, thread.Place()) {
			s.Outside = m.Byline()
		}
	}
	if chat.IsGone(err) { // its author has deleted it, and the description stays
		err = nil
	}
	return s, err
}

// open makes the post of a task, unless it should have none. If an earlier try may have made it, that is searched for
// first.
func (e *Engine) open(ctx context.Context, r record, tags tagSet, done *Report) (record, error) {
	if !r.Begun.IsZero() {
		thread, err := e.find(ctx, r, tags)
		if err != nil {
			return r, err
		}
		if thread != "" {
			return r, e.rows.link(ctx, &r, thread)
		}
	}
	if r.Status == Closed || slices.Contains(r.Labels, noThread) {
		return r, e.rows.mirror(ctx, &r, func(now *record) { now.synced, now.Begun = r.version, time.Time{} })
	}
	want := r.project(tags)
	want.Own, want.Starter = true, forum.Hash(r.starter())
	thread, err := e.posts.Make(ctx, want, r.starter(), e.save(ctx, &r))
	if err != nil {
		return r, err
	}
	done.Created++
	return r, e.rows.link(ctx, &r, thread)
}

// save changes what is known of the post of a task.
func (e *Engine) save(ctx context.Context, r *record) forum.Save {
	return func(do func(*forum.Link)) error {
		return e.rows.mirror(ctx, r, func(now *record) { do(&now.Link) })
	}
}

// find searches for the post of a task that an earlier try may have made: by the number in its name, and then by the whole ID in its first
// message.
func (e *Engine) find(ctx context.Context, r record, tags tagSet) (chat.ChannelID, error) {
	return e.posts.FindMade(ctx, chat.Channel{ID: tags.Forum, Guild: r.Guild}, r.Begun, func(thread chat.Channel) bool {
		_, number, _ := parseName(thread.Name)
		return number == r.number || number == 0 // a person may have changed the name
	}, func(starter string) bool { return markedID(starter) == r.ID })
}

// push changes the post of a task to what the record says. What it knows of the post is written before and after each request, so that
// its own edits are never taken for a person's, and each step is done once.
func (e *Engine) push(ctx context.Context, r record, tags tagSet, done *Report) error {
	want := r.project(tags)
	edit := want.Edit(r.Base)
	rewrite := want.Own && want.Starter != r.Base.Starter
	note := r.Status == Closed && !r.closedPosted.Equal(r.Closed)
	differs := edit.Name != nil || edit.Tags != nil
	if (differs || rewrite || note || !r.Base.Archived) && want.Archived && e.busy(r.Thread) {
		return forum.ErrBusy
	}
	if r.Base.Archived && (differs || rewrite || note || !want.Archived) {
		edit.Archived = new(false)
	}
	if differs || edit.Archived != nil {
		if err := e.posts.Patch(ctx, r.Thread, r.Base, edit, e.save(ctx, &r)); err != nil {
			return err
		}
	}
	if edit.Archived != nil && !want.Archived {
		done.Reopened++
	}
	if rewrite {
		if err := e.posts.Rewrite(ctx, r.Thread, chat.MessageID(r.Thread), r.starter(), e.save(ctx, &r)); err != nil {
			return err
		}
	}
	if differs || rewrite {
		done.Updated++
	}
	if note {
		if err := e.noteClosing(ctx, &r); err != nil {
			return err
		}
	}
	if want.Archived && !r.Base.Archived {
		if err := e.posts.Patch(ctx, r.Thread, r.Base, chat.ThreadEdit{Archived: new(true)}, e.save(ctx, &r)); err != nil {
			return err
		}
		done.Archived++
	}
	if r.synced == r.version && r.Base.Status == string(r.Status) {
		return nil
	}
	return e.rows.mirror(ctx, &r, func(now *record) { now.synced, now.Base.Status = r.version, string(r.Status) })
}

// busy reports whether the bot is answering in a post.
func (e *Engine) busy(thread chat.ChannelID) bool {
	live := e.live.Load()
	return live != nil && live.Busy != nil && live.Busy(thread)
}

// settleTime bounds the wait for a post. What is not there by then is left to Run.
const settleTime = 10 * time.Second

// Settle brings the post of a task up to date now, for somebody who waits for it, and returns the task. It has no post if the
// server has no forum or if that failed, which Run retries.
func (e *Engine) Settle(ctx context.Context, g chat.GuildID, id string) (Task, error) {
	forum, err := e.Forum(ctx, g)
	if err == nil {
		soon, cancel := context.WithTimeout(ctx, settleTime)
		defer cancel()
		var leave func()
		if leave, err = e.Alone(soon); err == nil {
			e.settle(soon, e.fullID(id), e.tagSet(soon, forum), false, &Report{})
			leave()
		}
	}
	if err != nil && !errors.Is(err, ErrNoForum) && !errors.Is(err, ErrForumGone) {
		e.Log.WarnContext(ctx, "cannot make the post of a task yet", "task", id, "err", err)
	}
	return e.Get(ctx, g, id)
}

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
