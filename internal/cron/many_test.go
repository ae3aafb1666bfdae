package cron_test

import (
	"context"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/cron"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/store"
)

const many = 10_000

// openMany returns an engine with ten thousand jobs on twenty servers, the first of which is due in less than a week.
func openMany(tb testing.TB, path string, now func() time.Time) (*store.DB, *cron.Engine) {
	tb.Helper()
	db, err := store.Open(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	e := cron.New(db, cron.Options{Zone: time.UTC, Running: inbox.New(db).HasUnfinished, Now: now})
	j, err := e.Create(tb.Context(), cron.Job{Guild: "0", Author: "3", Definition: cron.Definition{
		Name: "job", Schedule: "0 7 * * 1", Zone: "Europe/Berlin", Channel: "2", ChannelName: "ops", Prompt: "Look what there is, and say it in a few words."}})
	if err != nil {
		tb.Fatal(err)
	}
	_, err = db.ExecContext(tb.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO crons SELECT printf('cron-%08x', i), i % 20, '', author, definition, state, paused, next + i * 1000000, last_slot, again, triggered, runs, last_run, last_status, last_error, created, updated, rests, archived
		FROM crons, n WHERE id = ?`, many-1, j.ID)
	if err != nil {
		tb.Fatal(err)
	}
	return db, e
}

// TestTenThousandIdleJobs: there is one timer for all of them, and nothing is written.
func TestTenThousandIdleJobs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int64
		db, e := openMany(t, path, func() time.Time { looks.Add(1); return time.Now() })
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() {
			defer close(over)
			e.Run(ctx, online, due(func(context.Context, cron.Fire) { t.Error("nothing is due") }))
		}()
		synctest.Wait()
		commits := db.Commits()
		looks.Store(0)
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := looks.Load() / 2; n > 60 { // the loop asks twice for the time
			t.Errorf("woken %d times in an hour", n)
		}
		if n := db.Commits() - commits; n != 0 {
			t.Errorf("%d writes", n)
		}
		cancel()
		<-over
		_ = db.Close()
	})
}

// BenchmarkStart measures from Run to the delivery of the one job of ten thousand that is due.
func BenchmarkStart(b *testing.B) {
	db, e := openMany(b, filepath.Join(b.TempDir(), store.FileName), nil)
	defer db.Close()
	if _, err := db.ExecContext(b.Context(), "UPDATE crons SET next = 1 WHERE id = 'cron-00000001'"); err != nil {
		b.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	b.ReportAllocs()
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		e.Run(ctx, online, due(func(_ context.Context, f cron.Fire) {
			e.Decline(f.Job)
			cancel()
		}))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(max(0, float64(after.HeapAlloc)-float64(before.HeapAlloc))/many, "held-B/job")
}

// BenchmarkWake measures one look at ten thousand jobs of which none is due.
func BenchmarkWake(b *testing.B) {
	var counts atomic.Bool
	looks := make(chan struct{})
	db, e := openMany(b, filepath.Join(b.TempDir(), store.FileName), func() time.Time {
		if counts.Load() {
			looks <- struct{}{}
		}
		return time.Now()
	})
	defer db.Close()
	ctx, cancel := context.WithCancel(b.Context())
	over := make(chan struct{})
	counts.Store(true)
	go func() {
		defer close(over)
		e.Run(ctx, online, due(func(context.Context, cron.Fire) { b.Error("nothing is due") }))
	}()
	for range 4 { // last, reschedule, and the first look
		<-looks
	}
	b.ReportAllocs()
	for b.Loop() {
		e.Wake()
		<-looks
		<-looks
	}
	counts.Store(false)
	cancel()
	<-over
}
