package hear

import (
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/voice/link"
)

// TestWhoIsSilentHasNoDecoder after 3 s, and no place after 30.
func TestWhoIsSilentHasNoDecoder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newDeafSpeaker(16000)
		for range 2 {
			for _, f := range second(t) {
				s.take(t.Context(), arrival{link.Frame{Sequence: s.next, Opus: f}, time.Now()})
				time.Sleep(20 * time.Millisecond)
			}
			silent := time.Now().Add(-20 * time.Millisecond)
			for _, want := range []struct {
				after         time.Duration
				decoder, over bool
			}{{300 * time.Millisecond, true, false}, {3 * time.Second, false, false}, {30 * time.Second, false, true}} {
				<-s.quiet.C
				over := s.fallSilent()
				if has, after := s.decoder != nil, time.Since(silent); has != want.decoder || over != want.over || after != want.after {
					t.Errorf("after %v: there is a decoder: %v, it is over: %v; want %v", after, has, over, want)
				}
			}
		}
	})
}
