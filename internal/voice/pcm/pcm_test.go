package pcm_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"discoclaw/internal/voice/pcm"
)

func raw(samples ...int16) []byte {
	var all []byte
	for _, s := range samples {
		all = binary.LittleEndian.AppendUint16(all, uint16(s))
	}
	return all
}

// all reads everything, so many samples at a time.
func all(t testing.TB, r *pcm.Reader, at int) (got []int16) {
	t.Helper()
	part := make([]int16, at)
	for {
		n, err := r.Read(part)
		got = append(got, part[:n]...)
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			t.Fatal("nothing was read, and it is not the end")
		}
	}
}

func TestRates(t *testing.T) {
	for _, tt := range []struct {
		name           string
		rate, channels int
		in, want       []int16
	}{
		{"that of calls", 48000, 1, []int16{1, -2, 3}, []int16{1, -2, 3}},
		{"half of it", 24000, 1, []int16{0, 100, -100}, []int16{0, 50, 100, 0, -100, -100}},
		{"a sixth", 8000, 1, []int16{0, 600}, []int16{0, 100, 200, 300, 400, 500, 600, 600, 600, 600, 600, 600}},
		{"two channels", 48000, 2, []int16{10, 20, -32768, -32768}, []int16{15, -32768}},
		{"one sample", 24000, 1, []int16{7}, []int16{7, 7}},
		{"the loudest", 24000, 1, []int16{32767, -32768}, []int16{32767, 0, -32768, -32768}},
		{"nothing", 24000, 1, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := all(t, pcm.NewReader(bytes.NewReader(raw(tt.in...)), tt.rate, tt.channels), 5); !slices.Equal(got, tt.want) {
				t.Errorf("%v is read as %v, want %v", tt.in, got, tt.want)
			}
		})
	}
}

// TestPartsMayEndAnywhere: where a stream is cut makes no difference, within samples too.
func TestPartsMayEndAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "data")
		rate := rapid.SampledFrom([]int{8000, 22050, 24000, 44100, 48000}).Draw(t, "rate")
		channels := rapid.IntRange(1, 2).Draw(t, "channels")
		at := rapid.IntRange(1, 50).Draw(t, "at a time")
		var parts []io.Reader
		for rest := data; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "part")
			parts = append(parts, bytes.NewReader(rest[:n]))
			rest = rest[n:]
		}
		tb := new(testing.T)
		want := all(tb, pcm.NewReader(bytes.NewReader(data), rate, channels), 1000)
		if got := all(tb, pcm.NewReader(io.MultiReader(parts...), rate, channels), at); !slices.Equal(got, want) {
			t.Fatalf("read %v, want %v", got, want)
		}
		if n := len(data) / 2 / channels; math.Abs(float64(len(want))-float64(n)*pcm.Rate/float64(rate)) > 6 {
			t.Fatalf("%d samples at %d Hz became %d", n, rate, len(want))
		}
	})
}

// TestWhatIsThereIsReadAtOnce: who plays the sound does not wait for more of it than there is.
func TestWhatIsThereIsReadAtOnce(t *testing.T) {
	from, to := io.Pipe()
	go func() { _, _ = to.Write(raw(1, 2, 3)) }()
	if n, err := pcm.NewReader(from, 48000, 1).Read(make([]int16, 960)); n == 0 || err != nil {
		t.Errorf("read %d samples: %v", n, err)
	}
}

func TestABrokenStreamIsNoEnd(t *testing.T) {
	broken := errors.New("broken")
	r := pcm.NewReader(io.MultiReader(bytes.NewReader(raw(1, 2, 3)), iotest.ErrReader(broken)), 48000, 1)
	var err error
	for range 5 {
		if _, err = r.Read(make([]int16, 960)); err != nil {
			break
		}
	}
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}
