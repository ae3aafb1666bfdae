package spend

import (
	"context"
	"fmt"
	"time"
)

// A Sum is what calls have cost together.
type Sum struct {
	Of                    string // the person, channel, job, role or model; empty for the bot's own work
	Calls                 int
	Input, Cached, Output int64 // tokens
	USD                   float64
	Unpriced              int // calls whose price is not known
}

// A Report has the sums of a time.
type Report struct {
	Since                                 string // the first day, as in 2026-11-16
	Total                                 Sum
	People, Channels, Jobs, Roles, Models []Sum
}

// Report sums up the last days, this one included.
func (b *Book) Report(ctx context.Context, days int) (Report, error) {
	if err := b.flush(ctx); err != nil {
		return Report{}, err
	}
	r := Report{Since: b.since(days)}
	var total []Sum
	for _, by := range []struct {
		column string
		into   *[]Sum
	}{{"''", &total}, {"person", &r.People}, {"channel", &r.Channels}, {"job", &r.Jobs}, {"role", &r.Roles}, {"model", &r.Models}} {
		list, err := b.rows.sums(ctx, by.column, r.Since, "")
		if err != nil {
			return Report{}, err
		}
		*by.into = list
	}
	if len(total) > 0 {
		r.Total = total[0]
	}
	return r, nil
}

// Of returns what one person's calls have cost in the last days, this one included.
func (b *Book) Of(ctx context.Context, person string, days int) (Sum, error) {
	if err := b.flush(ctx); err != nil {
		return Sum{}, err
	}
	list, err := b.rows.sums(ctx, "''", b.since(days), person)
	if err != nil || len(list) == 0 {
		return Sum{}, err
	}
	return list[0], nil
}

func (b *Book) since(days int) string {
	return b.Now().In(b.Zone).AddDate(0, 0, 1-days).Format(time.DateOnly)
}

// String describes the sum in a few words.
func (s Sum) String() string {
	amount := Dollars(s.USD)
	switch {
	case s.Calls == 0:
		return "nothing yet"
	case s.Unpriced == s.Calls:
		amount = "price not known"
	case s.Unpriced > 0:
		amount += " and more, since not every price is known"
	}
	calls := "1 call"
	if s.Calls != 1 {
		calls = fmt.Sprintf("%d calls", s.Calls)
	}
	return fmt.Sprintf("%s (%s, %s)", amount, calls, s.tokens())
}

// tokens says how many there were, and which share of the input the vendors had in their caches.
func (s Sum) tokens() string {
	text := fmt.Sprintf("%s tokens in", thousands(s.Input))
	if s.Input > 0 {
		text += fmt.Sprintf(", %d %% of them cached", 100*s.Cached/s.Input)
	}
	return text + fmt.Sprintf(", %s out", thousands(s.Output))
}

func thousands(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f k", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f M", float64(n)/1e6)
}
