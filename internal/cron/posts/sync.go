package posts

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/cron"
	"discoclaw/internal/cron/schedule"
	"discoclaw/internal/forum"
)

// compare mends what differs between the jobs of a server and their posts.
func (e *Engine) compare(ctx context.Context, of chat.Channel, threads []chat.Channel, done *forum.Report) error {
	list, err := e.toCompare(ctx, of.Guild)
	if err != nil {
		return err
	}
	tags := e.tagSet(ctx, of)
	for _, r := range list {
		e.settle(ctx, r, tags, true, done)
	}
	for _, thread := range threads {
		if thread.Archived {
			continue
		}
		if err := e.settleThread(ctx, thread.ID, tags, false, done); err != nil {
			return err
		}
	}
	return nil
}

// toCompare returns the posts of a server, and the jobs that have none yet.
func (e *Engine) toCompare(ctx context.Context, g chat.GuildID) ([]record, error) {
	list, err := e.rows.of(ctx, g)
	if err != nil {
		return nil, err
	}
	jobs, err := e.Jobs.List(ctx, g)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, r := range list {
		has[r.Job] = true
	}
	for _, j := range jobs {
		if !has[j.ID] {
			list = append(list, record{Guild: g, Job: j.ID})
		}
	}
	return list, nil
}

// settle brings a job and its post in step, counts what it did, and has it retried if it failed.
func (e *Engine) settle(ctx context.Context, r record, tags forum.TagSet, whole bool, done *forum.Report) {
	e.Step(ctx, r.key(), done, func(ctx context.Context) error { return e.step(ctx, r, tags, whole, done) })
}

// step brings a job and its post in step. Whole means that the first message of a person's post is read, too.
func (e *Engine) step(ctx context.Context, r record, tags forum.TagSet, whole bool, done *forum.Report) error {
	j, err := e.job(ctx, r)
	if err != nil {
		return err
	}
	if r.Thread == "" && !r.Begun.IsZero() {
		if err := e.findMade(ctx, &r, tags); err != nil {
			return err
		}
	}
	if r.Thread == "" {
		if j == nil {
			return e.rows.drop(ctx, r)
		}
		if err := e.open(ctx, &r, *j, tags, done); err != nil || r.Thread == "" {
			return err
		}
	}
	thread, err := e.Server.ChannelByID(ctx, r.Thread)
	if chat.IsGone(err) || err == nil && thread.Parent != tags.Forum {
		return e.lost(ctx, r, j, err != nil && r.Base.Forum == tags.Forum)
	}
	if err != nil {
		return err
	}
	if j, err = e.take(ctx, &r, j, thread, tags, done); err != nil {
		return err
	}
	if r.Owner != "" {
		if j, err = e.define(ctx, &r, j, thread, whole); err != nil {
			return err
		}
	}
	if r.Job != "" && j == nil {
		return e.close(ctx, &r, done)
	}
	if j == nil {
		return nil
	}
	return e.push(ctx, &r, *j, tags, done)
}

// job returns the job of a post, or nil if it has none, or none any more.
func (e *Engine) job(ctx context.Context, r record) (*cron.Job, error) {
	if r.Job == "" {
		return nil, nil
	}
	j, err := e.Jobs.ByID(ctx, r.Job)
	if errors.Is(err, cron.ErrNotFound) {
		return nil, nil
	}
	return &j, err
}

// lost forgets a post that is gone. If it was deleted, and not with its forum, its job goes with it.
func (e *Engine) lost(ctx context.Context, r record, j *cron.Job, deleted bool) error {
	if deleted && j != nil {
		if _, err := e.Jobs.Delete(ctx, j.Guild, j.ID); err != nil && !errors.Is(err, cron.ErrNotFound) {
			return err
		}
		e.Jobs.Stop(j.ID, "")
		e.Log.InfoContext(ctx, "a scheduled job was deleted with its post", "job", j.ID, "name", j.Name)
	}
	return e.rows.drop(ctx, r)
}

// saveLink changes what is known of a post in the forum.
func (e *Engine) saveLink(ctx context.Context, r *record) forum.Save {
	return func(do func(*forum.Link)) error {
		return e.rows.save(ctx, r, func(now *record) { do(&now.Link) })
	}
}

// findMade searches for the post that an earlier try may have made, even if it should be none any more: the job may
// have been deleted since, or its channel closed to readers of the forum.
func (e *Engine) findMade(ctx context.Context, r *record, tags forum.TagSet) error {
	found, err := e.posts.FindMade(ctx, chat.Channel{ID: tags.Forum, Guild: r.Guild}, r.Begun, func(chat.Channel) bool { return true },
		func(starter string) bool { return markedID(starter) == r.Job })
	if err != nil || found == "" {
		return err
	}
	return e.made(ctx, r, found)
}

