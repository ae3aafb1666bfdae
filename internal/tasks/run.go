package tasks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/forum"
)

// Run keeps posts and tasks in step, and tells of tasks that are due, until ctx ends.
func (e *Engine) Run(ctx context.Context, live Live) {
	e.live.Store(&live)
	var wg sync.WaitGroup
	defer wg.Wait()
	if live.Suggest != nil {
		wg.Go(func() { e.suggestAll(ctx, live) })
	}
	e.Keep(ctx, e.tellDue)
}

// round does what is to be done on one server.
func (e *Engine) round(ctx context.Context, of chat.Channel) error {
	tags, done := e.tagSet(ctx, of), &Report{}
	for _, t := range e.TakeTouched(of.Guild) {
		r, err := e.rows.get(ctx, byThread, t.Thread)
		if errors.Is(err, ErrNotFound) {
			e.settleThread(ctx, t.Thread, tags, done)
		} else if err == nil {
			e.settle(ctx, r.ID, tags, t.Starter, done)
		} else {
			return err
		}
	}
	ids, err := e.rows.unsynced(ctx, of.Guild)
	if err != nil {
		return err
	}
	for _, id := range e.withRetries(ctx, of.Guild, ids) {
		e.settle(ctx, id, tags, false, done)
	}
	return nil
}

// withRetries returns the given tasks without those that rest after a failure, and with those of the server whose rest is over.
func (e *Engine) withRetries(ctx context.Context, g chat.GuildID, ids []string) []string {
	resting := e.Resting()
	ids = slices.DeleteFunc(ids, func(id string) bool { return resting[id] })
	for key, rests := range resting {
		if rests || slices.Contains(ids, key) {
			continue
		}
		if r, err := e.rows.get(ctx, "id = ?", key); err == nil && r.Guild == g {
			ids = append(ids, key)
		}
	}
	return ids
}

// tellDue tells of tasks whose date has come, and returns when the next one comes; zero if no date is ahead.
func (e *Engine) tellDue(ctx context.Context) (next time.Time, err error) {
	list, next, err := e.rows.due(ctx, e.Now())
	served := e.Guilds()
	for _, r := range list {
		if key := "due " + r.ID; slices.Contains(served, r.Guild) && !e.Rests(key) {
			e.Step(ctx, key, &Report{}, func(ctx context.Context) error { return e.noteDue(ctx, r) })
		}
	}
	return next, err
}

// suggestLabels has a model choose labels for a new task that has none, while Run runs.
func (e *Engine) suggestLabels(t Task) {
	if len(t.Labels) > 0 {
		return
	}
	select {
	case e.fresh <- t:
	default: // too many at once; they do without
	}
}

func (e *Engine) suggestAll(ctx context.Context, live Live) {
	var asked forum.Asked
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-e.fresh:
			if !asked.May() {
				continue
			}
			if err := e.suggest(ctx, live, t); err != nil && ctx.Err() == nil {
				e.Log.DebugContext(ctx, "cannot suggest labels for a task", "task", t.ID, "err", err)
			}
		}
	}
}

// suggest labels a task as a model suggests, unless somebody has done so meanwhile.
func (e *Engine) suggest(ctx context.Context, live Live, t Task) error {
	of, err := e.Forum(ctx, t.Guild)
	if err != nil {
		return err
	}
	names := e.tagSet(ctx, of).content()
	if len(names) == 0 {
		return nil
	}
	asked, cancel := context.WithTimeout(ctx, forum.SuggestTime)
	defer cancel()
	chosen, err := live.Suggest(asked, t, names)
	if err != nil {
		return err
	}
	labels := forum.Chosen(names, chosen)
	_, _, err = e.rows.change(ctx, t.Guild, t.ID, func(now Task) (Task, error) {
		if len(now.Labels) > 0 {
			return now, nil
		}
		return Change{Labels: &labels}.apply(now)
	})
	e.Wake()
	return err
}

// worthAWord is from when on people are told that a note is late.
const worthAWord = time.Minute

// noteClosing says in the post of a task that it is closed, once for each time that it is.
func (e *Engine) noteClosing(ctx context.Context, r *record) error {
	text := "Closed."
	if r.Reason != "" {
		text = "Closed: " + r.Reason
	}
	closed := r.Closed
	if err := e.once(ctx, *r, fmt.Sprintf("closed-%d", closed.UnixMicro()), closed, chat.Outgoing{Text: text}); err != nil {
		return fmt.Errorf("say that it is closed: %w", err)
	}
	return e.rows.mirror(ctx, r, func(now *record) { now.closedPosted = closed })
}

// noteDue says in the post of a task that its date has come, once for each date. It mentions the task's owner if who set the date
// could do so themselves.
func (e *Engine) noteDue(ctx context.Context, r record) error {
	m := chat.Outgoing{Text: "This task is due."}
	if r.Owner != "" {
		m.Text = r.Owner.Mention() + ", this task is due."
		may := r.DueBy == r.Owner
		if !may && e.MayMention != nil && r.DueBy != "" {
			var err error
			if may, err = e.MayMention(ctx, r.Task); err != nil {
				return err
			}
		}
		if may {
			m.Mentions = []chat.UserID{r.Owner}
		}
	}
	late := m
	late.Text = fmt.Sprintf("-# I could not say so in time: it was due <t:%d:R>.\n%s", r.Due.Unix(), m.Text)
	if e.Now().Sub(r.Due) > worthAWord {
		m, late = late, m
	}
	due := r.Due
	if err := e.once(ctx, r, fmt.Sprintf("due-%d", due.UnixMicro()), due, m, late); err != nil {
		return fmt.Errorf("say that it is due: %w", err)
	}
	return e.rows.mirror(ctx, &r, func(now *record) { now.duePosted = due })
}

// once posts a message through the outbox, which knows what it has posted for a day. If it may have forgotten that, or the database
// is a restored copy, the message and others that would do are searched for first.
func (e *Engine) once(ctx context.Context, r record, part string, since time.Time, m chat.Outgoing, others ...chat.Outgoing) error {
	posts := e.Outbox.Of(chat.TurnID("task-"+r.ID), nil)
	if r.restored || time.Since(since) > outbox.Retention-time.Hour {
		_, begun, err := posts.Posted(ctx, part)
		if err != nil {
			return err
		}
		for _, like := range append([]chat.Outgoing{m}, others...) {
			if begun {
				break
			}
			found, err := e.Server.FindOwn(ctx, r.Thread, since.Add(-forum.Skew), like)
			if len(found) > 0 || err != nil {
				return err
			}
		}
	}
	_, err := posts.Post(ctx, part, r.Thread, m)
	return err
}
