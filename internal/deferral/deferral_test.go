package deferral_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/deferral"
	"discoclaw/internal/store"
)

// A bench is an engine on a database, which records its deliveries.
type bench struct {
	*deferral.Engine
	t     *testing.T
	db    *store.DB
	began time.Time

	mu     sync.Mutex
	handed []string
	hold   bool // deliveries are neither claimed nor finished
}

// inBubble runs a test in its own time, with a fresh engine that does not run yet.
func inBubble(t *testing.T, o deferral.Options, test func(t *testing.T, b *bench)) {
	t.Helper()
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, began: time.Now()}
		b.open(path, o)
		test(t, b)
		b.close()
	})
}

func (b *bench) open(path string, o deferral.Options) {
	b.t.Helper()
	db, err := store.Open(b.t.Context(), path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.db, b.Engine = db, deferral.New(db, o)
	b.Log = logTo(b.t)
}

func (b *bench) close() {
	b.t.Helper()
	if err := b.db.Close(); err != nil {
		b.t.Error(err)
	}
}

// run runs the engine until stop is called.
func (b *bench) run() (stop func()) {
	ctx, cancel := context.WithCancel(b.t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		b.Run(ctx, b.deliver)
	}()
	synctest.Wait()
	return func() {
		cancel()
		<-over
	}
}

// deliver records a job, and claims or finishes it at once.
func (b *bench) deliver(ctx context.Context, j deferral.Job, f deferral.Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	word := map[deferral.Status]string{deferral.Runs: "runs", deferral.Missed: "missed"}[f]
	b.handed = append(b.handed, fmt.Sprintf("%v: %d %s", time.Since(b.began), j.ID, word))
	if b.hold {
		return
	}
	if f == deferral.Missed {
		if err := b.Finish(ctx, j.ID); err != nil {
			b.t.Error(err)
		}
		return
	}
	if ours, err := b.Claim(ctx, j.ID, nil); err != nil || !ours {
		b.t.Errorf("job %d cannot be claimed: %v", j.ID, err)
	}
}

func (b *bench) require(want ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if diff := cmp.Diff(want, b.handed); diff != "" {
		b.t.Errorf("delivered (-want +got):\n%s", diff)
	}
}

func (b *bench) schedule(after time.Duration) deferral.Job {
	b.t.Helper()
	j, err := b.Schedule(b.t.Context(), some, after)
	if err != nil {
		b.t.Fatal(err)
	}
	return j
}

// pass lets time go by.
func (b *bench) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

var some = deferral.Job{Guild: "1", Channel: "2", Name: "ops", Prompt: "look again", Requester: "3", Prompters: "4", Turn: "T"}

func TestAJobRunsOnceWhenItIsDue(t *testing.T) {
	inBubble(t, deferral.Options{}, func(t *testing.T, b *bench) {
		defer b.run()()
		b.schedule(10 * time.Minute)
		b.pass(10*time.Minute - time.Microsecond)
		b.require()
		b.pass(time.Microsecond)
		b.require("10m0s: 1 runs")
		b.pass(3 * time.Hour)
		b.require("10m0s: 1 runs")
	})
}

func TestJobsRunInTheOrderInWhichTheyAreDue(t *testing.T) {
	inBubble(t, deferral.Options{}, func(t *testing.T, b *bench) {
		defer b.run()()
		b.schedule(3 * time.Minute)
		b.schedule(90 * time.Second)
		b.schedule(3 * time.Minute)
		b.pass(time.Minute)
		b.schedule(10 * time.Second)
		b.pass(time.Hour)
		b.require("1m10s: 4 runs", "1m30s: 2 runs", "3m0s: 1 runs", "3m0s: 3 runs")
	})
}

func TestLimitsAreRefusedWithAReason(t *testing.T) {
	inBubble(t, deferral.Options{MaxDelay: 1500 * time.Millisecond, MaxPending: 2}, func(t *testing.T, b *bench) {
		refused := func(after time.Duration, why string) {
			t.Helper()
			if _, err := b.Schedule(t.Context(), some, after); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("after %v: %v; want %q", after, err, why)
			}
		}
		refused(0, "not at once or in the past")
		refused(-time.Second, "not at once or in the past")
		refused(1500*time.Millisecond+1, "at most 1 second;")
		b.schedule(1500 * time.Millisecond)
		b.schedule(time.Millisecond)
		refused(time.Second, "2 follow-ups are waiting already")
		if err := b.Finish(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if j := b.schedule(time.Second); j.ID != 3 {
			t.Errorf("the next job is %d; an ID must not be used again", j.ID)
		}
	})
}

func TestARunningJobDoesNotCountAsPending(t *testing.T) {
	inBubble(t, deferral.Options{MaxPending: 1}, func(t *testing.T, b *bench) {
		j := b.schedule(time.Second)
		if ours, err := b.Claim(t.Context(), j.ID, nil); !ours || err != nil {
			t.Fatal(ours, err)
		}
		b.schedule(time.Second)
	})
}

func TestConcurrentSchedulesKeepTheLimit(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	e := deferral.New(db, deferral.Options{MaxPending: 3})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { _, _ = e.Schedule(t.Context(), some, time.Minute) })
	}
	all.Wait()
	if list, err := e.Pending(t.Context(), some.Guild); err != nil || len(list) != 3 {
		t.Errorf("%d wait, %v; want 3", len(list), err)
	}
}

func TestAJobIsUnchangedAfterARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, began: time.Now()}
		b.open(path, deferral.Options{})
		want := b.schedule(10 * time.Minute)
		stop := b.run()
		b.pass(time.Minute)
		stop()
		b.close()
		b.open(path, deferral.Options{})
		defer b.close()
		got, err := b.Pending(t.Context(), some.Guild)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]deferral.Job{want}, got); diff != "" {
			t.Errorf("the job has changed (-before +after):\n%s", diff)
		}
		if other, err := b.Pending(t.Context(), "another server"); err != nil || len(other) > 0 {
			t.Errorf("another server sees %v, %v", other, err)
		}
		defer b.run()()
		b.pass(time.Hour)
		b.require("10m0s: 1 runs")
	})
}

// TestOverdueJobs: a job that became due while no process ran, or while the machine slept,
// runs late, or is missed.
func TestOverdueJobs(t *testing.T) {
	for _, tt := range []struct {
		away time.Duration
		want string
	}{
		{time.Minute + time.Second, "1m1s: 1 runs"},
		{time.Minute + deferral.MaxLate, "1h1m0s: 1 runs"},
		{time.Minute + deferral.MaxLate + time.Microsecond, "1h1m0.000001s: 1 missed"},
		{30 * 24 * time.Hour, "720h0m0s: 1 missed"},
	} {
		t.Run(tt.away.String(), func(t *testing.T) {
			inBubble(t, deferral.Options{}, func(t *testing.T, b *bench) {
				b.schedule(time.Minute)
				b.pass(tt.away)
				stop := b.run()
				b.require(tt.want)
				stop()
				b.run()()
				b.require(tt.want) // and not again
			})
		})
	}
}

// TestAJobIsClaimedOnce: the row that begin writes is there once, and only if the job is
// gone.
func TestAJobIsClaimedOnce(t *testing.T) {
	inBubble(t, deferral.Options{}, func(t *testing.T, b *bench) {
		if _, err := b.db.ExecContext(t.Context(), "CREATE TABLE begun (id INTEGER)"); err != nil {
			t.Fatal(err)
		}
		j := b.schedule(time.Minute)
		broken := errors.New("broken")
		claim := func(fault error) (bool, error) {
			return b.Claim(t.Context(), j.ID, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, "INSERT INTO begun VALUES (?)", j.ID)
				return errors.Join(err, fault)
			})
		}
		if ours, err := claim(broken); ours || !errors.Is(err, broken) {
			t.Errorf("it was claimed though begin failed: %v, %v", ours, err)
		}
		if list, err := b.Pending(t.Context(), some.Guild); err != nil || len(list) != 1 {
			t.Errorf("%d wait after that, %v", len(list), err)
		}
		if ours, err := claim(nil); !ours || err != nil {
			t.Errorf("it cannot be claimed: %v, %v", ours, err)
		}
		if ours, err := claim(nil); ours || err != nil {
			t.Errorf("a job was claimed twice: %v", err)
		}
		var begun int
		if err := b.db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM begun").Scan(&begun); err != nil || begun != 1 {
			t.Errorf("it has begun %d times, %v", begun, err)
		}
		defer b.run()()
		b.pass(time.Hour)
		b.require()
	})
}

