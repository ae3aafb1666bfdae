package cron

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/due"
	"discoclaw/internal/order"
	"discoclaw/internal/store"
)

const (
	// grace is how late a run may begin without having been missed.
	grace = time.Minute
	// maxCatchUp is how many missed slots are run one after the other; earlier ones are left out.
	maxCatchUp = 24
	// MaxLeft is up to how many slots that are left out after an absence are counted.
	MaxLeft = 1000
	// wrongClock: a last run further in the future than this is ignored as a clock error.
	wrongClock = 25 * time.Hour
)

// A Why is what a run is due to.
type Why string

const (
	Slot    Why = "slot" // of its schedule
	Manual  Why = "manual"
	Chained Why = "chain"
	Webhook Why = "webhook"
)

// A Fire is a run that is due.
type Fire struct {
	Job     string
	Guild   chat.GuildID
	Channel chat.ChannelID
	Author  chat.UserID
	Name    string
	Why     Why
	Slot    time.Time   // when it was due
	Missed  int         `json:",omitempty"` // how many slots it stands for, if it is late: the last one, and earlier ones
	More    bool        `json:",omitempty"` // and there were even more
	Left    int         `json:",omitempty"` // how many slots before it are left out, because there are too many; at most MaxLeft
	Since   time.Time   `json:",omitzero"`  // the first of these
	By      chat.UserID `json:",omitempty"` // the person who asked for the run; empty if none did
	Depth   int         `json:",omitempty"` // how many jobs have led to it
	From    *Upstream   `json:",omitempty"` // the job that led to it
	Call    int64       `json:",omitempty"` // the call of its webhook that led to it

	then time.Time // the slot after it
}

// An Upstream is what a job hands on to the next one of its chain.
type Upstream struct {
	Job     string
	Event   string          // of its run
	State   json.RawMessage `json:",omitempty"`
	People  chat.UserIDs    `json:",omitempty"` // whose words are in it
	Outside chat.Sources    `json:",omitempty"` // the outside texts that were read for it
}

// ID names the event of a run. A slot has one ID, however often it is delivered.
func (f Fire) ID() string {
	switch f.Why {
	case Slot:
		return fmt.Sprintf("%s%d", prefix(f.Job), f.Slot.Unix())
	case Chained:
		return fmt.Sprintf("%safter-%s", prefix(f.Job), strings.ReplaceAll(f.From.Event, "/", "-"))
	case Webhook:
		return fmt.Sprintf("%scall-%d", prefix(f.Job), f.Call)
	}
	return fmt.Sprintf("%s%s-%d", prefix(f.Job), f.Why, f.Slot.UnixMicro())
}

// prefix begins the IDs of a job's events.
func prefix(job string) string { return "cron/" + job + "/" }

// A Runner runs jobs.
type Runner interface {
	// Due handles a run that is due. It must return at once, and leads to Claim.
	Due(ctx context.Context, f Fire)
	// Stop cancels the running run of a job, and reports whether there was one.
	Stop(job string, by chat.UserID) bool
	// May returns why a run of a job could not begin now: its channel is gone, or its people have lost what it needs there.
	May(ctx context.Context, j Job) error
}

// Stop cancels the running run of a job, and reports whether there was one.
func (e *Engine) Stop(job string, by chat.UserID) bool {
	r := e.runner.Load()
	return r != nil && (*r).Stop(job, by)
}

// May returns why a run of a job could not begin now, as far as that is known before Run.
func (e *Engine) May(ctx context.Context, j Job) error {
	if r := e.runner.Load(); r != nil {
		return (*r).May(ctx, j)
	}
	return nil
}

// Run delivers the runs that are due, from when the bot is online until ctx ends.
func (e *Engine) Run(ctx context.Context, online <-chan struct{}, r Runner) {
	e.runner.Store(&r)
	select {
	case <-ctx.Done():
		return
	case <-online:
	}
	var last time.Time // of the last look
	e.loop.Run(ctx, func(ctx context.Context) (time.Time, error) {
		now := store.Rounded(e.Now())
		if setBack := now.Before(last.Add(-grace)); setBack || last.IsZero() {
			if setBack {
				e.Log.WarnContext(ctx, "the clock was set back", "from", last, "to", now)
			}
			if err := e.reschedule(ctx); err != nil {
				return time.Time{}, err
			}
		}
		last = now
		return e.deliverDue(ctx, now, r.Due)
	})
}

