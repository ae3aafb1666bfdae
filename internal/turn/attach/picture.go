package attach

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"time"

	"discoclaw/internal/chat"
)

const (
	maxSide   = 1600     // more pixels show a model nothing more, and cost more
	maxPixels = 50 << 20 // a larger picture is refused

	// What is decoded here, since that takes up to 8 bytes for a pixel, or 24 if it is bulky. Other pictures are passed on unscaled.
	maxUnpacked = 24 << 20 // pixels
	maxBulky    = 6 << 20
	// unpackTime is how long decoding may take: a progressive JPEG can have all of its pixels computed anew by every few bytes.
	unpackTime = 3 * time.Second
)

// A format is a picture format that models accept.
type format struct {
	media   string
	least   int // bytes of the smallest picture
	is      func(data []byte) bool
	measure func(io.Reader) (image.Config, error)
	decode  func(io.Reader) (image.Image, error) // nil if it cannot be decoded here
}

var formats = []format{
	{"image/png", 45, begins("\x89PNG\r\n\x1a\n"), png.DecodeConfig, png.Decode},
	{"image/jpeg", 20, begins("\xff\xd8\xff"), jpeg.DecodeConfig, jpeg.Decode},
	{"image/gif", 26, func(data []byte) bool { return begins("GIF87a")(data) || begins("GIF89a")(data) }, gif.DecodeConfig, gif.Decode},
	{"image/webp", 26, func(data []byte) bool { return begins("RIFF")(data) && begins("WEBP")(data[min(8, len(data)):]) }, measureWebP, nil},
}

// measureWebP reads the size alone. WebP is never decoded here.
func measureWebP(r io.Reader) (image.Config, error) {
	var data [30]byte
	_, err := io.ReadFull(r, data[:])
	at := func(i int) int { return int(data[i]) }
	switch {
	case err != nil:
		return image.Config{}, err
	case string(data[12:16]) == "VP8X":
		return image.Config{Width: 1 + at(24) + at(25)<<8 + at(26)<<16, Height: 1 + at(27) + at(28)<<8 + at(29)<<16}, nil
	case string(data[12:16]) == "VP8L":
		bits := binary.LittleEndian.Uint32(data[21:])
		return image.Config{Width: 1 + int(bits&0x3fff), Height: 1 + int(bits>>14&0x3fff)}, nil
	case string(data[12:16]) == "VP8 ":
		return image.Config{Width: (at(26) + at(27)<<8) & 0x3fff, Height: (at(28) + at(29)<<8) & 0x3fff}, nil
	}
	return image.Config{}, errors.New("not as the format demands")
}

// isBulky reports whether decoding takes much more memory than the pixels do: for a progressive JPEG, and a PNG that has 16 bits for each
// color or is interlaced.
func (f format) isBulky(data []byte) bool {
	return f.media == "image/jpeg" && bytes.Contains(data, []byte("\xff\xc2")) || f.media == "image/png" && (data[24] == 16 || data[28] != 0)
}

func begins(with string) func([]byte) bool {
	return func(data []byte) bool { return bytes.HasPrefix(data, []byte(with)) }
}

// formatOf goes by the data: names and declared types are often wrong.
func formatOf(data []byte) (format, bool) {
	for _, f := range formats {
		if len(data) >= f.least && f.is(data) {
			return f, true
		}
	}
	return format{}, false
}

// Measure returns the media type of a picture and its size in pixels, by its data. The type is empty if it is not a
// picture in PNG, JPEG, WebP or GIF.
func Measure(data []byte) (media string, width, height int, err error) {
	f, ok := formatOf(data)
	if !ok {
		return "", 0, 0, nil
	}
	size, err := f.measure(bytes.NewReader(data))
	return f.media, size.Width, size.Height, err
}

// look turns the data of a file into a picture.
func look(ctx context.Context, it *item, data []byte) {
	f, ok := formatOf(data)
	if !ok {
		it.note = "not a picture in PNG, JPEG, WebP or GIF, whatever its name says"
		return
	}
	picture := chat.Picture{Name: it.name(), Type: f.media, Data: data}
	size, err := f.measure(bytes.NewReader(data))
	pixels := size.Width * size.Height
	switch {
	case err != nil: // the model may be able to decode it
	case pixels > maxPixels:
		it.note = fmt.Sprintf("the picture has %d × %d pixels, which are too many", size.Width, size.Height)
		return
	case f.decode != nil && max(size.Width, size.Height) > maxSide && pixels <= maxUnpacked && (pixels <= maxBulky || !f.isBulky(data)):
		picture = smaller(ctx, picture, f)
	}
	it.picture = &picture
}

