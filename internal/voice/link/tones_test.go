package link_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/test/skip"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/opus"
)

// The words of a sentence can be tones: each symbol has its own.
func pitch(symbol int) float64 { return 400 + 100*float64(symbol) }

// sing makes the frames of a sentence, for each word those of its tone, and then nil for those of the pause.
func sing(t *testing.T, words []int) (frames [][]byte) {
	t.Helper()
	coder, err := opus.NewEncoder()
	if err != nil {
		t.Fatal(err)
	}
	pcm := make([]int16, opus.Samples)
	for _, w := range words {
		for n := range wordFrames {
			for i := range opus.Samples {
				at := float64(n*opus.Samples/opus.Channels + i/opus.Channels)
				pcm[i] = int16(8000 * math.Sin(2*math.Pi*pitch(w)*at/opus.Rate))
			}
			frame, err := coder.Encode(pcm)
			if err != nil {
				t.Fatal(err)
			}
			frames = append(frames, frame)
		}
		frames = append(frames, make([][]byte, 5)...)
	}
	return frames
}

// strength is how much of a tone there is in a sound (Goertzel's algorithm).
func strength(pcm []int16, pitch float64) float64 {
	c := 2 * math.Cos(2*math.Pi*pitch/opus.Rate)
	var a, b float64
	for i := 0; i < len(pcm); i += opus.Channels {
		a, b = float64(pcm[i])+c*a-b, a
	}
	return a*a + b*b - c*a*b
}

// tone is the symbol that a sound is; -1 for silence.
func tone(pcm []int16) (symbol int) {
	symbol = -1
	strongest := 1e11
	for s := range symbols {
		if n := strength(pcm, pitch(s)); n > strongest {
			symbol, strongest = s, n
		}
	}
	return symbol
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
			if s := tone(pcm); s != last {
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
