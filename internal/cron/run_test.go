package cron_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/cron"
)

func TestJobsRunAtTheirTimes(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		for _, job := range [][2]string{{"Europe/Berlin", "0 2 * * *"}, {"America/New_York", "30 19 * * *"}, {"Asia/Kathmandu", "0 6 * * 6"}, {"Pacific/Auckland", "0 6 * * 6"}, {"UTC", "*/20 1 * * 6"}} {
			b.job(job[0], func(j *cron.Job) { j.Zone, j.Schedule = job[0], job[1] })
		}
		b.during(3 * time.Hour)
		b.require(
			"01 00:15:00 Asia/Kathmandu slot 01 00:15", "01 00:30:00 America/New_York slot 01 00:30", "01 01:00:00 Europe/Berlin slot 01 01:00",
			"01 01:00:00 UTC slot 01 01:00", "01 01:20:00 UTC slot 01 01:20", "01 01:40:00 UTC slot 01 01:40",
		)
	})
}

// restartAround lets an hour pass in which the process ends within ten seconds of minute 30, in one of three ways, and another one takes
// over. It returns when in that hour the run of that minute begins.
func (b *bench) restartAround(how string, hour int, j cron.Job) (begins time.Duration) {
	b.t.Helper()
	at := 30*time.Minute + time.Duration(hour-10)*time.Second
	switch how {
	case "killed in the claim":
		b.dies = func() error { return errors.New("killed") }
	case "killed after the claim":
		b.slow = true
	}
	stop := b.run()
	b.pass(at)
	stop()
	b.must(b.db.Close())
	b.dies, b.slow = nil, false
	b.open()
	running, err := b.RunningNow(b.t.Context(), j.ID)
	b.must(err)
	if running { // the next process resumes it
		b.finish(cron.Outcome{})
	}
	stop = b.run()
	b.pass(time.Hour - at)
	stop()
	if how == "killed in the claim" {
		return max(30*time.Minute, at)
	}
	return 30 * time.Minute
}

// TestASlotRunsOnceWhenTheBotRestartsAroundIt: the process is replaced in each second around a slot, and is killed in the claim, or right
// after it.
func TestASlotRunsOnceWhenTheBotRestartsAroundIt(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"stopped", "killed in the claim", "killed after the claim"} {
		t.Run(how, func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				j := b.job("news", at("30 * * * *"))
				var want []string
				for hour := range 21 {
					begins := b.restartAround(how, hour, j)
					want = append(want, fmt.Sprintf("01 %02d:%s news slot 01 %02d:30", hour, time.Time{}.Add(begins).Format("04:05"), hour))
				}
				b.require(want...)
				if got := b.load(j); got.Runs != 21 {
					t.Errorf("%d runs are recorded", got.Runs)
				}
			})
		})
	}
}

func TestMissedSlots(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		missed   cron.Missed
		schedule string
		off      time.Duration
		want     []string
	}{
		{"skip", cron.Skip, "0 * * * *", 5*time.Hour + 30*time.Minute, []string{"01 06:00:00 job slot 01 06:00"}},
		{"skip, and the last one is hardly late", cron.Skip, "0 * * * *", 5*time.Hour + time.Minute, []string{"01 05:01:00 job slot 01 05:00", "01 06:00:00 job slot 01 06:00"}},
		{"once", cron.Once, "0 * * * *", 5*time.Hour + 30*time.Minute, []string{"01 05:30:00 job slot 01 05:00 of 5", "01 06:00:00 job slot 01 06:00"}},
		{"once, for one", cron.Once, "0 * * * *", 90 * time.Minute, []string{"01 01:30:00 job slot 01 01:00 of 1", "01 02:00:00 job slot 01 02:00"}},
		{"once, and the last one is hardly late", cron.Once, "0 * * * *", 5*time.Hour + time.Minute, []string{"01 05:01:00 job slot 01 05:00", "01 06:00:00 job slot 01 06:00"}},
		{"once, for many", cron.Once, "* * * * *", 48*time.Hour + 59*time.Second, []string{"03 00:00:59 job slot 03 00:00", "03 00:01:00 job slot 03 00:01"}},
		{"once, for many hours", cron.Once, "0 * * * *", 48*time.Hour + 30*time.Minute, []string{"03 00:30:00 job slot 03 00:00 of 24 and more", "03 01:00:00 job slot 03 01:00"}},
		{"all", cron.All, "0 * * * *", 3*time.Hour + 30*time.Minute, []string{
			"01 03:30:00 job slot 01 01:00 of 1", "01 03:30:00 job slot 01 02:00 of 1", "01 03:30:00 job slot 01 03:00 of 1", "01 04:00:00 job slot 01 04:00"}},
		{"nothing", cron.All, "0 * * * *", 30 * time.Minute, []string{"01 01:00:00 job slot 01 01:00"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				b.job("job", at(tt.schedule), onMiss(tt.missed))
				b.pass(tt.off)
				unit := time.Hour
				if tt.schedule == "* * * * *" {
					unit = time.Minute
				}
				b.during(time.Until(time.Now().Truncate(unit).Add(unit))) // until the next slot
				b.require(tt.want...)
			})
		})
	}
}

