package attach

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"discoclaw/internal/chat"
)

const maxSide = 1600 // more pixels show a model nothing more, and cost more

// A format is a picture format that models accept.
type format struct {
	media   string
	least   int // bytes of the smallest picture
	is      func(data []byte) bool
	measure func(data []byte) (effort, error)
	decode  func(io.Reader) (image.Image, error) // nil if it cannot be decoded here
}

var formats = []format{
	{"image/png", 45, begins("\x89PNG\r\n\x1a\n"), measurePNG, png.Decode},
	{"image/jpeg", 20, begins("\xff\xd8\xff"), measureJPEG, jpeg.Decode},
	{"image/gif", 26, func(data []byte) bool { return begins("GIF87a")(data) || begins("GIF89a")(data) }, measureGIF, gif.Decode},
	{"image/webp", 26, func(data []byte) bool { return begins("RIFF")(data) && begins("WEBP")(data[min(8, len(data)):]) }, measureWebP, nil},
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
	e, err := f.measure(data)
	return f.media, e.width, e.height, err
}

// look turns the data of a file into a picture.
func look(ctx context.Context, it *item, data []byte) {
	f, ok := formatOf(data)
	if !ok {
		it.note = "not a picture in PNG, JPEG, WebP or GIF, whatever its name says"
		return
	}
	picture := chat.Picture{Name: it.name(), Type: f.media, Data: data}
	e, err := f.measure(data)
	switch {
	case err != nil: // the model may be able to decode it
	case e.width*e.height > maxPixels:
		it.note = fmt.Sprintf("the picture has %d × %d pixels, which are too many", e.width, e.height)
		return
	case e.scans > maxScans:
		it.refuse()
		return
	case f.decode == nil, max(e.width, e.height) <= maxSide, e.width*e.height > maxUnpacked, e.memory > maxMemory:
	case e.samples > maxSamples:
		it.refuse()
		return
	default:
		picture = smaller(ctx, picture, f)
	}
	it.picture = &picture
}

// refuse leaves a picture out, and has the person told.
func (it *item) refuse() {
	it.note = "it is built in a way that takes too long to open"
	it.refused = true
}

// decoding has an element while a picture is decoded. That takes much memory, so it is done for one picture at a
// time in the whole process.
var decoding = make(chan struct{}, 1)

// smaller scales a picture down to maxSide. If that fails, or the context ends, it returns the picture as it is.
func smaller(ctx context.Context, p chat.Picture, f format) chat.Picture {
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-ctx.Done():
		return p
	}
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
