package cron_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/cron"
	"discoclaw/internal/cron/schedule"
)

// randomLimits is a schedule with random limits, of which most days are left out.
func randomLimits(r *rand.Rand) string {
	day := func(days int) string {
		return time.Date(2000, 1, 1+r.IntN(days), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	text := []string{"30 9 * * *", "0 */6 * * *", "15 8 * * 1,4", "0 12 1-20 * *"}[r.IntN(4)] +
		[]string{"", " every 2 days", " every 3 days", " every 2 weeks", " every 2 months"}[r.IntN(5)]
	if r.IntN(5) == 0 {
		text = fmt.Sprintf("@every %dm", 300+r.IntN(2000))
	}
	if r.IntN(2) == 0 {
		text += " from " + day(10)
	}
	if r.IntN(2) == 0 {
		text += " until " + day(30)
	}
	return text + " skip " + day(40) + "," + day(40) + "," + day(40)
}

// TestEachTimeThatIsNotLeftOutIsRunOnce: whenever the bot is restarted, and however long it was away. A date that is left out is no
// missed one.
func TestEachTimeThatIsNotLeftOutIsRunOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			onBench(t, func(t *testing.T, b *bench) {
				r := rand.New(rand.NewPCG(seed, 7))
				begin := time.Now()
				jobs := map[string]cron.Job{}
				for len(jobs) < 12 {
					def := cron.Definition{Name: fmt.Sprint("job ", len(jobs)), Schedule: randomLimits(r), Channel: "2", Prompt: "look", Missed: cron.All}
					j, err := b.Create(t.Context(), cron.Job{Guild: "1", Author: "3", Definition: def})
					if err == nil {
						jobs[j.ID] = j
					} else if !strings.Contains(err.Error(), "would not run any more") && !strings.Contains(err.Error(), "would never fire") &&
						!strings.Contains(err.Error(), "is before the first") {
						t.Fatalf("%s: %v", def.Schedule, err)
					}
				}
				for time.Since(begin) < 40*24*time.Hour {
					stop := b.run()
					b.pass(time.Duration(r.Int64N(int64(50 * time.Hour))).Truncate(time.Second))
					stop()
					b.must(b.db.Close())
					b.open()
					if r.IntN(3) == 0 {
						b.pass(time.Duration(r.Int64N(int64(60 * time.Hour))))
					}
				}
				b.during(time.Minute)
				ran := map[string][]time.Time{}
				for _, f := range b.begun {
					ran[f.Job] = append(ran[f.Job], f.Slot)
				}
				for id, j := range jobs {
					s, err := schedule.Parse(j.Schedule, time.Time{})
					b.must(err)
					want, more := s.Missed(begin, time.Now(), time.UTC, 10_000)
					if !slices.EqualFunc(ran[id], want, time.Time.Equal) || more {
						t.Errorf("%s (%s) was run at %v, want %v", j.Name, j.Schedule, ran[id], want)
					}
					b.requireOver(j, s.Next(time.Now(), time.UTC).IsZero())
				}
			})
		})
	}
}

func TestAnEndThatHasPassedIsRefused(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		const passed = "it would not run any more, since it is 2000-01-01 there already (UTC)"
		def := cron.Definition{Name: "late", Schedule: "0 9 * * * until 1999-12-31", Prompt: "look", Channel: "2"}
		_, err := b.Create(t.Context(), cron.Job{Guild: "1", Author: "3", Definition: def})
		b.refuses(err, passed)
		j := b.job("job", at("0 9 * * * until 2000-01-02"))
		_, _, err = b.Update(t.Context(), j.Guild, j.ID, newTime(def.Schedule))
		b.refuses(err, passed)
		b.during(72 * time.Hour)
		b.require("01 09:00:00 job slot 01 09:00", "02 09:00:00 job slot 02 09:00")
		b.requireOver(j, true)
		j = b.change(j, func(j *cron.Job) error { j.Prompt = "look again"; return nil })
		b.requireOver(j, true)
	})
}

// TestACountBeginsOnce: a job whose definition is written again counts on from the same day.
func TestACountBeginsOnce(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		j := b.job("job", at("every second monday at 9"))
		b.pass(10 * 24 * time.Hour)
		after := b.change(j, func(j *cron.Job) error { j.Name = "renamed"; return nil })
		if want := "0 9 * * 1 every 2 weeks from 2000-01-03"; j.Schedule != want || after.Schedule != want || !after.Next.Equal(j.Next) {
			t.Errorf("%q, next %s; then %q, next %s", j.Schedule, j.Next, after.Schedule, after.Next)
		}
	})
}
