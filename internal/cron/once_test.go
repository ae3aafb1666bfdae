package cron_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/cron"
)

// requireOver requires that a job has or has no time left.
func (b *bench) requireOver(j cron.Job, want bool) {
	b.t.Helper()
	if got := b.load(j); got.Over() != want {
		b.t.Errorf("over is %t (next %v, paused %t), want %t", got.Over(), got.Next, got.Rests(), want)
	}
}

// TestAJobRunsOnce: whatever comes of its run, there is no further one until the job gets a new time.
func TestAJobRunsOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []cron.Status{cron.Success, cron.Failed, cron.Canceled} {
		t.Run(string(status), func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				b.slow = true
				defer b.run()()
				j := b.job("dinner", at("once 2000-01-01T14:00+02:00"))
				if j.Schedule != "2000-01-01 12:00" {
					t.Errorf("stored as %q", j.Schedule)
				}
				b.requireOver(j, false)
				b.pass(12 * time.Hour)
				b.require("01 12:00:00 dinner slot 01 12:00")
				b.finish(cron.Outcome{Status: status})
				b.requireOver(j, true)
				b.change(j, func(j *cron.Job) error { j.Name = "supper"; return nil })
				b.change(j, paused(true))
				b.requireOver(j, false)
				b.change(j, paused(false))
				b.pass(400 * 24 * time.Hour)
				b.require()
				b.requireOver(j, true)

				b.change(j, newTime("2001-02-05 12:00"))
				b.requireOver(j, false)
				b.pass(24 * time.Hour)
				b.require("05 12:00:00 supper slot 05 12:00")
				b.finish(cron.Outcome{})
				b.requireOver(j, true)
			})
		})
	}
}

func newTime(schedule string) func(*cron.Job) error {
	return func(j *cron.Job) error { j.Schedule = schedule; return nil }
}

// TestATimeThatHasPassedIsRefused: for a new job and for a new time, but a job that is over can still be changed, and a request that is
// repeated after the job's time returns the job that it has made.
func TestATimeThatHasPassedIsRefused(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		const passed = "1999-12-31 23:59 (UTC) has passed, since it is 2000-01-01 00:00 there"
		def := cron.Definition{Name: "late", Schedule: "1999-12-31 23:59", Prompt: "look", Channel: "2"}
		_, err := b.Create(t.Context(), cron.Job{Guild: "1", Author: "3", Definition: def})
		b.refuses(err, passed)
		def.Schedule = "2000-01-01 00:00"
		_, err = b.Create(t.Context(), cron.Job{Guild: "1", Author: "3", Definition: def})
		b.refuses(err, "has passed")

		j := b.job("job")
		_, _, err = b.Update(t.Context(), j.Guild, j.ID, newTime("1999-12-31 23:59"))
		b.refuses(err, passed)

		asked := func(j *cron.Job) { j.Schedule, j.Dedupe = "2000-01-01 00:01", "turn/1" }
		once := b.job("once", asked)
		b.during(2 * time.Minute)
		b.require("01 00:01:00 once slot 01 00:01")
		if again := b.job("once", asked); again.ID != once.ID {
			t.Errorf("the repeated request made %s, and the first one %s", again.ID, once.ID)
		}
		once = b.change(once, func(j *cron.Job) error { j.Prompt = "look again"; return nil })
		_, _, err = b.Update(t.Context(), once.Guild, once.ID, func(j *cron.Job) error { j.Zone = "Asia/Tokyo"; return nil })
		b.refuses(err, "2000-01-01 00:01 (Asia/Tokyo) has passed")
		b.requireOver(once, true)
	})
}

// TestAJobThatRunsOnceIsRunOnceWhenTheBotRestartsAroundIt: the process is replaced in each second around its time, and is killed in the
// claim, or between the claim and the end of the run.
func TestAJobThatRunsOnceIsRunOnceWhenTheBotRestartsAroundIt(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"stopped", "killed in the claim", "killed after the claim"} {
		t.Run(how, func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				for hour := range 21 {
					name := fmt.Sprint("job ", hour)
					j := b.job(name, func(j *cron.Job) { j.Schedule = fmt.Sprintf("2000-01-01 %02d:30", hour) })
					begins := b.restartAround(how, hour, j)
					b.require(fmt.Sprintf("01 %02d:%s %s slot 01 %02d:30", hour, time.Time{}.Add(begins).Format("04:05"), name, hour))
					b.requireOver(j, true)
					if got := b.load(j); got.Runs != 1 {
						t.Errorf("%d runs of %s are recorded", got.Runs, name)
					}
				}
			})
		})
	}
}

