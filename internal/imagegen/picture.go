package imagegen

import (
	"errors"
	"fmt"

	"discoclaw/internal/llm"
	"discoclaw/internal/turn/attach"
)

const (
	maxBytes  = 25 << 20   // of a picture
	maxPoints = 50_000_000 // pixels of a picture, by its header
)

// A Picture is one that was made.
type Picture struct {
	Data   []byte
	Ending string  // of a file's name: png, jpg or webp
	USD    float64 // what it cost
	Priced bool    // that is known
}

// Endings are those of all pictures.
var Endings = []string{"png", "jpg", "webp"}

var endings = map[string]string{"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}

// examine looks at the data of a picture, whatever the server calls it.
func examine(data []byte) (Picture, error) {
	if len(data) > maxBytes {
		return Picture{}, &llm.Error{Kind: llm.Broken, Err: fmt.Errorf("the picture has %d bytes, more than %d", len(data), maxBytes)}
	}
	media, width, height, err := attach.Measure(data)
	switch ending := endings[media]; {
	case err != nil || ending == "":
		return Picture{}, &llm.Error{Kind: llm.Broken, Err: errors.Join(errors.New("it is not a picture in PNG, JPEG or WebP"), err)}
	case width*height > maxPoints:
		return Picture{}, &llm.Error{Kind: llm.Broken, Err: fmt.Errorf("the picture has %d × %d pixels, which are too many", width, height)}
	default:
		return Picture{Data: data, Ending: ending}, nil
	}
}
