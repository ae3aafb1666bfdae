// Package hear turns the sound of a call into text: it has a decoder and a recogniser for each speaker, so that people can talk at the
// same time and it is known who said what. [Run] is all of it.
//
// Nothing of a person whom nobody asked to listen to is decoded, or reaches a recogniser.
package hear

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/transcribe"
)

// Options are what Run works with. All but Pay and Log are required. Heard, Crowded and Failed are called by one goroutine, Listens by
// another one, which must not wait, and Pay by one for each speaker.
type Options struct {
	// Listens reports whether a person is listened to. It is asked with each frame: who takes that back does so in mid-sentence, too.
	Listens    func(user chat.UserID) bool
	Recogniser transcribe.Recogniser
	// Heard takes what was understood, for each person in order.
	Heard func(Utterance)
	// Crowded takes that a person is not heard, because four others speak: once for each person, until there is room again.
	Crowded func(user chat.UserID)
	// Pay asks for leave to have sound recognised; settle takes how much it was in the end. If it is refused, the person is not
	// recognised, and Pay is asked again when they next begin to speak, after a minute at the earliest. Nil means that it is free.
	Pay func(ctx context.Context, user chat.UserID, sound time.Duration) (settle func(used time.Duration), err error)
	// Failed takes why a person is not understood, once until they are again.
	Failed func(user chat.UserID, err error)
	Log    *slog.Logger // nil means no log; it never has words that were said
}

// An Utterance is what somebody said in one go; or, if it is not Final, what is understood of it so far.
type Utterance struct {
	User         chat.UserID
	Text         string
	Final        bool
	Began, Ended time.Time // when its first and its last sound came
}

const (
	maxSpeakers = 4
	maxPeople   = 64 // of whom something is remembered, unless more speak
	forgetAfter = time.Minute
	callsKept   = 16
)

// A room is the call, as its speakers know it.
type room struct {
	Options
	people  map[uint64]*person
	places  chan struct{} // of recognisers; those that end still have theirs
	ended   chan *speaker // those that have been silent for long
	calls   chan func()   // of Heard, Crowded and Failed
	running sync.WaitGroup
}

// A person is what is remembered of somebody in the call.
type person struct {
	id      chat.UserID
	last    time.Time // when a frame came
	spoke   time.Time // when one came that was not silent
	crowded bool      // they were told
	speaker *speaker  // nil while they are silent

	trouble
}

// trouble is why somebody is not understood. It outlives their speakers.
type trouble struct {
	mu     sync.Mutex
	failed bool      // Failed was called
	until  time.Time // when to try again
}

// Run listens until frames is closed or ctx ends.
func Run(ctx context.Context, frames <-chan link.Frame, o Options) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(ctx)
	r := &room{
		Options: o, people: map[uint64]*person{}, places: make(chan struct{}, maxSpeakers), ended: make(chan *speaker),
		calls: make(chan func(), callsKept),
	}
	told := make(chan struct{})
	go func() {
		defer close(told)
		for call := range r.calls {
			call()
		}
	}()
	r.listen(ctx, frames)
	cancel()
	r.running.Wait()
	close(r.calls)
	<-told
}

func (r *room) listen(ctx context.Context, frames <-chan link.Frame) {
	for {
		select {
		case f, open := <-frames:
			if !open {
				return
			}
			r.take(ctx, f, time.Now())
		case s := <-r.ended:
			if s.person.speaker == s { // or somebody else has its place already
				r.free(s.person)
			}
		case <-ctx.Done():
			return
		}
	}
}

// take takes a frame.
func (r *room) take(ctx context.Context, f link.Frame, now time.Time) {
	p := r.person(f.User, now)
	p.last = now
	silent := f.Opus == nil || bytes.Equal(f.Opus, link.Silence)
	switch {
	case !r.Listens(p.id):
		if p.speaker != nil {
			r.free(p)
		}
		return
	case p.speaker == nil && (silent || !r.admit(ctx, p, now)):
		return
	case !silent:
		p.spoke = now
	}
	select {
	case p.speaker.frames <- arrival{f, now}:
	default: // the recogniser, or who pays, takes seconds
		r.Log.DebugContext(ctx, "frame dropped", "user", p.id)
	}
}

func (r *room) person(user uint64, now time.Time) *person {
	p := r.people[user]
	if p != nil {
		return p
	}
	if len(r.people) >= maxPeople {
		for u, p := range r.people {
			if p.speaker == nil && now.Sub(p.last) >= forgetAfter {
				delete(r.people, u)
			}
		}
	}
	p = &person{id: chat.UserID(strconv.FormatUint(user, 10))}
	r.people[user] = p
	return p
}

// admit gives somebody a place: a free one, or that of who has been silent for longest. It returns false if there is none.
func (r *room) admit(ctx context.Context, p *person, now time.Time) bool {
	taken, longest := 0, (*person)(nil)
	for _, other := range r.people {
		if other.speaker == nil {
			continue
		}
		taken++
		if now.Sub(other.spoke) >= idleAfter && (longest == nil || other.spoke.Before(longest.spoke)) {
			longest = other
		}
	}
	switch {
	case taken < maxSpeakers:
	case longest != nil:
		longest.speaker.stop()
		longest.speaker = nil
	default:
		if !p.crowded {
			p.crowded = true
			r.call(ctx, func() { r.Crowded(p.id) })
		}
		return false
	}
	ctx, stop := context.WithCancel(ctx)
	s := &speaker{room: r, person: p, stop: stop, frames: make(chan arrival, framesKept)}
	p.speaker, p.spoke, p.crowded = s, now, false
	r.running.Go(func() { s.run(ctx) })
	return true
}

// free takes somebody's place from them. There is room again then.
func (r *room) free(p *person) {
	p.speaker.stop()
	p.speaker = nil
	for _, p := range r.people {
		p.crowded = false
	}
}

// call has a function of Options called, unless ctx ends first.
func (r *room) call(ctx context.Context, f func()) {
	select {
	case r.calls <- f:
	case <-ctx.Done():
	}
}
