package player_test

import (
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/opus"
	"discoclaw/internal/voice/pcm"
	"discoclaw/internal/voice/player"
)

const frameTime = 20 * time.Millisecond

// A call notes when which sound was sent.
type call struct {
	mu    sync.Mutex
	began time.Time
	sent  []sent
	spoke []sent
	slow  func(at time.Duration) time.Duration // what a Send takes
	deaf  func(at time.Duration) bool
}

type sent struct {
	at   time.Duration
	opus []byte
	on   bool // of spoke
}

func newCall() *call { return &call{began: time.Now()} }

func (c *call) Send(frame []byte) error {
	if c.slow != nil {
		time.Sleep(c.slow(time.Since(c.began)))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := time.Since(c.began)
	if c.deaf != nil && c.deaf(at) {
		return link.ErrNotReady
	}
	c.sent = append(c.sent, sent{at: at, opus: slices.Clone(frame)})
	return nil
}

func (c *call) Speaking(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spoke = append(c.spoke, sent{at: time.Since(c.began), on: on})
}

// sound is what was heard: when there was sound and when silence.
func (c *call) sound() (loud, quiet []time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sent {
		if string(s.opus) == string(link.Silence) {
			quiet = append(quiet, s.at)
		} else {
			loud = append(loud, s.at)
		}
	}
	return loud, quiet
}

func (c *call) speaking() (on, off []time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spoke {
		if s.on {
			on = append(on, s.at)
		} else {
			off = append(off, s.at)
		}
	}
	return on, off
}

// loudness decodes what was sent, and returns how loud each frame of it is.
func (c *call) loudness(t *testing.T) (all []float64) {
	t.Helper()
	coder, err := opus.NewDecoder()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.sent {
		stereo, err := coder.Decode(s.opus)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i := 0; i < len(stereo); i += 2 {
			if stereo[i] != stereo[i+1] {
				t.Fatal("left and right differ")
			}
			sum += math.Abs(float64(stereo[i]))
		}
		all = append(all, sum/float64(len(stereo)/2))
	}
	return all
}

// A tone is so many frames of sound, of which gaps may come late.
type tone struct {
	frames, at int
	wait       map[int]time.Duration // before a frame
	err        error                 // at the end; nil means io.EOF
	ctx        context.Context
}

func (s *tone) Read(samples []int16) (int, error) {
	if s.at%960 == 0 && s.wait[s.at/960] > 0 {
		wait := time.NewTimer(s.wait[s.at/960])
		defer wait.Stop()
		delete(s.wait, s.at/960)
		select {
		case <-wait.C:
		case <-s.ctx.Done():
			return 0, s.ctx.Err()
		}
	}
	if s.at == s.frames*960 {
		if s.err != nil {
			return 0, s.err
		}
		return 0, io.EOF
	}
	n := min(len(samples), 960-s.at%960, 700)
	for i := range n {
		samples[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(s.at+i)/pcm.Rate))
	}
	s.at += n
	return n, nil
}

func ticks(from time.Duration, n int) (all []time.Duration) {
	for range n {
		all = append(all, from)
		from += frameTime
	}
	return all
}

func requireTimes(t *testing.T, what string, got, want []time.Duration) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s at %v\nwant %v", what, got, want)
	}
}

// played runs a test in a bubble, and waits until the player is silent.
func played(t *testing.T, test func(t *testing.T, p *player.Player, c *call)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := newCall()
		p := player.New(c)
		test(t, p, c)
		time.Sleep(time.Second)
		p.Close()
	})
}

func TestPace(t *testing.T) {
	played(t, func(t *testing.T, p *player.Player, c *call) {
		took, err := p.Play(t.Context(), &tone{frames: 3000})
		if took != time.Minute || err != nil {
			t.Errorf("played %v: %v", took, err)
		}
		time.Sleep(time.Second)
		loud, quiet := c.sound()
		requireTimes(t, "sound", loud, ticks(0, 3000))
		requireTimes(t, "silence", quiet, ticks(time.Minute, 5))
		on, off := c.speaking()
		requireTimes(t, "speaking", on, ticks(0, 1))
		requireTimes(t, "paused", off, ticks(time.Minute+80*time.Millisecond, 1))
		for i, n := range c.loudness(t)[10:2990] {
			if n < 4000 {
				t.Fatalf("frame %d has the loudness %v", i, n)
			}
		}
	})
}

