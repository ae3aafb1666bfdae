package tasks

import (
	"context"
	"errors"
	"slices"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/forum"
)

// stepTime bounds the work on one task, so that a rate limit of its post does not hold up the others for long.
const stepTime = time.Minute

// A Report counts what a sync has changed.
type Report = forum.Report

// errBusy means that a post is changed later, because the bot is answering there.
var errBusy = errors.New("the bot is answering in the post")

// Sync compares all tasks of a server with its forum and mends what differs, or returns ErrNoForum.
func (e *Engine) Sync(ctx context.Context, g chat.GuildID) (Report, error) {
	var done Report
	forum, err := e.Forum(ctx, g)
	if err != nil {
		return done, err
	}
	leave, err := e.Alone(ctx)
	if err != nil {
		return done, err
	}
	defer leave()
	began := e.Server.Now()
	tags := e.tagSet(ctx, forum)
	all, err := e.Synced(ctx)
	if err != nil {
		return done, err
	}
	threads, err := e.posts.Threads(ctx, forum, all[g])
	if err != nil {
		return done, err
	}
	ids, err := e.rows.toCompare(ctx, g, threads)
	if err != nil {
		return done, err
	}
	for _, id := range ids {
		e.settle(ctx, id, tags, true, &done)
		if ctx.Err() != nil {
			return done, context.Cause(ctx)
		}
	}
	for _, thread := range threads {
		if !thread.Archived {
			e.settleThread(ctx, thread.ID, tags, &done)
		}
	}
	if ctx.Err() != nil {
		return done, context.Cause(ctx)
	}
	return done, e.NoteSync(ctx, g, began)
}

// tagSet returns what the tags of a forum mean. A tag map that is damaged stays as it was.
func (e *Engine) tagSet(ctx context.Context, forum chat.Channel) tagSet {
	return newTagSet(forum, e.TagIDs(ctx))
}

// settle brings a task and its post in step, counts what it did, and has it retried if it failed.
func (e *Engine) settle(ctx context.Context, id string, tags tagSet, whole bool, done *Report) {
	step, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	err := e.step(step, id, tags, whole, done)
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, errBusy):
		done.Deferred++
		e.RetryAfter(id, busyTime)
	case err != nil:
		done.Failed++
		e.Log.WarnContext(ctx, "cannot bring a task and its post in step yet", "task", id, "err", err)
		e.Failed(id)
	default:
		e.Succeeded(id)
	}
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
	edit := chat.ThreadEdit{}
	if want.Name != r.Base.Name {
		edit.Name = &want.Name
	}
	if !slices.Equal(want.Tags, r.Base.Tags) {
		edit.Tags = &want.Tags
	}
	rewrite := want.Own && want.Starter != r.Base.Starter
	note := r.Status == Closed && !r.closedPosted.Equal(r.Closed)
	differs := edit.Name != nil || edit.Tags != nil
	if (differs || rewrite || note || !r.Base.Archived) && want.Archived && e.busy(r.Thread) {
		return errBusy
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
