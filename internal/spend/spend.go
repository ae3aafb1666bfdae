// Package spend records what the calls of models cost, and refuses calls that could cost more than the operator
// allows.
//
// [Meter.Priced] puts a runtime behind a [Meter]. With a ceiling, the answer of each call has a limit. The call is written down
// with an estimate before it is made, so that a crash hides nothing, and with what it did cost afterwards; while other
// calls might still use up the rest, it waits for them (claim.go). Without a ceiling, it is recorded when it is over,
// together with others, since the reply should not wait for the disk.
package spend

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/models"
	"discoclaw/internal/sleep"
	"discoclaw/internal/store"
)

// Retention is how long records are kept.
const Retention = 400 * 24 * time.Hour

// Ceilings are in US dollars; 0 means none.
type Ceilings struct {
	Day     float64 // of everything, on one day
	UserDay float64 // of one person, on one day
	CronRun float64 // of one run of a scheduled job
}

func (c Ceilings) any() bool { return c != Ceilings{} }

// Options are what a book needs. A nil Now is time.Now, a nil Zone is UTC, and a nil Log discards.
type Options struct {
	Prices   models.Prices
	Ceilings Ceilings
	Now      func() time.Time
	Zone     *time.Location // in which days begin
	Log      *slog.Logger
}

// A Meter has the records. It is safe for concurrent use, as soon as its database is open.
type Meter struct {
	Options
	rows  rows
	added chan struct{} // wakes Run; has room for one

	mu      sync.Mutex
	claims  []*claim         // in the order of their arrival
	changed chan struct{}    // is closed when a claim ends
	pending []entry          // not written yet
	refused map[refusal]bool // of this day
	today   string           // the day of refused
}

// New returns a book over a database, which need not be open yet.
func New(db *store.DB, o Options) *Meter {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Zone = cmp.Or(o.Zone, time.UTC)
	if o.Now == nil {
		o.Now = time.Now
	}
	db.Retain("spending", "at", Retention)
	return &Meter{Options: o, rows: rows{db}, added: make(chan struct{}, 1), changed: make(chan struct{})}
}

// An entry is one call.
type entry struct {
	id    int64 // of the row with its estimate; 0 if there is none
	at    time.Time
	day   string
	payer llm.Payer
	asked llm.Choice
	usage llm.Usage
	usd   *float64 // nil if it is unknown
	void  bool     // the call has cost nothing, and its estimate is to go

	sound      time.Duration // that was recognised
	characters int           // that were spoken
}

func (b *Meter) entry(p llm.Payer, asked llm.Choice) entry {
	now := b.Now()
	return entry{at: now, day: b.day(now), payer: p, asked: asked}
}

func (b *Meter) day(t time.Time) string { return t.In(b.Zone).Format(time.DateOnly) }

// settle ends a claim and puts its entry into the queue of Run.
func (b *Meter) settle(c *claim) {
	b.mu.Lock()
	b.pending = append(b.pending, c.entry)
	b.drop(c)
	b.mu.Unlock()
	sleep.Wake(b.added)
}

// groupTime is how long entries wait for others, so that they are written together.
const groupTime = 2 * time.Second

// Run writes entries down until ctx ends.
func (b *Meter) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
		case <-b.added:
		}
		ended := !sleep.For(ctx, groupTime)
		if err := b.flush(context.WithoutCancel(ctx)); err != nil {
			b.Log.WarnContext(ctx, "cannot record what calls of models cost", "err", err)
		}
		if ended {
			return
		}
	}
}

// flush writes what is pending. After an error it stays so.
func (b *Meter) flush(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.write(ctx)
}

// write is flush under the lock.
func (b *Meter) write(ctx context.Context) error {
	if len(b.pending) == 0 {
		return nil
	}
	if err := b.rows.write(ctx, b.pending); err != nil {
		const most = 10_000 // a disk that stays full must not fill the memory
		if len(b.pending) > most {
			b.pending = b.pending[len(b.pending)-most:]
		}
		return err
	}
	b.pending = nil
	return nil
}

// rows is the table of what was spent.
type rows struct{ db *store.DB }

// spent returns what was spent under a limit, without the rows of calls that are not over.
func (s rows) spent(ctx context.Context, l limit, open []int64) (float64, error) {
	query := "SELECT COALESCE(SUM(usd), 0) FROM spending WHERE " + l.where
	if len(open) > 0 {
		query += " AND id NOT IN (?" + strings.Repeat(", ?", len(open)-1) + ")"
	}
	args := slices.Clone(l.args)
	for _, id := range open {
		args = append(args, id)
	}
	usd, err := store.Value[float64](ctx, s.db, query, args...)
	return usd, store.Plain(err)
}

// reserve writes an estimate down and sets the ID of its row.
func (s rows) reserve(ctx context.Context, e *entry) error {
	return store.Plain(s.db.Tx(ctx, func(tx *store.Tx) (err error) {
		e.id, err = insert(ctx, tx, *e)
		return err
	}))
}