// TestCatchingUpIsBounded: of a thousand missed slots, the last ones are run, one after the other. The first run knows of the others.
func TestCatchingUpIsBounded(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.job("job", at("0 * * * *"), onMiss(cron.All))
		b.pass(1000*time.Hour + 30*time.Minute)
		b.slow = true
		defer b.run()()
		for n := range 24 {
			b.mu.Lock()
			if len(b.begun) != n+1 {
				t.Fatalf("%d runs have begun, want %d", len(b.begun), n+1)
			}
			f := b.begun[n]
			b.mu.Unlock()
			want, left := time.Now().Truncate(time.Hour).Add(time.Duration(n-23)*time.Hour), 0
			if n == 0 {
				left = 976
			}
			if !f.Slot.Equal(want) || f.Left != left || n == 0 && !f.Since.Equal(want.Add(-976*time.Hour)) {
				t.Errorf("run %d is for %v, with %d left out since %v, want %v and %d", n, f.Slot, f.Left, f.Since, want, left)
			}
			b.finish(cron.Outcome{})
		}
		if len(b.begun) != 24 {
			t.Errorf("%d runs", len(b.begun))
		}
	})
}

func TestAPausedPeriodIsNotCaughtUp(t *testing.T) {
	t.Parallel()
	for _, m := range []cron.Missed{cron.Once, cron.All} {
		t.Run(string(m), func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				defer b.run()()
				j := b.job("job", at("0 * * * *"), onMiss(m))
				b.change(j, paused(true))
				b.pass(10 * time.Hour)
				if got := b.load(j); !got.Next.IsZero() {
					t.Errorf("next = %v", got.Next)
				}
				j = b.change(j, paused(false))
				if want := time.Now().Add(time.Hour); !j.Next.Equal(want) {
					t.Errorf("next = %v, want %v", j.Next, want)
				}
				b.pass(time.Hour)
				b.require("01 11:00:00 job slot 01 11:00")
			})
		})
	}
}

// TestAnUpdateOfAPausedJobDoesNotStartIt: D5 of the specification.
func TestAnUpdateOfAPausedJobDoesNotStartIt(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		defer b.run()()
		j := b.job("job")
		b.change(j, paused(true))
		j = b.change(j, func(j *cron.Job) error { j.Schedule, j.Prompt = "every 5 minutes", "look again"; return nil })
		if !j.Paused || !j.Next.IsZero() || j.Schedule != "*/5 * * * *" {
			t.Errorf("got %+v", j)
		}
		b.pass(24 * time.Hour)
		b.require()
		b.change(j, paused(false))
		b.pass(5 * time.Minute)
		b.require("02 00:05:00 job slot 02 00:05")
	})
}

func TestATickDuringARunIsSkipped(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.slow = true
		defer b.run()()
		b.job("job", at("0 * * * *"))
		b.pass(3*time.Hour + 30*time.Minute)
		b.require("01 01:00:00 job slot 01 01:00")
		b.finish(cron.Outcome{})
		b.pass(20 * time.Minute)
		b.require()
		b.pass(10 * time.Minute)
		b.require("01 04:00:00 job slot 01 04:00")
	})
}