// open makes the post of a job, unless the job is over, or a reader of the forum may not see the job's channel.
func (e *Engine) open(ctx context.Context, r *record, j cron.Job, tags forum.TagSet, done *forum.Report) error {
	show, err := e.shows(ctx, j, tags.Forum)
	if err != nil || !show || j.Over() {
		return err
	}
	j = e.suggest(ctx, j, tags)
	want := project(j, tags)
	text := e.shown(j, e.last(ctx, j))
	want.Own, want.Starter = true, forum.Hash(text)
	thread, err := e.posts.Make(ctx, want, text, e.saveLink(ctx, r))
	if err != nil {
		return err
	}
	done.Created++
	return e.made(ctx, r, thread)
}

func (e *Engine) made(ctx context.Context, r *record, thread chat.ChannelID) error {
	return e.rows.save(ctx, r, func(now *record) {
		now.Made()
		now.Thread, now.message = thread, chat.MessageID(thread)
	})
}

// shows reports whether all readers of the forum may know of a job.
func (e *Engine) shows(ctx context.Context, j cron.Job, of chat.ChannelID) (bool, error) {
	ok, err := e.Server.Readable(ctx, j.Guild, of, j.Channel)
	if chat.IsPermanent(err) || chat.IsGone(err) { // its channel is gone, or hidden from the bot
		return false, nil
	}
	return ok, err
}

// last returns the last run of a job, if there was one.
func (e *Engine) last(ctx context.Context, j cron.Job) *cron.Past {
	list, err := e.Jobs.Past(ctx, j.ID, 1)
	if err != nil || len(list) == 0 {
		return nil
	}
	return &list[0]
}

// take changes a job as people have changed its post, which becomes the base as it is now.
func (e *Engine) take(ctx context.Context, r *record, j *cron.Job, thread chat.Channel, tags forum.TagSet,
	done *forum.Report) (*cron.Job, error) {
	seen := forum.Look(thread, r.Base)
	if j != nil {
		renamed, err := e.renamed(ctx, *r, *j, seen, thread)
		if err != nil {
			return nil, err
		}
		before := *j
		change := func(j *cron.Job) error { r.merge(j, seen, renamed, tags); return nil }
		if _ = change(j); !same(before, *j) {
			_, after, err := e.Jobs.Update(ctx, j.Guild, j.ID, change)
			if err != nil {
				return nil, err
			}
			if after.Archived && !before.Archived {
				e.Jobs.Stop(j.ID, "")
			}
			done.Taken++
			j = &after
		}
	}
	if r.Sent == nil && samePost(seen.Post, r.Base) {
		return j, nil
	}
	return j, e.rows.save(ctx, r, func(now *record) { now.Base, now.Sent = seen.Post, nil })
}

// renamed returns the outside text that the new name of a post is, if it has one by another person than the job's author: whoever manages
// threads can give it, and runs with the author's rights read it.
func (e *Engine) renamed(ctx context.Context, r record, j cron.Job, seen forum.Observed, thread chat.Channel) (chat.Sources, error) {
	if !r.RenamedTo(seen.Name) {
		return "", nil
	}
	posts := e.posts
	posts.Allowed = func(who chat.UserID, _ chat.Place) bool { return who == j.Author }
	return posts.Namer(ctx, thread, chat.Sources("the title of "+thread.ID.Mention()))
}

// merge changes a job as people have changed its post.
func (r record) merge(j *cron.Job, seen forum.Observed, renamed chat.Sources, tags forum.TagSet) {
	if name := schedule.JobName(seen.Name); r.RenamedTo(seen.Name) && name != "" && !commands.Secret(name) &&
		name != schedule.JobName(r.Base.Name) && !hidden(seen.Name) {
		j.Name = nameOf(name)
		j.Mark(renamed, j.Wished())
	}
	if r.MovedTo(seen.Archived) && !j.Over() { // then there is nothing to pause
		switch {
		case seen.Archived && !seen.ByInactivity(r.Base):
			j.Archived = true
		case !seen.Archived && !seen.ByMessage():
			j.Archived = false
		}
	}
	added, removed := r.Retagged(seen.Tags)
	for _, id := range added {
		if name := tags.Names[id]; name != "" && !isCadence(name) &&
			!slices.ContainsFunc(j.Tags, func(t string) bool { return tags.IDs[strings.ToLower(t)] == id }) {
			j.Tags = append(slices.Clone(j.Tags), name)
		}
	}
	for _, id := range removed {
		if _, exists := tags.Names[id]; exists { // a tag that was deleted from the forum takes none with it
			j.Tags = slices.DeleteFunc(slices.Clone(j.Tags), func(t string) bool { return tags.IDs[strings.ToLower(t)] == id })
		}
	}
}

func same(a, b cron.Job) bool {
	return a.Name == b.Name && a.Archived == b.Archived && a.Outside == b.Outside && slices.Equal(a.Tags, b.Tags)
}

func samePost(a, b forum.Post) bool {
	return a.Forum == b.Forum && a.Name == b.Name && a.Archived == b.Archived && a.Opened.Equal(b.Opened) && slices.Equal(a.Tags, b.Tags)
}

