package hear

import "math"

const (
	taps   = 31
	middle = (taps - 1) / 2
	cutoff = 0.14 // of the rate: what it halves is 6.7 kHz of 48. The recogniser's 16 kHz have room for 8
)

// A filter takes the high tones out of sound and then all samples but one of a few, so that no high tone comes back as a low one.
type filter struct {
	step   int
	weight [taps]float32
	held   []float32
	out    []int16
}

func newFilter(step int) *filter {
	f := &filter{step: step, held: make([]float32, middle)} // what comes first is in the middle
	sum := 0.0
	var w [taps]float64
	for i := range w {
		x := float64(i - middle)
		w[i] = 2 * cutoff
		if x != 0 {
			w[i] = math.Sin(2*math.Pi*cutoff*x) / (math.Pi * x)
		}
		w[i] *= 0.54 - 0.46*math.Cos(2*math.Pi*float64(i)/(taps-1)) // Hamming's window
		sum += w[i]
	}
	for i := range w {
		f.weight[i] = float32(w[i] / sum)
	}
	return f
}

// apply filters the next sound. What it returns is valid until the next call.
func (f *filter) apply(pcm []int16) []int16 {
	for _, v := range pcm {
		f.held = append(f.held, float32(v))
	}
	f.out = f.out[:0]
	at := 0
	for ; at+taps <= len(f.held); at += f.step {
		sum := float32(0)
		for i, v := range f.held[at : at+taps] {
			sum += v * f.weight[i]
		}
		f.out = append(f.out, int16(max(math.MinInt16, min(sum, math.MaxInt16))))
	}
	f.held = f.held[:copy(f.held, f.held[at:])]
	return f.out
}
