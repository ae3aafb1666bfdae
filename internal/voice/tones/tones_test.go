package tones_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/voice/opus"
	"discoclaw/internal/voice/tones"
)

const said = "Hello, mississippi! is it five o'clock? all the queen's men"

func TestWhatIsSaidIsUnderstood(t *testing.T) {
	want := strings.ToLower(said)
	for _, rate := range []int{48000, 16000} {
		for _, late := range []int{0, 50, 123, 500, 959} { // the sound begins anywhere in a window
			pcm := append(make([]int16, late), tones.Say(said)...)
			var taken []int16
			for i := 0; i < len(pcm); i += 48000 / rate {
				taken = append(taken, pcm[i])
			}
			if got := tones.Understand(taken, rate); got != want {
				t.Errorf("at %d, %d samples late, understood %q", rate, late, got)
			}
		}
	}
}

func TestWhatIsSaidIsUnderstoodBehindTheCoder(t *testing.T) {
	frames, err := tones.Frames(said)
	if err != nil {
		t.Fatal(err)
	}
	coder, err := opus.NewDecoder()
	if err != nil {
		t.Fatal(err)
	}
	ear := tones.NewEar(opus.Rate)
	for _, f := range frames {
		pcm, err := coder.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		ear.Hear(tones.Left(pcm))
	}
	if got := tones.Text(ear.Words()); got != strings.ToLower(said) {
		t.Errorf("understood %q", got)
	}
}

func TestWordsHaveTheirTimes(t *testing.T) {
	ear := tones.NewEar(opus.Rate)
	ear.Hear(tones.Say("ab cde"))
	ear.Hear(make([]int16, opus.Rate/2))
	got := fmt.Sprint(ear.Words())
	if want := "[{ab 0s 120ms} {cde 220ms 400ms}]"; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if q := ear.Quiet(); q < 450*time.Millisecond || q > 500*time.Millisecond {
		t.Errorf("it was quiet for %v", q)
	}
}