// TestALeftOutSlotIsListed: people find it among the runs, and a wrong clock that has left it out does not keep its run from being recorded.
func TestALeftOutSlotIsListed(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		j := b.job("job", at("0 * * * *"), onMiss(cron.Skip))
		stop := b.run()
		b.skew.Store(int64(48*time.Hour + 30*time.Minute)) // as if the machine had slept
		b.pass(time.Minute)
		stop()
		b.require()
		past, err := b.Past(t.Context(), j.ID, 5)
		b.must(err)
		if len(past) != 1 || past[0].Status != cron.LeftOut || past[0].Error != "missed" || past[0].Slot.UTC().Format("02 15:04") != "03 00:00" {
			t.Errorf("past runs: %+v", past)
		}
		if got := b.load(j); got.Runs != 0 {
			t.Errorf("%d runs are counted", got.Runs)
		}

		b.skew.Store(0)
		b.during(49 * time.Hour)
		if got := b.load(j); got.Runs != 49 || got.Last != cron.Success {
			t.Errorf("%d runs, the last: %s", got.Runs, got.Last)
		}
	})
}

// TestMissedSlotsWaitForAResumedRun: the run before was interrupted by the restart, and is resumed when the engine looks for missed slots.
func TestMissedSlotsWaitForAResumedRun(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.slow = true
		b.job("job", at("0 * * * *"))
		b.during(time.Hour)
		b.require("01 01:00:00 job slot 01 01:00")
		b.pass(150 * time.Minute)
		defer b.run()()
		b.pass(5 * time.Minute)
		b.require()
		b.finish(cron.Outcome{})
		b.require("01 03:35:00 job slot 01 03:00 of 2")
	})
}

// TestAskedRunsCoalesce: a job that is running runs once more, however often that is asked for, and at once when it can.
func TestAskedRunsCoalesce(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.slow = true
		defer b.run()()
		j := b.job("job")
		up := b.job("up", byHand, then(j.ID))
		b.trigger(j, "a")
		b.require("01 00:00:00 job manual 01 00:00")
		b.pass(time.Second)
		b.trigger(j, "b")
		b.trigger(j, "c")
		b.trigger(up, "d")
		b.require("01 00:00:01 up manual 01 00:00")
		first := b.begun[0]
		b.finish(cron.Outcome{}) // which leads to the job
		b.pass(time.Hour)
		b.require()
		b.end(first, cron.Outcome{})
		synctest.Wait()
		b.require("01 01:00:01 job chain 01 00:00")
		b.finish(cron.Outcome{})
		b.pass(time.Hour)
		b.require()
	})
}

// TestAnAskedRunTakesNoSlot: a slot that is due at the same time as a run that was asked for comes first, since it would be skipped during that.
func TestAnAskedRunTakesNoSlot(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		j := b.job("job", at("0 * * * *"))
		b.pass(90 * time.Minute)
		b.trigger(j, "a")
		b.slow = true
		defer b.run()()
		b.require("01 01:30:00 job slot 01 01:00 of 1")
		b.finish(cron.Outcome{})
		b.require("01 01:30:00 job manual 01 01:30")
	})
}

// TestARerunIsDroppedWithItsJob: D6 of the specification. A paused job can be triggered, but what waited before that is dropped.
func TestARerunIsDroppedWithItsJob(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"paused", "deleted"} {
		t.Run(how, func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				b.slow = true
				defer b.run()()
				j := b.job("job")
				b.trigger(j, "a")
				b.pass(time.Second)
				b.trigger(j, "b")
				if how == "paused" {
					b.change(j, paused(true))
				} else if _, err := b.Delete(t.Context(), j.Guild, j.ID); err != nil {
					t.Fatal(err)
				}
				b.finish(cron.Outcome{Status: cron.Canceled})
				b.pass(48 * time.Hour)
				b.require("01 00:00:00 job manual 01 00:00")
				if how == "paused" {
					b.trigger(j, "c")
					b.change(j, func(j *cron.Job) error { j.Prompt = "other words"; return nil })
					b.require("03 00:00:01 job manual 03 00:00")
				}
			})
		})
	}
}

