// Package talk takes turns in a call: it decides what of all that is said is for the bot, when the bot speaks, and when it falls silent.
//
// A [Room] is told what people say ([Room.Heard]), and hands on what is for the bot. What the bot answers comes back as an [Answer],
// sentence by sentence while the model still writes, and [Room.Run] has it synthesised and played. The package knows no models, no
// recognisers and no Discord: these are functions in [Options].
package talk

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/sleep"
)

const (
	// goesOn is how long after a sentence of the bot, or something they said to it, a person may begin to speak so that it is still
	// for the bot.
	goesOn = 8 * time.Second
	// answerLimit is how long a person waits for the first sentence.
	answerLimit = 30 * time.Second
	// ahead is how many sentences are synthesised while one is played.
	ahead = 2
)

// An Utterance is what somebody says without a pause, or what is understood of it so far.
type Utterance struct {
	User         chat.UserID
	Text         string
	Final        bool // it is complete
	Began, Ended time.Time
}

// A Sound is a sentence as it was synthesised: 48 kHz, mono.
type Sound interface {
	Read(pcm []int16) (int, error)
	Close()
}

// An Addressing says when somebody who speaks means the bot.
type Addressing string

const (
	Auto   Addressing = "auto"   // Always as long as one person is in the call, else Wake
	Always Addressing = "always" // whatever they say
	Wake   Addressing = "wake"   // when they say one of its names, or go on with what they talk about with it
)

// Options are what a Room needs. Its functions are never called with a lock held.
type Options struct {
	Begin func(Utterance) // something was said to the bot; called in the order of Heard
	// Synthesise makes the sound of a sentence for somebody. The Sound ends with ctx.
	Synthesise func(ctx context.Context, to chat.UserID, sentence string) (Sound, error)
	Play       func(ctx context.Context, s Sound) error // until its end; falls silent at once when ctx ends
	People     func() int                               // how many are in the call, without bots
	Addressing Addressing                               // empty means Auto
	Wake       []string                                 // the bot's names
	Apology    string                                   // is said when there is no answer in time
	// Failed is called when a sentence could not be said, and then not before one could be. Nil if nobody asks.
	Failed func(error)
	Log    *slog.Logger // nil discards
}

// A Room is the talk of one call. It is safe for concurrent use.
type Room struct {
	Options
	changed chan struct{} // wakes Run; has room for one

	mu      sync.Mutex
	over    bool // Run has ended
	muted   bool
	failing bool
	answers []*Answer // those of which something is, or may be, still to be said, in the order in which they began
	playing *sentence
	said    []remembered              // the latest sentences
	until   map[chat.UserID]time.Time // by when they have to go on
}

// New returns a room in which nothing has been said.
func New(o Options) *Room {
	o.Addressing = cmp.Or(o.Addressing, Auto)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	return &Room{Options: o, changed: make(chan struct{}, 1), until: map[chat.UserID]time.Time{}}
}

// Heard takes in what somebody says. If it is for the bot, it silences what it interrupts, and what is complete goes to Begin. All else is
// dropped. One goroutine calls it for one person.
func (r *Room) Heard(u Utterance) {
	people := r.People()
	r.mu.Lock()
	interrupted, begins := r.hear(u, people)
	r.mu.Unlock()
	if interrupted != nil {
		interrupted()
	}
	if begins {
		r.Begin(u)
	}
}

// hear decides about an utterance. The lock is held.
func (r *Room) hear(u Utterance, people int) (interrupted func(), begins bool) {
	switch {
	case r.over, chat.Words(u.Text) == "", r.isEcho(u):
		return nil, false
	}
	called := r.Addressing == Always || r.Addressing == Auto && people <= 1 || names(u.Text, r.Wake)
	var first *Answer // that is spoken, or comes next
	if len(r.answers) > 0 {
		first = r.answers[0]
	}
	inTalk := first != nil && first.audible && first.to == u.User || !u.Began.After(r.until[u.User])
	if !called && !inTalk {
		return nil, false
	}
	switch {
	case first != nil && first.audible && (called || first.to == u.User):
		if !weighty(u) {
			return nil, false // "mhm" is no answer to somebody who speaks
		}
		interrupted = first.interrupted(u.User)
		r.silence(first)
	case u.Final || weighty(u):
		r.holdBack(u.User)
	}
	if u.Final || interrupted != nil {
		r.until[u.User] = u.Ended.Add(goesOn)
	}
	return interrupted, u.Final
}

