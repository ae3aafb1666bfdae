package attach

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/test/skip"
)

// progressive is a JPEG whose scans go over all pixels and take only a few bytes each: every block is skipped
// by a run of empty ones.
func progressive(w, h, components, scans int) []byte {
	segment := func(marker byte, data ...byte) []byte {
		return append([]byte{0xff, marker, byte((len(data) + 2) >> 8), byte(len(data) + 2)}, data...)
	}
	data := append([]byte{0xff, 0xd8}, segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)...)
	head := []byte{8, byte(h >> 8), byte(h), byte(w >> 8), byte(w), byte(components)}
	for c := range components {
		head = append(head, byte(1+c), 0x11, 0)
	}
	data = append(data, segment(0xc2, head...)...)
	data = append(data, segment(0xc4, append(append([]byte{0x10, 1}, make([]byte, 15)...), 0xe0)...)...) // the code 0: a run of 2^14 blocks and more
	blocks := ((w + 7) / 8) * ((h + 7) / 8)
	for s := range scans {
		data = append(data, segment(0xda, 1, byte(1+s%components), 0, 1, 63, 0)...)
		data = append(data, runs(blocks)...)
	}
	return append(data, 0xff, 0xd9)
}

// runs are the codes that skip blocks, 32767 with each.
func runs(blocks int) []byte {
	var out []byte
	var bits, n uint
	for ; blocks > 0; blocks -= 32767 {
		for i := range 15 {
			bits = bits << 1
			if i > 0 {
				bits |= 1
			}
			if n++; n == 8 {
				if out = append(out, byte(bits)); byte(bits) == 0xff {
					out = append(out, 0)
				}
				bits, n = 0, 0
			}
		}
	}
	if n > 0 {
		out = append(out, byte(bits<<(8-n)))
	}
	return out
}

// header is a PNG that claims a size, and has nothing else.
func header(w, h uint32, depth, colors, interlaced byte) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))) // into memory, it cannot fail
	data := b.Bytes()
	binary.BigEndian.PutUint32(data[16:], w)
	binary.BigEndian.PutUint32(data[20:], h)
	data[24], data[25], data[28] = depth, colors, interlaced
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func encoded(encode func(io.Writer) error) []byte {
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		panic(err) // into memory, it cannot fail
	}
	return b.Bytes()
}

func frames(w, h, n int) []byte {
	g := &gif.GIF{}
	for range n {
		g.Image, g.Delay = append(g.Image, image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})), append(g.Delay, 0)
	}
	return encoded(func(w io.Writer) error { return gif.EncodeAll(w, g) })
}

// TestPicturesAreJudgedByTheirSize: what is decoded is within the bounds, and what is not costs nothing.
func TestPicturesAreJudgedByTheirSize(t *testing.T) {
	t.Parallel()
	webp := func(kind string, data ...byte) []byte {
		return append([]byte("RIFF\x40\x00\x00\x00WEBP"+kind+"\x00\x00\x00\x00"), append(data, make([]byte, 20)...)...)
	}
	for _, tt := range []struct {
		name    string
		data    []byte
		decoded bool
		note    string
	}{
		{"an ordinary photo", progressive(1700, 1000, 3, 10), true, ""},
		{"a large photo whose coefficients take too much", progressive(5000, 5000, 3, 10), false, ""},
		{"16 bits", header(5000, 4000, 16, 6, 0), false, ""},
		{"interlaced", header(5000, 4000, 8, 6, 1), false, ""},
		{"a huge PNG", header(60_000, 60_000, 8, 6, 0), false, "the picture has 60000 × 60000 pixels, which are too many"},
		{"many frames", frames(1700, 4, 50), true, ""},
		{"a huge GIF", append([]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"), make([]byte, 20)...), false, "the picture has 65535 × 65535 pixels, which are too many"},
		{"a huge WebP", webp("VP8X", 0, 0, 0, 0, 0xff, 0xff, 0, 0xff, 0xff, 0), false, "the picture has 65536 × 65536 pixels, which are too many"},
		{"a lossless WebP", webp("VP8L", 0x2f, 0xff, 0xff, 0xff, 0x0f), false, "the picture has 16384 × 16384 pixels, which are too many"},
		{"a WebP", webp("VP8 ", 0, 0, 0, 0x9d, 1, 0x2a, 0xff, 0xff, 0xff, 0xff), false, "the picture has 16383 × 16383 pixels, which are too many"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			it := &item{file: chat.Attachment{Name: "cat.jpg"}}
			// In a bubble no time passes while it computes, however slow the machine is.
			synctest.Test(t, func(t *testing.T) { look(t.Context(), it, tt.data) })
			if it.note != tt.note || (it.picture == nil) != (tt.note != "") {
				t.Fatalf("note %q, want %q", it.note, tt.note)
			}
			if it.picture != nil && bytes.Equal(it.picture.Data, tt.data) == tt.decoded {
				t.Errorf("decoded: %t, want %t", !tt.decoded, tt.decoded)
			}
		})
	}
}

// TestMemoryIsBounded: the decoder really allocates no more for each pixel than the limits allow for.
func TestMemoryIsBounded(t *testing.T) { // not parallel: it reads the allocations of the process
	skip.UnderRace(t, "its pictures are decoded in the other tests, too")
	plain := image.NewYCbCr(image.Rect(0, 0, 2000, 1000), image.YCbCrSubsampleRatio420)
	for name, data := range map[string][]byte{
		"progressive": progressive(2000, 1000, 3, 9),
		"gray":        progressive(2000, 1000, 1, 3),
		"four colors": progressive(2000, 1000, 4, 4),
		"baseline":    encoded(func(w io.Writer) error { return jpeg.Encode(w, plain, nil) }),
		"16 bits":     encoded(func(w io.Writer) error { return png.Encode(w, image.NewNRGBA64(image.Rect(0, 0, 2000, 1000))) }),
		"gif":         frames(2000, 1000, 2),
	} {
		f, _ := formatOf(data)
		most := 8
		if f.isBulky(data) {
			most = 24
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = f.decode(bytes.NewReader(data)) // four colors end in an error, when all of them are decoded
		runtime.ReadMemStats(&after)
		if got := int(after.TotalAlloc - before.TotalAlloc); got > most*2000*1000+1<<20 {
			t.Errorf("%s: %d bytes were allocated", name, got)
		}
	}
}

// TestAPictureThatTakesTooLongStaysAsItIs: the decoder gets no more of it once its time is up.
func TestAPictureThatTakesTooLongStaysAsItIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		data := progressive(1700, 8, 1, 1000)
		f, _ := formatOf(data)
		decode := f.decode
		f.decode = func(r io.Reader) (image.Image, error) {
			return decode(readFunc(func(p []byte) (int, error) { time.Sleep(unpackTime / 10); return r.Read(p) }))
		}
		if p := smaller(t.Context(), chat.Picture{Data: data}, f); !bytes.Equal(p.Data, data) {
			t.Error("it was decoded")
		}
	})
}

