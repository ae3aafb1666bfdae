// Package llmtest is the suite that every adapter must pass, whatever format its vendor
// speaks, and a scripted model server.
//
// [Run] is the suite; it needs a [Vendor], which [OpenAI], [Responses], [Anthropic] and [Gemini] are. [API.Run] adds what
// adapters of APIs over HTTP share: addresses, redirects, timeouts, odd streams and refusals. A [Server] is an
// http.Handler that speaks OpenAI's chat completions API. It gives its scripted answers and records its
// requests. It works behind any listener; [Server.Listen] gives it one that works inside a
// test bubble.
package llmtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"discoclaw/internal/llm"
)

// A Server answers chat completion requests from a queue. The zero value has an
// empty one and accepts every key. It is safe for concurrent use.
type Server struct {
	// Key is the only one that is accepted, unless it is empty. Set it before use.
	Key string
	queue[Answer, Request]
}

// An Answer responds to one request.
type Answer func(*Exchange)

// A Request is a chat completion request.
type Request struct {
	Key           string         `json:"-"` // as it came, without "Bearer "
	Model         string         `json:"model"`
	Messages      []Message      `json:"messages"`
	Stream        bool           `json:"stream"`
	StreamOptions *StreamOptions `json:"stream_options"`
	Tools         []tool         `json:"tools"`
	// The limit of the answer has two names. Models of OpenAI's take only the second, and other servers often ignore that.
	MaxTokens     int `json:"max_tokens"`
	MaxCompletion int `json:"max_completion_tokens"`
}

// A Message is one message of the conversation.
type Message struct {
	Role      string
	Content   string
	Images    []llm.Image // that came with it
	Documents []llm.Document
	Calls     []llm.ToolCall
	CallID    string // that the message is the result of
}

// StreamOptions ask for more than the text.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Queue adds answers, each for one request.
func (s *Server) Queue(answers ...Answer) {
	for _, a := range answers {
		s.Next(a)
	}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &Exchange{w: w, r: r}
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") || r.Method != http.MethodPost {
		x.Fail(http.StatusNotFound, Fault{Type: "invalid_request_error", Message: fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path)})
		return
	}
	req, err := read(r)
	if err != nil {
		x.Fail(http.StatusBadRequest, Fault{Type: "invalid_request_error", Message: err.Error()})
		return
	}
	x.Request = req
	answer := s.begin(req, func(text string) Answer {
		return failing(http.StatusTeapot, Fault{Type: "test_error", Message: text})
	})
	defer s.end()
	if s.Key != "" && req.Key != s.Key {
		answer = Unauthorized()
	}
	answer(x)
}

// read is as strict as the API is: a field that it does not know is a mistake, and
// so is a message without content.
func read(r *http.Request) (Request, error) {
	var req Request
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return req, fmt.Errorf("the request could not be read: %w", err)
	}
	if kind := r.Header.Get("Content-Type"); kind != "application/json" {
		return req, fmt.Errorf("the content type is %q, not application/json", kind)
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&req); err != nil {
		return req, fmt.Errorf("the request does not fit the API: %w", err)
	}
	req.Key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	return req, req.check()
}

func (r Request) check() error {
	switch {
	case r.Model == "":
		return errors.New("you must provide a model parameter")
	case len(r.Messages) == 0:
		return errors.New("messages is empty")
	case r.StreamOptions != nil && !r.Stream:
		return errors.New("stream_options is for streams only")
	}
	for i, m := range r.Messages {
		if err := m.check(r.Messages[:i]); err != nil {
			return fmt.Errorf("messages[%d]%w", i, err)
		}
	}
	return nil
}

func (m Message) check(before []Message) error {
	switch {
	case !slices.Contains([]string{"system", "developer", "user", "assistant", "tool"}, m.Role):
		return fmt.Errorf(".role is %q", m.Role)
	case len(m.Images)+len(m.Documents) > 0 && m.Role != "user":
		return errors.New(" has images or files, which are for the role user")
	case len(m.Calls) > 0 && m.Role != "assistant":
		return errors.New(" has tool_calls, which are for the role assistant")
	case (m.CallID != "") != (m.Role == "tool"):
		return errors.New(".tool_call_id belongs to the role tool")
	case m.CallID != "" && !called(before, m.CallID):
		return errors.New(" must be a response to a preceding message with tool_calls")
	case m.Content == "" && len(m.Images)+len(m.Documents)+len(m.Calls) == 0:
		return errors.New(".content is missing")
	}
	return nil
}

// called reports whether the last message that is no result has the call.
func called(before []Message, id string) bool {
	for _, m := range slices.Backward(before) {
		if m.Role != "tool" {
			return slices.ContainsFunc(m.Calls, func(c llm.ToolCall) bool { return c.ID == id })
		}
	}
	return false
}
