package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/sleep"
)

// An Exchange is one request and the response to it, which an Answer writes piece by piece. Every
// piece is sent when the method returns.
type Exchange struct {
	Request Request

	w     http.ResponseWriter
	r     *http.Request
	began bool
	calls int
}

// A Fault is the API's description of an error.
type Fault struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    any     `json:"code"` // a text, a number or nil
}

// Header is sent with the first piece of the response.
func (x *Exchange) Header() http.Header { return x.w.Header() }

// Fail responds with a status and a fault, instead of an answer.
func (x *Exchange) Fail(status int, f Fault) {
	x.Write(status, "application/json", encode(map[string]any{"error": f}))
}

// Write responds with any text at all, instead of an answer.
func (x *Exchange) Write(status int, contentType, text string) {
	x.Header().Set("Content-Type", contentType)
	x.w.WriteHeader(status)
	x.send(text)
}

// A choice is the part of a chunk that carries the answer.
type choice struct {
	Index  int            `json:"index"`
	Delta  map[string]any `json:"delta"`
	Finish *string        `json:"finish_reason"`
}

// Say sends a piece of the answer's text.
func (x *Exchange) Say(text string) { x.choice(map[string]any{"content": text}, nil) }

// Think sends a piece of what the model thinks, as servers do that show it.
func (x *Exchange) Think(text string) { x.choice(map[string]any{"reasoning_content": text}, nil) }

// Call asks for a tool, in pieces, as the API does: the name first, then the arguments.
func (x *Exchange) Call(c llm.ToolCall) {
	index := x.calls
	x.calls++
	id := cmp.Or(c.ID, fmt.Sprintf("call_%d", x.calls))
	x.choice(map[string]any{"tool_calls": []toolCall{{Index: &index, ID: id, Type: "function", Function: function{Name: c.Name}}}}, nil)
	for _, piece := range halves(string(c.Input)) {
		x.choice(map[string]any{"tool_calls": []toolCall{{Index: &index, Function: function{Arguments: piece}}}}, nil)
	}
}

func halves(text string) []string {
	runes := []rune(text)
	return []string{string(runes[:len(runes)/2]), string(runes[len(runes)/2:])}
}

// Tear says the text up to the middle of its last character, and breaks the connection.
func (x *Exchange) Tear(text string) {
	x.send(`data: {"choices":[{"index":0,"delta":{"content":"` + text[:len(text)-2])
	x.Die()
}

// Finish says why the answer ends here: stop, length, content_filter.
func (x *Exchange) Finish(reason string) { x.choice(map[string]any{}, &reason) }

func (x *Exchange) choice(delta map[string]any, finish *string) {
	if !x.began {
		x.chunk([]choice{{Delta: map[string]any{"role": "assistant", "content": ""}}}, nil)
	}
	x.chunk([]choice{{Delta: delta, Finish: finish}}, nil)
}

// Usage sends the number of tokens, if the request asks for it.
func (x *Exchange) Usage(u llm.Usage) {
	if x.Request.StreamOptions == nil || !x.Request.StreamOptions.IncludeUsage {
		return
	}
	usage := map[string]any{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output}
	if u.Cached > 0 {
		usage["prompt_tokens_details"] = map[string]int{"cached_tokens": u.Cached}
	}
	x.chunk([]choice{}, usage)
}

func (x *Exchange) chunk(choices []choice, usage map[string]any) {
	x.Event(encode(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": x.Request.Model,
		"choices": choices, "usage": usage,
	}))
}

// Done sends the mark at the end of a stream.
func (x *Exchange) Done() { x.Event("[DONE]") }

// Event sends one event of the stream, whatever its text.
func (x *Exchange) Event(text string) { x.Line("data: " + text + "\n") }

// Line sends one line of the stream, whatever it is.
func (x *Exchange) Line(text string) {
	if !x.began {
		x.began = true
		x.Header().Set("Content-Type", "text/event-stream")
		x.w.WriteHeader(http.StatusOK)
	}
	x.send(text + "\n")
}

// Wait sleeps for d, or until the client leaves.
func (x *Exchange) Wait(d time.Duration) { sleep.For(x.r.Context(), d) }

// Hang waits until the client leaves.
func (x *Exchange) Hang() { <-x.r.Context().Done() }

// Die breaks the connection. It does not return.
func (x *Exchange) Die() { panic(http.ErrAbortHandler) }

// send ignores errors: a client may leave at any time, which ends the request's
// context.
func (x *Exchange) send(text string) {
	_, _ = io.WriteString(x.w, text)
	_ = http.NewResponseController(x.w).Flush()
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("llmtest: %v", err)) // only our own values are encoded
	}
	return string(text)
}