// TestAnUpdateOfAPausedJobKeepsItsTrigger: only pausing drops what waits.
func TestAnUpdateOfAPausedJobKeepsItsTrigger(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		j := b.job("job")
		b.change(j, paused(true))
		b.trigger(j, "a")
		b.change(j, func(j *cron.Job) error { j.Prompt = "other words"; return nil })
		b.during(time.Second)
		b.require("01 00:00:00 job manual 01 00:00")
	})
}

// TestARunIsClaimedOnce: by one of two engines, and by one of two deliveries.
func TestARunIsClaimedOnce(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.holds = true
		other := b.engine()
		j := b.job("job", at("0 1 * * *"))
		b.trigger(b.job("hand", byHand), "a")
		b.during(time.Hour)
		if len(b.offered) != 2 {
			t.Fatalf("offered %v", b.offered)
		}
		for _, f := range b.offered {
			for i, e := range []*cron.Engine{other, b.Engine, other} {
				if ours := b.claim(t.Context(), e, f); ours != (i == 0) {
					t.Errorf("claim %d of %s: %v", i, f.ID(), ours)
				}
			}
		}
		if got := b.load(j); got.Runs != 1 || !got.Next.Equal(time.Now().Add(24*time.Hour)) {
			t.Errorf("got %+v", got)
		}
	})
}

// TestAClaimLooksAgain: what was delivered is not due any more when the job was paused, deleted or given other times meanwhile.
func TestAClaimLooksAgain(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*bench, cron.Job){
		"paused":  func(b *bench, j cron.Job) { b.change(j, paused(true)) },
		"resumed": func(b *bench, j cron.Job) { b.change(j, paused(true)); b.change(j, paused(false)) },
		"other times": func(b *bench, j cron.Job) {
			b.change(j, func(j *cron.Job) error { j.Schedule = "0 8 * * *"; return nil })
		},
		"deleted": func(b *bench, j cron.Job) { _, err := b.Delete(b.t.Context(), j.Guild, j.ID); b.must(err) },
		"running": func(b *bench, j cron.Job) {
			b.slow = true
			b.trigger(j, "x")
			b.claim(b.t.Context(), b.Engine, cron.Fire{Job: j.ID, Name: "x", Why: cron.Manual, Slot: time.Now()})
		},
	} {
		t.Run(name, func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				b.holds = true
				j := b.job("job", at("0 1 * * *"))
				b.during(time.Hour)
				change(b, j)
				if b.claim(t.Context(), b.Engine, b.offered[0]) {
					t.Error("claimed")
				}
			})
		})
	}
}

// TestAFailedClaimIsRepeatedAfterAWhile: the disk is full for ten minutes. The engine tries again, but not all the time.
func TestAFailedClaimIsRepeatedAfterAWhile(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.job("job", at("0 1 * * *"))
		b.dies = func() error { return errors.New("full") }
		defer b.run()()
		b.pass(70 * time.Minute)
		b.mu.Lock()
		n := len(b.offered)
		b.dies = nil
		b.mu.Unlock()
		if n < 5 || n > 15 {
			t.Errorf("offered %d times in ten minutes", n)
		}
		b.pass(time.Minute)
		if len(b.runs) != 1 || !strings.Contains(b.runs[0], "job slot 01 01:00 of 1") {
			t.Errorf("got %q", b.runs)
		}
	})
}

