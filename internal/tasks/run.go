package tasks

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

const (
	// touchDelay is how long an event of a post waits for others of the same post, among them those of the bot's own edits.
	touchDelay = time.Second
	// busyTime is after how long a post is looked at again in which the bot is answering.
	busyTime = 5 * time.Second
	// firstBackoff doubles with each failure, up to maxBackoff.
	firstBackoff, maxBackoff = 5 * time.Second, 10 * time.Minute
	// retryTime is after how long a server or a stranger's post is looked at again after a failure.
	retryTime = 30 * time.Second
	// pollInterval bounds Run's timer while a date is ahead, so that it notices a machine that slept.
	pollInterval = time.Minute
	// suggestTime bounds the wait for a model.
	suggestTime = 15 * time.Second
	// maxSuggested is how many labels a model may choose.
	maxSuggested = 3
	// maxAsked is how often a model is asked in a window of time, since a task costs nothing to make.
	maxAsked, askedWindow = 30, 10 * time.Minute
)

// A touch is a post of which an event told.
type touch struct {
	guild   chat.GuildID
	at      time.Time // when it is looked at
	starter bool      // its first message was edited
}

// A backoff is a pause after failures.
type backoff struct {
	failures int // in a row
	until    time.Time
}

// ThreadChanged has a thread looked at, which may be a task's: it was made, changed or deleted.
func (e *Engine) ThreadChanged(at chat.Place) { e.touch(at, false) }

// MessageEdited has a task's description follow the first message of its post.
func (e *Engine) MessageEdited(m chat.Message) {
	if string(m.ID) == string(m.Place.Channel) {
		e.touch(m.Place, true)
	}
}

func (e *Engine) touch(at chat.Place, starter bool) {
	if at.Guild == "" || at.Parent == "" {
		return
	}
	e.touchAt(at.Channel, touch{at.Guild, time.Now().Add(touchDelay), starter})
}

func (e *Engine) touchAt(thread chat.ChannelID, t touch) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t.starter = t.starter || e.touched[thread].starter
	e.touched[thread] = t
	e.wake()
}

// Resync has a whole server compared, because events may have been missed.
func (e *Engine) Resync(g chat.GuildID) {
	e.resyncAt(g, time.Now())
	e.wake()
}

// resyncAt does not wake Run, which calls it when it has failed: it would fail again at once, for as long as the database does.
func (e *Engine) resyncAt(g chat.GuildID, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.resync[g] = at
}

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
		case <-e.changed:
		case <-alarm:
		}
	}
}

// round does all that is to be done now, and returns when something is to be done next.
func (e *Engine) round(ctx context.Context) (next time.Time, err error) {
	began, served := time.Now(), e.Guilds()
	for _, g := range served {
		if failed := e.roundOf(ctx, g); failed != nil {
			e.resyncAt(g, time.Now().Add(retryTime))
			err = errors.Join(err, failed)
		}
	}
	due, dueErr := e.tellDue(ctx)
	e.forget(began, served)
	return e.nextTime(due), errors.Join(err, dueErr)
}

// forget drops what was to be done by a time and is left: its server is not served, or has no forum. A server that has appeared
// since the round began has its turn in the next one.
func (e *Engine) forget(by time.Time, served []chat.GuildID) {
	appeared := slices.DeleteFunc(slices.Clone(e.Guilds()), func(g chat.GuildID) bool { return slices.Contains(served, g) })
	left := func(g chat.GuildID, at time.Time) bool { return !at.After(by) && !slices.Contains(appeared, g) }
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.DeleteFunc(e.touched, func(_ chat.ChannelID, t touch) bool { return left(t.guild, t.at) })
	maps.DeleteFunc(e.resync, left)
	maps.DeleteFunc(e.rest, func(_ string, b backoff) bool { return !b.until.After(by) })
}

