package link_test

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/test/skip"
	"discoclaw/internal/voice/link"
)

// TestHoursOfTalkLeaveNothingBehind: somebody comes, speaks for a twentieth of the time, and goes, again and again. That no goroutine is left,
// the end of the bubble shows.
func TestHoursOfTalkLeaveNothingBehind(t *testing.T) {
	skip.UnderRace(t, "people come, talk and go as in the other tests, here many times")
	joins := 40 // about twenty minutes
	if os.Getenv("DISCOCLAW_VOICE_HOURS") == "1" {
		joins = 1000 // eight hours
	}
	const stay, speech = 28800 * time.Millisecond, 72
	synctest.Test(t, func(t *testing.T) {
		h := newHall(t, fakevoice.Options{})
		h.log.stop()
		b, c := h.join(bot), h.join(cleo)
		var settled int64
		for n := range joins {
			began := time.Now()
			a := h.join(ada)
			words := count("word", speech)
			a.say(words...)
			b.requireHeard(ada, words)
			c.requireHeard(ada, words)
			if n%100 == 0 {
				h.requireTalk(b, c)
			}
			a.leave()
			a.Call = nil // the rig keeps its guests
			time.Sleep(stay - time.Since(began))
			if n == joins/4 {
				settled = link.Heap()
			}
		}
		if grown := link.Heap() - settled; grown > 1<<20 {
			t.Errorf("the memory has grown by %d KB", grown>>10)
		} else {
			t.Logf("the memory has grown by %d KB", grown>>10)
		}
		h.requireTalk(b, c)
	})
}

// stop has nothing logged any more.
func (l *lines) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quiet = true
}
