package talk

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A sentence is synthesised and played by a goroutine of its own, from the moment that it is one of the next.
type sentence struct {
	text   string
	answer *Answer
	turn   chan struct{}      // closed when it may be played
	cancel context.CancelFunc // nil until it is synthesised
	ready  bool               // there is a sound
}

// stop silences the sentence, or keeps it from being synthesised.
func (s *sentence) stop() {
	if s.cancel != nil {
		s.cancel()
	}
}

// Run says what is to be said until ctx ends, when the call is over. All that is open then is interrupted. No goroutine is left.
func (r *Room) Run(ctx context.Context) {
	var working sync.WaitGroup
	for ctx.Err() == nil {
		interrupted, next := r.step(ctx, &working)
		for _, stop := range interrupted {
			stop()
		}
		var late <-chan time.Time
		if !next.IsZero() {
			late = time.After(time.Until(next))
		}
		select {
		case <-r.changed:
		case <-late:
		case <-ctx.Done():
		}
	}
	for _, stop := range r.close() {
		stop()
	}
	working.Wait()
}

// step does what is to be done now. It returns what was interrupted because it takes too long, and when the next answer does.
func (r *Room) step(ctx context.Context, working *sync.WaitGroup) (interrupted []func(), next time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range slices.Clone(r.answers) { // an apology that is muted takes one out
		switch {
		case a.late.IsZero():
		case !time.Now().Before(a.late):
			a.apologise()
			interrupted = append(interrupted, a.interrupted(""))
		case next.IsZero() || a.late.Before(next):
			next = a.late
		}
	}
	r.prepare(ctx, working)
	r.playNext()
	return interrupted, next
}

// prepare has the next sentences synthesised.
func (r *Room) prepare(ctx context.Context, working *sync.WaitGroup) {
	most := 1 + ahead
	for _, a := range r.answers {
		for _, s := range a.sentences {
			if most--; most < 0 {
				return
			}
			if s.cancel != nil {
				continue
			}
			var within context.Context
			within, s.cancel = context.WithCancel(ctx)
			working.Go(func() { r.say(within, s) })
		}
	}
}

// playNext plays the first sentence of the first answer, if it is ready and all before is silent.
func (r *Room) playNext() {
	if r.playing != nil || len(r.answers) == 0 || len(r.answers[0].sentences) == 0 {
		return
	}
	s := r.answers[0].sentences[0]
	if !s.ready {
		return
	}
	r.playing, s.answer.audible = s, true
	s.answer.spoken = append(s.answer.spoken, s.text)
	r.remember(s.text)
	close(s.turn)
}

// say has a sentence synthesised, waits until it may be played, and plays it.
func (r *Room) say(ctx context.Context, s *sentence) {
	defer s.cancel()
	sound, err := r.Synthesise(ctx, s.answer.to, s.text)
	if err == nil {
		r.isReady(s)
		select {
		case <-s.turn:
			err = r.Play(ctx, sound)
		case <-ctx.Done():
		}
		sound.Close() // it was played, or is not wanted
	}
	if r.finish(ctx, s, err) {
		r.Log.WarnContext(ctx, "cannot say a sentence", "err", err)
		r.Failed(err)
	}
}

func (r *Room) isReady(s *sentence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.ready = true
	r.settle()
}

// finish takes a sentence out of its answer. It reports whether people have to be told that it could not be said.
func (r *Room) finish(ctx context.Context, s *sentence, err error) (tell bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.playing == s {
		r.playing = nil
		r.forget()
		r.until[s.answer.to] = time.Now().Add(goesOn)
	}
	if ctx.Err() == nil {
		tell, r.failing = err != nil && !r.failing, err != nil
	}
	s.answer.remove(s)
	r.settle()
	return tell
}

func (r *Room) close() (interrupted []func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	for len(r.answers) > 0 {
		interrupted = append(interrupted, r.answers[0].interrupted(""))
		r.silence(r.answers[0])
	}
	return interrupted
}
