package link_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/voice/link"
)

func TestHearsAndIsHeard(t *testing.T) {
	for _, mode := range []string{fakevoice.GCM, fakevoice.XChaCha} {
		t.Run(mode, func(t *testing.T) {
			inHall(t, fakevoice.Options{Plain: true, Modes: []string{mode, "xsalsa20_poly1305"}}, func(t *testing.T, h *hall) {
				h.requireTalk(h.join(bot), h.join(ada), h.join(bob))
			})
		})
	}
}

func TestWhoIsAloneIsReady(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		began := time.Now()
		b := h.join(bot)
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
		now, _ := b.State()
		if !now.Ready || now.CanSend || len(now.People) > 0 {
			t.Errorf("the state is %+v", now)
		}
		if held := b.say("hello", string(link.Silence)); held != 1 {
			t.Errorf("%d frames were held, want all but silence", held)
		}
	})
}

func TestTellsWhoIsThere(t *testing.T) {
	inHall(t, fakevoice.Options{Plain: true}, func(t *testing.T, h *hall) {
		b := h.join(bot)
		_, changed := b.State()
		a := h.join(ada)
		<-changed
		now, changed := b.State()
		if len(now.People) != 1 || now.People[0] != ada {
			t.Errorf("there are %v", now.People)
		}
		a.leave()
		<-changed
		if now, _ := b.State(); len(now.People) > 0 {
			t.Errorf("there are %v", now.People)
		}
		b.leave()
		b.requireOver(link.ErrClosed)
	})
}

func TestSaysNothingThatNobodyExpects(t *testing.T) {
	inHall(t, fakevoice.Options{Plain: true}, func(t *testing.T, h *hall) {
		b, a := h.join(bot), h.join(ada)
		for range 2 {
			if err := b.Send([]byte("hello")); !errors.Is(err, link.ErrNotReady) {
				t.Errorf("error %v before the others knew", err)
			}
			h.requireTalk(a, b)
			b.Speaking(false)
			synctest.Wait()
		}
	})
}

func TestStaysForHours(t *testing.T) {
	inHall(t, fakevoice.Options{Plain: true}, func(t *testing.T, h *hall) {
		b, a := h.join(bot), h.join(ada)
		h.TellBinary(bot, 99, []byte{1}) // has to be acknowledged like any other
		time.Sleep(8 * time.Hour)
		h.requireTalk(a, b)
		if b.ssrcOf(ada) != a.ssrcOf(ada) {
			t.Error("somebody has connected anew")
		}
	})
}

func TestFirstWordsWaitUntilItIsKnownWhoSpeaks(t *testing.T) {
	inHall(t, fakevoice.Options{Plain: true}, func(t *testing.T, h *hall) {
		b, a := h.join(bot), h.join(ada)
		h.Hold(5)
		words := count("word", 90)
		a.say(words[:80]...)
		synctest.Wait()
		h.Release(5)
		a.say(words[80:]...)
		b.requireHeard(ada, words)
	})
}

func TestOfSomebodyUnknownOnlyTheLastWordsAreKept(t *testing.T) {
	inHall(t, fakevoice.Options{Plain: true}, func(t *testing.T, h *hall) {
		b, a := h.join(bot), h.join(ada)
		h.Hold(5)
		words := count("word", 300)
		a.say(words...)
		h.Release(5)
		b.requireHeard(ada, words[200:])
	})
}
