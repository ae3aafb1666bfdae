package responses

import (
	"encoding/json"
	"io"
	"iter"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

// maxResponse bounds the memory for an event with the whole response, which has the instructions and all output in it.
const maxResponse = 16 << 20

// events yields the events of a response, and an error unless it ends as HTTP wants it.
func events(d *door.Door, raw io.Reader) iter.Seq2[event, error] {
	return door.Events(d, raw, maxResponse, func(text []byte) (event, error) { return decode(d, text) }, func(text []byte) (*llm.Error, bool) {
		f, ok := parseFault(text)
		return f.err(d, 0), ok
	})
}

func decode(d *door.Door, text []byte) (event, error) {
	var e event
	if err := json.Unmarshal(text, &e); err != nil {
		return e, &llm.Error{Kind: llm.Broken, Err: err}
	}
	if e.Type == "error" || given(e.Error) {
		f, _ := parseFault(text)
		return e, f.err(d, 0)
	}
	if len(text) > door.MaxEvent && e.Response == nil {
		return e, door.TooLong("an event")
	}
	return e, nil
}
