// Package tones is a way to write words as sound that a few lines of arithmetic can read again, for tests and the playground: each letter
// is a tone. What a bot hears, and says, can so be compared with what was said, through all of coding, network and recognition.
package tones

import (
	"math"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/voice/opus"
)

const (
	// Symbols is how many tones there are.
	Symbols = 32

	letters = "abcdefghijklmnopqrstuvwxyz',.?!"
	again   = Symbols - 1 // the letter before, once more: two equal tones would be one

	letter = 60 * time.Millisecond
	space  = 100 * time.Millisecond

	volume = 8000
	silent = 300 // the mean amplitude below which nothing is heard
	pure   = 0.6 // the share of a sound that its tone has at least
)

func pitch(symbol int) float64 { return 400 + 100*float64(symbol) }

// Tone is the sound of a symbol, mono.
func Tone(symbol, rate int, d time.Duration) []int16 {
	pcm := make([]int16, samples(d, rate))
	for i := range pcm {
		pcm[i] = int16(volume * math.Sin(2*math.Pi*pitch(symbol)*float64(i)/float64(rate)))
	}
	return pcm
}

func samples(d time.Duration, rate int) int { return int(d * time.Duration(rate) / time.Second) }

// Symbol is the one that a sound is; -1 for silence, and for what is none.
func Symbol(pcm []int16, rate int) int {
	power := 0.0
	for _, v := range pcm {
		power += float64(v) * float64(v)
	}
	n := float64(len(pcm))
	if power < silent*silent*n {
		return -1
	}
	for s := range Symbols {
		if 2*strength(pcm, pitch(s)/float64(rate)) > pure*power*n {
			return s
		}
	}
	return -1
}

// strength is how much of a tone there is in a sound (Goertzel's algorithm).
func strength(pcm []int16, frequency float64) float64 {
	c := 2 * math.Cos(2*math.Pi*frequency)
	var a, b float64
	for _, v := range pcm {
		a, b = float64(v)+c*a-b, a
	}
	return a*a + b*b - c*a*b
}

// Say is a text as sound, mono at 48 kHz. Of characters, it knows the small letters and ',.?!; capitals are made small, others left out.
func Say(text string) (pcm []int16) {
	for i, word := range strings.Fields(strings.ToLower(text)) {
		if i > 0 {
			pcm = append(pcm, make([]int16, samples(space, opus.Rate))...)
		}
		last := -1
		for _, r := range word {
			s := strings.IndexRune(letters, r)
			switch {
			case s < 0:
				continue
			case s == last:
				s = again
			}
			last = s
			pcm = append(pcm, Tone(s, opus.Rate, letter)...)
		}
	}
	return pcm
}

// Frames is a text as Discord carries it, in frames of 20 ms.
func Frames(text string) ([][]byte, error) { return Encode(Say(text)) }

// Encode makes frames of a sound, mono at 48 kHz.
func Encode(mono []int16) (frames [][]byte, err error) {
	coder, err := opus.NewEncoder()
	if err != nil {
		return nil, err
	}
	stereo := make([]int16, opus.Samples)
	for part := range slices.Chunk(mono, opus.Samples/opus.Channels) {
		clear(stereo)
		for i, v := range part {
			stereo[2*i], stereo[2*i+1] = v, v
		}
		frame, err := coder.Encode(stereo)
		if err != nil {
			return nil, err
		}
		frames = append(frames, frame)
	}
	return frames, nil
}

// Left is the left channel of a sound in stereo.
func Left(stereo []int16) []int16 {
	mono := make([]int16, len(stereo)/opus.Channels)
	for i := range mono {
		mono[i] = stereo[i*opus.Channels]
	}
	return mono
}
