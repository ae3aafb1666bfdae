package link_test

import (
	"slices"
	"testing"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/test/skip"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/opus"
	"discoclaw/internal/voice/tones"
)

// sing makes the frames of a sentence, for each word those of its tone, and then nil for those of the pause.
func sing(t *testing.T, words []int) (frames [][]byte) {
	t.Helper()
	var pcm []int16
	for _, w := range words {
		pcm = append(pcm, tones.Tone(w, opus.Rate, wordFrames*frameTime)...)
	}
	all, err := tones.Encode(pcm)
	if err != nil {
		t.Fatal(err)
	}
	for word := range slices.Chunk(all, wordFrames) {
		frames = append(append(frames, word...), make([][]byte, 5)...)
	}
	return frames
}

func TestTonesGetThroughABadNetwork(t *testing.T) {
	skip.UnderRace(t, "what it adds to the other tests is arithmetic")
	inHall(t, fakevoice.Options{Seed: 2}, func(t *testing.T, h *hall) {
		a := h.join(ada)
		h.SetLine(bot, fakevoice.Down, fakevoice.Line{Loss: 0.05, Jitter: 60 * time.Millisecond, Reorder: 0.05})
		b := h.join(bot)
		words := sentence(500)
		a.Speaking(true)
		time.Sleep(frameTime)
		for _, frame := range sing(t, words) {
			if frame == nil {
				frame = link.Silence
			}
			if err := a.Send(frame); err != nil {
				t.Fatal(err)
			}
			time.Sleep(frameTime)
		}
		time.Sleep(time.Second)

		coder, err := opus.NewDecoder()
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		last, run := -1, 0
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, f := range b.heard {
			pcm, err := coder.Decode(f.Opus) // nil for one that was lost
			if err != nil {
				t.Fatal(err)
			}
			if s := tones.Symbol(tones.Left(pcm), opus.Rate); s != last {
				last, run = s, 0
			}
			if run++; run == understood && last >= 0 && (len(got) == 0 || got[len(got)-1] != last) {
				got = append(got, last)
			}
		}
		if !slices.Equal(got, words) {
			t.Errorf("understood %v\nwant %v", got, words)
		}
	})
}