// holdBack drops what is ready to be said to somebody who says more: they are answered when they have said it all. Their request is not
// stopped, since what they add belongs to it.
func (r *Room) holdBack(to chat.UserID) {
	for _, a := range slices.Clone(r.answers) {
		if a.to == to && len(a.sentences) > 0 {
			r.silence(a)
		}
	}
}

// Mute drops what is being said, and has nothing synthesised until it is taken back. Answers go on without a sound.
func (r *Room) Mute(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.muted = on
	for _, a := range r.answers {
		if on {
			a.drop()
		}
	}
	r.settle()
}

// silence ends an answer without another word. The lock is held.
func (r *Room) silence(a *Answer) {
	a.drop()
	a.ended = true
	r.settle()
}

// settle takes out the answers of which nothing is left to be said. The lock is held.
func (r *Room) settle() {
	r.answers = slices.DeleteFunc(r.answers, func(a *Answer) bool {
		if a.ended && len(a.sentences) == 0 {
			close(a.over)
			return true
		}
		return false
	})
	sleep.Wake(r.changed)
}

// Answer begins the answer to somebody. interrupt is called, at most once, when somebody talks into it; or by nobody, when it takes too
// long or the call is over. It stops the model.
func (r *Room) Answer(to chat.UserID, interrupt func(by chat.UserID)) *Answer {
	a := &Answer{room: r, to: to, interrupt: interrupt, late: time.Now().Add(answerLimit), over: make(chan struct{})}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = append(r.answers, a)
	if r.over {
		a.ended = true
	}
	r.settle()
	return a
}

// An Answer is what the bot says in one turn.
type Answer struct {
	room      *Room
	to        chat.UserID
	interrupt func(by chat.UserID)
	over      chan struct{} // closed when nothing is left to be said

	// Guarded by the lock of the room.
	sentences []*sentence // that were not said to the end
	spoken    []string    // that were, or were begun
	late      time.Time   // when the first one is; zero once it is there
	audible   bool        // it is being spoken
	ended     bool        // no more comes
}

// Say puts a sentence into the queue. After End, or when the answer was interrupted, it does nothing.
func (a *Answer) Say(text string) {
	a.room.mu.Lock()
	defer a.room.mu.Unlock()
	if !a.ended {
		a.add(text)
	}
}

func (a *Answer) add(text string) {
	a.late = time.Time{}
	if !a.room.muted {
		a.sentences = append(a.sentences, &sentence{text: text, answer: a, turn: make(chan struct{})})
	}
	sleep.Wake(a.room.changed)
}

// End says that no more comes.
func (a *Answer) End() {
	a.room.mu.Lock()
	defer a.room.mu.Unlock()
	if !a.ended {
		a.ended = true
		a.room.settle()
	}
}

// Drop ends the answer without another word, such as when another one takes its place.
func (a *Answer) Drop() {
	a.room.mu.Lock()
	defer a.room.mu.Unlock()
	a.room.silence(a)
}

// apologise says the apology in place of what was not said yet, and ends the answer. The lock is held.
func (a *Answer) apologise() {
	if a.ended {
		return
	}
	a.sentences = slices.DeleteFunc(a.sentences, func(s *sentence) bool {
		if s == a.room.playing {
			return false
		}
		s.stop()
		return true
	})
	a.add(a.room.Apology)
	a.ended = true
	a.room.settle()
}

// Wait waits until all was said, or the answer was interrupted, and returns what people have heard of it: a sentence that was interrupted
// counts.
func (a *Answer) Wait(ctx context.Context) string {
	select {
	case <-a.over:
	case <-ctx.Done():
	}
	a.room.mu.Lock()
	defer a.room.mu.Unlock()
	return strings.Join(a.spoken, " ")
}

// remove takes out a sentence that is over. The lock is held.
func (a *Answer) remove(s *sentence) {
	a.sentences = slices.DeleteFunc(a.sentences, func(o *sentence) bool { return o == s })
}

// interrupted returns interrupt, once. The lock is held.
func (a *Answer) interrupted(by chat.UserID) func() {
	stop := a.interrupt
	a.interrupt = func(chat.UserID) {}
	return func() { stop(by) }
}

// drop stops all sentences. The lock is held.
func (a *Answer) drop() {
	for _, s := range a.sentences {
		s.stop()
	}
	a.sentences, a.audible = nil, false
}
