package attach_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/chat"
	"discoclaw/internal/test/skip"
)

// painted is a picture whose left half is red and whose right half is blue and half
// transparent.
func painted(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{R: 255, A: 255}
			if x >= w/2 {
				c = color.NRGBA{B: 255, A: 128}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func picturePNG(w, h int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, painted(w, h)); err != nil {
		panic(err) // into memory, it cannot fail
	}
	return b.Bytes()
}

func pictureJPEG(w, h int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, painted(w, h), nil); err != nil {
		panic(err) // into memory, it cannot fail
	}
	return b.Bytes()
}

func pictureGIF(w, h int) []byte {
	var b bytes.Buffer
	if err := gif.Encode(&b, painted(w, h), nil); err != nil {
		panic(err) // into memory, it cannot fail
	}
	return b.Bytes()
}

// look opens one picture.
func look(t *testing.T, name string, data []byte) (e chat.Opened) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &store{}
		e = s.open(t, message(s.kept(name, "", data)))[0]
	})
	return e
}

func TestLargePicturesAreMadeSmaller(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		data  []byte
		media string
		w, h  int
	}{
		{"wide.png", picturePNG(3200, 8), "image/png", 1600, 4},
		{"high.png", picturePNG(10, 2000), "image/png", 8, 1600},
		{"line.png", picturePNG(5000, 1), "image/png", 1600, 1},
		{"just.png", picturePNG(1601, 3), "image/png", 1600, 2},
		{"photo.jpg", pictureJPEG(2000, 10), "image/jpeg", 1600, 8},
		{"moving.gif", pictureGIF(2000, 5), "image/png", 1600, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := look(t, tt.name, tt.data)
			if len(e.Pictures) != 1 || e.Pictures[0].Type != tt.media {
				t.Fatalf("%+v", told([]chat.Opened{e}))
			}
			img, _, err := image.Decode(bytes.NewReader(e.Pictures[0].Data))
			if err != nil {
				t.Fatal(err)
			}
			if b := img.Bounds(); b.Dx() != tt.w || b.Dy() != tt.h {
				t.Errorf("it has %d × %d pixels, want %d × %d", b.Dx(), b.Dy(), tt.w, tt.h)
			}
			requireColor(t, img, tt.w/8, color.NRGBA{R: 255, A: 255})
			if tt.name == "wide.png" {
				requireColor(t, img, tt.w-2, color.NRGBA{B: 255, A: 128})
			}
		})
	}
}

func requireColor(t *testing.T, img image.Image, x int, want color.NRGBA) {
	t.Helper()
	got := color.NRGBAModel.Convert(img.At(x, 0)).(color.NRGBA)
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 4 }
	if !near(got.R, want.R) || !near(got.G, want.G) || !near(got.B, want.B) || !near(got.A, want.A) {
		t.Errorf("the color at %d is %v, want %v", x, got, want)
	}
}

func TestSmallPicturesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	webp := []byte("RIFF\x40\x00\x00\x00WEBPVP8 " + strings.Repeat("\x00", 60))
	for name, data := range map[string][]byte{
		"a.png": picturePNG(1600, 4), "a.jpg": pictureJPEG(5, 5), "a.gif": pictureGIF(1600, 2), "a.webp": webp,
		"broken.png": append(picturePNG(2, 2)[:20], make([]byte, 80)...), // the model may be able to decode it
	} {
		e := look(t, name, data)
		if len(e.Pictures) != 1 || !bytes.Equal(e.Pictures[0].Data, data) {
			t.Errorf("%s: %q", name, told([]chat.Opened{e}))
		}
	}
}

func TestAPictureThatCannotBeMadeSmallerStaysAsItIs(t *testing.T) {
	t.Parallel()
	data := picturePNG(2000, 20)
	data = data[:len(data)/2]
	e := look(t, "half.png", data)
	if len(e.Pictures) != 1 || !bytes.Equal(e.Pictures[0].Data, data) {
		t.Errorf("%q", told([]chat.Opened{e}))
	}
}

// TestAHugePictureStaysAsItIs: decoding it would take too much memory.
func TestAHugePictureStaysAsItIs(t *testing.T) {
	skip.UnderRace(t, "a picture belongs to one goroutine")
	t.Parallel()
	var b bytes.Buffer
	black := image.NewPaletted(image.Rect(0, 0, 6000, 5000), color.Palette{color.Black})
	if err := png.Encode(&b, black); err != nil {
		t.Fatal(err)
	}
	e := look(t, "huge.png", b.Bytes())
	if len(e.Pictures) != 1 || !bytes.Equal(e.Pictures[0].Data, b.Bytes()) {
		t.Errorf("%q", told([]chat.Opened{e}))
	}
}

// TestAFewBytesCannotBecomeMillionsOfPixels: the size in the header is checked before
// decoding.
func TestAFewBytesCannotBecomeMillionsOfPixels(t *testing.T) {
	t.Parallel()
	data := picturePNG(1, 1)
	head := data[12:29] // its name and its content
	binary.BigEndian.PutUint32(head[4:], 60_000)
	binary.BigEndian.PutUint32(head[8:], 60_000)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(head))
	e := look(t, "bomb.png", data)
	if len(e.Pictures) != 0 || len(e.Notes) != 1 || e.Notes[0] != "bomb.png: the picture has 60000 × 60000 pixels, which are too many" {
		t.Errorf("%q", told([]chat.Opened{e}))
	}
}

// TestAPhotoStaysUpright: the orientation is in the EXIF segment, which must be kept.
func TestAPhotoStaysUpright(t *testing.T) {
	t.Parallel()
	about := "\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"
	plain := pictureJPEG(2000, 10)
	e := look(t, "a.jpg", []byte(string(plain[:2])+about+string(plain[2:])))
	if len(e.Pictures) != 1 || !bytes.Contains(e.Pictures[0].Data, []byte(about)) {
		t.Fatalf("%q", told([]chat.Opened{e}))
	}
	if size, err := jpeg.DecodeConfig(bytes.NewReader(e.Pictures[0].Data)); err != nil || size.Width != 1600 {
		t.Errorf("%+v, %v", size, err)
	}
}

// TestALargeGIFThatBeginsWithASmallPartStaysAsItIs: its first frame alone would show
// only that part.
func TestALargeGIFThatBeginsWithASmallPartStaysAsItIs(t *testing.T) {
	t.Parallel()
	data := pictureGIF(2, 2)
	binary.LittleEndian.PutUint16(data[6:], 2000) // the width of the whole
	if e := look(t, "a.gif", data); len(e.Pictures) != 1 || e.Pictures[0].Type != "image/gif" || !bytes.Equal(e.Pictures[0].Data, data) {
		t.Errorf("%+v", e)
	}
}
