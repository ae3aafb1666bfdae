package tasks

import (
	"context"
	"errors"
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
func (e *Engine) see(ctx context.Context, r record, whole bool) (forum.Sight, error) {
	thread, err := e.Server.ChannelByID(ctx, r.Thread)
	if err != nil {
		return forum.Sight{}, err
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
