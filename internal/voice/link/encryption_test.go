package link_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/voice/dave"
	"discoclaw/internal/voice/link"
)

// requireCode fails unless all see the same code, or none.
func requireCode(t *testing.T, some bool, all ...*guest) {
	t.Helper()
	synctest.Wait()
	first, _ := all[0].State()
	for _, g := range all {
		now, _ := g.State()
		if now.PrivacyCode != first.PrivacyCode || (now.PrivacyCode != "") != some || (now.Version > 0) != some {
			t.Errorf("user %d: version %d, code %q, and another has %q", g.user, now.Version, now.PrivacyCode, first.PrivacyCode)
		}
	}
}

func TestEncryptsWithAllWhoComeAndGo(t *testing.T) {
	for name, o := range map[string]fakevoice.Options{"sender last": {}, "sender first": {SenderFirst: true}} {
		t.Run(name, func(t *testing.T) {
			inHall(t, o, func(t *testing.T, h *hall) {
				b, a := h.join(bot), h.join(ada)
				h.requireTalk(a, b)
				requireCode(t, true, a, b)
				c := h.join(cleo)
				h.requireTalk(a, b, c)
				requireCode(t, true, a, b, c)
				a.leave()
				time.Sleep(time.Second)
				h.requireTalk(b, c)
				requireCode(t, true, b, c)
				c.leave()
				time.Sleep(time.Second)
				if now, _ := b.State(); !now.Ready || len(now.People) > 0 {
					t.Errorf("alone, the state is %+v", now)
				}
				h.requireTalk(b, h.join(ada))
			})
		})
	}
}

func TestComesToACallThatGoesOn(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		a, c := h.join(ada), h.join(cleo)
		h.requireTalk(a, c)
		began := time.Now()
		b := h.join(bot)
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
		if now, _ := b.State(); !now.CanSend || len(now.People) != 2 {
			t.Errorf("the state is %+v", now)
		}
		h.requireTalk(a, b, c)
	})
}

// TestNoWordIsLostWhenSomebodyComesOrGoes: keys change in the middle of sentences.
func TestNoWordIsLostWhenSomebodyComesOrGoes(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		b, a := h.join(bot), h.join(ada)
		words := count("word", 500)
		var talking sync.WaitGroup
		for _, g := range []*guest{a, b} {
			talking.Go(func() { g.say(words...) })
		}
		time.Sleep(2 * time.Second)
		c := h.join(cleo)
		time.Sleep(3 * time.Second)
		c.leave()
		talking.Wait()
		a.requireHeard(bot, words)
		b.requireHeard(ada, words)
	})
}

func TestEncryptionEndsAndBeginsAgain(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		b, a := h.join(bot), h.join(ada)
		h.requireTalk(a, b)
		h.Downgrade(channel)
		time.Sleep(time.Second)
		requireCode(t, false, a, b)
		h.requireTalk(a, b)
		h.Upgrade(channel)
		time.Sleep(time.Second)
		requireCode(t, true, a, b)
		h.requireTalk(a, b)
	})
}

func TestTwoTransitionsAreUnderWay(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		b, a := h.join(bot), h.join(ada)
		h.requireTalk(a, b)
		h.Hold(dave.OpExecuteTransition)
		c := h.joinLater(cleo)
		time.Sleep(time.Second)
		d := h.joinLater(bob)
		time.Sleep(time.Second)
		h.requireTalk(a, b)
		h.Release(dave.OpExecuteTransition)
		h.requireTalk(a, b, <-c, <-d)
	})
}

func TestRecoversFromMessagesThatAreOfNoUse(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		a, c := h.join(ada), h.join(cleo)
		h.PreferCommits(channel, ada)
		h.SpoilNext(bot, dave.OpWelcome)
		b := h.join(bot)
		h.requireTalk(a, b, c)
		h.SpoilNext(bot, dave.OpCommit)
		d := h.join(bob)
		time.Sleep(time.Second)
		h.requireTalk(a, b, c, d)
	})
}

func TestWhoIsProposedMayBeAnnouncedLater(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		b, a := h.join(bot), h.join(ada)
		const connected = 11
		h.Hold(connected)
		c := h.joinLater(cleo)
		time.Sleep(time.Second)
		h.Release(connected)
		h.requireTalk(a, b, <-c)
	})
}

func TestGivesUpAnEncryptionThatIsNotAgreedOn(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		h.join(ada)
		h.join(cleo)
		for range 20 {
			h.SpoilNext(bot, dave.OpWelcome)
		}
		if _, err := h.dial(bot); err != link.ErrEncryption {
			t.Errorf("error %v", err)
		}
	})
}
