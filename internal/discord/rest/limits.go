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
	// perSecond is how many requests are sent in any second. Discord allows 50; fewer, because
	// the network can push two seconds' requests together.
	perSecond = 42
	// perBurst is how many of them are sent at once, so that they do not arrive as one burst at
	// the end of a second and another at the beginning of the next.
	perBurst = 11
	burst    = 250 * time.Millisecond
	// maxWait is how long a request waits for a rate limit. Beyond that, people are better
	// served by an error that says when to try again.
	maxWait = 30 * time.Second
	// blindWait is how long to wait after a 429 without a time.
	blindWait = 5 * time.Second
)

// limits keep the bot within Discord's rate limits.
//
// Requests with the same rate limit share a lane; see Request.lane. A lane lets one request
// through at a time, in the order they came, which also keeps messages to a channel in
// order. No mutex is held during a wait.
type limits struct {
	mu     sync.Mutex
	lanes  map[string]*lane
	recent []time.Time // when the latest requests were sent, oldest first, at most perSecond
	paused time.Time   // end of the global rate limit
}

type lane struct {
	busy    bool
	waiting []chan struct{} // closed when it is their turn
	opens   time.Time       // end of the rate limit of this lane
}

func newLimits() *limits { return &limits{lanes: map[string]*lane{}} }

// tooLong is the error for a wait beyond maxWait.
type tooLong struct{ wait time.Duration }

func (tooLong) Error() string { return "Discord asks for a long pause" }

// InTurn is a lock by name, for work of several requests. The caller must call leave afterwards.
func (c *Client) InTurn(ctx context.Context, name string) (leave func(), err error) {
	if err := c.limits.enter(ctx, name); err != nil {
		return nil, err
	}
	return func() { c.limits.leave(name) }, nil
}

// enter waits until the caller has the lane. It must call leave afterwards.
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

// giveUp removes a waiting caller from the queue. If its turn came at the same moment, the next
// one gets it.
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

// leave passes the lane to the next in line, and drops lanes that are unused and not rate
// limited.
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

// pace waits until a request may be sent on a lane that the caller has. Answers to interactions
// do not count towards the limit per second, by Discord's documentation, and have no time to
// lose.
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

// reserve records that a request is sent now, or returns how long to wait before calling it
// again.
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

// fullFor returns how long it takes until fewer than n requests were sent within a time.
func (l *limits) fullFor(n int, within time.Duration, now time.Time) time.Duration {
	if len(l.recent) < n {
		return 0
	}
	return l.recent[len(l.recent)-n].Add(within).Sub(now)
}

// learn takes the rate limits from the headers of a response.
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

// retryAfter returns how long to wait after a 429, and whether the limit is global. A response
// that is not Discord's JSON comes from the network in front of it, which counts by the
// bot's address and not by route.
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

// duration refuses absurd values. The limit of a day also keeps the arithmetic from
// overflowing.
func duration(seconds float64) (time.Duration, bool) {
	if math.IsNaN(seconds) || seconds < 0 {
		return 0, false
	}
	return time.Duration(min(seconds, 24*60*60) * float64(time.Second)), true
}
