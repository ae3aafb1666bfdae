// Package deferral holds one-shot timers that begin a turn later.
//
// An [Engine] keeps [Job]s in the database, so that they outlive the process, and delivers
// each when it is due. The receiver claims a job before its first effect, and moves it to a table of its
// own in the same transaction. As a [Keeper] it lists the claimed jobs that were requeued, so that
// people can still see and cancel them. A job that is overdue runs late, or is reported as missed
// if it is more than [MaxLate] late.
//
// Two limits apply, on how far ahead a job may be and on how many may wait at once.
// Both are refused with a reason rather than clamped, because a model that is told
// "scheduled" will promise it to a user.
package deferral

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/due"
	"discoclaw/internal/order"
	"discoclaw/internal/store"
)

// MaxLate is how late a job may run. A later one is missed.
const MaxLate = time.Hour

// A Job is a turn that runs once, later.
type Job struct {
	ID        int64 // from 1 on; never reused
	Guild     chat.GuildID
	Channel   chat.ChannelID // in which the turn runs
	Name      string         // of the channel, when the job was scheduled
	Prompt    string
	Requester chat.UserID    // on whose behalf it runs
	Prompters chat.UserIDs   `json:"Prompter"` // whose questions had been answered, if that led to it
	Turn      chat.TurnID    // in which it was scheduled
	AskedIn   chat.ChannelID // in which it was scheduled; empty for jobs of earlier versions
	Outside   chat.Sources   // the outside texts that had been read then
	Words     string         // of the person who asked for it, if some had been
	Due       time.Time
	Created   time.Time
	PutOff    bool `json:"-"` // it was claimed and requeued
}

// A Keeper keeps claimed jobs.
type Keeper interface {
	// PutOffRuns returns the jobs that were requeued.
	PutOffRuns(ctx context.Context) ([]Job, error)
	// CallOffRun cancels one of them. It returns false if the job runs by now.
	CallOffRun(ctx context.Context, id int64) (bool, error)
}

// Options are the limits. A zero means the default.
type Options struct {
	MaxDelay   time.Duration    // how far ahead a job may be; half an hour
	MaxPending int              // how many may wait at once; 5
	Keeper     Keeper           // none
	Now        func() time.Time // time.Now
	Log        *slog.Logger     // discards
}

// An Engine keeps jobs until they are due. It is safe for concurrent use, as soon as
// its database is open. Jobs are delivered while Run runs.
type Engine struct {
	Options
	jobs jobs
	loop *due.Loop

	// taken are those that were delivered and not released; finished ones too, since Run may have read the table before.
	taken due.Taken[int64]
}

// New returns an engine over a database, which need not be open yet.
func New(db *store.DB, o Options) *Engine {
	o.MaxDelay = cmp.Or(o.MaxDelay, 30*time.Minute)
	o.MaxPending = cmp.Or(o.MaxPending, 5)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	db.OnRestore("deferrals", afterRestore)
	return &Engine{Options: o, jobs: jobs{db}, loop: due.NewLoop("deferred runs", o.Now, o.Log)}
}

// Schedule adds a job that is due after a delay. It returns the job with its ID and times.
// An error is a sentence for people.
func (e *Engine) Schedule(ctx context.Context, j Job, after time.Duration) (Job, error) {
	switch {
	case after <= 0:
		return Job{}, errors.New("I can come back to something later, not at once or in the past")
	case after > e.MaxDelay:
		return Job{}, chat.WithRemedy(fmt.Errorf("I can put work off by at most %s; for later, ask for a reminder or for a scheduled job that runs once", chat.Span(e.MaxDelay.Truncate(time.Second))), "raise DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_DELAY_SECONDS for more")
	}
	now := e.Now()
	j.Created, j.Due = store.Rounded(now), store.Rounded(now.Add(after))
	j, err := e.jobs.add(ctx, j, e.MaxPending)
	if err != nil {
		return Job{}, err
	}
	e.Wake()
	return j, nil
}

// Pending returns the jobs of a server that wait, requeued ones included, in the order in which they
// are due.
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
	list := append(kept, waiting...)
	order.By(list, func(a, b Job) int { return a.Due.Compare(b.Due) })
	return list, nil
}

// putOff returns the jobs that were requeued.
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

// ErrNotPending means that a job does not exist, or does not wait any more.
var ErrNotPending = errors.New("no such deferred run is waiting")

// Cancel removes a job that waits, if may agrees, and returns it.
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

// Wake makes Run load the jobs again.
func (e *Engine) Wake() { e.loop.Wake() }

// jobs is the table of jobs that wait.
type jobs struct{ db *store.DB }

const columns = "id, guild, channel, name, prompt, requester, prompter, turn, asked_in, outside, words, due, created"

// add inserts a job, unless most jobs wait already. Counting and inserting are one
// transaction, so that no two jobs get the last place.
func (s jobs) add(ctx context.Context, j Job, most int) (Job, error) {
	err := s.db.Tx(ctx, func(tx *store.Tx) error {
		waiting, err := store.Value[int](ctx, tx, "SELECT COUNT(*) FROM deferrals")
		if err != nil {
			return err
		}
		if waiting >= most {
			full := fmt.Errorf("%s already, and no more can; cancel one, or wait", chat.Counted(waiting, "follow-up is waiting", "follow-ups are waiting"))
			return chat.WithRemedy(full, "raise DISCOCLAW_DISCORD_ACTIONS_DEFER_MAX_CONCURRENT for more")
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO deferrals
			(guild, channel, name, prompt, requester, prompter, turn, asked_in, outside, words, due, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			j.Guild, j.Channel, j.Name, j.Prompt, j.Requester, j.Prompters, j.Turn, j.AskedIn, j.Outside, j.Words,
			j.Due.UnixMicro(), j.Created.UnixMicro())
		if err != nil {
			return err
		}
		j.ID, err = res.LastInsertId()
		return err
	})
	return j, err
}

// list finds jobs by a condition, the earliest first.
func (s jobs) list(ctx context.Context, where string, args ...any) ([]Job, error) {
	return store.All(ctx, s.db, scan, "SELECT "+columns+" FROM deferrals WHERE "+where+" ORDER BY due, id", args...)
}

func scan(row store.Row) (j Job, err error) {
	err = row.Scan(&j.ID, &j.Guild, &j.Channel, &j.Name, &j.Prompt, &j.Requester, &j.Prompters, &j.Turn, &j.AskedIn,
		&j.Outside, &j.Words, store.Time(&j.Due), store.Time(&j.Created))
	return j, err
}

// drop removes a job that waits, if may agrees.
func (s jobs) drop(ctx context.Context, id int64, may func(Job) bool) (Job, error) {
	var j Job
	err := s.db.Tx(ctx, func(tx *store.Tx) (err error) {
		j, err = scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM deferrals WHERE id = ?", id))
		switch {
		case errors.Is(err, sql.ErrNoRows), err == nil && !may(j):
			return ErrNotPending
		case err != nil:
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM deferrals WHERE id = ?", id)
		return err
	})
	return j, err
}

// take removes a job that waits, and calls also in the same transaction, unless it is nil. Of
// several concurrent calls, one returns true.
func (s jobs) take(ctx context.Context, id int64, also func(ctx context.Context, tx *store.Tx) error) (ours bool, err error) {
	err = s.db.Tx(ctx, func(tx *store.Tx) error {
		n, err := store.Changed(tx.ExecContext(ctx, "DELETE FROM deferrals WHERE id = ?", id))
		if err != nil || n == 0 {
			return err
		}
		if ours = true; also == nil {
			return nil
		}
		return also(ctx, tx)
	})
	return ours && err == nil, err
}

// afterRestore drops the due jobs of a restored copy, which may have run since it was made. Jobs that
// are due later stay.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM deferrals WHERE due <= ?", time.Now().UnixMicro())
	return err
}

// A Status tells the receiver of a job what to do with it.
type Status uint8

const (
	Runs   Status = iota // due, maybe a little late: claim and run it
	Missed               // more than MaxLate late: report it
)

// Run delivers jobs that are due, until ctx ends. Deliver must return at once; it leads to
// Claim for a job that runs, and to Finish for one that is missed.
func (e *Engine) Run(ctx context.Context, deliver func(ctx context.Context, j Job, f Status)) {
	e.loop.Run(ctx, func(ctx context.Context) (next time.Time, err error) {
		waiting, err := e.jobs.list(ctx, "true")
		for _, j := range waiting {
			late := e.Now().Sub(j.Due)
			if late < 0 {
				return due.Sooner(next, j.Due), err
			}
			next = e.Now().Add(due.Poll) // it may be released until then
			switch {
			case !e.taken.Take(j.ID):
			case late > MaxLate:
				deliver(ctx, j, Missed)
			default:
				deliver(ctx, j, Runs)
			}
		}
		return next, err
	})
}

// Claim removes a delivered job just before its first effect. In the same transaction begin writes
// what another process needs to resume the job; nil writes nothing. It returns true to one
// caller, which runs the job, and false if the job was cancelled meanwhile. After an error
// the job is delivered again.
func (e *Engine) Claim(ctx context.Context, id int64, begin func(ctx context.Context, tx *store.Tx) error) (bool, error) {
	ours, err := e.jobs.take(ctx, id, begin)
	if err != nil {
		e.taken.Release(id)
		return false, fmt.Errorf("claim deferred run %d: %w", id, err)
	}
	return ours, nil
}

// Finish removes a job that will not run. Even if that fails, this process does not deliver
// it again.
func (e *Engine) Finish(ctx context.Context, id int64) error {
	_, err := e.jobs.take(ctx, id, nil)
	return store.Wrap(err, "forget deferred run %d", id)
}
