package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
)

// A body is a response in a form that the library can read: one event in each line, nothing
// between them. The library keeps all other lines for the whole stream, fails after some
// hundreds of them, misses most errors, and has no limits.
//
// It ends with the mark [DONE], or else with an error that is not io.EOF.
type body struct {
	raw       io.ReadCloser
	transport *transport.Transport
	lines     *bufio.Scanner // nil until something was read

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
	in, first, err := b.transport.Begin(b.raw)
	if err != nil {
		return nil, err
	}
	b.lines = transport.Lines(in, transport.MaxEvent)
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
	return f.err(b.transport, 0)
}

// whole turns an answer that came in one piece into the stream that was asked for.
func (b *body) whole(in io.Reader) ([]byte, error) {
	text, err := transport.ReadAll(in)
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
		return nil, b.transport.NoAnswer("the response holds no answer")
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

// A fault is a server's description of an error. OpenAI sends
// {"error":{"message","type","param","code"}}; others leave the wrapping out, send
// a mere text, or a status as the code.
type fault struct {
	code, kind, message string
	status              int // in the body
}

// parseFault parses a fault. It returns false if the text is not about an error.
func parseFault(text []byte) (fault, bool) {
	type fields struct {
		Object, Type, Code, Message, Detail, Details any
		Error                                        json.RawMessage
	}
	var outer fields
	if json.Unmarshal(text, &outer) != nil {
		return fault{}, false
	}
	inner := outer
	wrapped := len(outer.Error) > 0 && !bytes.Equal(outer.Error, []byte("null"))
	if wrapped {
		inner = fields{}
		if json.Unmarshal(outer.Error, &inner) != nil {
			// Not an object: {"error":"a text"}, or true next to other fields.
			inner = outer
			_ = json.Unmarshal(outer.Error, &inner.Message)
		}
	}
	f := fault{code: asText(inner.Code), kind: asText(inner.Type), message: asText(inner.Message)}
	for _, other := range []any{inner.Detail, inner.Details, outer.Message} {
		if f.message == "" {
			f.message = asText(other)
		}
	}
	if n, ok := inner.Code.(float64); ok && n >= 300 && n < 600 {
		f.status = int(n)
	}
	return f, wrapped || asText(outer.Object) == "error" || asText(outer.Type) == "error"
}

func asText(v any) string {
	s, _ := v.(string)
	return s
}

// refusal makes an error of the body of a response that is no answer.
func refusal(d *transport.Transport, status int, body []byte) *llm.Error {
	f, _ := parseFault(body)
	return f.err(d, status)
}

// err returns the fault as an error. A status of 0 means that it came inside a stream.
func (f fault) err(d *transport.Transport, status int) *llm.Error {
	return d.Fault(f.classify(status), status, f.code, f.kind, f.message)
}

// codes are values of "code" and "type", in lower case.
var codes = map[string]llm.Kind{
	"invalid_api_key":      llm.Unauthorized,
	"authentication_error": llm.Unauthorized,
	"permission_error":     llm.Forbidden,
	"permission_denied":    llm.Forbidden,

	"insufficient_quota":         llm.NoCredit,
	"billing_hard_limit_reached": llm.NoCredit,
	"billing_not_active":         llm.NoCredit,

	"rate_limit_exceeded": llm.RateLimited,
	"rate_limit_error":    llm.RateLimited,

	"context_length_exceeded":   llm.TooLong,
	"exceed_context_size_error": llm.TooLong, // llama.cpp

	"model_not_found":    llm.NoSuchModel,
	"deploymentnotfound": llm.NoSuchModel, // Azure

	"content_filter":           llm.Blocked,
	"content_policy_violation": llm.Blocked,
	"invalid_prompt":           llm.Blocked, // OpenAI, for reasoning models

	"server_error":     llm.Unavailable,
	"overloaded_error": llm.Unavailable,
}

// tooLong are messages about a conversation that does not fit. Most servers that are
// not OpenAI's have no code for it. "Request too large" is OpenAI's own, for more
// tokens than are allowed in a minute: a retry never helps.
var tooLong = []string{
	"context length", "context size", "context window", "prompt is too long", "request too large",
}

// classify goes by the code, then by the message where there is no code, then by the
// status.
func (f fault) classify(status int) llm.Kind {
	if status == 0 {
		status = f.status
	}
	if status < 500 && transport.Mentions(f.message, tooLong...) {
		return llm.TooLong
	}
	if transport.Mentions(f.message, "image input is not supported") { // llama.cpp, with status 500
		return llm.Refused
	}
	for _, code := range []string{f.code, f.kind} {
		if kind, ok := codes[strings.ToLower(code)]; ok {
			return kind
		}
	}
	switch {
	case status == 0:
		return llm.Broken
	case status == http.StatusForbidden && transport.Mentions(f.message, "flagged", "moderation"): // OpenRouter
		return llm.Blocked
	case status == http.StatusNotFound && transport.Mentions(f.message, "model"), transport.Mentions(f.message, "not a valid model"):
		return llm.NoSuchModel
	}
	return transport.ByStatus(status)
}
