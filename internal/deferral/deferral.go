// Package deferral holds one-shot timers that begin a turn later.
//
// An [Engine] keeps [Job]s in the database, so that they outlive the process, and
// hands each out when its time has come. Who runs it claims it before anything can come
// of it, and writes down elsewhere what has begun: from then on it is theirs. As a [Keeper]
// they tell which of those were put off, so that people can still see and cancel them. A job
// that is overdue runs late, or is reported as missed if that is more than [MaxLate] ago.
//
// Two limits apply, on how far ahead a job may be and on how many may wait at once.
// Both are refused with a reason rather than bent, because a model that is told
// "scheduled" will promise it to somebody.
package deferral

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// MaxLate is how late a job may run. What is later is missed.
const MaxLate = time.Hour

// A Job is a turn to be had once, later.
type Job struct {
	ID        int64 // from 1 on; no other job ever has it
	Guild     chat.GuildID
	Channel   chat.ChannelID // where the turn is had
	Name      string         // of the channel, when it was asked for
	Prompt    string
	Requester chat.UserID // in whose name it is had
	Prompter  chat.UserID // whose question they had answered, if that led to it
	Turn      chat.TurnID // in which it was asked for
	Due       time.Time
	Created   time.Time
	PutOff    bool `json:"-"` // it was claimed, and waits to be tried again
}

// A Keeper keeps jobs that it has claimed.
type Keeper interface {
	// PutOffRuns are those that wait to be tried again.
	PutOffRuns(ctx context.Context) ([]Job, error)
	// CallOffRun drops one of them. It says whether it did: the job may run by now.
	CallOffRun(ctx context.Context, id int64) (bool, error)
}

// Options are the limits. A zero means the default.
type Options struct {
	MaxDelay   time.Duration // how far ahead a job may be; half an hour
	MaxPending int           // how many may wait at once; 5
	Keeper     Keeper        // nobody keeps jobs
	Log        *slog.Logger  // nothing is logged
}

// An Engine keeps jobs until they are due. It is safe for concurrent use, as soon as
// its database is open. Jobs are handed out while Run runs.
type Engine struct {
	Options
	jobs    jobs
	changed chan struct{} // has room for one: there is something to look at

	mu  sync.Mutex
	out map[int64]bool // handed out, and not given back; those that are over too, since the table may have been read before
}

// New returns an engine over a database, which need not be open yet.
func New(db *store.DB, o Options) *Engine {
	o.MaxDelay = cmp.Or(o.MaxDelay, 30*time.Minute)
	o.MaxPending = cmp.Or(o.MaxPending, 5)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	db.OnRestore("deferrals", afterRestore)
	return &Engine{Options: o, jobs: jobs{db}, changed: make(chan struct{}, 1), out: map[int64]bool{}}
}

// Schedule lets a job wait for its time, which is some while from now. It returns the
// job with its ID and times. An error is a sentence for people.
func (e *Engine) Schedule(ctx context.Context, j Job, after time.Duration) (Job, error) {
	switch {
	case after <= 0:
		return Job{}, errors.New("the delay must be more than 0 seconds")
	case after > e.MaxDelay:
		return Job{}, fmt.Errorf("the delay may be at most %v seconds (DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_DELAY_SECONDS)", e.MaxDelay.Seconds())
	}
	now := time.Now()
	j.Created, j.Due = stored(now), stored(now.Add(after))
	j, err := e.jobs.add(ctx, j, e.MaxPending)
	if err != nil {
		return Job{}, err
	}
	e.wake()
	return j, nil
}

// Pending are the jobs of a server that wait, in the order in which they are due. Those that
// were put off are among them.
func (e *Engine) Pending(ctx context.Context, g chat.GuildID) ([]Job, error) {
	waiting, err := e.jobs.list(ctx, "guild = ?", g)
	if err != nil {
		return nil, fmt.Errorf("look for deferred runs: %w", err)
	}
	kept, err := e.putOff(ctx)
	if err != nil {
		return nil, err
	}
	kept = slices.DeleteFunc(kept, func(j Job) bool { return j.Guild != g })
	return slices.SortedStableFunc(slices.Values(append(kept, waiting...)), func(a, b Job) int { return a.Due.Compare(b.Due) }), nil
}

// putOff are the jobs that were put off.
func (e *Engine) putOff(ctx context.Context) ([]Job, error) {
	if e.Keeper == nil {
		return nil, nil
	}
	list, err := e.Keeper.PutOffRuns(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for deferred runs that were put off: %w", err)
	}
	for i := range list {
		list[i].PutOff = true
	}
	return list, nil
}

// ErrNotPending means that a job is not there, or does not wait any more.
var ErrNotPending = errors.New("no such deferred run is waiting")

// Cancel drops a job that waits, if may agrees. It returns what it dropped.
func (e *Engine) Cancel(ctx context.Context, id int64, may func(Job) bool) (Job, error) {
	j, err := e.jobs.drop(ctx, id, may)
	if !errors.Is(err, ErrNotPending) {
		return j, err
	}
	kept, err := e.putOff(ctx)
	if err != nil {
		return Job{}, err
	}
	i := slices.IndexFunc(kept, func(j Job) bool { return j.ID == id && may(j) })
	if i < 0 {
		return Job{}, ErrNotPending
	}
	if ours, err := e.Keeper.CallOffRun(ctx, id); err != nil {
		return Job{}, err
	} else if !ours {
		return Job{}, ErrNotPending
	}
	return kept[i], nil
}

// wake has Run look at the jobs again.
func (e *Engine) wake() {
	select {
	case e.changed <- struct{}{}:
	default: // it will
	}
}

// stored is a time as the database keeps it: by the clock on the wall, which goes on
// while the machine sleeps.
func stored(t time.Time) time.Time { return time.UnixMicro(t.UnixMicro()) }
