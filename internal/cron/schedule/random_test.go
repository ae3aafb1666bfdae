package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
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
