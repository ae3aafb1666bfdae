package llmtest

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/llm"
)

// Responses is the Vendor for adapters that speak OpenAI's Responses API, with a model that reasons before its calls.
// The zero value accepts every key. It is an http.Handler that works behind any listener; Listen gives it one that works
// inside a test bubble.
type Responses struct {
	// Key is the only one that is accepted, unless it is empty. Set it before use.
	Key string
	// Plain makes the model one that does not reason, and that refuses to be asked for it. Set it before use.
	Plain bool
	*Memory
	scripts
}

// Listen starts to serve in memory. The caller must Close the result.
func (v *Responses) Listen() *Responses {
	v.Memory = listen(v, "/v1")
	return v
}

// ServeHTTP answers one request.
func (v *Responses) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &outputs{Exchange: &Exchange{w: w, r: r}, plain: v.Plain}
	if r.URL.Path != "/v1/responses" || r.Method != http.MethodPost {
		x.refuse(http.StatusNotFound, Fault{Type: "invalid_request_error", Message: fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path)})
		return
	}
	var req responsesRequest
	err := decode(r, &req)
	if err == nil {
		err = req.check(v.Plain)
	}
	if err != nil {
		x.refuse(http.StatusBadRequest, Fault{Type: "invalid_request_error", Message: err.Error()})
		return
	}
	x.asked = req.asked(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	v.run(x, v.Key)
}

// outputs are a Response in the format of OpenAI's Responses API: items, one after the other, and an event that ends them.
type outputs struct {
	*Exchange
	asked  Asked
	plain  bool
	sent   int    // events
	index  int    // of the present item
	open   string // the kind of the present item, if it is not done
	begun  strings.Builder
	called int
}

func (x *outputs) Asked() Asked { return x.asked }

// event sends one event of the type.
func (x *outputs) event(kind string, fields map[string]any) {
	if x.sent == 0 && kind != "response.created" {
		x.event("response.created", map[string]any{"response": x.response("in_progress", nil)})
		x.event("response.in_progress", map[string]any{"response": x.response("in_progress", nil)})
	}
	fields["type"], fields["sequence_number"] = kind, x.sent
	x.sent++
	x.Line("event: " + kind)
	x.Event(encode(fields))
}

// response is the state of the answer, with what was asked in it.
func (x *outputs) response(status string, more map[string]any) map[string]any {
	all := map[string]any{
		"id": "resp_1", "object": "response", "created_at": 1700000000, "status": status, "error": nil, "incomplete_details": nil,
		"instructions": x.asked.System, "model": x.asked.Model, "output": []any{}, "store": false, "usage": nil,
	}
	for name, value := range more {
		all[name] = value
	}
	return all
}

// item begins an item of the kind, unless one is open already.
func (x *outputs) item(kind string, fields map[string]any) {
	if x.open == kind {
		return
	}
	x.close()
	x.open = kind
	fields["type"], fields["id"] = kind, fmt.Sprintf("%s_%d", kind, x.index)
	x.event("response.output_item.added", map[string]any{"output_index": x.index, "item": fields})
}

// close ends the item that is open.
func (x *outputs) close() {
	item := map[string]any{"type": x.open, "id": fmt.Sprintf("%s_%d", x.open, x.index), "status": "completed"}
	switch x.open {
	case "":
		return
	case "message":
		part := map[string]any{"type": "output_text", "text": x.begun.String(), "annotations": []any{}}
		x.event("response.output_text.done", map[string]any{"output_index": x.index, "content_index": 0, "text": x.begun.String()})
		item["role"], item["content"] = "assistant", []any{part}
	case "reasoning":
		delete(item, "status")
		item["summary"], item["encrypted_content"] = []any{}, sealed
	}
	x.done(item)
}

func (x *outputs) done(item map[string]any) {
	x.event("response.output_item.done", map[string]any{"output_index": x.index, "item": item})
	x.open = ""
	x.begun.Reset()
	x.index++
}

func (x *outputs) Say(text string) {
	x.item("message", map[string]any{"status": "in_progress", "role": "assistant", "content": []any{}})
	x.begun.WriteString(text)
	x.event("response.output_text.delta", map[string]any{"output_index": x.index, "content_index": 0, "delta": text})
}