// deliverDue delivers what is due, and returns when to look again, or zero if no job has a slot.
func (e *Engine) deliverDue(ctx context.Context, now time.Time, deliver func(context.Context, Fire)) (time.Time, error) {
	ready, err := e.rows.list(ctx, "next BETWEEN 1 AND ? AND next <> 0 UNION SELECT "+columns+" FROM crons WHERE again <> '' "+
		"UNION SELECT "+columns+" FROM crons WHERE id IN (SELECT job FROM cron_calls WHERE state = 'waiting') ORDER BY created, id", now.UnixMicro())
	if err != nil {
		return time.Time{}, err
	}
	order.By(ready, func(a, b Job) int { return a.due(now).Compare(b.due(now)) })
	for _, j := range ready {
		if !e.taken.Take(j.ID) {
			continue
		}
		fire, ok := e.plan(ctx, j, now)
		if !ok {
			e.taken.Release(j.ID)
			continue
		}
		deliver(ctx, fire)
	}
	next, err := store.Value[int64](ctx, e.rows.db, "SELECT COALESCE(MIN(next), 0) FROM crons WHERE next > ? AND next <> 0", now.UnixMicro())
	if len(ready) > 0 { // to see whether something could not be delivered
		return due.Sooner(store.At(next), now.Add(due.Poll)), err
	}
	return store.At(next), err
}

// due is since when a job has been due.
func (j Job) due(now time.Time) time.Time {
	if j.again != nil && (j.Next.IsZero() || j.Next.After(now)) {
		return j.again.Slot
	}
	return j.Next
}

// plan returns the run of a job that is due now. A slot comes before a run that was asked for: it would be left out while that is
// running. A slot that must not run is left out.
func (e *Engine) plan(ctx context.Context, j Job, now time.Time) (Fire, bool) {
	f := Fire{Job: j.ID, Guild: j.Guild, Channel: j.Channel, Author: j.Author, Name: j.Name}
	running, err := e.RunningNow(ctx, j.ID)
	if err != nil {
		e.Log.ErrorContext(ctx, "cannot tell whether a scheduled job is running", "job", j.ID, "err", err)
		return f, false
	}
	if j.Next.IsZero() || j.Next.After(now) {
		if running {
			return f, false // waits for the run that is running
		}
		if j.again == nil {
			return e.call(ctx, f)
		}
		again := *j.again
		again.Job, again.Guild, again.Channel, again.Author, again.Name = f.Job, f.Guild, f.Channel, f.Author, f.Name
		return again, true
	}
	f = j.slot(f, now)
	times, _ := j.Plan()
	if times.Once() {
		f.then = time.Time{} // also if the rules of its time zone have changed since
	}
	switch {
	case j.Missed == Skip && f.Missed > 0:
		e.leaveOut(ctx, j, f, "missed")
		return f, false
	case running && f.Missed == 0 && !times.Once(): // whose only time waits for a run that was asked for
		e.leaveOut(ctx, j, f, "the run before it is not over")
		return f, false
	}
	return f, !running // a missed one waits: the run before it may be one that the restart has resumed
}

// slot completes the run of a job whose next slot is due: it stands for that slot, or for the missed ones.
func (j Job) slot(f Fire, now time.Time) Fire {
	s, zone := j.Plan()
	f.Why, f.Slot, f.then = Slot, j.Next, s.Next(j.Next, zone)
	if now.Sub(j.Next) <= grace {
		return f
	}
	late, more := s.Missed(j.Next.Add(-1), now, zone, maxCatchUp)
	if len(late) == 0 { // the rules of its time zone have changed since
		late = []time.Time{j.Next}
	}
	if j.Missed == All {
		f.Slot, f.Missed = late[0], 1
		f.then = s.Next(late[0], zone)
		for t := j.Next; t.Before(late[0]) && f.Left < MaxLeft; t = s.Next(t, zone) {
			f.Left, f.Since = f.Left+1, j.Next
		}
		return f
	}
	f.Slot, f.then = late[len(late)-1], s.Next(now, zone)
	if now.Sub(f.Slot) > grace {
		f.Missed, f.More = len(late), more
	}
	return f
}

// leaveOut goes on to the next slot of a job without running this one.
func (e *Engine) leaveOut(ctx context.Context, j Job, f Fire, why string) {
	e.Log.InfoContext(ctx, "a run of a scheduled job is left out", "job", j.ID, "slot", f.Slot, "reason", why)
	err := e.rows.db.Tx(ctx, func(tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE crons SET next = ?, last_slot = ? WHERE id = ? AND next = ?", store.Micro(f.then), store.Micro(f.Slot), j.ID, store.Micro(j.Next))
		if err != nil {
			return err
		}
		// Its event is not the run's: after a wrong clock is put right, the slot may come again and run.
		_, err = addPast(ctx, tx, "left-out/"+f.ID(), Outcome{Fire: f, Status: LeftOut, Error: why}, store.Rounded(e.Now()))
		return err
	})
	if err != nil && ctx.Err() == nil {
		e.Log.ErrorContext(ctx, "cannot leave out a run of a scheduled job", "job", j.ID, "err", err)
	}
	if err == nil {
		e.changedNow(j.Guild, j.ID)
	}
}

