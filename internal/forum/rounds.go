package forum

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/due"
	"discoclaw/internal/order"
)

const (
	// touchDelay is how long an event of a post waits for others of the same post, among them those of the bot's own edits.
	touchDelay = time.Second
	// firstRest is the pause of a record after its first failure, and longestRest after many.
	firstRest, longestRest = 5 * time.Second, 10 * time.Minute
	// RetryTime is after how long a server or a stranger's post is looked at again after a failure.
	RetryTime = 30 * time.Second
)

// Rounds are what is to be looked at, and when: posts of which events told, whole servers, and records that failed or have changed. They
// are safe for concurrent use.
type Rounds struct {
	*due.Retries[string] // of records
	loop                 *due.Loop
	now                  func() time.Time

	mu      sync.Mutex
	touched map[chat.ChannelID]Touch
	resync  map[chat.GuildID]time.Time // servers to compare as a whole, and when
}

func newRounds(o Options) *Rounds {
	return &Rounds{Retries: due.NewRetries[string](firstRest, longestRest, o.Now), loop: due.NewLoop(o.Name, o.Now, o.Log), now: o.Now,
		touched: map[chat.ChannelID]Touch{}, resync: map[chat.GuildID]time.Time{}}
}

// A Touch is a post of which an event told.
type Touch struct {
	Thread  chat.ChannelID
	Starter bool // its first message was edited
	guild   chat.GuildID
	at      time.Time // when it is looked at
}

// Wake has a round made.
func (r *Rounds) Wake() { r.loop.Wake() }

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
	r.touchAt(Touch{at.Channel, starter, at.Guild, r.now().Add(touchDelay)})
}

// LookAgain has a thread looked at after RetryTime.
func (r *Rounds) LookAgain(g chat.GuildID, thread chat.ChannelID) {
	r.touchAt(Touch{thread, false, g, r.now().Add(RetryTime)})
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
	r.resyncAt(g, r.now())
	r.Wake()
}

// ResyncLater has a whole server compared after RetryTime. It wakes nothing: an engine calls it after a failure, and would fail
// again at once, for as long as the database does.
func (r *Rounds) ResyncLater(g chat.GuildID) { r.resyncAt(g, r.now().Add(RetryTime)) }

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
	r.Retries.Forget(by)
}

// TakeResync reports whether a server is to be compared as a whole now.
func (r *Rounds) TakeResync(g chat.GuildID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, wanted := r.resync[g]
	if !wanted || at.After(r.now()) {
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
		if t.guild == g && !t.at.After(r.now()) {
			ready = append(ready, t)
			delete(r.touched, id)
		}
	}
	order.By(ready, func(a, b Touch) int { return strings.Compare(string(a.Thread), string(b.Thread)) })
	return ready
}

// Next returns when something is to be looked at next, or zero if nothing is.
func (r *Rounds) Next() time.Time {
	next := r.Retries.Next()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.touched {
		next = due.Sooner(next, t.at)
	}
	for _, at := range r.resync {
		next = due.Sooner(next, at)
	}
	return next
}
