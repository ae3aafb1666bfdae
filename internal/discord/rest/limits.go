package rest

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"discoclaw/internal/sleep"
)

const (
	// perSecond is how many requests may leave in any second. Discord allows 50;
	// fewer, because the way there can push two seconds' requests together.
	perSecond = 42
	// perBurst is how many of them may leave in a moment, so that they do not arrive
	// as one crowd at the end of a second and another at the beginning of the next.
	perBurst = 11
	burst    = 250 * time.Millisecond
	// maxWait is how long a request waits because Discord asks for it. Beyond
	// that, people are better served by hearing when to try again.
	maxWait = 30 * time.Second
	// blindWait is how long to wait after "too many requests" without a time.
	blindWait = 5 * time.Second
)

// limits keep the bot within Discord's rate limits.
//
// Requests that Discord counts together share a lane; see request.lane. A lane
// lets one request through at a time, in the order they came, which also keeps
// messages to a channel in order. No lock is held while anything waits.
type limits struct {
	mu     sync.Mutex
	lanes  map[string]*lane
	recent []time.Time // when the latest requests left, oldest first, at most perSecond
	paused time.Time   // until when Discord wants nothing at all
}

type lane struct {
	busy    bool
	waiting []chan struct{} // closed when it is their turn
	opens   time.Time       // until when Discord wants nothing on this lane
}

func newLimits() *limits { return &limits{lanes: map[string]*lane{}} }

// tooLong is the error for a wait beyond maxWait.
type tooLong struct{ wait time.Duration }

func (tooLong) Error() string { return "Discord asks for a long pause" }

// InTurn waits until nobody else does what has this name, for work of several requests. Who calls it calls leave afterwards.
func (c *Client) InTurn(ctx context.Context, name string) (leave func(), err error) {
	if err := c.limits.enter(ctx, name); err != nil {
		return nil, err
	}
	return func() { c.limits.leave(name) }, nil
}

// enter waits until the lane is the caller's, who must call leave afterwards.
func (l *limits) enter(ctx context.Context, name string) error {
	l.mu.Lock()
	ln := l.lanes[name]
	if ln == nil {
		ln = &lane{}
		l.lanes[name] = ln
	}
	if !ln.busy {
		ln.busy = true
		l.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	ln.waiting = append(ln.waiting, turn)
	l.mu.Unlock()

	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		l.giveUp(name, turn)
		return ctx.Err()
	}
}

// giveUp takes a waiting caller out of the queue. If its turn came at the same
// moment, the next one gets it.
func (l *limits) giveUp(name string, turn chan struct{}) {
	l.mu.Lock()
	ln := l.lanes[name]
	if i := slices.Index(ln.waiting, turn); i >= 0 {
		ln.waiting = slices.Delete(ln.waiting, i, i+1)
		l.mu.Unlock()
		return
	}
	l.mu.Unlock()
	l.leave(name)
}

// leave hands the lane to the next in line, and forgets lanes that nobody uses
// and that are not closed.
func (l *limits) leave(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ln := l.lanes[name]
	if len(ln.waiting) > 0 {
		close(ln.waiting[0])
		ln.waiting = ln.waiting[1:]
		return
	}
	ln.busy = false
	now := time.Now()
	for name, ln := range l.lanes {
		if !ln.busy && !ln.opens.After(now) {
			delete(l.lanes, name)
		}
	}
}

// pace waits until a request may leave on a lane that is the caller's. Answers to
// interactions do not count towards the limit per second, says Discord, and have
// no time to lose.
func (l *limits) pace(ctx context.Context, name string, counted bool) error {
	for {
		wait := l.reserve(name, counted)
		switch {
		case wait <= 0:
			return nil
		case wait > maxWait:
			return tooLong{wait}
		}
		if !sleep.For(ctx, wait) {
			return ctx.Err()
		}
	}
}

// reserve notes that a request leaves now, or says how long it has to wait before
// asking again.
func (l *limits) reserve(name string, counted bool) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if wait := l.lanes[name].opens.Sub(now); wait > 0 {
		return wait
	}
	if !counted {
		return 0
	}
	if wait := l.paused.Sub(now); wait > 0 {
		return wait
	}
	if wait := max(l.fullFor(perSecond, time.Second, now), l.fullFor(perBurst, burst, now)); wait > 0 {
		return wait
	}
	l.recent = append(l.recent, now)
	if len(l.recent) > perSecond {
		l.recent = l.recent[1:]
	}
	return 0
}

// fullFor is how long it takes until fewer than n requests have left within a time.
func (l *limits) fullFor(n int, within time.Duration, now time.Time) time.Duration {
	if len(l.recent) < n {
		return 0
	}
	return l.recent[len(l.recent)-n].Add(within).Sub(now)
}

// learn takes from an answer what it says about the time to come.
func (l *limits) learn(name string, a answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	switch {
	case a.limited():
		wait, everywhere := retryAfter(a)
		l.lanes[name].opens = now.Add(wait)
		if everywhere {
			l.paused = now.Add(wait)
		}
	case a.header.Get("X-RateLimit-Remaining") == "0":
		if wait, ok := seconds(a.header.Get("X-RateLimit-Reset-After")); ok {
			l.lanes[name].opens = now.Add(wait)
		}
	}
}

// retryAfter says how long to wait after "too many requests", and whether that
// goes for everything. An answer that is not Discord's JSON comes from the network
// in front of it, which counts by the bot's address and not by route.
func retryAfter(a answer) (wait time.Duration, everywhere bool) {
	var said struct {
		RetryAfter *float64 `json:"retry_after"`
		Global     bool     `json:"global"`
	}
	if json.Unmarshal(a.body, &said) == nil && said.RetryAfter != nil {
		wait, ok := duration(*said.RetryAfter)
		if !ok {
			wait = blindWait
		}
		return wait, said.Global || a.header.Get("X-RateLimit-Scope") == "global"
	}
	if wait, ok := seconds(a.header.Get("Retry-After")); ok {
		return wait, true
	}
	return blindWait, true
}

func seconds(s string) (time.Duration, bool) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, false
	}
	return duration(f)
}

// duration refuses what no server means. The limit of a day also keeps the
// arithmetic from overflowing.
func duration(seconds float64) (time.Duration, bool) {
	if math.IsNaN(seconds) || seconds < 0 {
		return 0, false
	}
	return time.Duration(min(seconds, 24*60*60) * float64(time.Second)), true
}
