package tasks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// archiveAfter is how long a post may be idle until Discord archives it: the longest time there is, since the bot takes the
// posts of open tasks out again.
const archiveAfter = 7 * 24 * time.Hour

// stepTime bounds the work on one task, so that a rate limit of its post does not hold up the others for long.
const stepTime = time.Minute

// A Report counts what a sync has changed.
type Report struct {
	Created  int // posts
	Updated  int // posts whose name, tags or first message were changed
	Archived int // posts of closed tasks
	Reopened int // posts of open tasks that were taken out of the archive
	Taken    int // tasks that were changed because their post was
	Adopted  int // tasks made of posts
	Refused  int // posts of people who make no tasks
	Deferred int // closed tasks whose post is archived later, because the bot is answering there
	Orphans  int // posts that name a task which has another post
	Failed   int // posts that could not be changed, and are retried
}

// errBusy means that a post is changed later, because the bot is answering there.
var errBusy = errors.New("the bot is answering in the post")

// Sync compares all tasks of a server with its forum and mends what differs, or returns ErrNoForum.
func (e *Engine) Sync(ctx context.Context, g chat.GuildID) (Report, error) {
	var done Report
	forum, err := e.Forum(ctx, g)
	if err != nil {
		return done, err
	}
	leave, err := e.alone(ctx)
	if err != nil {
		return done, err
	}
	defer leave()
	began := e.Server.Now()
	tags := e.tagSet(ctx, forum)
	threads, err := e.threads(ctx, forum)
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
	return done, e.noteSync(ctx, g, began)
}

// noteSync writes down when a forum was last compared as a whole. Posts that were archived before and are archived still
// have not changed since.
func (e *Engine) noteSync(ctx context.Context, g chat.GuildID, at time.Time) error {
	return e.synced.Update(ctx, func(all map[chat.GuildID]time.Time) map[chat.GuildID]time.Time {
		if all == nil {
			all = map[chat.GuildID]time.Time{}
		}
		all[g] = at
		return all
	})
}

// skew is by how much clocks may differ.
const skew = time.Minute

// threads returns the posts of a forum that may differ from what was last seen: those that are not archived, and those that were archived since
// the last sync.
func (e *Engine) threads(ctx context.Context, forum chat.Channel) ([]chat.Channel, error) {
	list, err := e.Server.Channels(ctx, forum.Guild)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(ch chat.Channel) bool { return ch.Parent != forum.ID || ch.Kind != chat.Thread })
	all, err := e.synced.Load(ctx)
	if err != nil {
		return nil, err
	}
	archived, err := e.Server.ArchivedSince(ctx, forum.ID, all[forum.Guild].Add(-skew))
	return append(list, archived...), err
}

