package gemini

import (
	"bytes"
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
	return func(yield func(chunk, error) bool) {
		in, first, err := d.Begin(raw)
		if err != nil {
			yield(chunk{}, door.CutShort(err))
			return
		}
		if first == '{' || first == '[' {
			yield(chunk{}, notStreamed(d, in))
			return
		}
		lines := door.Lines(in, maxImage)
		for lines.Scan() {
			event, ok := dataOf(lines.Bytes())
			if !ok {
				continue
			}
			c, err := decode(d, event)
			if !yield(c, err) || err != nil {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(chunk{}, door.CutShort(err))
		}
	}
}

// notStreamed is the error of a response that is one object. Every request asks for a stream, so it is an error that
// came with a good status, or from another API.
func notStreamed(d *door.Door, in io.Reader) *llm.Error {
	text, err := door.ReadAll(in)
	if err != nil {
		return door.CutShort(err)
	}
	if f, ok := parseFault(text); ok {
		return f.err(d, 0)
	}
	return d.NoAnswer("the response is not a stream")
}

// dataOf returns the event of a line. Comments, names and blank lines have none; an object without the usual prefix
// is an error that the server did not wrap.
func dataOf(line []byte) ([]byte, bool) {
	line = bytes.TrimSpace(line)
	event, ok := bytes.CutPrefix(line, []byte("data:"))
	event = bytes.TrimSpace(event)
	return event, len(event) > 0 && (ok || event[0] == '{')
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