// TestAJobThatCannotBeClaimedIsDeliveredAgain, until it is missed.
func TestAJobThatCannotBeClaimedIsDeliveredAgain(t *testing.T) {
	inBubble(t, deferral.Options{}, func(t *testing.T, b *bench) {
		b.hold = true
		defer b.run()()
		j := b.schedule(time.Minute)
		b.pass(10 * time.Minute)
		b.require("1m0s: 1 runs") // not again before it is released
		for range 52 {
			b.pass(time.Minute)
			if _, err := b.Claim(t.Context(), j.ID, func(context.Context, *store.Tx) error { return errors.New("broken") }); err == nil {
				t.Error("it was claimed")
			}
		}
		b.handed = b.handed[len(b.handed)-2:]
		b.require("1h1m0s: 1 runs", "1h2m0s: 1 missed")
	})
}

func TestACancelledJobDoesNotRun(t *testing.T) {
	inBubble(t, deferral.Options{}, func(t *testing.T, b *bench) {
		defer b.run()()
		yes := func(deferral.Job) bool { return true }
		j := b.schedule(time.Minute)
		if _, err := b.Cancel(t.Context(), j.ID, func(deferral.Job) bool { return false }); !errors.Is(err, deferral.ErrNotPending) {
			t.Errorf("cancelled without permission: %v", err)
		}
		got, err := b.Cancel(t.Context(), j.ID, yes)
		if diff := cmp.Diff(j, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
		for _, id := range []int64{j.ID, 99} {
			if _, err := b.Cancel(t.Context(), id, yes); !errors.Is(err, deferral.ErrNotPending) {
				t.Errorf("job %d is cancelled: %v", id, err)
			}
		}
		b.pass(time.Hour)
		b.require()
	})
}

// A shelf keeps jobs that were claimed.
type shelf []deferral.Job

func (s *shelf) PutOffRuns(context.Context) ([]deferral.Job, error) { return slices.Clone(*s), nil }

func (s *shelf) CallOffRun(_ context.Context, id int64) (bool, error) {
	before := len(*s)
	*s = slices.DeleteFunc(*s, func(j deferral.Job) bool { return j.ID == id })
	return len(*s) < before, nil
}

// TestARequeuedJobIsListedAndCancelled, though its keeper has it.
func TestARequeuedJobIsListedAndCancelled(t *testing.T) {
	kept := shelf{{ID: 71, Guild: "elsewhere"}, {ID: 70, Guild: some.Guild}}
	inBubble(t, deferral.Options{Keeper: &kept}, func(t *testing.T, b *bench) {
		j := b.schedule(time.Minute)
		list, err := b.Pending(t.Context(), j.Guild)
		if err != nil || len(list) != 2 || list[0].ID != 70 || !list[0].PutOff || list[1].ID != j.ID || list[1].PutOff {
			t.Errorf("%+v wait, %v", list, err)
		}
		if _, err := b.Cancel(t.Context(), 70, func(deferral.Job) bool { return false }); !errors.Is(err, deferral.ErrNotPending) {
			t.Errorf("cancelled without permission: %v", err)
		}
		for _, want := range []error{nil, deferral.ErrNotPending} {
			if _, err := b.Cancel(t.Context(), 70, func(j deferral.Job) bool { return j.Guild == some.Guild }); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
	})
}

func TestADeliveredJobThatIsCancelledCannotBeClaimed(t *testing.T) {
	inBubble(t, deferral.Options{}, func(t *testing.T, b *bench) {
		b.hold = true
		defer b.run()()
		j := b.schedule(time.Minute)
		b.pass(time.Minute)
		b.require("1m0s: 1 runs")
		if _, err := b.Cancel(t.Context(), j.ID, func(deferral.Job) bool { return true }); err != nil {
			t.Error(err)
		}
		if ours, err := b.Claim(t.Context(), j.ID, nil); ours || err != nil {
			t.Errorf("a cancelled job was claimed: %v", err)
		}
	})
}

// TestLoadingJobsIsRetried after an error of the database.
func TestLoadingJobsIsRetried(t *testing.T) {
	inBubble(t, deferral.Options{}, func(t *testing.T, b *bench) {
		b.schedule(5 * time.Minute)
		rename := func(from, to string) {
			t.Helper()
			if _, err := b.db.ExecContext(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to); err != nil {
				t.Fatal(err)
			}
		}
		rename("deferrals", "elsewhere")
		defer b.run()()
		b.pass(10 * time.Minute)
		b.require()
		rename("elsewhere", "deferrals")
		b.pass(time.Minute)
		b.require("11m0s: 1 runs")
	})
}

// logTo shows the log of an engine with the test that it belongs to.
func logTo(t *testing.T) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }
