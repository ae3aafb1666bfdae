package hear

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/tones"
	"discoclaw/internal/voice/transcribe"
	"discoclaw/internal/voice/transcribe/transcribetest"
)

// TestWhoIsSilentTakesNoMemory: the decoder goes after 3 s, the recogniser after 30 s.
func TestWhoIsSilentTakesNoMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := transcribetest.NewDeepgram(t)
		r := &room{
			Options: Options{
				Listens:    func(chat.UserID) bool { return true },
				Recogniser: transcribe.New(transcribe.Options{Deepgram: true, BaseURL: transcribetest.DeepgramURL, Key: transcribetest.Key, HTTP: d.HTTP}),
				Log:        slog.New(slog.DiscardHandler),
			},
			people: map[uint64]*person{}, places: make(chan struct{}, maxSpeakers), ended: make(chan *speaker), calls: make(chan func(), 100),
		}
		ctx, cancel := context.WithCancel(t.Context())
		frames := make(chan link.Frame, 256)
		r.running.Go(func() { r.listen(ctx, frames) })
		defer r.running.Wait()
		defer cancel()

		count := func() (decoders int) {
			synctest.Wait()
			for _, p := range r.people {
				if p.speaker != nil && p.speaker.decoder != nil {
					decoders++
				}
			}
			return decoders
		}
		said, err := tones.Frames("hello")
		if err != nil {
			t.Fatal(err)
		}
		for sequence, f := range said {
			for user := range uint64(3) {
				frames <- link.Frame{User: user + 1, SSRC: uint32(user), Sequence: uint16(sequence), Opus: f}
			}
			time.Sleep(20 * time.Millisecond)
		}
		silentFrom := time.Now().Add(-20 * time.Millisecond)
		for _, at := range []struct {
			after             time.Duration
			decoders, streams int
		}{{100 * time.Millisecond, 3, 3}, {2990 * time.Millisecond, 3, 3}, {3010 * time.Millisecond, 0, 3}, {29990 * time.Millisecond, 0, 3}, {30010 * time.Millisecond, 0, 0}} {
			time.Sleep(time.Until(silentFrom.Add(at.after)))
			if n := count(); n != at.decoders || d.Now() != at.streams {
				t.Errorf("after %v there are %d decoders and %d streams, want %d and %d", at.after, n, d.Now(), at.decoders, at.streams)
			}
		}
	})
}
