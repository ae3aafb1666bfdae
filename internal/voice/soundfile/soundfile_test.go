package soundfile_test

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/voice/opus"
	"discoclaw/internal/voice/pcm"
	"discoclaw/internal/voice/soundfile"
)

// page makes an Ogg page of a stream.
func page(serial uint32, sizes []byte, data []byte) []byte {
	p := append([]byte("OggS\x00\x00"), make([]byte, 21)...)
	binary.LittleEndian.PutUint32(p[14:], serial)
	p[26] = byte(len(sizes))
	return append(append(p, sizes...), data...)
}

// lace makes pages of packets, each with at most so many segments, so that packets go on in the next.
func lace(serial uint32, most int, packets ...[]byte) (all []byte) {
	var sizes, data []byte
	flush := func() {
		all = append(all, page(serial, sizes, data)...)
		sizes, data = nil, nil
	}
	for _, p := range packets {
		for {
			n := min(len(p), 255)
			sizes, data = append(sizes, byte(n)), append(data, p[:n]...)
			p = p[n:]
			if len(sizes) == most {
				flush()
			}
			if n < 255 {
				break
			}
		}
	}
	flush()
	return all
}

func head(channels byte, skip uint16) []byte {
	h := binary.LittleEndian.AppendUint16(append([]byte("OpusHead\x01"), channels), skip)
	return append(h, "\x80\xbb\x00\x00\x00\x00\x00"...)
}

var tags = []byte("OpusTags\x00\x00\x00\x00\x00\x00\x00\x00")

// sung are frames of a tone.
func sung(t testing.TB, frames int) (all [][]byte) {
	t.Helper()
	coder, err := opus.NewEncoder()
	if err != nil {
		t.Fatal(err)
	}
	sound := make([]int16, opus.Samples)
	for n := range frames {
		for i := range sound {
			sound[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(n*960+i/2)/opus.Rate))
		}
		frame, err := coder.Encode(sound)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, frame)
	}
	return all
}

