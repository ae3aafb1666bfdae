package gemini

import (
	"encoding/json"
	"io"
	"iter"
	"strings"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

// maxImage bounds the memory for an event with an image, which comes in one piece.
const maxImage = 32 << 20

// chunks yields the events of a response, and an error unless it ends as it should.
func chunks(d *door.Door, raw io.Reader) iter.Seq2[chunk, error] {
	return door.Events(d, raw, maxImage, func(text []byte) (chunk, error) { return decode(d, text) }, func(text []byte) (*llm.Error, bool) {
		f, ok := parseFault(text)
		return f.err(d, 0), ok
	})
}

func decode(d *door.Door, event []byte) (chunk, error) {
	var c chunk
	if err := json.Unmarshal(event, &c); err != nil {
		return c, &llm.Error{Kind: llm.Broken, Err: err}
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		f, _ := parseFault(event)
		return c, f.err(d, 0)
	}
	if len(event) > door.MaxEvent && !c.hasImage() {
		return c, door.TooLong("an event")
	}
	return c, nil
}

func (c chunk) hasImage() bool {
	for _, candidate := range c.Candidates {
		for _, p := range candidate.Content.Parts {
			if p.isImage() {
				return true
			}
		}
	}
	return false
}

func (p part) isImage() bool {
	return p.Data != nil && strings.HasPrefix(p.Data.Type, "image/")
}