// Claim begins a run that was delivered: it goes on to the job's next slot, and in the same transaction begin writes what another
// process needs to resume the run. It returns false if the run is not due any more: the job was changed, paused or
// deleted, or it is running.
func (e *Engine) Claim(ctx context.Context, f Fire, begin func(context.Context, *store.Tx) error) (ours bool, err error) {
	err = e.rows.db.Tx(ctx, func(tx *store.Tx) error {
		j, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM crons WHERE id = ?", f.Job))
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if ours, err = e.isDue(ctx, tx, j, f); err != nil || !ours {
			return err
		}
		switch f.Why {
		case Slot:
			j.Next, j.lastSlot = f.then, f.Slot
		case Webhook:
			if err := beginCall(ctx, tx, f); err != nil {
				return err
			}
		default:
			j.again = nil
		}
		if err := update(ctx, tx, j); err != nil {
			return err
		}
		return begin(ctx, tx)
	})
	e.taken.Release(f.Job)
	if err != nil {
		return false, fmt.Errorf("claim a run of %s: %w", f.Job, err) // Run tries again within due.Poll
	}
	if ours {
		if f.Left > 0 {
			e.Log.WarnContext(ctx, "runs of a scheduled job are left out after an absence", "job", f.Job, "runs", f.Left, "since", f.Since, "until", f.Slot)
		}
		e.Wake() // a further run may be due
	}
	return ours, nil
}

// isDue reports whether a run may begin now.
func (e *Engine) isDue(ctx context.Context, tx *store.Tx, j Job, f Fire) (bool, error) {
	switch {
	case f.Why == Slot && (j.Rests() || j.Next.IsZero() || j.Next.After(f.Slot) || !f.Slot.After(j.lastSlot)):
		return false, nil
	case f.Why == Webhook:
		if waits, err := callWaits(ctx, tx, f); err != nil || !waits {
			return false, err
		}
	case f.Why != Slot && (j.again == nil || !j.again.Slot.Equal(f.Slot) || j.again.Why != f.Why):
		return false, nil
	}
	running, err := e.Running(ctx, tx, prefix(j.ID))
	return !running, err
}

// from returns the moment after which a job's next slot may be: now, or its last slot, if a clock that was set back shows an earlier time.
func (e *Engine) from(j Job, now time.Time) time.Time {
	if j.lastSlot.After(now) && j.lastSlot.Before(now.Add(wrongClock)) {
		return j.lastSlot
	}
	return now
}

// putOff sets the next slot of a job to its first one from now on. What a wrong clock has run after that does not count.
func (e *Engine) putOff(j *Job, now time.Time) {
	j.Next = e.next(*j, e.from(*j, now))
	if !j.Next.IsZero() && !j.Next.After(j.lastSlot) {
		j.lastSlot = j.Next.Add(-time.Microsecond)
	}
}

// reschedule mends the next slots of jobs if a wrong clock has put them off: those that ran, or were changed, in the future.
func (e *Engine) reschedule(ctx context.Context) error {
	now := store.Rounded(e.Now())
	ahead, err := e.rows.list(ctx, "next > ?1 AND next <> 0 AND (last_slot > ?1 OR updated > ?1)", now.UnixMicro())
	if err != nil {
		return err
	}
	for _, j := range ahead {
		was := j.Next
		if e.putOff(&j, now); !j.Next.Before(was) {
			continue
		}
		err := e.rows.db.Tx(ctx, func(tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE crons SET next = ?, last_slot = ? WHERE id = ? AND next = ?", store.Micro(j.Next), store.Micro(j.lastSlot), j.ID, store.Micro(was))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// afterRestore leaves out the due slots of a restored copy, and its waiting runs: they may have run since it was made.
func (e *Engine) afterRestore(ctx context.Context, tx *store.Tx) error {
	if _, err := tx.ExecContext(ctx, "UPDATE cron_calls SET state = 'over', body = ''"); err != nil {
		return err
	}
	now := store.Rounded(e.Now())
	due, err := listIn(ctx, tx, "next BETWEEN 1 AND ? OR again <> ''", now.UnixMicro())
	if err != nil {
		return err
	}
	for _, j := range due {
		j.again = nil
		e.putOff(&j, now)
		if err := update(ctx, tx, j); err != nil {
			return err
		}
	}
	return nil
}
