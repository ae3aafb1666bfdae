package turn

import (
	"bytes"
	"fmt"
	"io"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

const (
	maxPictures          = 20       // in one answer
	maxPictureBytes      = 10 << 20 // of one picture, Discord's limit on every server
	maxTotalPictureBytes = 20 << 20 // of all, since the files of a message are one request
)

// pictures are those of one answer of the model.
type pictures struct {
	files   []chat.File
	bytes   int
	omitted int
	lost    int // made before the turn was resumed
}

func (p *pictures) add(image llm.Image) {
	size := len(image.Data)
	if len(p.files) == maxPictures || size == 0 || size > maxPictureBytes || p.bytes+size > maxTotalPictureBytes {
		p.omitted++
		return
	}
	p.bytes += size
	p.files = append(p.files, chat.File{
		Name: fmt.Sprintf("image-%d.%s", len(p.files)+1, pictureEnding(image.Type)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(image.Data)), nil },
	})
}

// any reports whether the model made pictures, even if they cannot be shown.
func (p *pictures) any() bool { return p.count() > 0 }

func (p *pictures) count() int { return len(p.files) + p.omitted + p.lost }

// notices name the pictures that are missing.
func (p *pictures) notices() []string {
	switch {
	case p.lost > 0:
		return []string{"(The pictures that belong here were lost when the bot was restarted. Please ask for them again.)"}
	case p.omitted == 0:
		return nil
	case p.omitted == 1:
		return []string{fmt.Sprintf("(1 picture was left out: an answer takes %d of them, with %d MB each and %d MB together.)", maxPictures, maxPictureBytes>>20, maxTotalPictureBytes>>20)}
	}
	return []string{fmt.Sprintf("(%d pictures were left out: an answer takes %d of them, with %d MB each and %d MB together.)", p.omitted, maxPictures, maxPictureBytes>>20, maxTotalPictureBytes>>20)}
}

func pictureEnding(media string) string {
	switch media {
	case "image/jpeg", "image/jpg":
		return "jpg"
	case "image/gif":
		return "gif"
	case "image/webp":
		return "webp"
	}
	return "png"
}
