package opus

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// speech is something like it: harmonics that rise and fall, noise between them, and more on the left than on the right.
func speech(frames int) []int16 {
	rnd := rand.New(rand.NewPCG(1, 2))
	pcm := make([]int16, frames*Samples)
	phase := 0.0
	for i := range len(pcm) / 2 {
		at := float64(i) / Rate
		pitch := 120 + 40*math.Sin(2*math.Pi*1.3*at)
		phase += pitch / Rate
		loud, noise := 0.5+0.5*math.Sin(2*math.Pi*3*at), rnd.Float64()*2-1
		tone := 0.0
		for h := 1.0; h < 30; h++ {
			tone += math.Sin(2*math.Pi*phase*h) / h * math.Exp(-math.Abs(h*pitch-700)/1500)
		}
		both := tone*loud*6000 + noise*900*(1-loud)
		pcm[2*i], pcm[2*i+1] = int16(both), int16(both*0.6+noise*200)
	}
	return pcm
}

// ofThisBuild opens a coder.
func ofThisBuild() (encoder, decoder, error) {
	e, err := newEncoder()
	if err != nil {
		return nil, nil, err
	}
	d, err := newDecoder()
	return e, d, err
}

func encode(t *testing.T, e encoder, pcm []int16) [][]byte {
	t.Helper()
	var frames [][]byte
	for part := range slices.Chunk(pcm, Samples) {
		frame, err := e.Encode(part)
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, frame)
	}
	return frames
}

func decode(t *testing.T, d decoder, frames ...[]byte) []int16 {
	t.Helper()
	var all []int16
	for i, frame := range frames {
		pcm, err := d.Decode(frame)
		if err != nil {
			t.Fatalf("frame %d, % x: %v", i, frame, err)
		}
		all = append(all, pcm...)
	}
	return all
}

// power is the mean of the squares.
func power(pcm []int16) float64 {
	var sum float64
	for _, v := range pcm {
		sum += float64(v) * float64(v)
	}
	return sum / float64(len(pcm))
}

// apart says how much two sounds differ: by how many units at most, and which share of the power the difference has.
func apart(a, b []int16) (worst int, share float64) {
	if len(a) != len(b) {
		return math.MaxInt, math.Inf(1)
	}
	difference := make([]int16, len(a))
	for i := range a {
		d := int(a[i]) - int(b[i])
		worst = max(worst, d, -d)
		difference[i] = int16(max(math.MinInt16, min(d, math.MaxInt16)))
	}
	return worst, power(difference) / max(1, power(a))
}

func each(t *testing.T, test func(*testing.T, encoder, decoder)) {
	for name, open := range coders {
		t.Run(name, func(t *testing.T) {
			e, d, err := open()
			if err != nil {
				t.Fatal(err)
			}
			test(t, &Encoder{e}, &Decoder{d})
		})
	}
}

func TestSoundComesBack(t *testing.T) {
	each(t, func(t *testing.T, e encoder, d decoder) {
		const delay = 312 // samples by which what comes out is late (RFC 6716: 6.5 ms)
		said := speech(50)
		frames := encode(t, e, said)
		heard := decode(t, d, frames...)
		if _, share := apart(said[:len(said)-Channels*delay], heard[Channels*delay:]); share > 0.05 {
			t.Errorf("what comes back differs by a share of %.3f", share)
		}
		bits := 0
		for _, f := range frames {
			bits += 8 * len(f)
		}
		if bits < 56000 || bits > 70000 {
			t.Errorf("a second took %d bits", bits)
		}
	})
}

func TestOnlyWholeFramesAreEncoded(t *testing.T) {
	each(t, func(t *testing.T, e encoder, _ decoder) {
		for _, n := range []int{0, 1, Samples / 2, Samples - 1, Samples + 1} {
			if frame, err := e.Encode(make([]int16, n)); err == nil {
				t.Errorf("%d samples became % x", n, frame)
			}
		}
	})
}

