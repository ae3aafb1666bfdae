package hear

import (
	"math"
	"slices"
	"testing"
)

// gain is what a filter makes of a tone, in decibels.
func gain(hertz float64) float64 {
	f := newFilter(3)
	in := make([]int16, 9600)
	for i := range in {
		in[i] = int16(10000 * math.Sin(2*math.Pi*hertz*float64(i)/48000))
	}
	out := f.apply(in)[100:]
	sum := 0.0
	for _, v := range out {
		sum += float64(v) * float64(v)
	}
	return 10*math.Log10(sum/float64(len(out))+1e-9) - 10*math.Log10(10000*10000/2)
}

func TestTheFilterKeepsSpeechAndNothingThatWouldComeBackAsSpeech(t *testing.T) {
	t.Parallel()
	for _, band := range []struct{ from, to, least, most float64 }{
		{50, 4000, -0.1, 0.1}, {4000, 5000, -1, 0.1}, {5000, 6700, -7, 0},
		{9500, 10000, -200, -35}, {10000, 24000, -200, -45}, // to 6 kHz and below
	} {
		for hertz := band.from; hertz <= band.to; hertz += 100 {
			if hertz == 24000 {
				continue // its samples are all 0
			}
			if g := gain(hertz); g < band.least || g > band.most {
				t.Errorf("%v Hz: %.1f dB", hertz, g)
			}
		}
	}
}

func TestTheFilterTakesSoundInPieces(t *testing.T) {
	t.Parallel()
	in := make([]int16, 9600)
	for i := range in {
		in[i] = int16(i*i*37 + i)
	}
	whole := slices.Clone(newFilter(3).apply(in))
	for _, size := range []int{1, 2, 120, 960, 961, 5760} {
		f := newFilter(3)
		var out []int16
		for part := range slices.Chunk(in, size) {
			out = append(out, f.apply(part)...)
		}
		if !slices.Equal(out, whole) {
			t.Errorf("in pieces of %d, it is something else", size)
		}
	}
	if n := len(whole); n < 9600/3-6 || n > 9600/3 {
		t.Errorf("%d samples became %d", len(in), n)
	}
}
