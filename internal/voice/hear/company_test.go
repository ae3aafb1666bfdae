package hear_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/test/skip"
	"discoclaw/internal/voice/hear"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/tones"
	"discoclaw/internal/voice/transcribe"
	"discoclaw/internal/voice/transcribe/transcribetest"
)

// speech is n words in sentences, different ones for each speaker.
func speech(user uint64, n int) (sentences []string) {
	rnd := rand.New(rand.NewPCG(user, 1))
	for n > 0 {
		var words []string
		count := 3 + rnd.IntN(20)
		if n-count < 3 {
			count = n
		}
		for range count {
			var word strings.Builder
			for range 2 + rnd.IntN(3) {
				word.WriteByte(byte('a' + rnd.IntN(26)))
			}
			words = append(words, word.String())
		}
		n -= len(words)
		sentences = append(sentences, strings.Join(words, " ")+".")
	}
	return sentences
}

// TestThreePeopleTalkAtTheSameTime, and each is understood word for word.
func TestThreePeopleTalkAtTheSameTime(t *testing.T) {
	skip.UnderRace(t, "what it adds to the other tests is arithmetic")
	said := map[uint64][][][]byte{}
	for _, user := range []uint64{ada, bob, cleo} {
		for _, text := range speech(user, 500) {
			frames, err := tones.Frames(text)
			if err != nil {
				t.Fatal(err)
			}
			said[user] = append(said[user], append(frames, slices.Repeat([][]byte{link.Silence}, 5)...))
		}
	}
	for name, open := range map[string]func(testing.TB) transcribe.Recogniser{
		"deepgram": func(t testing.TB) transcribe.Recogniser { _, r := deepgram(t); return r },
		"openai":   func(t testing.TB) transcribe.Recogniser { _, r := openAI(t); return r },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := listen(t, hear.Options{Recogniser: open(t)})
				var talk sync.WaitGroup
				for _, user := range []uint64{ada, bob, cleo} {
					talk.Go(func() {
						m := r.join(user)
						for i, frames := range said[user] {
							m.play(frames...)
							time.Sleep(time.Duration(400+100*(i%5)) * time.Millisecond)
						}
					})
				}
				talk.Go(func() {
					for range 5 {
						r.join(mallory).say(hello)
					}
				})
				talk.Wait()
				time.Sleep(2 * time.Second)
				for _, user := range []uint64{ada, bob, cleo} {
					r.requireHeard(user, speech(user, 500)...)
				}
				r.requireHeard(mallory)
				r.requireFailed()
			})
		})
	}
}

func TestAFifthSpeakerIsNotHeard(t *testing.T) {
	inRoom(t, func(t *testing.T, d *transcribetest.Deepgram, r *room) {
		var talk sync.WaitGroup
		for _, user := range []uint64{ada, bob, cleo, dan} {
			talk.Go(func() { r.join(user).say(strings.Repeat("this is a long story. ", 4)) })
		}
		time.Sleep(time.Second)
		e := r.join(eve)
		e.say("me too")
		e.say("what about me?")
		talk.Wait()
		e.say("why not?") // the others have just stopped
		r.requireHeard(eve)
		r.mu.Lock()
		if want := []chat.UserID{id(eve)}; !slices.Equal(r.crowded, want) {
			t.Errorf("told %v", r.crowded)
		}
		r.mu.Unlock()

		a := r.join(ada)
		a.say("one more thing")
		time.Sleep(2500 * time.Millisecond) // who has been silent for longest makes room, which is not her
		e.say("at last!")
		time.Sleep(time.Second)
		r.requireHeard(eve, "at last!")
		if n := d.Most(); n != 4 || d.Now() != 4 {
			t.Errorf("%d streams were open at once, and %d are", n, d.Now())
		}
		a.say("and another")
		time.Sleep(time.Second)
		if got := r.texts(ada); len(got) == 0 || got[len(got)-1] != "and another" {
			t.Errorf("understood %q", got)
		}
		if d.Asked() != 5 {
			t.Errorf("there were %d streams", d.Asked())
		}
		r.requireFailed()
	})
}

// till is what somebody has paid.
type till struct {
	began   time.Time
	refused atomic.Bool

	mu sync.Mutex
	bill
}

type bill struct {
	asked []time.Duration // when, since the beginning
	open  int
	used  time.Duration
}

func (c *till) now() bill {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bill
}

var errBudget = errors.New("the budget is used up")

func (c *till) pay(_ context.Context, user chat.UserID, sound time.Duration) (func(time.Duration), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, time.Since(c.began).Round(time.Second))
	if user != id(ada) || sound != 15*time.Second {
		return nil, fmt.Errorf("%s is to pay for %v", user, sound)
	}
	if c.refused.Load() {
		return nil, errBudget
	}
	c.open++
	return func(used time.Duration) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open--
		c.used += used
		if used > sound {
			c.used = -time.Hour
		}
	}, nil
}