// roundOf does what is to be done on one server.
func (e *Engine) roundOf(ctx context.Context, g chat.GuildID) error {
	if e.takeResync(g) {
		done, err := e.Sync(ctx, g)
		switch {
		case errors.Is(err, ErrNoForum), errors.Is(err, ErrForumGone), ctx.Err() != nil:
			return nil
		case err != nil:
			e.Log.WarnContext(ctx, "cannot compare the task forum yet", "guild", g, "err", err)
			e.resyncAt(g, time.Now().Add(retryTime))
			return nil
		}
		e.Log.DebugContext(ctx, "task forum compared", "guild", g, "report", done)
	}
	forum, err := e.Forum(ctx, g)
	if err != nil { // without a forum, or during an outage of the server
		return nil
	}
	leave, err := e.alone(ctx)
	if err != nil {
		return nil
	}
	defer leave()
	tags, done := e.tagSet(ctx, forum), &Report{}
	for _, t := range e.takeTouched(g) {
		r, err := e.rows.get(ctx, byThread, t.thread)
		if errors.Is(err, ErrNotFound) {
			e.settleThread(ctx, t.thread, tags, done)
		} else if err == nil {
			e.settle(ctx, r.ID, tags, t.starter, done)
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

// takeResync reports whether a server is to be compared as a whole now.
func (e *Engine) takeResync(g chat.GuildID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	at, wanted := e.resync[g]
	if !wanted || at.After(time.Now()) {
		return false
	}
	delete(e.resync, g)
	return true
}

type touchedThread struct {
	touch
	thread chat.ChannelID
}

// takeTouched returns the posts of a server whose time to be looked at has come.
func (e *Engine) takeTouched(g chat.GuildID) (ready []touchedThread) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, t := range e.touched {
		if t.guild == g && !t.at.After(time.Now()) {
			ready = append(ready, touchedThread{t, id})
			delete(e.touched, id)
		}
	}
	slices.SortFunc(ready, func(a, b touchedThread) int { return strings.Compare(string(a.thread), string(b.thread)) })
	return ready
}

// withRetries returns the given tasks without those that rest after a failure, and with those of the server whose rest is over.
func (e *Engine) withRetries(ctx context.Context, g chat.GuildID, ids []string) []string {
	e.mu.Lock()
	resting := map[string]bool{}
	for key, b := range e.rest {
		resting[key] = b.until.After(time.Now())
	}
	e.mu.Unlock()
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

// failed lets a task rest, for longer with each failure.
func (e *Engine) failed(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.rest[id]
	e.rest[id] = backoff{b.failures + 1, time.Now().Add(min(maxBackoff, firstBackoff<<min(b.failures, 10)))}
}

// retryAfter lets a task rest for a while, without a failure.
func (e *Engine) retryAfter(id string, d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rest[id] = backoff{until: time.Now().Add(d)}
}

func (e *Engine) succeeded(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.rest, id)
}

// tellDue tells of tasks whose date has come, and returns when the next one's comes.
func (e *Engine) tellDue(ctx context.Context) (next time.Time, err error) {
	list, next, err := e.rows.due(ctx, time.Now())
	if err != nil {
		return next, err
	}
	served := e.Guilds()
	for _, r := range list {
		key := "due " + r.ID
		if !slices.Contains(served, r.Guild) || e.rests(key) {
			continue
		}
		step, cancel := context.WithTimeout(ctx, stepTime)
		err := e.noteDue(step, r)
		cancel()
		switch {
		case err == nil:
			e.succeeded(key)
		case ctx.Err() == nil:
			e.Log.WarnContext(ctx, "cannot tell yet that a task is due", "task", r.ID, "err", err)
			e.failed(key)
		}
	}
	return next, nil
}

func (e *Engine) rests(key string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.rest[key].until.After(time.Now())
}

// nextTime returns when Run has to look again at the latest, or zero if it can wait for changes.
func (e *Engine) nextTime(due time.Time) (next time.Time) {
	soonest := func(t time.Time) {
		if next.IsZero() || t.Before(next) {
			next = t
		}
	}
	if !due.IsZero() {
		soonest(due)
		soonest(time.Now().Add(pollInterval))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, b := range e.rest {
		soonest(b.until)
	}
	for _, t := range e.touched {
		soonest(t.at)
	}
	for _, at := range e.resync {
		soonest(at)
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
	e.wake()
	return err
}
