package llmtest

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"

	"discoclaw/internal/llm"
)

// Anthropic is the Vendor for adapters that speak Anthropic's messages API. The zero value accepts every key. It is
// an http.Handler that works behind any listener; Listen gives it one that works inside a test bubble.
type Anthropic struct {
	// Key is the only one that is accepted, unless it is empty. Set it before use.
	Key string
	*Memory
	scripts
}

// Listen starts to serve in memory. The caller must Close the result.
func (v *Anthropic) Listen() *Anthropic {
	v.Memory = listen(v, "")
	return v
}

// ServeHTTP answers one request.
func (v *Anthropic) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &messageEvents{Exchange: &Exchange{w: w, r: r}}
	if r.URL.Path != "/v1/messages" || r.Method != http.MethodPost {
		x.refuse(http.StatusNotFound, "not_found_error", "Not Found")
		return
	}
	var req messagesRequest
	err := decode(r, &req)
	if err == nil && r.Header.Get("Anthropic-Version") != "2023-06-01" {
		err = fmt.Errorf("anthropic-version: header is required")
	}
	if err == nil {
		err = req.check()
	}
	if err != nil {
		x.refuse(http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	x.asked = req.asked(r.Header.Get("X-Api-Key"))
	v.run(x, v.Key)
}

// messageEvents are a Response in Anthropic's format: a message of blocks, each with a start, pieces and an end.
type messageEvents struct {
	*Exchange
	asked  Asked
	blocks int
	open   string // the type of the block that has not ended
	called bool
}

func (x *messageEvents) Asked() Asked { return x.asked }

// event sends an event, the first of which is always the start of the message.
func (x *messageEvents) event(name string, fields map[string]any) {
	if !x.began {
		x.Line("event: message_start\ndata: " + encode(map[string]any{"type": "message_start", "message": map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "model": x.asked.Model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil,
			"usage": map[string]int{"input_tokens": 1, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "output_tokens": 1},
		}}) + "\n")
		x.Line("event: ping\ndata: {\"type\": \"ping\"}\n")
	}
	fields["type"] = name
	x.Line("event: " + name + "\ndata: " + encode(fields) + "\n")
}

// block begins a block, unless one of its type is open, which only calls end by themselves.
func (x *messageEvents) block(kind string, fields map[string]any) {
	if x.open == kind {
		return
	}
	x.endBlock()
	x.open = kind
	fields["type"] = kind
	x.event("content_block_start", map[string]any{"index": x.blocks, "content_block": fields})
}

func (x *messageEvents) endBlock() {
	if x.open == "" {
		return
	}
	x.open = ""
	x.event("content_block_stop", map[string]any{"index": x.blocks})
	x.blocks++
}

func (x *messageEvents) delta(fields map[string]any) {
	x.event("content_block_delta", map[string]any{"index": x.blocks, "delta": fields})
}

func (x *messageEvents) Say(text string) {
	x.block("text", map[string]any{"text": ""})
	x.delta(map[string]any{"type": "text_delta", "text": text})
}

func (x *messageEvents) Think(text string) {
	x.block("thinking", map[string]any{"thinking": "", "signature": ""})
	x.delta(map[string]any{"type": "thinking_delta", "thinking": text})
}

func (x *messageEvents) Call(c llm.ToolCall) {
	x.called = true
	x.endBlock()
	x.block("tool_use", map[string]any{"id": cmp.Or(c.ID, fmt.Sprintf("toolu_%d", x.blocks)), "name": c.Name, "input": map[string]any{}})
	for _, piece := range halves(string(c.Input)) {
		x.delta(map[string]any{"type": "input_json_delta", "partial_json": piece})
	}
	x.endBlock()
}

func (x *messageEvents) Done(tokens llm.Usage) {
	reason := "end_turn"
	if x.called {
		reason = "tool_use"
	}
	x.stop(reason, tokens)
}

// stop ends the answer with a reason.
func (x *messageEvents) stop(reason string, tokens llm.Usage) {
	x.endBlock()
	x.event("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": reason, "stop_sequence": nil},
		"usage": map[string]int{
			"input_tokens": tokens.Input - tokens.Cached - tokens.Written, "cache_read_input_tokens": tokens.Cached,
			"cache_creation_input_tokens": tokens.Written, "output_tokens": tokens.Output,
		},
	})
	x.event("message_stop", map[string]any{})
}

func (x *messageEvents) Garble() {
	x.Line("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"an\n")
}

func (x *messageEvents) Tear(text string) {
	x.send("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"" + text[:len(text)-2])
	x.Die()
}

func (x *messageEvents) Fail(e llm.Error) {
	switch e.Kind {
	case llm.Cut:
		x.stop("max_tokens", llm.Usage{})
	case llm.Blocked:
		x.stop("refusal", llm.Usage{})
	case llm.Unauthorized:
		x.refuse(http.StatusUnauthorized, "authentication_error", "invalid x-api-key: "+x.asked.Key)
	case llm.NoCredit:
		x.refuse(http.StatusBadRequest, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.")
	case llm.RateLimited:
		x.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Seconds())))
		x.refuse(http.StatusTooManyRequests, "rate_limit_error", "This request would exceed your organization's rate limit")
	case llm.TooLong:
		x.refuse(http.StatusBadRequest, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
	case llm.NoSuchModel:
		x.refuse(http.StatusNotFound, "not_found_error", "model: "+x.asked.Model)
	case llm.Refused:
		x.refuse(http.StatusBadRequest, "invalid_request_error", "messages: no")
	default:
		x.failServer(e.Status)
	}
}

func (x *messageEvents) failServer(status int) {
	if x.began { // the status has already said that all is well
		x.event("error", map[string]any{"error": map[string]string{"type": "overloaded_error", "message": "Overloaded"}})
		return
	}
	x.refuse(status, "api_error", "Internal server error")
}

func (x *messageEvents) refuse(status int, kind, message string) {
	x.Write(status, "application/json", encode(map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": message}, "request_id": "req_1"}))
}
