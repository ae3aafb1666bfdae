// Package spend records what the calls of models cost, and refuses calls that could cost more than the operator
// allows.
//
// [Book.Priced] puts a runtime behind a [Book]. With a ceiling, the answer of each call has a limit. The call is written down
// with an estimate before it is made, so that a crash hides nothing, and with what it did cost afterwards; while other
// calls might still use up the rest, it waits for them (claim.go). Without a ceiling, it is recorded when it is over,
// together with others, since the reply should not wait for the disk.
package spend

import (
	"cmp"
	"context"
	"log/slog"
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

// A Book has the records. It is safe for concurrent use, as soon as its database is open.
type Book struct {
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
func New(db *store.DB, o Options) *Book {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Zone = cmp.Or(o.Zone, time.UTC)
	if o.Now == nil {
		o.Now = time.Now
	}
	db.Retain("spending", "at", Retention)
	return &Book{Options: o, rows: rows{db}, added: make(chan struct{}, 1), changed: make(chan struct{})}
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
}

func (b *Book) entry(p llm.Payer, asked llm.Choice) entry {
	now := b.Now()
	return entry{at: now, day: b.day(now), payer: p, asked: asked}
}

func (b *Book) day(t time.Time) string { return t.In(b.Zone).Format(time.DateOnly) }

// settle ends a claim and puts its entry into the queue of Run.
func (b *Book) settle(c *claim) {
	b.mu.Lock()
	b.pending = append(b.pending, c.entry)
	b.drop(c)
	b.mu.Unlock()
	sleep.Wake(b.added)
}

// groupTime is how long entries wait for others, so that they are written together.
const groupTime = 2 * time.Second

// Run writes entries down until ctx ends.
func (b *Book) Run(ctx context.Context) {
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
func (b *Book) flush(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.write(ctx)
}

// write is flush under the lock.
func (b *Book) write(ctx context.Context) error {
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
