package cron_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/store"
)

// A bench is an engine with an inbox on a database. It records the runs that it claims.
type bench struct {
	*cron.Engine
	t    *testing.T
	path string
	skew atomic.Int64 // by which the clock is wrong, a duration
	db   *store.DB
	box  *inbox.Inbox

	mu      sync.Mutex
	runs    []string
	slow    bool         // runs that begin stay in the inbox until finish
	holds   bool         // runs that are delivered are not claimed
	dies    func() error // is called in the transaction of the claim
	ids     int
	begun   []cron.Fire
	offered []cron.Fire
}

// onBench runs a test in fake time, which begins on Saturday, 1 January 2000 at 00:00 UTC, with an engine that does not run yet.
func onBench(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, path: path}
		b.open()
		test(t, b)
		b.must(b.db.Close())
	})
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) open() {
	b.t.Helper()
	db, err := store.Open(b.t.Context(), b.path)
	b.must(err)
	b.db, b.box = db, inbox.New(db)
	b.Engine = b.engine()
}

// engine returns another engine over the same database.
func (b *bench) engine() *cron.Engine {
	return cron.New(b.db, cron.Options{
		Zone: time.UTC, Running: b.box.HasUnfinished, Log: slog.New(slog.NewTextHandler(b.t.Output(), nil)),
		Now:   func() time.Time { return b.now() },
		NewID: func() string { b.ids++; return fmt.Sprintf("cron-%08x", b.ids) },
	})
}

func (b *bench) now() time.Time { return time.Now().Add(time.Duration(b.skew.Load())) }

// online is closed.
var online = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// due takes runs.
type due func(context.Context, cron.Fire)

func (d due) Due(ctx context.Context, f cron.Fire) { d(ctx, f) }
func (due) Stop(string, chat.UserID) bool          { return false }
func (due) May(context.Context, cron.Job) error    { return nil }

// run runs the engine until stop is called.
func (b *bench) run() (stop func()) {
	ctx, cancel := context.WithCancel(b.t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		b.Run(ctx, online, due(b.deliver))
	}()
	synctest.Wait()
	return func() {
		cancel()
		<-over
	}
}

// during runs the engine for a while.
func (b *bench) during(d time.Duration) {
	stop := b.run()
	b.pass(d)
	stop()
}

// deliver claims a run, records it and ends it.
func (b *bench) deliver(ctx context.Context, f cron.Fire) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.offered = append(b.offered, f)
	if !b.holds {
		b.claim(ctx, b.Engine, f)
	}
}

// claim claims a run for an engine, and records it.
func (b *bench) claim(ctx context.Context, e *cron.Engine, f cron.Fire) bool {
	body, _ := json.Marshal(f)
	entry := b.box.Entry(inbox.Event{ID: inbox.EventID(f.ID()), Kind: inbox.Cron, Turn: chat.TurnID(f.ID()), Body: body})
	ours, err := e.Claim(ctx, f, func(ctx context.Context, tx *store.Tx) error {
		if err := entry(ctx, tx); err != nil || b.dies == nil {
			return err
		}
		return b.dies()
	})
	if err != nil && b.dies == nil {
		b.t.Error(err)
	}
	if !ours {
		return false
	}
	line := fmt.Sprintf("%s %s %s %s", b.now().UTC().Format("02 15:04:05"), f.Name, f.Why, f.Slot.UTC().Format("02 15:04"))
	if f.Missed > 0 {
		line += fmt.Sprintf(" of %d", f.Missed)
	}
	if f.More {
		line += " and more"
	}
	b.runs = append(b.runs, line)
	b.begun = append(b.begun, f)
	if !b.slow {
		b.end(f, cron.Outcome{})
	}
	return true
}

// end ends a run, which has succeeded unless the outcome says otherwise.
func (b *bench) end(f cron.Fire, o cron.Outcome) {
	b.t.Helper()
	o.Fire, o.Status = f, cmp.Or(o.Status, cron.Success)
	ctx := context.Background()
	b.must(b.Ended(ctx, o))
	b.must(b.box.Tx(ctx, func(tx *store.Tx) error { return b.box.Settle(ctx, tx, inbox.Answered, inbox.EventID(f.ID())) }))
	b.Wake()
}

// finish ends the last run that has begun.
func (b *bench) finish(o cron.Outcome) {
	b.t.Helper()
	b.mu.Lock()
	f := b.begun[len(b.begun)-1]
	b.mu.Unlock()
	b.end(f, o)
	synctest.Wait()
}

// pass lets time go by.
func (b *bench) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// require requires the runs since it was called last.
func (b *bench) require(want ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if diff := gocmp.Diff(want, b.runs); diff != "" {
		b.t.Errorf("runs (-want +got):\n%s", diff)
	}
	b.runs = nil
}

// job makes a job, by default one that is run at seven every day.
func (b *bench) job(name string, change ...func(*cron.Job)) cron.Job {
	b.t.Helper()
	j := cron.Job{Guild: "1", Author: "3", Definition: cron.Definition{Name: name, Schedule: "0 7 * * *", Channel: "2", ChannelName: "ops", Prompt: "look"}}
	for _, c := range change {
		c(&j)
	}
	made, err := b.Create(b.t.Context(), j)
	b.must(err)
	return made
}

func at(schedule string) func(*cron.Job) { return func(j *cron.Job) { j.Schedule = schedule } }

func onMiss(m cron.Missed) func(*cron.Job) { return func(j *cron.Job) { j.Missed = m } }

func then(ids ...string) func(*cron.Job) { return func(j *cron.Job) { j.Chain = ids } }

func byHand(j *cron.Job) { j.Trigger, j.Schedule = cron.ByHand, "" }

func paused(yes bool) func(*cron.Job) error {
	return func(j *cron.Job) error { j.Paused = yes; return nil }
}

// change updates a job.
func (b *bench) change(j cron.Job, do func(*cron.Job) error) cron.Job {
	b.t.Helper()
	_, after, err := b.Update(b.t.Context(), j.Guild, j.ID, do)
	b.must(err)
	synctest.Wait()
	return after
}

func (b *bench) trigger(j cron.Job, request string) {
	b.t.Helper()
	_, err := b.Trigger(b.t.Context(), j.Guild, j.ID, "9", request)
	b.must(err)
	synctest.Wait()
}

func (b *bench) load(j cron.Job) cron.Job {
	b.t.Helper()
	j, err := b.ByID(b.t.Context(), j.ID)
	b.must(err)
	return j
}

func (b *bench) refuses(err error, words string) {
	b.t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		b.t.Errorf("err = %v, want %q", err, words)
	}
}