// push changes the post of a job to what the job says.
func (e *Engine) push(ctx context.Context, r *record, j cron.Job, tags forum.TagSet, done *forum.Report) error {
	show, err := e.shows(ctx, j, tags.Forum)
	if err != nil {
		return err
	}
	if j.Archived && r.Base.Archived && (show || r.Base.Starter == forum.Hash(hiddenText(j))) {
		return nil // as the person wants it; it follows when it is taken out again
	}
	if j.Over() {
		if running, err := e.Jobs.RunningNow(ctx, j.ID); err != nil || running {
			return cmp.Or(err, forum.ErrBusy)
		}
	}
	last := e.last(ctx, j)
	want, text := project(j, tags), e.shown(j, last)
	if !show {
		want.Name, text = hiddenName(j), hiddenText(j)
	}
	if !show && r.Owner != "" {
		want.Name = r.Base.Name // which is the person's
	}
	edit := want.Edit(r.Base)
	rewrite := r.message != "" && forum.Hash(text) != r.Base.Starter
	if settled := edit == (chat.ThreadEdit{}) && !rewrite; settled && j.Over() &&
		(r.Base.Archived || last == nil || r.Base.Opened.After(last.Ended)) {
		return nil // a person has taken it out again, perhaps to write a new time
	}
	if want.Archived && e.busy(r.Thread) {
		return forum.ErrBusy
	}
	if r.Base.Archived {
		edit.Archived = new(false)
		done.Reopened++
	}
	if edit != (chat.ThreadEdit{}) {
		if err := e.posts.Patch(ctx, r.Thread, r.Base, edit, e.saveLink(ctx, r)); err != nil {
			return err
		}
	}
	if rewrite {
		if err := e.posts.Rewrite(ctx, r.Thread, r.message, text, e.saveLink(ctx, r)); err != nil {
			return err
		}
	}
	if edit.Name != nil || edit.Tags != nil || rewrite {
		done.Updated++
	}
	return e.archive(ctx, r, want.Archived, done)
}

// archive archives a post that should be, unless it is.
func (e *Engine) archive(ctx context.Context, r *record, should bool, done *forum.Report) error {
	if !should || r.Base.Archived {
		return nil
	}
	done.Archived++
	return e.posts.Patch(ctx, r.Thread, r.Base, chat.ThreadEdit{Archived: new(true)}, e.saveLink(ctx, r))
}

// close ends the post of a job that was deleted.
func (e *Engine) close(ctx context.Context, r *record, done *forum.Report) error {
	if e.busy(r.Thread) {
		return forum.ErrBusy
	}
	if r.Base.Archived {
		if err := e.posts.Patch(ctx, r.Thread, r.Base, chat.ThreadEdit{Archived: new(false)}, e.saveLink(ctx, r)); err != nil {
			return err
		}
	}
	if r.message != "" && r.Base.Starter != forum.Hash(deletedText) {
		if err := e.posts.Rewrite(ctx, r.Thread, r.message, deletedText, e.saveLink(ctx, r)); err != nil {
			return err
		}
	}
	if err := e.archive(ctx, r, true, done); err != nil {
		return err
	}
	return e.rows.drop(ctx, *r)
}

// busy reports whether the bot is answering in a post.
func (e *Engine) busy(thread chat.ChannelID) bool {
	live := e.live.Load()
	return live != nil && live.Busy != nil && live.Busy(thread)
}

// settleThread looks at a thread of the server: the post of a job, one that a person has made in the forum, or neither.
// An error means that the database cannot be read.
func (e *Engine) settleThread(ctx context.Context, id chat.ChannelID, tags forum.TagSet, starter bool, done *forum.Report) error {
	r, err := e.rows.get(ctx, "thread = ? AND thread <> ''", id)
	if err == nil {
		if starter || !e.Rests(r.key()) {
			e.settle(ctx, r, tags, starter, done)
		}
		return nil
	}
	if !errors.Is(err, cron.ErrNotFound) {
		return err
	}
	e.StepThread(ctx, tags.Guild, id, done, func(ctx context.Context) error { return e.adopt(ctx, id, tags, done) })
	return nil
}

// adopt begins with a post that a person has made, or explains to a stranger why it is archived.
func (e *Engine) adopt(ctx context.Context, id chat.ChannelID, tags forum.TagSet, done *forum.Report) error {
	thread, err := e.Server.ChannelByID(ctx, id)
	if err != nil || thread.Archived || thread.Parent != tags.Forum {
		return err
	}
	if thread.Owner == e.Server.Self().ID { // of a job that is gone, or whose post is being made
		done.Orphans++
		return nil
	}
	r := record{Guild: thread.Guild, Thread: id, Owner: thread.Owner, Link: forum.Link{Base: forum.Look(thread, forum.Post{}).Post}}
	if e.posts.Stranger(thread) {
		if _, err := e.note(ctx, r, "refusal", notAJob); err != nil {
			return err
		}
		done.Refused++
		_, err = e.Server.ChangeThread(ctx, id, chat.ThreadEdit{Archived: new(true)})
		return err
	}
	if err := e.rows.save(ctx, &r, func(*record) {}); err != nil {
		return err
	}
	e.settle(ctx, r, tags, true, done)
	return nil
}
