package tasks

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

const (
	// busyTime is after how long a post is looked at again in which the bot is answering.
	busyTime = 5 * time.Second
	// pollInterval bounds Run's timer while a date is ahead, so that it notices a machine that slept.
	pollInterval = time.Minute
	// suggestTime bounds the wait for a model.
	suggestTime = 15 * time.Second
	// maxSuggested is how many labels a model may choose.
	maxSuggested = 3
	// maxAsked is how often a model is asked in a window of time, since a task costs nothing to make.
	maxAsked, askedWindow = 30, 10 * time.Minute
)

// Run keeps posts and tasks in step, and tells of tasks that are due, until ctx ends.
func (e *Engine) Run(ctx context.Context, live Live) {
	e.live.Store(&live)
	var wg sync.WaitGroup
	defer wg.Wait()
	if live.Suggest != nil {
		wg.Go(func() { e.suggestAll(ctx, live) })
	}
	for _, g := range e.Guilds() {
		e.Resync(g)
	}
	for ctx.Err() == nil {
		next, err := e.round(ctx)
		if err != nil && ctx.Err() == nil {
			e.Log.ErrorContext(ctx, "cannot load tasks", "err", err)
			next = time.Now().Add(pollInterval)
		}
		var alarm <-chan time.Time
		if !next.IsZero() {
			alarm = time.After(time.Until(next))
		}
		select {
		case <-ctx.Done():
		case <-e.Changed():
		case <-alarm:
		}
	}
}

// round does all that is to be done now, and returns when something is to be done next.
func (e *Engine) round(ctx context.Context) (next time.Time, err error) {
	began, served := time.Now(), e.Guilds()
	for _, g := range served {
		if failed := e.roundOf(ctx, g); failed != nil {
			e.ResyncLater(g)
			err = errors.Join(err, failed)
		}
	}
	due, dueErr := e.tellDue(ctx)
	e.Forget(began, served, e.Guilds())
	return e.nextTime(due), errors.Join(err, dueErr)
}

// roundOf does what is to be done on one server.
func (e *Engine) roundOf(ctx context.Context, g chat.GuildID) error {
	if e.TakeResync(g) {
		done, err := e.Sync(ctx, g)
		switch {
		case errors.Is(err, ErrNoForum), errors.Is(err, ErrForumGone), ctx.Err() != nil:
			return nil
		case err != nil:
			e.Log.WarnContext(ctx, "cannot compare the task forum yet", "guild", g, "err", err)
			e.ResyncLater(g)
			return nil
		}
		e.Log.DebugContext(ctx, "task forum compared", "guild", g, "report", done)
	}
	forum, err := e.Forum(ctx, g)
	if err != nil { // without a forum, or during an outage of the server
		return nil
	}
	leave, err := e.Alone(ctx)
	if err != nil {
		return nil
	}
	defer leave()
	tags, done := e.tagSet(ctx, forum), &Report{}
	for _, t := range e.TakeTouched(g) {
		r, err := e.rows.get(ctx, byThread, t.Thread)
		if errors.Is(err, ErrNotFound) {
			e.settleThread(ctx, t.Thread, tags, done)
		} else if err == nil {
			e.settle(ctx, r.ID, tags, t.Starter, done)
		} else {
			return err
		}
	}
	ids, err := e.rows.unsynced(ctx, g)
	if err != nil {
		return err
	}
	for _, id := range e.withRetries(ctx, g, ids) {
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

// tellDue tells of tasks whose date has come, and returns when the next one's comes.
func (e *Engine) tellDue(ctx context.Context) (next time.Time, err error) {
	list, next, err := e.rows.due(ctx, e.Now())
	if err != nil {
		return next, err
	}
	served := e.Guilds()
	for _, r := range list {
		key := "due " + r.ID
		if !slices.Contains(served, r.Guild) || e.Rests(key) {
			continue
		}
		step, cancel := context.WithTimeout(ctx, stepTime)
		err := e.noteDue(step, r)
		cancel()
		switch {
		case err == nil:
			e.Succeeded(key)
		case ctx.Err() == nil:
			e.Log.WarnContext(ctx, "cannot tell yet that a task is due", "task", r.ID, "err", err)
			e.Failed(key)
		}
	}
	return next, nil
}

// nextTime returns when Run has to look again at the latest, or zero if it can wait for changes.
func (e *Engine) nextTime(due time.Time) time.Time {
	next := e.Next()
	for _, t := range []time.Time{time.Now().Add(due.Sub(e.Now())), time.Now().Add(pollInterval)} {
		if !due.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	return next
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
	var asked []time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-e.fresh:
			asked = slices.DeleteFunc(asked, func(at time.Time) bool { return time.Since(at) >= askedWindow })
			if len(asked) == maxAsked {
				continue
			}
			asked = append(asked, time.Now())
			if err := e.suggest(ctx, live, t); err != nil && ctx.Err() == nil {
				e.Log.DebugContext(ctx, "cannot suggest labels for a task", "task", t.ID, "err", err)
			}
		}
	}
}

// suggest labels a task as a model suggests, unless somebody has done so meanwhile.
func (e *Engine) suggest(ctx context.Context, live Live, t Task) error {
	forum, err := e.Forum(ctx, t.Guild)
	if err != nil {
		return err
	}
	names := e.tagSet(ctx, forum).content()
	if len(names) == 0 {
		return nil
	}
	asked, cancel := context.WithTimeout(ctx, suggestTime)
	defer cancel()
	chosen, err := live.Suggest(asked, t, names)
	if err != nil {
		return err
	}
	var labels []string
	for _, c := range chosen {
		i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(c)) })
		if i >= 0 && len(labels) < maxSuggested {
			labels = append(labels, names[i])
		}
	}
	_, _, err = e.rows.change(ctx, t.Guild, t.ID, func(now Task) (Task, error) {
		if len(now.Labels) > 0 {
			return now, nil
		}
		return Change{Labels: &labels}.apply(now)
	})
	e.Wake()
	return err
}
