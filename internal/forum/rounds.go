package forum

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/order"
	"discoclaw/internal/sleep"
)

const (
	// touchDelay is how long an event of a post waits for others of the same post, among them those of the bot's own edits.
	touchDelay = time.Second
	// firstBackoff doubles with each failure, up to maxBackoff.
	firstBackoff, maxBackoff = 5 * time.Second, 10 * time.Minute
	// RetryTime is after how long a server or a stranger's post is looked at again after a failure.
	RetryTime = 30 * time.Second
)

// Rounds are what is to be looked at, and when. They are safe for concurrent use.
type Rounds struct {
	changed chan struct{} // has room for one

	mu      sync.Mutex
	touched map[chat.ChannelID]Touch
	resync  map[chat.GuildID]time.Time // servers to compare as a whole, and when
	rest    map[string]backoff         // of records that failed or have changed
	rests   int                        // how many there were so far
}

// NewRounds returns rounds without anything to look at.
func NewRounds() *Rounds {
	return &Rounds{changed: make(chan struct{}, 1), touched: map[chat.ChannelID]Touch{}, resync: map[chat.GuildID]time.Time{},
		rest: map[string]backoff{}}
}

// A Touch is a post of which an event told.
type Touch struct {
	Thread  chat.ChannelID
	Starter bool // its first message was edited
	guild   chat.GuildID
	at      time.Time // when it is looked at
}

// A backoff is a pause after failures.
type backoff struct {
	failures int // in a row
	until    time.Time
	number   int // tells it from others
}

// Wake has a round made.
func (r *Rounds) Wake() {
	sleep.Wake(r.changed)
}

// ThreadChanged has a thread looked at: it was made, changed or deleted.
func (r *Rounds) ThreadChanged(at chat.Place) { r.touch(at, false) }

// MessageEdited has a post looked at whose first message was edited.
func (r *Rounds) MessageEdited(m chat.Message) {
	if string(m.ID) == string(m.Place.Channel) {
		r.touch(m.Place, true)
	}
}

func (r *Rounds) touch(at chat.Place, starter bool) {
	if at.Guild == "" || at.Parent == "" {
		return
	}
	r.touchAt(Touch{at.Channel, starter, at.Guild, time.Now().Add(touchDelay)})
}

// LookAgain has a thread looked at after RetryTime.
func (r *Rounds) LookAgain(g chat.GuildID, thread chat.ChannelID) {
	r.touchAt(Touch{thread, false, g, time.Now().Add(RetryTime)})
}

func (r *Rounds) touchAt(t Touch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.Starter = t.Starter || r.touched[t.Thread].Starter
	r.touched[t.Thread] = t
	r.Wake()
}

// Resync has a whole server compared, because events may have been missed.
func (r *Rounds) Resync(g chat.GuildID) {
	r.resyncAt(g, time.Now())
	r.Wake()
}

// ResyncLater has a whole server compared after RetryTime. It wakes nothing: an engine calls it after a failure, and would fail
// again at once, for as long as the database does.
func (r *Rounds) ResyncLater(g chat.GuildID) { r.resyncAt(g, time.Now().Add(RetryTime)) }

func (r *Rounds) resyncAt(g chat.GuildID, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resync[g] = at
}

// Forget drops what was to be done by a time and is left: its server is not served, or has no forum. A server that has appeared
// since the round began, and is not among those that it served, has its turn in the next one.
func (r *Rounds) Forget(by time.Time, served, now []chat.GuildID) {
	appeared := slices.DeleteFunc(slices.Clone(now), func(g chat.GuildID) bool { return slices.Contains(served, g) })
	left := func(g chat.GuildID, at time.Time) bool { return !at.After(by) && !slices.Contains(appeared, g) }
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.touched, func(_ chat.ChannelID, t Touch) bool { return left(t.guild, t.at) })
	maps.DeleteFunc(r.resync, left)
	maps.DeleteFunc(r.rest, func(_ string, b backoff) bool { return !b.until.After(by) })
}

// TakeResync reports whether a server is to be compared as a whole now.
func (r *Rounds) TakeResync(g chat.GuildID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, wanted := r.resync[g]
	if !wanted || at.After(time.Now()) {
		return false
	}
	delete(r.resync, g)
	return true
}

// TakeTouched returns the posts of a server whose time to be looked at has come.
func (r *Rounds) TakeTouched(g chat.GuildID) (ready []Touch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, t := range r.touched {
		if t.guild == g && !t.at.After(time.Now()) {
			ready = append(ready, t)
			delete(r.touched, id)
		}
	}
	order.By(ready, func(a, b Touch) int { return strings.Compare(string(a.Thread), string(b.Thread)) })
	return ready
}

// Resting returns the records that have failed, and whether each still has to rest.
func (r *Rounds) Resting() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	resting := map[string]bool{}
	for key, b := range r.rest {
		resting[key] = b.until.After(time.Now())
	}
	return resting
}

// Rests reports whether a record has failed and has to rest.
func (r *Rounds) Rests(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rest[key].until.After(time.Now())
}

// Failed lets a record rest, for longer with each failure.
func (r *Rounds) Failed(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.rest[key]
	r.begin(key, b.failures+1, min(maxBackoff, firstBackoff<<min(b.failures, 10)))
}

// RetryAfter lets a record rest for a while, without a failure.
func (r *Rounds) RetryAfter(key string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begin(key, 0, d)
}

// begin lets a record rest. The mutex is held.
func (r *Rounds) begin(key string, failures int, d time.Duration) {
	r.rests++
	r.rest[key] = backoff{failures, time.Now().Add(d), r.rests}
}

// Succeeded ends the rest of a record.
func (r *Rounds) Succeeded(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.rest, key)
}

// resting returns a function that ends the rest of a record, unless it is another one by then: the record has changed since.
func (r *Rounds) resting(key string) (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.rest[key]
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.rest[key] == before {
			delete(r.rest, key)
		}
	}
}

// Next returns when something is to be looked at next, or zero if nothing is.
func (r *Rounds) Next() (next time.Time) {
	soonest := func(t time.Time) {
		if next.IsZero() || t.Before(next) {
			next = t
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.rest {
		soonest(b.until)
	}
	for _, t := range r.touched {
		soonest(t.at)
	}
	for _, at := range r.resync {
		soonest(at)
	}
	return next
}
