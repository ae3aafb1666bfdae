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
	perSecond = 48
	// freely is how many of them are sent as they come. The others are spaced evenly, so that a
	// delay on the way pushes one or two into the next second, and not a burst.
	freely  = perSecond / 2
	spacing = time.Second / perSecond
	// maxWait is how long a request waits for a rate limit. Beyond that, people are better
	// served by an error that says when to try again.
	maxWait = 30 * time.Second
	// blindWait is how long to wait after a 429 without a time.
	blindWait = 5 * time.Second
	// maxForeign is how long a lane is closed by a 429 that is not Discord's JSON, or by the Retry-After of an outage. Anything
	// between the bot and Discord can write one, so it is believed for its lane alone, and not for long.
	maxForeign = 2 * time.Minute
	// maxPaused is how long a global rate limit is believed.
	maxPaused = time.Hour
)

// limits keep the bot within Discord's rate limits.
//
// Requests with the same rate limit share a lane; see Request.lane. A lane lets one request
// through at a time, in the order they came, which also keeps messages to a channel in
// order. No mutex is held during a wait.
type limits struct {
	mu     sync.Mutex
	lanes  map[string]*lane
	slots  []time.Time // of the latest requests, oldest first, at most perSecond
	paused Pause       // the latest global rate limit
}

// A Pause is the time in which Discord takes no requests of the bot at all, because of its global rate limit.
type Pause struct{ From, Until time.Time }

// Paused returns the latest pause, which may be over. It is zero if there was none.
func (c *Client) Paused() Pause {
	c.limits.mu.Lock()
	defer c.limits.mu.Unlock()
	return c.limits.paused
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
	var slot time.Time
	for {
		wait := l.closed(name, counted)
		switch {
		case wait > 0:
			slot = time.Time{} // others wait as well, and must not all be sent at the end of it
		case counted && slot.IsZero():
			slot = l.slot()
		}
		wait = max(wait, time.Until(slot))
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

// closed returns how long the lane is rate limited, or everything is.
func (l *limits) closed(name string, counted bool) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	opens := l.lanes[name].opens
	if counted && l.paused.Until.After(opens) {
		opens = l.paused.Until
	}
	return time.Until(opens)
}

// slot returns when the next request may be sent, and reserves that time unless it is too far
// away. It is given beforehand: whoever is late does not delay those behind.
func (l *limits) slot() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	at := now
	notBefore := func(t time.Time) {
		if t.After(at) {
			at = t
		}
	}
	if n := len(l.slots); n > 0 {
		notBefore(l.slots[n-1])
		if n >= freely && l.slots[n-freely].Add(time.Second).After(at) {
			notBefore(l.slots[n-2].Add(2 * spacing)) // two at once, since a short answer has two requests
		}
		if n >= perSecond {
			notBefore(l.slots[n-perSecond].Add(time.Second))
		}
	}
	if at.Sub(now) <= maxWait {
		l.slots = append(l.slots[max(0, len(l.slots)+1-perSecond):], at)
	}
	return at
}

// learn takes the rate limits from the headers of a response.
func (l *limits) learn(name string, a answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	switch {
	case a.limited():
		wait, everywhere, _ := retryAfter(a)
		l.lanes[name].opens = now.Add(wait)
		if everywhere {
			l.paused = Pause{now, now.Add(wait)}
		}
	case a.unclear():
		if wait, ok := seconds(a.header.Get("Retry-After")); ok {
			l.lanes[name].opens = now.Add(min(wait, maxForeign))
		}
	case a.header.Get("X-RateLimit-Remaining") == "0":
		if wait, ok := seconds(a.header.Get("X-RateLimit-Reset-After")); ok {
			l.lanes[name].opens = now.Add(wait)
		}
	}
}

// retryAfter returns how long to wait after a 429, whether the limit is global, and whether the response says how long.
func retryAfter(a answer) (wait time.Duration, everywhere, stated bool) {
	var said struct {
		RetryAfter *float64 `json:"retry_after"`
		Global     bool     `json:"global"`
	}
	if json.Unmarshal(a.body, &said) != nil || said.RetryAfter == nil {
		wait, ok := seconds(a.header.Get("Retry-After"))
		if !ok {
			wait = blindWait
		}
		return min(wait, maxForeign), false, ok
	}
	wait, ok := duration(*said.RetryAfter)
	if !ok {
		wait = blindWait
	}
	if said.Global || a.header.Get("X-RateLimit-Scope") == "global" {
		return min(wait, maxPaused), true, ok
	}
	return wait, false, ok
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
