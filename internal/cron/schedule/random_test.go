package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"discoclaw/internal/cron/schedule"
)

// randomField writes a field of an expression. Steps of the days from * on are left out: robfig/cron takes a day that
// either field names then, and crontab(5) one that both name.
func randomField(r *rand.Rand, low, high int, days bool) string {
	var items []string
	for range 1 + r.IntN(3) {
		from := low + r.IntN(high-low+1)
		to := from + r.IntN(high-from+1)
		step := 1 + r.IntN(high-low)
		switch kind := r.IntN(8); {
		case kind < 3:
			return "*"
		case kind == 3 && !days:
			return fmt.Sprintf("*/%d", step)
		case kind == 4:
			items = append(items, fmt.Sprintf("%d-%d", from, to))
		case kind == 5:
			items = append(items, fmt.Sprintf("%d-%d/%d", from, to, step))
		default:
			items = append(items, fmt.Sprint(from))
		}
	}
	return strings.Join(items, ",")
}

// TestRandomExpressions compares what random expressions mean with what robfig/cron makes of them, in a zone whose clocks
// stand still, and with their own words.
func TestRandomExpressions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	zone := location(t, "Europe/Berlin")
	understood := 0
	for range 3000 {
		expression := strings.Join([]string{
			randomField(r, 0, 59, false), randomField(r, 0, 23, false), randomField(r, 1, 31, true), randomField(r, 1, 12, false), randomField(r, 0, 6, true),
		}, " ")
		theirs, err := cron.ParseStandard(expression)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2020+r.IntN(20), 1, 1+r.IntN(365), r.IntN(24), r.IntN(60), r.IntN(60), 0, time.UTC)
		if theirs.Next(at).IsZero() {
			continue // there is no such date
		}
		s := parsed(t, expression)
		if requireSameInWords(t, s, at, zone) {
			understood++
		}
		for range 10 {
			got, want := s.Next(at, time.UTC), theirs.Next(at)
			if !got.Equal(want) {
				t.Fatalf("%q after %s: %s, want %s", expression, at, got, want)
			}
			at = want
		}
	}
	if understood < 100 {
		t.Errorf("of 3000 expressions, the words of only %d were understood", understood)
	}
}

// TestRandomLimits compares when schedules with random limits fire with the times that robfig/cron finds for their fields, of which a
// list of days, made by going from one to the next, leaves some.
func TestRandomLimits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	compared := 0
	for range 1000 {
		fields := strings.Join([]string{
			randomField(r, 0, 59, false), randomField(r, 0, 23, false), randomField(r, 1, 31, true), randomField(r, 1, 12, false), randomField(r, 0, 6, true),
		}, " ")
		theirs, err := cron.ParseStandard(fields)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Date(2020+r.IntN(10), 1, 1+r.IntN(365), 0, 0, 0, 0, time.UTC)
		end := begin.AddDate(0, 0, 20+r.IntN(700))
		every, unit := 1+r.IntN(5), []string{"days", "weeks", "months"}[r.IntN(3)]
		text := fmt.Sprintf("%s every %d %s from %s until %s", fields, every, unit, begin.Format(time.DateOnly), end.Format(time.DateOnly))
		text = strings.Replace(text, " every 1 "+unit, "", 1)
		skip := map[string]bool{}
		for i := range r.IntN(4) {
			date := begin.AddDate(0, 0, r.IntN(30)).Format(time.DateOnly)
			text += map[bool]string{true: " skip ", false: ","}[i == 0] + date
			skip[date] = true
		}
		var want []time.Time
		days := countedDays(theirs.Next(begin.Add(-1)), every, unit)
		for at := theirs.Next(begin.Add(-1)); !at.IsZero() && at.Before(end.AddDate(0, 0, 1)) && len(want) < 200; at = theirs.Next(at) {
			if date := at.Format(time.DateOnly); days[date] && !skip[date] {
				want = append(want, at)
			}
		}
		s, err := schedule.Parse(text, begin)
		if err != nil {
			if len(want) > 0 {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		got := s.Upcoming(begin.AddDate(-1, 0, 0), time.UTC, min(len(want)+1, 200))
		if !slices.EqualFunc(got, want, time.Time.Equal) {
			t.Fatalf("%q is %q and fires at %v, want %v", text, s, got, want)
		}
		compared += len(want)
	}
	if compared < 10000 {
		t.Errorf("only %d times were compared", compared)
	}
}

// countedDays are the days of three years that count, if those are counted from a time on.
func countedDays(first time.Time, every int, unit string) map[string]bool {
	set := map[string]bool{}
	begin := time.Date(first.Year(), first.Month(), first.Day(), 0, 0, 0, 0, time.UTC)
	end := begin.AddDate(3, 0, 0)
	for begin.Weekday() != time.Monday && unit == "weeks" {
		begin = begin.AddDate(0, 0, -1)
	}
	if unit == "months" {
		begin = begin.AddDate(0, 0, 1-begin.Day())
	}
	step := map[string][2]int{"days": {0, 1}, "weeks": {0, 7}, "months": {1, 0}}[unit]
	for ; begin.Before(end); begin = begin.AddDate(0, every*step[0], every*step[1]) {
		for day := begin; day.Before(begin.AddDate(0, step[0], step[1])); day = day.AddDate(0, 0, 1) {
			set[day.Format(time.DateOnly)] = true
		}
	}
	return set
}
