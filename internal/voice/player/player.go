// Package player says sound in a call, frame by frame in time.
//
// All that the bot says in a call goes through one [Player], one [Source] after the other.
package player

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"discoclaw/internal/sleep"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/opus"
	"discoclaw/internal/voice/pcm"
)

// A Call is what a Player needs of a link.Call.
type Call interface {
	Send(opus []byte) error
	Speaking(on bool)
}

// A Source is sound, as pcm.Rate and one channel. Read returns at least one sample, or an error; io.EOF is the end.
type Source interface {
	Read(samples []int16) (n int, err error)
}

const (
	frameTime = 20 * time.Millisecond
	frameSize = pcm.Rate / 50

	ahead    = 3  // frames that are there before it begins
	buffered = 50 // at most, so that a server that makes the sound a second late is not heard to

	// pause is how many frames of silence end what is said. Without them, receivers would go on with it; see
	// https://discord.com/developers/docs/topics/voice-connections#voice-data-interpolation.
	pause = 5

	patience = 2 * time.Second        // for the call to be able to send
	behind   = 100 * time.Millisecond // a schedule that is later is given up: what was missed would come in a burst
)

// ErrClosed is what Play fails with when the call is over.
var ErrClosed = errors.New("I have left the voice channel meanwhile")

// A Player plays into a call. It is safe for concurrent use, and Close has to be called.
type Player struct {
	call  Call
	wake  chan struct{} // the goroutine: there is more to play, or nothing more
	plays sync.WaitGroup

	mu     sync.Mutex
	queue  []*sound // the first is being played, by the goroutine that is there exactly if there is one
	runs   bool
	closed bool
}

// A sound is one that waits or is being played.
type sound struct {
	frames chan []int16
	ended  atomic.Bool // no more frames come
	err    error       // why, if that is not the end of the source; read after ended
	failed error       // why it is not played at all; written before over is closed
	played atomic.Int64
	over   chan struct{} // closed when it is not in the queue any more
}

// New returns a Player. It has no goroutine and no encoder before it plays.
func New(c Call) *Player { return &Player{call: c, wake: make(chan struct{}, 1)} }

// Play plays a source to its end, after those that are being played. It returns when the last of it was sent, and how much was played;
// the next source then follows without a gap. When ctx ends, the bot is silent within 20 milliseconds. The source is not read any more
// when Play returns, so its Read has to end with ctx. As long as nothing can be sent, nothing is lost; but after two seconds the sound
// goes by unheard.
func (p *Player) Play(ctx context.Context, from Source) (played time.Duration, err error) {
	s := &sound{frames: make(chan []int16, buffered), over: make(chan struct{})}
	if !p.add(s) {
		return 0, ErrClosed
	}
	var reading sync.WaitGroup
	reading.Go(func() { p.read(s, from) })
	select {
	case <-s.over:
		err = cmp.Or(s.failed, ErrClosed)
		if s.done() {
			err = s.err
		}
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	p.remove(s)
	reading.Wait()
	return time.Duration(s.played.Load()) * frameTime, err
}

// Close ends what is being played, and waits until that is done.
func (p *Player) Close() {
	p.mu.Lock()
	p.closed = true
	for _, s := range p.queue {
		close(s.over)
	}
	p.queue = nil
	p.mu.Unlock()
	sleep.Wake(p.wake)
	p.plays.Wait()
}

func (p *Player) add(s *sound) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.queue = append(p.queue, s)
	if !p.runs {
		p.runs = true
		p.plays.Go(p.run)
	}
	return true
}

// remove takes a sound out of the queue, if it is there.
func (p *Player) remove(s *sound) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, s); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
		close(s.over)
	}
	sleep.Wake(p.wake)
}

// first is the sound to play, or nil. Without one the goroutine may end.
func (p *Player) first(mayEnd bool) *sound {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) > 0 {
		return p.queue[0]
	}
	if mayEnd {
		p.runs = false
	}
	return nil
}

// read reads a source ahead.
func (p *Player) read(s *sound, from Source) {
	for {
		frame := make([]int16, frameSize)
		n, err := 0, error(nil)
		for n < frameSize && err == nil {
			var more int
			more, err = from.Read(frame[n:])
			n += more
		}
		if n > 0 {
			select {
			case s.frames <- frame:
			case <-s.over:
				return
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.err = err
			}
			s.ended.Store(true)
		}
		sleep.Wake(p.wake)
		if err != nil {
			return
		}
	}
}

// done reports whether all of a sound has been taken.
func (s *sound) done() bool { return s.ended.Load() && len(s.frames) == 0 }

// run is the goroutine.
func (p *Player) run() {
	for {
		s := p.first(true)
		switch {
		case s == nil:
			return
		case s.done():
			p.remove(s)
		case s.ended.Load() || len(s.frames) >= ahead:
			p.speak()
		default:
			<-p.wake
		}
	}
}

// speak plays until there is a pause. Only as long does it have an encoder, which has 0.3 MB.
func (p *Player) speak() {
	coder, err := opus.NewEncoder()
	if err != nil {
		if s := p.first(false); s != nil {
			s.failed = err
			p.remove(s)
		}
		return
	}
	p.call.Speaking(true)
	defer p.call.Speaking(false)
	var at frame
	due := time.Now()
	for quiet, stuck := 0, time.Duration(0); ; {
		if at.of == nil || at.of != p.first(false) {
			at = p.next(coder)
		}
		said := link.Silence
		if at.of != nil {
			said = at.opus
		}
		switch err := p.call.Send(said); {
		case at.of == nil:
			quiet++
		case errors.Is(err, link.ErrNotReady) && stuck < patience:
			stuck += frameTime
		default: // other errors are packets that are lost
			if err == nil {
				stuck = 0
			}
			quiet = 0
			p.count(at.of)
			at = frame{}
		}
		if quiet == pause || p.isClosed() {
			return
		}
		due = due.Add(frameTime)
		if now := time.Now(); now.Sub(due) > behind {
			due = now
		}
		time.Sleep(time.Until(due))
	}
}

// A frame is the next one to send. It is of none if there is nothing to say.
type frame struct {
	of   *sound
	opus []byte
}

// next takes the next frame that is there.
func (p *Player) next(coder *opus.Encoder) frame {
	for {
		s := p.first(false)
		if s == nil {
			return frame{}
		}
		select {
		case mono := <-s.frames:
			stereo := make([]int16, 0, opus.Samples)
			for _, sample := range mono {
				stereo = append(stereo, sample, sample)
			}
			said, err := coder.Encode(stereo)
			if err != nil {
				continue // a frame is lost
			}
			return frame{s, said}
		default:
		}
		if !s.done() {
			return frame{}
		}
		p.remove(s)
	}
}

// count notes that a frame was sent. After the last one whoever plays the next sound has until the next frame is due.
func (p *Player) count(s *sound) {
	s.played.Add(1)
	if s.done() {
		p.remove(s)
	}
}

func (p *Player) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}
