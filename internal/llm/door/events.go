package door

import (
	"bytes"
	"io"
	"iter"

	"discoclaw/internal/llm"
)

// Events yields the events of a streamed response, and an error unless it ends as HTTP wants it. Decode reads an event, of
// which most bounds the bytes. Fault reads a response that is one object: since each request asks for a stream, that is an error
// with a good status, or another API.
func Events[E any](d *Door, raw io.Reader, most int, decode func([]byte) (E, error),
	fault func([]byte) (*llm.Error, bool)) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		var none E
		in, first, err := d.Begin(raw)
		if err != nil {
			yield(none, CutShort(err))
			return
		}
		if first == '{' || first == '[' {
			yield(none, d.notStreamed(in, fault))
			return
		}
		lines := Lines(in, most)
		for lines.Scan() {
			text, ok := dataOf(lines.Bytes())
			if !ok {
				continue
			}
			e, err := decode(text)
			if !yield(e, err) || err != nil {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(none, CutShort(err))
		}
	}
}

func (d *Door) notStreamed(in io.Reader, fault func([]byte) (*llm.Error, bool)) *llm.Error {
	text, err := ReadAll(in)
	if err != nil {
		return CutShort(err)
	}
	if e, ok := fault(text); ok {
		return e
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