// tagSet returns what the tags of a forum mean. A tag map that is damaged stays as it was.
func (e *Engine) tagSet(ctx context.Context, forum chat.Channel) tagSet {
	_, named, err := e.tags.reload(false)
	if err != nil {
		e.Log.WarnContext(ctx, "cannot read the tag map, using the last one", "err", err)
	}
	return newTagSet(forum, named)
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
		e.retryAfter(id, busyTime)
	case err != nil:
		done.Failed++
		e.Log.WarnContext(ctx, "cannot bring a task and its post in step yet", "task", id, "err", err)
		e.failed(id)
	default:
		e.succeeded(id)
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
	if isGone(err) || err == nil && seen.Forum != tags.forum {
		// A post that is gone closes its task, unless it went with its forum, or the task was closed then and is open again.
		defer e.wake()
		return e.rows.unlink(ctx, id, err != nil && r.base.Forum == tags.forum && r.base.Status != Closed)
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
func (e *Engine) see(ctx context.Context, r record, whole bool) (sight, error) {
	thread, err := e.Server.ChannelByID(ctx, r.Thread)
	if err != nil {
		return sight{}, err
	}
	s := look(thread, r.base)
	if _, title := r.mergeName(s); title != "" {
		if s.renamed, err = e.namer(ctx, thread, chat.Sources("the title of "+thread.ID.Mention())); err != nil {
			return s, err
		}
	}
	if s.Own || !whole && r.base.Starter != "" {
		return s, nil
	}
	m, err := e.Server.Message(ctx, r.Thread, chat.MessageID(r.Thread))
	if err == nil {
		s.text = &m.Text
		if e.Allowed != nil && !e.Allowed(m.Author.ID, thread.Place()) {
			s.outside = m.Byline()
		}
	}
	if isGone(err) { // its author has deleted it, and the description stays
		err = nil
	}
	return s, err
}

// searchedForName is how many messages of a post are searched for the one that tells of its new name.
const searchedForName = 100

// namer returns the outside text that the name of a post is: nothing if who chose it is served, and the given one if who did
// is unknown. Discord's events do not say who has renamed a post, but a message of Discord's own in it does, which
// cannot be deleted.
func (e *Engine) namer(ctx context.Context, thread chat.Channel, unknown chat.Sources) (chat.Sources, error) {
	list, err := e.Server.Messages(ctx, thread.ID, "", searchedForName)
	if err != nil && !isRefusal(err) { // the bot may not read there
		return "", fmt.Errorf("look up who has renamed it: %w", err)
	}
	for _, m := range list {
		if !m.System || chat.OneLine(m.Text) != chat.OneLine(thread.Name) {
			continue
		}
		own := m.Author.ID == e.Server.Self().ID // whoever had asked for it, and whatever had been read then
		if !own && (e.Allowed == nil || e.Allowed(m.Author.ID, thread.Place())) {
			return "", nil
		}
		return chat.Sources("a title by " + m.Author.ID.Mention()), nil
	}
	return unknown, nil
}

// open makes the post of a task, unless it should have none. If an earlier try may have made it, that is searched for
// first.
func (e *Engine) open(ctx context.Context, r record, tags tagSet, done *Report) (record, error) {
	if !r.begun.IsZero() {
		thread, err := e.find(ctx, r, tags.forum)
		if err != nil {
			return r, err
		}
		if thread != "" {
			return r, e.rows.link(ctx, &r, thread)
		}
	}
	if r.Status == Closed || slices.Contains(r.Labels, noThread) {
		return r, e.rows.mirror(ctx, &r, func(now *record) { now.synced, now.begun = r.version, time.Time{} })
	}
	want := r.project(tags)
	want.Own, want.Starter = true, hash(r.starter())
	begun := stored(e.Server.Now())
	if err := e.rows.mirror(ctx, &r, func(now *record) { now.begun, now.sent = begun, &want }); err != nil {
		return r, err
	}
	thread, _, err := e.Server.StartPost(ctx, tags.forum, want.Name, r.starter(), want.Tags, archiveAfter)
	if err != nil {
		if isRefusal(err) {
			err = errors.Join(err, e.rows.mirror(ctx, &r, func(now *record) { now.begun, now.sent = time.Time{}, nil }))
		}
		return r, fmt.Errorf("make a post: %w", err)
	}
	done.Created++
	return r, e.rows.link(ctx, &r, thread.ID)
}

// find searches for the post of a task that an earlier try may have made: by the number in its name, and then by the whole ID in its first
// message.
func (e *Engine) find(ctx context.Context, r record, forum chat.ChannelID) (chat.ChannelID, error) {
	active, err := e.Server.ActiveThreads(ctx, r.Guild)
	if err != nil {
		return "", err
	}
	archived, err := e.Server.ArchivedSince(ctx, forum, r.begun.Add(-skew))
	if err != nil {
		return "", err
	}
	for _, thread := range append(active, archived...) {
		_, number, _ := parseName(thread.Name)
		if thread.Parent != forum || thread.Owner != e.Server.Self().ID || number != r.number && number != 0 { // a person may have changed the name
			continue
		}
		m, err := e.Server.Message(ctx, thread.ID, chat.MessageID(thread.ID))
		if err != nil && !isGone(err) {
			return "", err
		}
		if markedID(m.Text) == r.ID {
			return thread.ID, nil
		}
	}
	return "", nil
}

// push changes the post of a task to what the record says. What it knows of the post is written before and after each request, so that
// its own edits are never taken for a person's, and each step is done once.
func (e *Engine) push(ctx context.Context, r record, tags tagSet, done *Report) error {
	want := r.project(tags)
	edit := chat.ThreadEdit{}
	if want.Name != r.base.Name {
		edit.Name = &want.Name
	}
	if !slices.Equal(want.Tags, r.base.Tags) {
		edit.Tags = &want.Tags
	}
	rewrite := want.Own && want.Starter != r.base.Starter
	note := r.Status == Closed && !r.closedPosted.Equal(r.Closed)
	differs := edit.Name != nil || edit.Tags != nil
	if (differs || rewrite || note || !r.base.Archived) && want.Archived && e.busy(r.Thread) {
		return errBusy
	}
	if r.base.Archived && (differs || rewrite || note || !want.Archived) {
		edit.Archived = new(false)
	}
	if differs || edit.Archived != nil {
		if err := e.patch(ctx, &r, edit); err != nil {
			return err
		}
	}
	if edit.Archived != nil && !want.Archived {
		done.Reopened++
	}
	if rewrite {
		if err := e.rewrite(ctx, &r, want.Starter); err != nil {
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
	if want.Archived && !r.base.Archived {
		if err := e.patch(ctx, &r, chat.ThreadEdit{Archived: new(true)}); err != nil {
			return err
		}
		done.Archived++
	}
	if r.synced == r.version && r.base.Status == r.Status {
		return nil
	}
	return e.rows.mirror(ctx, &r, func(now *record) { now.synced, now.base.Status = r.version, r.Status })
}

// busy reports whether the bot is answering in a post.
func (e *Engine) busy(thread chat.ChannelID) bool {
	live := e.live.Load()
	return live != nil && live.Busy != nil && live.Busy(thread)
}

// patch edits the thread of a task.
func (e *Engine) patch(ctx context.Context, r *record, edit chat.ThreadEdit) error {
	sent := r.base
	set(&sent.Name, edit.Name)
	set(&sent.Tags, edit.Tags)
	set(&sent.Archived, edit.Archived)
	if err := e.rows.mirror(ctx, r, func(now *record) { now.sent = &sent }); err != nil {
		return err
	}
	thread, err := e.Server.ChangeThread(ctx, r.Thread, edit)
	if err != nil {
		return fmt.Errorf("change its post: %w", err)
	}
	if !thread.Archived {
		sent.Opened = thread.ArchivedAt
	}
	return e.rows.mirror(ctx, r, func(now *record) { now.base, now.sent = sent, nil })
}

// rewrite edits the first message of a post. One that was deleted is not written again. What it says is unknown until Discord has
// confirmed an edit, so that one whose outcome was unknown is repeated even if the message should say again what it said before.
func (e *Engine) rewrite(ctx context.Context, r *record, wanted string) error {
	if err := e.rows.mirror(ctx, r, func(now *record) { now.base.Starter = "" }); err != nil {
		return err
	}
	err := e.Server.Edit(ctx, r.Thread, chat.MessageID(r.Thread), chat.Outgoing{Text: r.starter()})
	if err != nil && !isGone(err) {
		return fmt.Errorf("change the first message of its post: %w", err)
	}
	return e.rows.mirror(ctx, r, func(now *record) { now.base.Starter = wanted })
}