// TestPaceWithASlowCall: time that a Send takes is not added up.
func TestPaceWithASlowCall(t *testing.T) {
	played(t, func(t *testing.T, p *player.Player, c *call) {
		const slow = 7 * time.Millisecond
		c.slow = func(time.Duration) time.Duration { return slow }
		if _, err := p.Play(t.Context(), &tone{frames: 500}); err != nil {
			t.Error(err)
		}
		loud, _ := c.sound()
		requireTimes(t, "sound", loud, ticks(slow, 500))
	})
}

// TestASleepIsNotMadeUpFor: a machine that was asleep does not send what it has missed at once.
func TestASleepIsNotMadeUpFor(t *testing.T) {
	played(t, func(t *testing.T, p *player.Player, c *call) {
		c.slow = func(at time.Duration) time.Duration { return max(0, time.Second-at) }
		if _, err := p.Play(t.Context(), &tone{frames: 20}); err != nil {
			t.Error(err)
		}
		loud, _ := c.sound()
		requireTimes(t, "sound", loud, append(ticks(time.Second, 1), ticks(time.Second, 19)...))
	})
}

func TestTheNextFollowsWithoutAGap(t *testing.T) {
	played(t, func(t *testing.T, p *player.Player, c *call) {
		for range 3 {
			if _, err := p.Play(t.Context(), &tone{frames: 10}); err != nil {
				t.Error(err)
			}
		}
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if _, err := p.Play(t.Context(), &tone{frames: 10}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		loud, quiet := c.sound()
		requireTimes(t, "sound", loud, ticks(0, 60))
		requireTimes(t, "silence", quiet, nil)
	})
}

// TestWhatComesDuringTheSilenceFollows without another announcement.
func TestWhatComesDuringTheSilenceFollows(t *testing.T) {
	played(t, func(t *testing.T, p *player.Player, c *call) {
		_, _ = p.Play(t.Context(), &tone{frames: 10})
		time.Sleep(45 * time.Millisecond)
		_, _ = p.Play(t.Context(), &tone{frames: 10})
		time.Sleep(time.Second)
		loud, quiet := c.sound()
		requireTimes(t, "sound", loud, append(ticks(0, 10), ticks(240*time.Millisecond, 10)...))
		if on, _ := c.speaking(); len(quiet) != 7 || len(on) != 1 {
			t.Errorf("silence at %v, speaking at %v", quiet, on)
		}
	})
}

func TestACancelledSoundIsSilentAtOnce(t *testing.T) {
	for _, after := range []time.Duration{0, 30 * time.Millisecond, 110 * time.Millisecond} {
		played(t, func(t *testing.T, p *player.Player, c *call) {
			enough := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(after, func() { cancel(enough) })
			took, err := p.Play(ctx, &tone{frames: 500, ctx: ctx})
			ended := time.Since(c.began)
			time.Sleep(time.Second)
			loud, quiet := c.sound()
			if len(loud) > 0 && loud[len(loud)-1] > after || !errors.Is(err, enough) || ended != after || took != time.Duration(len(loud))*frameTime {
				t.Errorf("cancelled after %v, it ended after %v, having played %v; sound at %v: %v", after, ended, took, loud, err)
			}
			if on, off := c.speaking(); len(on) > 0 && (len(quiet) != 5 || len(off) != 1 || off[0] > after+2*frameTime+80*time.Millisecond) {
				t.Errorf("silence at %v, paused at %v", quiet, off)
			}
		})
	}
}

// TestAnUnderrun: a short one is silence; a longer one is a pause.
func TestAnUnderrun(t *testing.T) {
	for _, tt := range []struct {
		late   time.Duration
		silent int
		begins int // how often the others are told that the bot speaks
	}{
		{250 * time.Millisecond, 3, 1}, // that late, when 200 ms are there already
		{300 * time.Millisecond, 5, 2},
		{900 * time.Millisecond, 5, 2},
	} {
		played(t, func(t *testing.T, p *player.Player, c *call) {
			took, err := p.Play(t.Context(), &tone{frames: 20, wait: map[int]time.Duration{10: tt.late}, ctx: t.Context()})
			if took != 400*time.Millisecond || err != nil {
				t.Errorf("%v late: played %v: %v", tt.late, took, err)
			}
			loud, quiet := c.sound()
			on, _ := c.speaking()
			if len(loud) != 20 || len(quiet) != tt.silent || len(on) != tt.begins {
				t.Errorf("%v late: silence at %v, speaking at %v, sound at %v", tt.late, quiet, on, loud)
			}
		})
	}
}

// TestItBeginsWithSomethingInReserve, unless there is no more.
func TestItBeginsWithSomethingInReserve(t *testing.T) {
	played(t, func(t *testing.T, p *player.Player, c *call) {
		_, _ = p.Play(t.Context(), &tone{frames: 5, wait: map[int]time.Duration{2: time.Second}, ctx: t.Context()})
		time.Sleep(time.Second)
		_, _ = p.Play(t.Context(), &tone{frames: 1})
		_, _ = p.Play(t.Context(), &tone{frames: 0})
		loud, _ := c.sound()
		requireTimes(t, "sound", loud, append(ticks(time.Second, 5), ticks(2*time.Second+80*time.Millisecond, 1)...))
		if on, _ := c.speaking(); len(on) != 2 {
			t.Errorf("speaking at %v", on)
		}
	})
}

// TestACallThatIsNotReady is waited for; when that takes too long, the sound goes by.
func TestACallThatIsNotReady(t *testing.T) {
	for _, tt := range []struct {
		until time.Duration
		heard int
	}{{60 * time.Millisecond, 100}, {2 * time.Second, 100}, {3 * time.Second, 50}, {time.Hour, 0}} {
		played(t, func(t *testing.T, p *player.Player, c *call) {
			c.deaf = func(at time.Duration) bool { return at < tt.until }
			took, err := p.Play(t.Context(), &tone{frames: 100})
			if took != 2*time.Second || err != nil {
				t.Errorf("not ready for %v: played %v: %v", tt.until, took, err)
			}
			if loud, _ := c.sound(); len(loud) != tt.heard {
				t.Errorf("not ready for %v: %d frames were sent, want %d", tt.until, len(loud), tt.heard)
			}
			if ended := time.Since(c.began).Round(frameTime); ended > 4*time.Second {
				t.Errorf("not ready for %v: it ended after %v", tt.until, ended)
			}
		})
	}
}

// TestACancelledSoundIsNotHeldBack, though the call was not ready for it.
func TestACancelledSoundIsNotHeldBack(t *testing.T) {
	played(t, func(t *testing.T, p *player.Player, c *call) {
		c.deaf = func(at time.Duration) bool { return at < 300*time.Millisecond }
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, _ = p.Play(ctx, &tone{frames: 100})
		time.Sleep(time.Second)
		if loud, _ := c.sound(); len(loud) > 0 {
			t.Errorf("sound at %v", loud)
		}
	})
}

func TestABrokenSourceIsPlayedToItsEnd(t *testing.T) {
	played(t, func(t *testing.T, p *player.Player, c *call) {
		broken := errors.New("broken")
		took, err := p.Play(t.Context(), &tone{frames: 10, err: broken})
		if took != 200*time.Millisecond || !errors.Is(err, broken) {
			t.Errorf("played %v: %v", took, err)
		}
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCall()
		p := player.New(c)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if _, err := p.Play(t.Context(), &tone{frames: 100}); !errors.Is(err, player.ErrClosed) {
					t.Errorf("the error is %v", err)
				}
			})
		}
		time.Sleep(110 * time.Millisecond)
		p.Close()
		if took := time.Since(c.began); took > 120*time.Millisecond {
			t.Errorf("closing took until %v", took)
		}
		all.Wait()
		if _, err := p.Play(t.Context(), &tone{frames: 1}); !errors.Is(err, player.ErrClosed) {
			t.Errorf("the error is %v", err)
		}
	})
}

// TestASilentPlayerHasNoEncoder: calls in which nothing is said cost next to nothing.
func TestASilentPlayerHasNoEncoder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heap := func() uint64 {
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before := heap()
		var all []*player.Player
		for range 20 {
			p := player.New(newCall())
			_, _ = p.Play(t.Context(), &tone{frames: 10})
			all = append(all, p)
		}
		time.Sleep(time.Second)
		if grown := int64(heap()) - int64(before); grown > 1<<20 {
			t.Errorf("%d silent players have %d KB", len(all), grown>>10)
		}
		runtime.KeepAlive(all)
	})
}