func (x *outputs) Think(text string) {
	x.item("reasoning", map[string]any{"summary": []any{}})
	x.event("response.reasoning_summary_text.delta", map[string]any{"output_index": x.index, "summary_index": 0, "delta": text})
}

// sealed is the encrypted content of all reasoning.
const sealed = "gAAAAAB-reasoning=="

// Call reasons before the first call of an answer, and sends each in pieces.
func (x *outputs) Call(c llm.ToolCall) {
	x.called++
	if x.called == 1 && !x.plain {
		x.item("reasoning", map[string]any{"summary": []any{}})
	}
	x.close()
	item := map[string]any{"call_id": cmp.Or(c.ID, fmt.Sprintf("call_%d", x.called)), "name": c.Name, "arguments": "", "status": "in_progress"}
	x.item("function_call", item)
	for _, piece := range halves(string(c.Input)) {
		x.event("response.function_call_arguments.delta", map[string]any{"output_index": x.index, "delta": piece})
	}
	x.event("response.function_call_arguments.done", map[string]any{"output_index": x.index, "arguments": string(c.Input)})
	item["arguments"], item["status"] = string(c.Input), "completed"
	x.done(item)
}

// Done ends the stream with an event: the API sends no mark after it.
func (x *outputs) Done(tokens llm.Usage) {
	x.close()
	x.event("response.completed", map[string]any{"response": x.response("completed", map[string]any{"usage": map[string]any{
		"input_tokens": tokens.Input, "input_tokens_details": map[string]int{"cached_tokens": tokens.Cached},
		"output_tokens": tokens.Output, "output_tokens_details": map[string]int{"reasoning_tokens": tokens.Output / 2},
		"total_tokens": tokens.Input + tokens.Output,
	}})})
}

func (x *outputs) Garble() { x.Event(`{"type":"response.output_text.delta","delta":"an`) }

func (x *outputs) Tear(text string) {
	x.send(`data: {"type":"response.output_text.delta","output_index":0,"delta":"` + text[:len(text)-2])
	x.Die()
}

func (x *outputs) Fail(e llm.Error) {
	switch e.Kind {
	case llm.Cut:
		x.incomplete("max_output_tokens")
	case llm.Blocked:
		x.incomplete("content_filter")
	case llm.Unauthorized:
		x.refuse(http.StatusUnauthorized, Fault{Type: "invalid_request_error", Code: "invalid_api_key", Message: "Incorrect API key provided: " + x.asked.Key})
	case llm.NoCredit: // the status has already said that all is well
		x.event("error", map[string]any{"error": Fault{Type: "insufficient_quota", Code: "insufficient_quota", Message: "You exceeded your current quota, please check your plan and billing details."}})
	case llm.RateLimited:
		x.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter/time.Second)))
		x.refuse(http.StatusTooManyRequests, Fault{Type: "requests", Code: "rate_limit_exceeded", Message: "Rate limit reached for requests"})
	case llm.TooLong:
		x.refuse(http.StatusBadRequest, Fault{Type: "invalid_request_error", Code: "context_length_exceeded", Message: "Your input exceeds the context window of this model."})
	case llm.NoSuchModel:
		x.refuse(http.StatusBadRequest, Fault{Type: "invalid_request_error", Code: "model_not_found", Message: "The requested model '" + x.asked.Model + "' does not exist."})
	case llm.Refused:
		x.refuse(http.StatusBadRequest, Fault{Type: "invalid_request_error", Message: "no"})
	default:
		x.failServer(e.Status)
	}
}

func (x *outputs) incomplete(reason string) {
	x.event("response.incomplete", map[string]any{"response": x.response("incomplete", map[string]any{"incomplete_details": map[string]any{"reason": reason}})})
}

func (x *outputs) failServer(status int) {
	if x.began {
		x.event("response.failed", map[string]any{"response": x.response("failed", map[string]any{"error": map[string]any{"code": "server_error", "message": "The model failed."}})})
		return
	}
	x.refuse(status, Fault{Type: "server_error", Message: "The server had an error while processing your request."})
}

func (x *outputs) refuse(status int, f Fault) { x.Exchange.Fail(status, f) }