func insert(ctx context.Context, tx *store.Tx, e entry) (int64, error) {
	res, err := tx.ExecContext(ctx, `INSERT INTO spending (at, day, person, channel, job, turn, role, runtime, model, input, cached, output, sound, characters, usd)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.at.UnixMicro(), e.day, e.payer.User, e.payer.Channel, e.payer.Job, e.payer.Turn, e.payer.Role, e.asked.Runtime, e.asked.Model,
		e.usage.Input, e.usage.Cached, e.usage.Output, e.sound.Microseconds(), e.characters, e.usd)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// write writes entries that are over.
func (s rows) write(ctx context.Context, all []entry) error {
	return store.Plain(s.db.Tx(ctx, func(tx *store.Tx) error {
		for _, e := range all {
			var err error
			switch {
			case e.id == 0:
				_, err = insert(ctx, tx, e)
			case e.void:
				_, err = tx.ExecContext(ctx, "DELETE FROM spending WHERE id = ?", e.id)
			default:
				_, err = tx.ExecContext(ctx, "UPDATE spending SET input = ?, cached = ?, output = ?, sound = ?, usd = ? WHERE id = ?",
					e.usage.Input, e.usage.Cached, e.usage.Output, e.sound.Microseconds(), e.usd, e.id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// sums returns what was spent since a day, by a column, or by a constant for all together. The largest come first.
func (s rows) sums(ctx context.Context, column, since, person string) ([]Sum, error) {
	query := `SELECT ` + column + `, COUNT(*), COALESCE(SUM(input), 0), COALESCE(SUM(cached), 0), COALESCE(SUM(output), 0), COALESCE(SUM(usd), 0),
		COUNT(*) - COUNT(usd), COALESCE(SUM(sound), 0), COALESCE(SUM(characters), 0)
		FROM spending WHERE day >= ?`
	args := []any{since}
	if person != "" {
		query, args = query+" AND person = ?", append(args, person)
	}
	list, err := store.All(ctx, s.db, func(row store.Row) (sum Sum, err error) {
		var sound int64
		err = row.Scan(&sum.Of, &sum.Calls, &sum.Input, &sum.Cached, &sum.Output, &sum.USD, &sum.Unpriced, &sound, &sum.Characters)
		sum.Sound = time.Duration(sound) * time.Microsecond
		return sum, err
	}, query+" GROUP BY 1 ORDER BY 6 DESC, 3 DESC, 1", args...)
	return list, store.Plain(err)
}

// A Sum is what calls have cost together.
type Sum struct {
	Of                    string // the person, channel, job, role or model; empty for the bot's own work
	Calls                 int
	Input, Cached, Output int64 // tokens
	USD                   float64
	Unpriced              int           // calls whose price is not known
	Sound                 time.Duration // that was recognised
	Characters            int64         // that were spoken
}

// A Report has the sums of a time.
type Report struct {
	Since                                 string // the first day, as in 2026-11-16
	Total                                 Sum
	People, Channels, Jobs, Roles, Models []Sum
}

// Report sums up the last days, this one included.
func (b *Meter) Report(ctx context.Context, days int) (Report, error) {
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
func (b *Meter) Of(ctx context.Context, person string, days int) (Sum, error) {
	if err := b.flush(ctx); err != nil {
		return Sum{}, err
	}
	list, err := b.rows.sums(ctx, "''", b.since(days), person)
	if err != nil || len(list) == 0 {
		return Sum{}, err
	}
	return list[0], nil
}

func (b *Meter) since(days int) string {
	return b.Now().In(b.Zone).AddDate(0, 0, 1-days).Format(time.DateOnly)
}

// Amount is the sum in a sentence: "$0.02".
func (s Sum) Amount() string {
	switch {
	case s.Calls == 0:
		return "nothing"
	case s.Unpriced == s.Calls:
		return "an unknown amount"
	case s.Unpriced > 0:
		return "at least " + Dollars(s.USD) // not every price is known
	}
	return Dollars(s.USD)
}

// String describes the sum with what it is made of.
func (s Sum) String() string {
	calls := "1 call"
	if s.Calls != 1 {
		calls = fmt.Sprintf("%d calls", s.Calls)
	}
	if s.Calls == 0 {
		return s.Amount()
	}
	made := []string{calls}
	if s.Input+s.Output > 0 || s.Sound == 0 && s.Characters == 0 {
		made = append(made, s.tokens())
	}
	if s.Sound > 0 {
		made = append(made, length(s.Sound)+" heard")
	}
	if s.Characters > 0 {
		made = append(made, thousands(s.Characters)+" characters spoken")
	}
	return fmt.Sprintf("%s (%s)", s.Amount(), strings.Join(made, ", "))
}

// tokens says how many there were, and which share of the input the vendors had in their caches.
func (s Sum) tokens() string {
	text := fmt.Sprintf("%s tokens in", thousands(s.Input))
	if s.Input > 0 {
		text += fmt.Sprintf(", %d %% of them cached", 100*s.Cached/s.Input)
	}
	return text + fmt.Sprintf(", %s out", thousands(s.Output))
}

func length(sound time.Duration) string {
	if sound < time.Minute {
		return fmt.Sprintf("%.0f s", sound.Seconds())
	}
	return fmt.Sprintf("%.1f min", sound.Minutes())
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
