package responses

import (
	"bytes"
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
	return func(yield func(event, error) bool) {
		in, first, err := d.Begin(raw)
		if err != nil {
			yield(event{}, door.CutShort(err))
			return
		}
		if first == '{' {
			yield(event{}, notStreamed(d, in))
			return
		}
		lines := door.Lines(in, maxResponse)
		for lines.Scan() {
			text, ok := dataOf(lines.Bytes())
			if !ok {
				continue
			}
			e, err := decode(d, text)
			if !yield(e, err) || err != nil {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(event{}, door.CutShort(err))
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

// dataOf returns the event of a line. Comments, names and blank lines have none; an object without the usual prefix is an
// error that the server did not wrap.
func dataOf(line []byte) ([]byte, bool) {
	line = bytes.TrimSpace(line)
	text, ok := bytes.CutPrefix(line, []byte("data:"))
	text = bytes.TrimSpace(text)
	return text, len(text) > 0 && (ok || text[0] == '{')
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
