package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"discoclaw/internal/llm"
)

// MaxEvent bounds the memory for one event of a stream, or for an answer that is not streamed.
const MaxEvent = 1 << 20

// Begin reads up to the first character of a response that is not blank, which is still there to be read. A web
// page, and nothing at all, are errors.
func (d *Transport) Begin(raw io.Reader) (in *bufio.Reader, first byte, err error) {
	in = bufio.NewReader(raw)
	for {
		first, err = in.ReadByte()
		switch {
		case err == io.EOF:
			return nil, 0, io.ErrUnexpectedEOF
		case err != nil:
			return nil, 0, err
		case first == ' ' || first == '\t' || first == '\r' || first == '\n':
			continue
		case first == '<':
			return nil, 0, d.NoAnswer("the response is a web page")
		}
		_ = in.UnreadByte() // cannot fail right after ReadByte
		return in, first, nil
	}
}

// ReadAll reads a response that is not a stream.
func ReadAll(in io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, MaxEvent+1))
	if err == nil && len(text) > MaxEvent {
		return nil, TooLong("the answer")
	}
	return text, err
}

// Lines returns a scanner of a response's lines, which have at most that many bytes. Its error is for CutShort.
func Lines(in io.Reader, most int) *bufio.Scanner {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, most)
	return lines
}

// CutShort is the error of a stream that ended with err, which may be nil, before the answer did.
func CutShort(err error) *llm.Error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e
	}
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return &llm.Error{Kind: llm.Broken, Err: errors.New("an event is too long")}
	case err == nil || err == io.EOF || err == io.ErrUnexpectedEOF:
		err = errors.New("the stream ended before the answer did")
	}
	return &llm.Error{Kind: llm.Broken, Err: err}
}

// TooLong is the error of what is longer than MaxEvent.
func TooLong(what string) *llm.Error {
	return &llm.Error{Kind: llm.Broken, Err: fmt.Errorf("%s is longer than %d bytes", what, MaxEvent)}
}

// A Stream is a response with events, for libraries without limits of their own: one that is too long ends it.
type Stream struct {
	In     io.Reader
	Closer io.Closer

	size  int  // of the present event so far
	blank bool // nothing but the end of a line was read since the end of the line before
}

func (s *Stream) Close() error { return s.Closer.Close() }

func (s *Stream) Read(p []byte) (int, error) {
	n, err := s.In.Read(p)
	for _, c := range p[:n] {
		switch {
		case c == '\n' && s.blank: // a blank line ends an event
			s.size = 0
		case c == '\n':
			s.blank = true
		case c != '\r':
			s.blank = false
		}
		if s.size++; s.size > MaxEvent {
			return 0, TooLong("an event")
		}
	}
	return n, err
}

// Events yields the events of a streamed response, and an error unless it ends as HTTP wants it. Decode reads an event, of
// which most bounds the bytes. Fault reads a response that is one object: since each request asks for a stream, that is an error
// with a good status, or another API.
func Events[E any](d *Transport, raw io.Reader, most int, decode func([]byte) (E, error),
	fault func([]byte) (*llm.Error, bool)) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		var none E
		in, first, err := d.Begin(raw)
		if err != nil {
			yield(none, CutShort(err))
			return
		}
		if first == '{' || first == '[' {
			yield(none, d.NotStreamed(in, fault))
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

// NotStreamed is the error of a response that is one object, of which fault reads the server's own.
func (d *Transport) NotStreamed(in io.Reader, fault func([]byte) (*llm.Error, bool)) *llm.Error {
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

// Object returns the input of a call as the object that it must be in APIs that take no text for it: they refuse a
// conversation with any other. What the model wrote instead is still there for it to see, and the result says what
// was wrong.
func Object(input json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	switch {
	case json.Unmarshal(input, &fields) == nil && fields != nil:
		return input
	case len(input) == 0:
		return json.RawMessage("{}")
	}
	text, _ := json.Marshal(map[string]string{"malformed": string(input)}) // a text always can be encoded
	return text
}