// TestAWrongClock: the slots of a job run once, whatever the clock shows meanwhile.
func TestAWrongClock(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour
	for _, tt := range []struct {
		name string
		skew []time.Duration // for an hour each, from 01:10:30 on
		want []string
	}{
		{"set back, so that it shows the time of a slot again", []time.Duration{-45 * time.Minute}, nil},
		{"set back by a year", []time.Duration{-year}, []string{"01 01:30:00 job slot 01 01:30", "01 02:00:00 job slot 01 02:00"}},
		{"set forward by a year, and back", []time.Duration{year, 0}, []string{
			"31 01:10:30 job slot 31 01:00 of 24 and more", "31 01:30:00 job slot 31 01:30", "31 02:00:00 job slot 31 02:00", "01 02:30:00 job slot 01 02:30", "01 03:00:00 job slot 01 03:00"}},
		{"set forward by an hour", []time.Duration{time.Hour}, []string{"01 02:10:30 job slot 01 02:00 of 2", "01 02:30:00 job slot 01 02:30", "01 03:00:00 job slot 01 03:00"}},
	} {
		for _, restarts := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restart: %v", tt.name, restarts), func(t *testing.T) {
				onBench(t, func(t *testing.T, b *bench) {
					b.job("job", at("*/30 * * * *"))
					stop := b.run()
					b.pass(70*time.Minute + 30*time.Second)
					b.require("01 00:30:00 job slot 01 00:30", "01 01:00:00 job slot 01 01:00")
					for _, skew := range tt.skew {
						if restarts {
							stop()
						}
						b.skew.Store(int64(skew))
						if restarts {
							stop = b.run()
						}
						b.pass(time.Hour)
					}
					stop()
					// A running engine looks at the full minute.
					got := strings.ReplaceAll(strings.Join(b.runs, "\n"), ":11:00", ":10:30")
					if want := strings.Join(tt.want, "\n"); got != want {
						t.Errorf("got\n%s\nwant\n%s", got, want)
					}
				})
			})
		}
	}
}

// TestAJobThatRanInTheFuture and was paused until the clock was set back runs again when it is resumed.
func TestAJobThatRanInTheFuture(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.skew.Store(int64(365 * 24 * time.Hour))
		stop := b.run()
		j := b.job("job", at("*/30 * * * *"))
		b.pass(40 * time.Minute)
		b.require("31 00:30:00 job slot 31 00:30")
		b.change(j, paused(true))
		stop()
		b.skew.Store(0)
		defer b.run()()
		b.change(j, paused(false))
		b.pass(30 * time.Minute)
		b.require("01 01:00:00 job slot 01 01:00")
	})
}

// TestARestoredCopyRunsNoSlotTwice: what was due since it was made may have run then, and what waited as well.
func TestARestoredCopyRunsNoSlotTwice(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.job("job", at("0 * * * *"))
		b.trigger(b.job("hand", byHand), "a")
		b.job("later", at("30 1 * * *"))
		b.job("once", at("2000-01-01 01:03"))
		copied := filepath.Join(t.TempDir(), "copy.db")
		if _, err := b.db.ExecContext(t.Context(), "VACUUM INTO '"+copied+"'"); err != nil {
			t.Fatal(err)
		}
		b.during(65 * time.Minute)
		b.require("01 00:00:00 hand manual 01 00:00", "01 01:00:00 job slot 01 01:00", "01 01:03:00 once slot 01 01:03")
		b.must(b.db.Close())
		b.path = copied
		b.open()
		b.must(b.db.Adopt(t.Context()))
		b.during(time.Hour)
		b.require("01 01:30:00 later slot 01 01:30", "01 02:00:00 job slot 01 02:00")
	})
}

// TestASlotOfOtherRules: the next slot was computed when its time zone had other rules.
func TestASlotOfOtherRules(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.job("job", onMiss(cron.All))
		if _, err := b.db.ExecContext(t.Context(), "UPDATE crons SET next = next + 1800000000"); err != nil {
			t.Fatal(err)
		}
		b.pass(30*time.Hour + 55*time.Minute)
		b.during(10 * time.Minute)
		b.require("02 06:55:00 job slot 01 07:30 of 1", "02 07:00:00 job slot 02 07:00")
	})
}

// TestATimeZoneHasAName: a job whose zone is that of the machine would run at other times on another.
func TestATimeZoneHasAName(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		for _, zone := range []string{"", "Local"} {
			if j := b.job("job", func(j *cron.Job) { j.Zone = zone }); j.Zone != "UTC" {
				t.Errorf("%q is stored as %q", zone, j.Zone)
			}
			b.Zone = time.Local // which has no name if it is that of a machine
			if time.Local.String() != "Local" {
				b.Zone = time.FixedZone("/etc/zone", 3600)
			}
			_, err := b.Create(t.Context(), cron.Job{Definition: cron.Definition{Name: "job", Schedule: "0 7 * * *", Zone: zone, Prompt: "look"}})
			b.refuses(err, "say which one the job has")
			b.Zone = time.UTC
		}
	})
}
