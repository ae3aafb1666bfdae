package hear

import (
	"context"
	"errors"
	"time"

	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/opus"
	"discoclaw/internal/voice/transcribe"
)

// What happens after so much silence.
const (
	pauseAfter = 300 * time.Millisecond // the utterance is over
	idleAfter  = 3 * time.Second        // the decoder is freed, and what was paid for and not used is given back
	endAfter   = 30 * time.Second       // the recogniser is freed
)

const (
	framesKept = 256 // that wait for a speaker: five seconds
	maxMissing = 15  // frames in a row that are concealed; where more are missing, there was a pause
	audible    = 32  // the least amplitude that is sound
)

// An arrival is a frame, and when it came.
type arrival struct {
	link.Frame
	at time.Time
}

// A speaker is somebody who is heard. Its fields are its goroutine's alone, but for those at the top.
type speaker struct {
	room   *room
	person *person
	stop   context.CancelFunc
	frames chan arrival

	decoder *opus.Decoder // nil while they are silent
	ssrc    uint32
	next    uint16 // the sequence of the next frame
	mono    []int16

	stream   transcribe.Stream // nil before the first sound, and while there is trouble
	results  <-chan transcribe.Result
	filter   *filter // nil if the recogniser takes what calls have
	written  time.Duration
	timeline timeline
	purse    purse

	quiet  *time.Timer   // fires when they have been silent for so long that something is to be done
	stage  time.Duration // how long they have been silent at least
	ignore bool          // the rest of what they say now: there is trouble
}

// run hears until ctx ends, or they have been silent for long.
func (s *speaker) run(ctx context.Context) {
	select {
	case s.room.places <- struct{}{}:
		defer func() { <-s.room.places }()
	case <-ctx.Done():
		return
	}
	s.purse = purse{pay: s.room.Pay, user: s.person.id}
	s.stage = idleAfter
	s.quiet = time.NewTimer(endAfter)
	defer s.quiet.Stop()
	defer func() { _ = s.close() }() // it was asked to end
	for ctx.Err() == nil {
		select {
		case a := <-s.frames:
			s.take(ctx, a)
		case result, open := <-s.results:
			if open {
				s.understood(ctx, result)
			} else {
				s.fail(ctx, s.close(), retryAfter)
			}
		case <-s.quiet.C:
			if s.fallSilent() {
				select {
				case s.room.ended <- s:
				case <-ctx.Done():
				}
				return
			}
		case <-ctx.Done():
		}
	}
}

// fallSilent does what is due after so much silence. It returns true if they are not to be heard any more.
func (s *speaker) fallSilent() (over bool) {
	if len(s.frames) > 0 { // it was the recogniser that made them wait
		s.quiet.Reset(pauseAfter)
		return false
	}
	switch s.stage {
	case 0:
		s.stage = pauseAfter
		if s.stream != nil {
			s.stream.Pause()
		}
		s.quiet.Reset(idleAfter - pauseAfter)
	case pauseAfter:
		s.stage = idleAfter
		s.decoder = nil
		s.purse.close()
		s.quiet.Reset(endAfter - idleAfter)
	default:
		return true
	}
	return false
}

// take takes a frame, and conceals those that are missing before it.
func (s *speaker) take(ctx context.Context, a arrival) {
	if s.decoder == nil || a.SSRC != s.ssrc {
		decoder, err := opus.NewDecoder()
		if err != nil {
			s.room.Log.ErrorContext(ctx, "decoder not made", "user", s.person.id, "err", err)
			return
		}
		s.decoder, s.ssrc, s.next = decoder, a.SSRC, a.Sequence
	}
	if missing := int16(a.Sequence - s.next); missing > 0 && missing <= maxMissing {
		for range missing {
			s.decode(ctx, nil, a.at)
		}
	}
	s.next = a.Sequence + 1
	s.decode(ctx, a.Opus, a.at)
}

// decode decodes a frame; nil is one that is missing.
func (s *speaker) decode(ctx context.Context, frame []byte, at time.Time) {
	pcm, err := s.decoder.Decode(frame)
	if err != nil {
		s.room.Log.DebugContext(ctx, "frame not decoded", "user", s.person.id, "err", err)
		return
	}
	s.mono = s.mono[:0]
	loudest := 0
	for i := 0; i+1 < len(pcm); i += opus.Channels {
		v := (int(pcm[i]) + int(pcm[i+1])) / opus.Channels
		s.mono = append(s.mono, int16(v))
		loudest = max(loudest, v, -v)
	}
	switch {
	case loudest >= audible:
		if s.stage > 0 {
			s.ignore = s.person.troubled(at)
		}
		s.stage = 0
		s.quiet.Reset(pauseAfter)
	case s.stage > 0:
		return // silence costs nothing, but for what is between words
	}
	if !s.ignore && s.ready(ctx, length(len(s.mono))) {
		s.pass(at)
	}
}

func length(samples int) time.Duration { return time.Duration(samples) * time.Second / opus.Rate }

// pass passes sound on.
func (s *speaker) pass(at time.Time) {
	s.timeline.add(s.written, at)
	s.written += length(len(s.mono))
	sound := s.mono
	if s.filter != nil {
		sound = s.filter.apply(sound)
	}
	s.stream.Write(sound)
}

// ready reports whether sound can be passed on: it is paid for, and there is a recogniser.
func (s *speaker) ready(ctx context.Context, sound time.Duration) bool {
	if err := s.purse.take(ctx, sound); err != nil {
		s.fail(ctx, err, refusedFor)
		return false
	}
	if s.stream != nil {
		return true
	}
	stream, err := s.room.Recogniser.Open(ctx)
	if err != nil {
		s.purse.used -= sound
		s.fail(ctx, err, retryAfter)
		return false
	}
	s.stream, s.results, s.written, s.timeline = stream, stream.Results(), 0, timeline{}
	if rate := s.room.Recogniser.Rate(); rate != opus.Rate {
		s.filter = newFilter(opus.Rate / rate)
	}
	return true
}

// close frees the recogniser, and returns why it was of no use any more.
func (s *speaker) close() (err error) {
	if s.stream != nil {
		err = s.stream.Close()
	}
	s.stream, s.results = nil, nil
	s.purse.close()
	return err
}

const (
	refusedFor = time.Minute      // after it was not paid
	retryAfter = 10 * time.Second // after a recogniser has failed
)

var errEnded = errors.New("the recogniser hung up")

// fail takes that nothing is understood for now.
func (s *speaker) fail(ctx context.Context, err error, wait time.Duration) {
	if err == nil {
		err = errEnded
	}
	s.purse.close()
	s.ignore = true
	if ctx.Err() == nil && s.person.fail(time.Now().Add(wait)) {
		s.room.call(ctx, func() { s.room.Failed(s.person.id, err) })
	}
}

// fail returns true if that is news.
func (t *trouble) fail(until time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	news := !t.failed
	t.failed, t.until = true, until
	return news
}

func (t *trouble) troubled(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.Before(t.until)
}

func (t *trouble) over() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = false
}

// understood passes on what the recogniser has understood.
func (s *speaker) understood(ctx context.Context, r transcribe.Result) {
	s.person.over()
	// It ended with the last sound before To: what is there may have come after a pause.
	u := Utterance{User: s.person.id, Text: r.Text, Final: r.Final, Began: s.timeline.when(r.From), Ended: s.timeline.when(r.To - 1).Add(1)}
	if r.Final {
		s.timeline.forget(r.To - 1)
		s.room.Log.DebugContext(ctx, "utterance understood", "user", u.User, "length", len(u.Text))
	}
	s.room.call(ctx, func() { s.room.Heard(u) })
}