// TestAStoppedTurnGetsNoMoreOfAPicture: the decoder has at most one further piece to work on.
func TestAStoppedTurnGetsNoMoreOfAPicture(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"jpeg": progressive(1700, 8, 1, 20),
		"png":  encoded(func(w io.Writer) error { return png.Encode(w, noise(1700, 20)) }),
		"gif":  frames(1700, 20, 3),
	} {
		f, _ := formatOf(data)
		decode, read := f.decode, 0
		ctx, cancel := context.WithCancel(t.Context())
		f.decode = func(r io.Reader) (image.Image, error) {
			return decode(readFunc(func(p []byte) (int, error) {
				n, err := r.Read(p)
				if read += n; read >= 100 {
					cancel()
				}
				return n, err
			}))
		}
		if p := smaller(ctx, chat.Picture{Data: data}, f); !bytes.Equal(p.Data, data) || read == 0 || read > 100+pieces {
			t.Errorf("%s: %d bytes of %d were read after it was stopped", name, read, len(data))
		}
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func noise(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, x := 0, uint32(1); i < len(img.Pix); i++ {
		x = x*1664525 + 1013904223
		img.Pix[i] = byte(x >> 24)
	}
	return img
}

// TestAStoppedTurnShrinksNothing: nor is a picture scaled that was decoded in the meantime.
func TestAStoppedTurnShrinksNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if shrink(ctx, noise(2000, 10), maxSide) != nil {
		t.Error("it was scaled")
	}
}

// TestOneGIFFrameIsRead: however many there are.
func TestOneGIFFrameIsRead(t *testing.T) {
	t.Parallel()
	one, many, read := frames(1700, 20, 1), frames(1700, 20, 300), 0
	inner := &pieceReader{t.Context(), many}
	f, _ := formatOf(many)
	if _, err := f.decode(readFunc(func(p []byte) (int, error) { n, err := inner.Read(p); read += n; return n, err })); err != nil {
		t.Fatal(err)
	}
	if read > len(one)+pieces {
		t.Errorf("%d bytes were read, one frame has %d", read, len(one))
	}
}

// TestOnePictureIsDecodedAtATime: also with several openers.
func TestOnePictureIsDecodedAtATime(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	at, most := 0, 0
	count := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		at += by
		most = max(at, most)
	}
	f := format{decode: func(io.Reader) (image.Image, error) {
		count(1)
		defer count(-1)
		runtime.Gosched()
		return noise(1700, 2), nil
	}}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { smaller(t.Context(), chat.Picture{}, f) })
	}
	if wg.Wait(); most != 1 {
		t.Errorf("%d pictures were decoded at a time", most)
	}
}

// FuzzPicture looks at hostile files. What is decoded has been measured within the bounds, and has no more pixels
// than that.
func FuzzPicture(f *testing.F) {
	for _, data := range [][]byte{
		progressive(1700, 8, 3, 5), progressive(8, 8, 1, 30), header(5000, 4000, 16, 6, 1), frames(1700, 4, 3),
		encoded(func(w io.Writer) error { return png.Encode(w, noise(20, 20)) }),
		encoded(func(w io.Writer) error { return jpeg.Encode(w, noise(20, 20), nil) }),
		[]byte("RIFF\x40\x00\x00\x00WEBPVP8X\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\xff\xff\x00\x00\x00"),
	} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		kind, ok := formatOf(data)
		if !ok {
			return
		}
		e, err := kind.measure(bytes.NewReader(data))
		if err != nil || kind.decode == nil || e.Width*e.Height > 4<<20 {
			return // else it would take too long to be tried often
		}
		ctx, cancel := context.WithTimeout(t.Context(), unpackTime)
		defer cancel()
		img, err := kind.decode(&pieceReader{ctx, data})
		if err != nil {
			return
		}
		if b := img.Bounds(); b.Dx() > e.Width || b.Dy() > e.Height {
			t.Errorf("it has %v, measured as %+v", b, e)
		}
	})
}
