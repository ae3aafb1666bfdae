package due_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/due"
)

// looks runs a loop over a look, and counts how often that is called.
func looks(t *testing.T, now func() time.Time, look func() (time.Time, error)) (l *due.Loop, count *atomic.Int64) {
	t.Helper()
	l, count = due.NewLoop("things", now, slog.New(slog.DiscardHandler)), new(atomic.Int64)
	go l.Run(t.Context(), func(context.Context) (time.Time, error) {
		count.Add(1)
		return look()
	})
	synctest.Wait()
	return l, count
}

func requireLooks(t *testing.T, count *atomic.Int64, want int64, when string) {
	t.Helper()
	if synctest.Wait(); count.Load() != want {
		t.Errorf("%s: looked %d times, want %d", when, count.Load(), want)
	}
}

func TestALoopLooksAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := time.Now().Add(5*time.Hour + 30*time.Second)
		_, count := looks(t, time.Now, func() (time.Time, error) {
			if time.Now().Before(at) {
				return at, nil
			}
			return time.Time{}, nil
		})
		time.Sleep(5 * time.Hour)
		requireLooks(t, count, 1, "before its time") // the clock is looked at, nothing else
		time.Sleep(30 * time.Second)
		requireLooks(t, count, 2, "at its time")
		time.Sleep(1000 * time.Hour)
		requireLooks(t, count, 2, "with nothing ahead")
	})
}

func TestALoopThatIsWokenLooksAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, count := looks(t, time.Now, func() (time.Time, error) { return time.Time{}, nil })
		l.Wake()
		requireLooks(t, count, 2, "woken")
	})
}

func TestALookThatFailedIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mended atomic.Bool
		_, count := looks(t, time.Now, func() (time.Time, error) {
			if !mended.Load() {
				return time.Time{}, errors.New("the disk is full")
			}
			return time.Time{}, nil
		})
		time.Sleep(2 * due.Poll)
		requireLooks(t, count, 3, "while it fails")
		mended.Store(true)
		time.Sleep(time.Hour)
		requireLooks(t, count, 4, "afterwards")
	})
}

// TestAClockThatIsSet: a machine that slept does not count the time, and a clock that was set back makes what is due uncertain.
func TestAClockThatIsSet(t *testing.T) {
	for name, by := range map[string]time.Duration{"forward": 24 * time.Hour, "back": -24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var off atomic.Int64
				now := func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
				at := now().Add(10 * time.Hour)
				_, count := looks(t, now, func() (time.Time, error) {
					if now().Before(at) {
						return at, nil
					}
					return time.Time{}, nil
				})
				time.Sleep(10 * time.Minute)
				off.Store(int64(by))
				time.Sleep(due.Poll)
				requireLooks(t, count, 2, "a minute after it was set")
			})
		})
	}
}

func TestWhatFailsRestsForLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := due.NewRetries[string](5*time.Second, time.Minute, time.Now)
		began := time.Now()
		for _, want := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, time.Minute, time.Minute} {
			if r.Failed("a"); r.Until("a").Sub(began) != want || !r.Next().Equal(r.Until("a")) {
				t.Errorf("rests for %v, and the first rest ends after %v; want %v", r.Until("a").Sub(began), r.Next().Sub(began), want)
			}
		}
		time.Sleep(time.Minute)
		if r.Rests("a") || !r.Until("a").IsZero() {
			t.Error("rests for too long")
		}
		if r.Failed("a"); !r.Rests("a") || time.Until(r.Until("a")) != time.Minute {
			t.Error("a rest that is over is forgotten before anything succeeded")
		}
		if r.Succeeded("a"); r.Rests("a") || !r.Next().IsZero() {
			t.Error("rests although it succeeded")
		}
	})
}