// TestLostFrames: the sound goes on, gets quieter, and is what it should be again soon after frames arrive again.
func TestLostFrames(t *testing.T) {
	each(t, func(t *testing.T, e encoder, d decoder) {
		frames := encode(t, e, speech(60))
		if early := decode(t, d, nil, []byte{}); len(early) != 2*Samples || power(early) != 0 {
			t.Errorf("before the first frame, there are %d samples of power %.0f", len(early), power(early))
		}
		before := decode(t, d, frames[:20]...)
		lost := decode(t, d, make([][]byte, 20)...)
		if len(lost) != 20*Samples {
			t.Errorf("%d samples stand for 20 frames", len(lost))
		}
		last := power(before[19*Samples:])
		if first, end := power(lost[:Samples]), power(lost[19*Samples:]); first < last/4 || end > last/20 {
			t.Errorf("the power goes from %.0f to %.0f, and in the end %.0f", last, first, end)
		}
		again := decode(t, d, frames[40:]...)
		_, whole, _ := coders["pure"]()
		if _, share := apart(decode(t, whole, frames...)[55*Samples:], again[15*Samples:]); share > 0.001 {
			t.Errorf("0.3 s after the last loss, the sound still differs by a share of %f", share)
		}
	})
}

// TestHostileFrames: whatever a frame is, both coders agree on how much sound it has, if any, and take the next good one.
func TestHostileFrames(t *testing.T) {
	e, _, err := coders["pure"]()
	if err != nil {
		t.Fatal(err)
	}
	good := encode(t, e, speech(50))
	agreed := map[string][]int{}
	each(t, func(t *testing.T, _ encoder, d decoder) {
		rnd := rand.New(rand.NewPCG(3, 4))
		refused := 0
		for range 10000 {
			frame := hostile(rnd, good)
			pcm, err := d.(*Decoder).coder.Decode(frame) // nothing is recovered here
			if err != nil {
				refused++
			}
			if len(pcm) > maxSamples || len(pcm)%2 != 0 || len(pcm) > 0 != (err == nil) {
				t.Fatalf("% x has %d samples: %v", frame, len(pcm), err)
			}
			agreed[t.Name()] = append(agreed[t.Name()], len(pcm))
		}
		if refused < 1000 || refused > 9000 {
			t.Errorf("of 10000, %d were refused", refused)
		}
		decode(t, d, good[0])
		if pcm, err := d.Decode(make([]byte, maxBytes+1)); err == nil {
			t.Errorf("a frame too long for a packet has %d samples", len(pcm))
		}
	})
	for name, lengths := range agreed {
		for other, theirs := range agreed {
			if !slices.Equal(lengths, theirs) {
				t.Errorf("%s and %s disagree on what is a frame", name, other)
			}
		}
	}
}

func hostile(rnd *rand.Rand, good [][]byte) []byte {
	frame := slices.Clone(good[rnd.IntN(len(good))])
	switch rnd.IntN(4) {
	case 0: // noise
		frame = make([]byte, 1+rnd.IntN(1+rnd.IntN(maxBytes)))
		for i := range frame {
			frame[i] = byte(rnd.Uint32())
		}
	case 1: // a part
		frame = frame[:1+rnd.IntN(len(frame))]
	case 2: // bits that flipped
		for range 1 + rnd.IntN(8) {
			frame[rnd.IntN(len(frame))] ^= 1 << rnd.IntN(8)
		}
	case 3: // a frame of another kind
		frame[0] = byte(rnd.Uint32())
	}
	return frame
}

type panicking struct{}

func (panicking) Decode([]byte) ([]int16, error) { panic("index out of range") }

func TestACoderThatPanicsHarmsNobody(t *testing.T) {
	d := Decoder{panicking{}}
	if pcm, err := d.Decode([]byte{1, 2, 3}); pcm != nil || err == nil {
		t.Errorf("it returned %d samples and %v", len(pcm), err)
	}
}

func BenchmarkCoders(b *testing.B) {
	said := speech(50)
	for name, open := range coders {
		b.Run(name+"/encode", func(b *testing.B) {
			e, _, _ := open()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_, _ = e.Encode(said[i%50*Samples:][:Samples])
			}
		})
		b.Run(name+"/decode", func(b *testing.B) {
			e, d, _ := open()
			frame, _ := e.Encode(said[:Samples])
			b.ReportAllocs()
			for b.Loop() {
				_, _ = d.Decode(frame)
			}
		})
		b.Run(name+"/begin", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, _ = open()
			}
		})
	}
}
