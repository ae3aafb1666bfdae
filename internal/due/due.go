// Package due is the loop of everything that happens later, such as reminders and scheduled jobs: [Loop] looks for it when its time has
// come, [Taken] keeps it from being taken twice, and [Retries] are the pauses after failures.
package due

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"discoclaw/internal/sleep"
)

// Poll is how often a sleeping loop compares its time with the clock, so that it notices a machine that slept or a clock that was set.
// It is also the pause after a look that failed.
const Poll = time.Minute

// A Loop looks for what is due. Its methods are safe for concurrent use.
type Loop struct {
	what  string
	now   func() time.Time
	log   *slog.Logger
	woken chan struct{} // has room for one
}

// NewLoop returns a loop over what is called so in the log.
func NewLoop(what string, now func() time.Time, log *slog.Logger) *Loop {
	return &Loop{what: what, now: now, log: log, woken: make(chan struct{}, 1)}
}

// Wake makes Run look at once, or as soon as it runs.
func (l *Loop) Wake() { sleep.Wake(l.woken) }

// Run calls look at once and whenever it is time, until ctx ends. Look handles what is due, and returns when to look again; zero means
// when the loop is woken. After an error it is called again in a while. If the clock was set back, it is called early.
func (l *Loop) Run(ctx context.Context, look func(context.Context) (next time.Time, err error)) {
	for ctx.Err() == nil {
		began := l.now().Round(0) // wall time, which can be set
		next, err := look(ctx)
		if err != nil && ctx.Err() == nil {
			l.log.ErrorContext(ctx, "cannot look for what is due", "what", l.what, "err", err)
			next = l.now().Add(Poll)
		}
		l.sleep(ctx, began, next)
	}
}

func (l *Loop) sleep(ctx context.Context, began, next time.Time) {
	for {
		var alarm <-chan time.Time
		if !next.IsZero() {
			alarm = time.After(min(Poll, next.Sub(l.now())))
		}
		select {
		case <-ctx.Done():
			return
		case <-l.woken:
			return
		case <-alarm:
		}
		if now := l.now(); !now.Before(next) || now.Round(0).Before(began) {
			return
		}
	}
}

// Sooner returns the earlier one of two times; zero means never.
func Sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Retries are the pauses of what failed: what is named by a key rests for longer with each failure in a row. They are safe for
// concurrent use.
type Retries[K comparable] struct {
	first, most time.Duration
	now         func() time.Time

	mu    sync.Mutex
	rests map[K]rest
	count int // of rests so far
}

// A rest is a pause.
type rest struct {
	failures int // in a row
	until    time.Time
	number   int // tells it from others
}

// NewRetries returns pauses that double with each failure, from first to most.
func NewRetries[K comparable](first, most time.Duration, now func() time.Time) *Retries[K] {
	return &Retries[K]{first: first, most: most, now: now, rests: map[K]rest{}}
}

// Failed lets a key rest, for longer than the last time.
func (r *Retries[K]) Failed(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	failures := r.rests[key].failures
	r.begin(key, failures+1, min(r.most, r.first<<min(failures, 10)))
}

// RetryAfter lets a key rest without a failure, and forgets earlier ones.
func (r *Retries[K]) RetryAfter(key K, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begin(key, 0, d)
}

// begin lets a key rest. The mutex is held.
func (r *Retries[K]) begin(key K, failures int, d time.Duration) {
	r.count++
	r.rests[key] = rest{failures, r.now().Add(d), r.count}
}

// Until returns until when a key rests, or zero if it does not.
func (r *Retries[K]) Until(key K) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if until := r.rests[key].until; until.After(r.now()) {
		return until
	}
	return time.Time{}
}

// Rests reports whether a key rests.
func (r *Retries[K]) Rests(key K) bool { return !r.Until(key).IsZero() }

// Resting returns the keys that are to be tried again, and whether each still rests.
func (r *Retries[K]) Resting() map[K]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	resting := map[K]bool{}
	for key, p := range r.rests {
		resting[key] = p.until.After(r.now())
	}
	return resting
}

// Succeeded ends the rest of a key.
func (r *Retries[K]) Succeeded(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.rests, key)
}

// Trying returns a function that ends the rest of a key, unless that is another one by then: what it names has changed since.
func (r *Retries[K]) Trying(key K) (succeeded func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.rests[key]
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.rests[key] == before {
			delete(r.rests, key)
		}
	}
}

// Next returns when the first rest ends or has ended, or zero if nothing is to be tried again.
func (r *Retries[K]) Next() (next time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.rests {
		next = Sooner(next, p.until)
	}
	return next
}

// Forget drops the rests that had ended by a time.
func (r *Retries[K]) Forget(by time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, p := range r.rests {
		if !p.until.After(by) {
			delete(r.rests, key)
		}
	}
}

// Taken is the set of keys that are being worked on. Its zero value is empty. It is safe for concurrent use.
type Taken[K comparable] struct {
	mu  sync.Mutex
	out map[K]bool
}

// Take adds a key. It returns false if the key is in the set already.
func (t *Taken[K]) Take(key K) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out[key] {
		return false
	}
	if t.out == nil {
		t.out = map[K]bool{}
	}
	t.out[key] = true
	return true
}

// Release removes a key.
func (t *Taken[K]) Release(key K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.out, key)
}