func read(f *soundfile.File) (all []int16, err error) {
	part := make([]int16, 700)
	for {
		n, err := f.Read(part)
		all = append(all, part[:n]...)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

// requireTone checks that a sound is one tone of 440 Hz, by how often it passes zero upwards.
func requireTone(t *testing.T, sound []int16) {
	t.Helper()
	up := 0
	for i := range sound[1:] {
		if sound[i] < 0 && sound[i+1] >= 0 {
			up++
		}
	}
	if want := len(sound) * 440 / 48000; up < want-5 || up > want+5 {
		t.Errorf("a second of 440 Hz passes zero %d times in %d samples", up, len(sound))
	}
}

func TestOgg(t *testing.T) {
	packets := slices.Concat([][]byte{head(2, 312), tags}, sung(t, 50))
	whole := lace(7, 200, packets...)
	for name, data := range map[string][]byte{
		"an ordinary file":                       whole,
		"packets that go on in the next page":    lace(7, 1, packets...),
		"an empty packet":                        lace(7, 9, slices.Insert(slices.Clone(packets), 10, nil)...),
		"another stream beside it":               slices.Concat(lace(7, 9, packets[:5]...), lace(8, 9, packets[:9]...), lace(7, 9, packets[5:]...)),
		"something behind it":                    append(slices.Clone(whole), "garbage"...),
		"a page that was cut off at the end":     append(slices.Clone(whole), page(7, []byte{200}, []byte("x"))...),
		"a page whose list of sizes was cut off": append(slices.Clone(whole), page(7, []byte{200}, nil)[:27]...),
	} {
		t.Run(name, func(t *testing.T) {
			f, err := soundfile.Open(data)
			if err != nil {
				t.Fatal(err)
			}
			got, err := read(f)
			if f.Length != time.Second || len(got) != 48000-312 || err != nil {
				t.Fatalf("%v with %d samples: %v", f.Length, len(got), err)
			}
			requireTone(t, got)
		})
	}
}

// TestLengths: a packet says how long it is before it is decoded, so that a small file cannot last for days.
func TestLengths(t *testing.T) {
	for config, want := range []float64{10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 10, 20, 2.5, 5, 10, 20, 2.5, 5, 10, 20, 2.5, 5, 10, 20, 2.5, 5, 10, 20} {
		for code, frames := range []float64{1, 2, 2, 3} {
			f, err := soundfile.Open(lace(1, 9, head(1, 0), tags, []byte{byte(config<<3 | code), 3}))
			if want := time.Duration(want * frames * float64(time.Millisecond)); err != nil || f.Length != want {
				t.Errorf("configuration %d, code %d: %v (%v), want %v", config, code, f.Length, err, want)
			}
		}
	}
}

// wav makes a file; the format is as in its header.
func wav(format, channels, rate, bits int, samples ...int16) []byte {
	h := []byte("RIFF\xff\xff\xff\xffWAVELIST\x03\x00\x00\x00abc\x00fmt \x10\x00\x00\x00")
	for _, n := range []int{format, channels} {
		h = binary.LittleEndian.AppendUint16(h, uint16(n))
	}
	h = binary.LittleEndian.AppendUint32(h, uint32(rate))
	h = binary.LittleEndian.AppendUint32(h, uint32(rate*channels*2))
	h = binary.LittleEndian.AppendUint16(h, uint16(channels*2))
	h = binary.LittleEndian.AppendUint16(h, uint16(bits))
	h = append(h, "data"...)
	h = binary.LittleEndian.AppendUint32(h, uint32(2*len(samples)))
	for _, s := range samples {
		h = binary.LittleEndian.AppendUint16(h, uint16(s))
	}
	return h
}

func TestWAV(t *testing.T) {
	endless := wav(1, 1, 48000, 16, 1, 2, 3)
	copy(endless[len(endless)-10:], "\xff\xff\xff\xff") // while it is recorded, nobody knows the size
	for _, tt := range []struct {
		name   string
		data   []byte
		want   []int16
		length time.Duration
	}{
		{"at the rate of calls", wav(1, 1, 48000, 16, 1, 2, 3), []int16{1, 2, 3}, 62500 * time.Nanosecond},
		{"two channels", wav(1, 2, 48000, 16, 10, 30, -2, -4), []int16{20, -3}, 41666 * time.Nanosecond},
		{"at half the rate", wav(1, 1, 24000, 16, 0, 10), []int16{0, 5, 10, 10}, 83333 * time.Nanosecond},
		{"without a size", endless, []int16{1, 2, 3}, 62500 * time.Nanosecond},
		{"without sound", wav(1, 1, 48000, 16), nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := soundfile.Open(tt.data)
			if err != nil {
				t.Fatal(err)
			}
			got, err := read(f)
			if !slices.Equal(got, tt.want) || f.Length != tt.length || err != nil {
				t.Errorf("%v of %v: %v", got, f.Length, err)
			}
		})
	}
	extensible := slices.Insert(wav(0xfffe, 1, 48000, 16, 1, 2), 48, append([]byte("\x16\x00\x10\x00\x04\x00\x00\x00\x01\x00"), make([]byte, 14)...)...)
	extensible[28] = 40
	if f, err := soundfile.Open(extensible); err != nil {
		t.Error(err)
	} else if got, _ := read(f); !slices.Equal(got, []int16{1, 2}) {
		t.Errorf("an extended header: %v", got)
	}
}

func TestOtherFiles(t *testing.T) {
	vorbis := lace(1, 9, []byte("\x01vorbis and what else there is"), tags, []byte("x"))
	surround := head(1, 0)
	surround[18] = 1
	for _, tt := range []struct {
		name string
		data []byte
		want error
	}{
		{"nothing", nil, soundfile.ErrFormat},
		{"MP3", []byte("ID3 a voice"), soundfile.ErrFormat},
		{"another Ogg", vorbis, soundfile.ErrFormat},
		{"surround sound", lace(1, 9, surround, tags, []byte("x")), soundfile.ErrFormat},
		{"half a header", lace(1, 9, head(2, 0)[:17], tags), soundfile.ErrFormat},
		{"Ogg and nothing else", []byte("OggS"), soundfile.ErrFormat},
		{"another RIFF", []byte("RIFF\x00\x00\x00\x00AVI "), soundfile.ErrFormat},
		{"WAV with 24 bits", wav(1, 1, 48000, 24, 1), soundfile.ErrFormat},
		{"WAV with floating point", wav(3, 1, 48000, 16, 1), soundfile.ErrFormat},
		{"WAV of six channels", wav(1, 6, 48000, 16, 1), soundfile.ErrFormat},
		{"WAV without channels", wav(1, 0, 48000, 16, 1), soundfile.ErrFormat},
		{"WAV of 96 kHz", wav(1, 1, 96000, 16, 1), soundfile.ErrFormat},
		{"WAV without a rate", wav(1, 1, 0, 16, 1), soundfile.ErrFormat},
		{"half a WAV", wav(1, 1, 48000, 16)[:40], soundfile.ErrDamaged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := soundfile.Open(tt.data); !errors.Is(err, tt.want) {
				t.Errorf("the error is %v, want %v", err, tt.want)
			}
		})
	}
	f, err := soundfile.Open(lace(1, 99, head(2, 0), tags, []byte(strings.Repeat("\xff", 2000))))
	if err == nil {
		_, err = read(f)
	}
	if !errors.Is(err, soundfile.ErrDamaged) {
		t.Errorf("broken frames: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(lace(7, 9, slices.Concat([][]byte{head(2, 312), tags}, sung(f, 3))...))
	f.Add(wav(1, 2, 44100, 16, 1, 2, 3, 4))
	f.Fuzz(func(t *testing.T, data []byte) {
		sound, err := soundfile.Open(data)
		if err != nil || sound.Length > 10*time.Second {
			return
		}
		got, err := read(sound)
		if lasts := time.Duration(len(got)) * time.Second / pcm.Rate; err == nil && (lasts > sound.Length+time.Millisecond) {
			t.Errorf("%v were announced, and there are %v", sound.Length, lasts)
		}
	})
}
