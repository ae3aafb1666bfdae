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

const (
	maxSide   = 1600     // more pixels show a model nothing more, and cost more
	maxPixels = 50 << 20 // a small file can claim any size
	// maxUnpacked is how many pixels are decoded to scale a picture, which takes up to
	// sixteen bytes each. A larger one is passed on unscaled.
	maxUnpacked = 24 << 20
)

// A format is a picture format that models accept.
type format struct {
	media  string
	least  int // bytes of the smallest picture
	is     func(data []byte) bool
	config func(io.Reader) (image.Config, error) // nil if it cannot be decoded here
	decode func(io.Reader) (image.Image, error)
}

var formats = []format{
	{"image/png", 45, begins("\x89PNG\r\n\x1a\n"), png.DecodeConfig, png.Decode},
	{"image/jpeg", 20, begins("\xff\xd8\xff"), jpeg.DecodeConfig, jpeg.Decode},
	{"image/gif", 26, func(data []byte) bool { return begins("GIF87a")(data) || begins("GIF89a")(data) }, gif.DecodeConfig, gif.Decode},
	{"image/webp", 26, func(data []byte) bool { return begins("RIFF")(data) && begins("WEBP")(data[min(8, len(data)):]) }, nil, nil},
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

// look turns the data of a file into a picture.
func (o *Opener) look(ctx context.Context, it *item, data []byte) {
	f, ok := formatOf(data)
	if !ok {
		it.note = "not a picture in PNG, JPEG, WebP or GIF, whatever its name says"
		return
	}
	picture := chat.Picture{Name: it.name(), Type: f.media, Data: data}
	if f.config != nil {
		size, err := f.config(bytes.NewReader(data))
		switch {
		case err != nil: // the model may be able to decode it
		case size.Width*size.Height > maxPixels:
			it.note = fmt.Sprintf("the picture has %d × %d pixels, which are too many", size.Width, size.Height)
			return
		case max(size.Width, size.Height) > maxSide && size.Width*size.Height <= maxUnpacked:
			picture = o.smaller(ctx, picture, f)
		}
	}
	it.picture = &picture
}

// smaller scales a picture down to maxSide. If that fails, it returns the picture as it
// is.
func (o *Opener) smaller(ctx context.Context, p chat.Picture, f format) chat.Picture {
	select {
	case o.scaling <- struct{}{}:
		defer func() { <-o.scaling }()
	case <-ctx.Done():
		return p
	}
	if ctx.Err() != nil {
		return p
	}
	img, err := f.decode(bytes.NewReader(p.Data))
	// The first frame of a GIF may be a small part of it.
	if err != nil || max(img.Bounds().Dx(), img.Bounds().Dy()) <= maxSide {
		return p
	}
	small := shrink(img, maxSide)
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