func TestAMissedTimeOfAJobThatRunsOnce(t *testing.T) {
	t.Parallel()
	for policy, want := range map[cron.Missed][]string{
		cron.Skip: nil,
		cron.Once: {"01 05:30:00 job slot 01 01:00 of 1"},
		cron.All:  {"01 05:30:00 job slot 01 01:00 of 1"},
	} {
		t.Run(string(policy), func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				j := b.job("job", at("2000-01-01 01:00"), onMiss(policy))
				b.pass(5*time.Hour + 30*time.Minute)
				b.requireOver(j, false)
				b.during(48 * time.Hour)
				b.require(want...)
				b.requireOver(j, true)
				past, err := b.Past(t.Context(), j.ID, 5)
				b.must(err)
				if len(past) != 1 || (past[0].Status == cron.LeftOut) != (policy == cron.Skip) {
					t.Errorf("past runs: %+v", past)
				}
			})
		})
	}
}

// TestTheOnlyTimeWaitsForARunThatWasAskedFor: of a job that runs again and again it would be left out.
func TestTheOnlyTimeWaitsForARunThatWasAskedFor(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.slow = true
		defer b.run()()
		j := b.job("job", at("2000-01-01 01:00"))
		b.pass(59*time.Minute + 50*time.Second)
		b.trigger(j, "a")
		b.require("01 00:59:50 job manual 01 00:59")
		b.pass(30 * time.Second)
		b.require()
		b.finish(cron.Outcome{})
		b.require("01 01:00:20 job slot 01 01:00")
		b.finish(cron.Outcome{})
		b.pass(time.Hour)
		b.require()
	})
}

// TestAClockThatIsSetBackRepeatsNoSingleRun: also when the job is paused and resumed before its time comes a second time.
func TestAClockThatIsSetBackRepeatsNoSingleRun(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		defer b.run()()
		j := b.job("job", at("2000-01-01 01:00"))
		b.pass(time.Hour)
		b.require("01 01:00:00 job slot 01 01:00")
		b.skew.Store(-int64(30 * time.Minute))
		b.pass(5 * time.Minute)
		b.change(j, paused(true))
		b.change(j, paused(false))
		b.pass(2 * time.Hour)
		b.require()
		b.requireOver(j, true)
	})
}

// TestJobsThatAreOverMakeRoom: people who ask for single runs need not delete them, and no other job goes.
func TestJobsThatAreOverMakeRoom(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.job("of another", at("2000-01-01 00:01"), func(j *cron.Job) { j.Author = "4" })
		second := b.job("second", at("2000-01-01 00:03"))
		first := b.job("first", at("2000-01-01 00:02"))
		daily := b.job("daily", then(first.ID))
		for range cron.MaxOwn - 3 {
			b.job("by hand", byHand)
		}
		b.during(5 * time.Minute)
		b.job("one more", at("2000-01-02 00:00"))
		if _, err := b.ByID(t.Context(), first.ID); !errors.Is(err, cron.ErrNotFound) {
			t.Errorf("the job that was over first: %v", err)
		}
		if got := b.load(daily); len(got.Chain) > 0 {
			t.Errorf("it leads to %v", got.Chain)
		}

		b.trigger(second, "a")
		b.slow = true
		stop := b.run()
		synctest.Wait()
		_, err := b.Create(t.Context(), daily)
		b.refuses(err, "you have 25 scheduled jobs here already") // the other one is running
		b.finish(cron.Outcome{})
		stop()
		b.job("and one more", at("2000-01-02 00:00"))
		if _, err := b.ByID(t.Context(), second.ID); !errors.Is(err, cron.ErrNotFound) {
			t.Errorf("the job that was over next: %v", err)
		}
		_, err = b.Create(t.Context(), daily)
		b.refuses(err, "you have 25 scheduled jobs here already")
	})
}

// TestASingleTimeOfOtherRules: its zone's clocks were put back for good after the job was made, so that they show its time once more.
func TestASingleTimeOfOtherRules(t *testing.T) {
	t.Parallel()
	for _, policy := range []cron.Missed{cron.Once, cron.All} {
		t.Run(string(policy), func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				j := b.job("job", at("2000-01-01 07:00"), onMiss(policy))
				if _, err := b.db.ExecContext(t.Context(), "UPDATE crons SET next = next - 1800000000"); err != nil {
					t.Fatal(err)
				}
				b.pass(6*time.Hour + 35*time.Minute)
				b.during(time.Hour)
				b.require("01 06:35:00 job slot 01 06:30 of 1")
				b.requireOver(j, true)
			})
		})
	}
}