func inShop(t *testing.T, test func(t *testing.T, d *transcribetest.Deepgram, c *till, r *room)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, recogniser := deepgram(t)
		c := &till{began: time.Now()}
		test(t, d, c, listen(t, hear.Options{Recogniser: recogniser, Pay: c.pay}))
	})
}

func TestSoundIsPaidFor(t *testing.T) {
	inShop(t, func(t *testing.T, d *transcribetest.Deepgram, c *till, r *room) {
		m := r.join(ada)
		long, err := tones.Frames(strings.Repeat("it takes long to say. ", 14)) // about 20 s
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			m.play(long...)
			time.Sleep(10 * time.Second)
		}
		now := c.now()
		sent := time.Duration(d.Samples()) * time.Second / 48000
		if now.used != sent || now.open != 0 || len(now.asked) != 6 {
			t.Errorf("%v were paid for, in %d portions, of which %d are open; %v were recognised", now.used, len(now.asked), now.open, sent)
		}
		if sent < 55*time.Second || sent > 75*time.Second {
			t.Errorf("%v were recognised", sent)
		}
		m.say("a little more")
		if c.now().open != 1 {
			t.Errorf("%d portions are open", c.now().open)
		}
		time.Sleep(2600 * time.Millisecond)
		if c.now().open != 1 {
			t.Error("it was settled before three seconds of silence")
		}
		time.Sleep(400 * time.Millisecond)
		if c.now().open != 0 {
			t.Error("it is not settled after three seconds of silence")
		}
		m.say("and more")
		r.stop()
		<-r.done
		if c.now().open != 0 {
			t.Error("it is not settled at the end")
		}
	})
}

func TestWhoCannotPayIsNotRecognised(t *testing.T) {
	inShop(t, func(t *testing.T, d *transcribetest.Deepgram, c *till, r *room) {
		c.refused.Store(true)
		m := r.join(ada)
		for time.Since(c.began) < 2*time.Minute {
			m.say(hello)
			time.Sleep(3 * time.Second)
		}
		r.requireFailed("11: the budget is used up")
		asked := c.now().asked
		if d.Samples() > 0 || len(asked) != 2 || asked[1] < time.Minute || asked[1] > 65*time.Second {
			t.Errorf("%d samples reached it, asked at %v", d.Samples(), asked)
		}
		time.Sleep(time.Minute)
		c.refused.Store(false)
		m.say(hello)
		time.Sleep(time.Second)
		r.requireHeard(ada, hello)
		c.refused.Store(true)
		m.say(strings.Repeat("it takes long to say. ", 14))
		time.Sleep(time.Second)
		synctest.Wait()
		if limit := 48000 * 15; d.Samples() > limit {
			t.Errorf("%d samples reached it, %d were paid for", d.Samples(), limit)
		}
		if got := r.texts(ada); len(got) != 1 || !strings.HasPrefix(got[0], "it takes long") {
			t.Errorf("understood %q", got) // what was paid for is not lost
		}
		r.requireFailed("11: the budget is used up")
	})
}

func TestARecogniserThatFails(t *testing.T) {
	t.Parallel()
	busy := transcribetest.Answer(503, "{}")
	synctest.Test(t, func(t *testing.T) {
		d, recogniser := deepgram(t)
		c := &till{began: time.Now()}
		r := listen(t, hear.Options{Recogniser: recogniser, Pay: c.pay})
		m := r.join(ada)
		d.Next(slices.Repeat([]http.HandlerFunc{busy}, 12)...)
		for time.Since(c.began) < 50*time.Second {
			m.say(hello)
			time.Sleep(2 * time.Second)
		}
		r.requireFailed("11: the server for transcriptions failed (status 503)") // once
		if d.Asked() < 12 {
			t.Errorf("it was tried only %d times", d.Asked())
		}
		r.texts(ada)
		m.say("is it over?")
		time.Sleep(4 * time.Second)
		r.requireHeard(ada, "is it over?")
		if c.now().open != 0 {
			t.Errorf("%d portions are open", c.now().open)
		}
		d.Next(busy, busy, busy, busy)
		d.Break()
		time.Sleep(10 * time.Second)
		r.requireFailed("11: the server for transcriptions failed (status 503)") // anew
	})
}

// broken is a recogniser that does not open.
type broken struct{}

func (broken) Rate() int { return 16000 }
func (broken) Open(context.Context) (transcribe.Stream, error) {
	return nil, errors.New("there is none")
}

func TestARecogniserThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &till{began: time.Now()}
		r := listen(t, hear.Options{Recogniser: broken{}, Pay: c.pay})
		m := r.join(ada)
		for range 10 {
			m.say(hello)
			time.Sleep(3 * time.Second)
		}
		r.requireFailed("11: there is none")
		if now := c.now(); now.used != 0 || now.open != 0 || len(now.asked) < 2 || len(now.asked) > 5 {
			t.Errorf("%v were paid for, %d portions are open; asked at %v", now.used, now.open, now.asked)
		}
	})
}