// decoding has an element while a picture is decoded. That takes much memory, so it is done for one picture at a
// time in the whole process.
var decoding = make(chan struct{}, 1)

// smaller scales a picture down to maxSide. If that fails or takes too long, it returns the picture as it is.
func smaller(ctx context.Context, p chat.Picture, f format) chat.Picture {
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-ctx.Done():
		return p
	}
	ctx, cancel := context.WithTimeout(ctx, unpackTime)
	defer cancel()
	img, err := f.decode(&pieceReader{ctx, p.Data})
	// The first frame of a GIF may be a small part of it.
	if err != nil || max(img.Bounds().Dx(), img.Bounds().Dy()) <= maxSide {
		return p
	}
	small := shrink(ctx, img, maxSide)
	if small == nil {
		return p
	}
	var b bytes.Buffer
	if f.media == "image/jpeg" {
		if jpeg.Encode(&b, small, &jpeg.Options{Quality: 85}) != nil {
			return p
		}
		p.Data = withTurn(b.Bytes(), p.Data)
		return p
	}
	if png.Encode(&b, small) != nil {
		return p
	}
	p.Type, p.Data = "image/png", b.Bytes()
	return p
}

// pieces is how many bytes a decoder gets at a time. It cannot be interrupted, so that it may compute
// for as long as a piece lasts.
const pieces = 64

// A pieceReader reads data in pieces, until the context ends.
type pieceReader struct {
	ctx  context.Context
	data []byte
}

func (r *pieceReader) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), pieces)], r.data)
	r.data = r.data[n:]
	return n, nil
}

// shrink returns a picture whose longest side is most pixels, by averaging, or nil if the context ends. The
// picture must be larger.
func shrink(ctx context.Context, src image.Image, most int) *image.NRGBA {
	from := src.Bounds()
	w, h := fit(from.Dx(), from.Dy(), most)
	small := image.NewNRGBA(image.Rect(0, 0, w, h))
	row := image.NewRGBA(image.Rect(0, 0, from.Dx(), 1))
	sums := make([][5]uint32, w) // red, green, blue, alpha and count
	for y := range h {
		if ctx.Err() != nil {
			return nil
		}
		clear(sums)
		for line := y * from.Dy() / h; line < (y+1)*from.Dy()/h; line++ {
			draw.Draw(row, row.Bounds(), src, image.Pt(from.Min.X, from.Min.Y+line), draw.Src)
			addRow(sums, row.Pix)
		}
		for x, sum := range sums {
			copy(small.Pix[small.PixOffset(x, y):], average(sum))
		}
	}
	return small
}

// fit is the size of a picture of the same shape whose longest side is most.
func fit(w, h, most int) (int, int) {
	if w >= h {
		return most, max(1, h*most/w)
	}
	return max(1, w*most/h), most
}

// addRow adds a row of source pixels to the sums of their columns.
func addRow(sums [][5]uint32, pix []byte) {
	w := len(pix) / 4
	for x := range sums {
		sum := &sums[x]
		for i := x * w / len(sums); i < (x+1)*w/len(sums); i++ {
			p := pix[4*i : 4*i+4]
			sum[0] += uint32(p[0])
			sum[1] += uint32(p[1])
			sum[2] += uint32(p[2])
			sum[3] += uint32(p[3])
			sum[4]++
		}
	}
}

// average is the mean color of a sum. The sums are alpha-premultiplied; the result is
// not.
func average(sum [5]uint32) []byte {
	if sum[3] == 0 {
		return []byte{0, 0, 0, 0}
	}
	plain := func(color uint32) byte { return byte(min(255, uint64(color)*255/uint64(sum[3]))) }
	return []byte{plain(sum[0]), plain(sum[1]), plain(sum[2]), byte(sum[3] / max(1, sum[4]))}
}

// withTurn copies the EXIF segment of the original into a scaled JPEG, since it has the
// orientation.
func withTurn(small, original []byte) []byte {
	about := exif(original)
	if about == nil {
		return small
	}
	const head = 2 // length of the start-of-image marker
	return bytes.Join([][]byte{small[:head], about, small[head:]}, nil)
}

// exif returns the EXIF segment of a JPEG, or nil.
func exif(data []byte) []byte {
	for at := 2; at+4 <= len(data) && data[at] == 0xff && data[at+1] != 0xda; {
		end := at + 2 + int(binary.BigEndian.Uint16(data[at+2:]))
		if end > len(data) || end < at+4 {
			return nil
		}
		if data[at+1] == 0xe1 && bytes.HasPrefix(data[at+4:end], []byte("Exif\x00\x00")) {
			return data[at:end]
		}
		at = end
	}
	return nil
}
