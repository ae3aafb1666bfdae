package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"

	api "github.com/sashabaranov/go-openai"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

// A body is a response in a form that the library can read: one event in each line, nothing
// between them. The library keeps all other lines for the whole stream, fails after some
// hundreds of them, misses most errors, and has no limits.
//
// It ends with the mark [DONE], or else with an error that is not io.EOF.
type body struct {
	raw   io.ReadCloser
	door  *door.Door
	lines *bufio.Scanner // nil until something was read

	ready  []byte // read, but not asked for yet
	failed bool   // the next event is an error
}

func (b *body) Close() error { return b.raw.Close() }

func (b *body) Read(p []byte) (int, error) {
	if len(b.ready) == 0 {
		next, err := b.next()
		if err != nil {
			return 0, err
		}
		b.ready = next
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

var done = []byte("[DONE]")

func (b *body) next() ([]byte, error) {
	if b.lines == nil {
		whole, err := b.begin()
		if whole != nil || err != nil {
			return whole, err
		}
	}
	for b.lines.Scan() {
		event, ok := b.event(b.lines.Bytes())
		if !ok {
			continue
		}
		if err := b.errorIn(event); err != nil {
			return nil, err
		}
		return lines(event), nil
	}
	return nil, cmp.Or(b.lines.Err(), io.ErrUnexpectedEOF)
}

// begin reads the start of the response. One that is not a stream of events is either a whole
// answer, which it returns as a stream, or not from a model.
func (b *body) begin() ([]byte, error) {
	in, first, err := b.door.Begin(b.raw)
	if err != nil {
		return nil, err
	}
	b.lines = door.Lines(in, door.MaxEvent)
	if first == '{' {
		return b.whole(in)
	}
	return nil, nil
}

// event returns the event of a line. Comments, names and blank lines have none; an object
// without the usual prefix is an error that the server did not wrap.
func (b *body) event(line []byte) ([]byte, bool) {
	line = bytes.TrimSpace(line)
	if name, ok := bytes.CutPrefix(line, []byte("event:")); ok {
		b.failed = string(bytes.TrimSpace(name)) == "error"
		return nil, false
	}
	event, ok := bytes.CutPrefix(line, []byte("data:"))
	event = bytes.TrimSpace(event)
	return event, len(event) > 0 && (ok || event[0] == '{')
}

func lines(events ...[]byte) []byte {
	var out []byte
	for _, e := range events {
		out = append(out, "data: "...)
		if e[0] == '{' {
			// The library takes everything that begins with {"error" for an error, even
			// {"error":null}, but not with a blank in it.
			out, e = append(out, "{ "...), e[1:]
		}
		out = append(append(out, e...), '\n')
	}
	return out
}

// errorIn returns the error that a server reports inside a stream with status 200.
func (b *body) errorIn(event []byte) error {
	if !b.failed && !bytes.Contains(event, []byte(`"error"`)) {
		return nil // nearly always
	}
	f, ok := parseFault(event)
	if !ok && !b.failed {
		return nil
	}
	return f.err(b.door, 0)
}

// whole turns an answer that came in one piece into the stream that was asked for.
func (b *body) whole(in io.Reader) ([]byte, error) {
	text, err := door.ReadAll(in)
	if err != nil {
		return nil, err
	}
	if err := b.errorIn(text); err != nil {
		return nil, err
	}
	var all struct {
		Choices []struct {
			Message      *api.ChatCompletionMessage
			FinishReason api.FinishReason `json:"finish_reason"`
		}
		Usage *api.Usage
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, &llm.Error{Kind: llm.Broken, Err: err}
	}
	if len(all.Choices) == 0 || all.Choices[0].Message == nil {
		return nil, b.door.NoAnswer("the response holds no answer")
	}
	first := all.Choices[0]
	event, err := json.Marshal(api.ChatCompletionStreamResponse{
		Choices: []api.ChatCompletionStreamChoice{{
			Delta: api.ChatCompletionStreamChoiceDelta{Content: first.Message.Content, Refusal: first.Message.Refusal,
				ToolCalls: first.Message.ToolCalls},
			FinishReason: first.FinishReason,
		}},
		Usage: all.Usage,
	})
	if err != nil {
		return nil, &llm.Error{Kind: llm.Broken, Err: err}
	}
	return lines(event, done), nil
}
