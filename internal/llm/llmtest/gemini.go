package llmtest

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"discoclaw/internal/llm"
)

// Gemini is the Vendor for adapters that speak the Gemini API. The zero value accepts every key. It is an
// http.Handler that works behind any listener; Listen gives it one that works inside a test bubble.
type Gemini struct {
	// Key is the only one that is accepted, unless it is empty. Set it before use.
	Key string
	*Memory
	scripts
}

// Listen starts to serve in memory. The caller must Close the result.
func (v *Gemini) Listen() *Gemini {
	v.Memory = listen(v, "")
	return v
}

// ServeHTTP answers one request.
func (v *Gemini) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &candidates{Exchange: &Exchange{w: w, r: r}}
	path, below := strings.CutPrefix(r.URL.Path, "/v1beta/models/")
	model, streamed := strings.CutSuffix(path, ":streamGenerateContent")
	if !below || !streamed || r.Method != http.MethodPost {
		x.refuse(http.StatusNotFound, "NOT_FOUND", "Requested entity was not found.")
		return
	}
	var req generateRequest
	err := decode(r, &req)
	if err == nil && r.URL.RawQuery != "alt=sse" {
		err = errors.New("the query must be alt=sse; a key belongs into the header")
	}
	if err == nil {
		err = req.check()
	}
	if err != nil {
		x.refuse(http.StatusBadRequest, "INVALID_ARGUMENT", err.Error())
		return
	}
	x.asked = req.asked(r.Header.Get("X-Goog-Api-Key"), model)
	v.run(x, v.Key)
}

// candidates are a Response in Gemini's format: every event has parts of the answer, and the tokens so far.
type candidates struct {
	*Exchange
	asked Asked
	sent  int // events
	calls int
}

func (x *candidates) Asked() Asked { return x.asked }

// part sends an event with one part of the answer.
func (x *candidates) part(fields map[string]any, reason string, usage map[string]int) {
	x.sent++
	candidate := map[string]any{"content": map[string]any{"parts": []any{fields}, "role": "model"}, "index": 0}
	if reason != "" {
		candidate["finishReason"] = reason
	}
	if usage == nil { // adding those up would be a mistake
		usage = map[string]int{"promptTokenCount": 2, "candidatesTokenCount": x.sent, "totalTokenCount": 2 + x.sent}
	}
	x.Event(encode(map[string]any{"candidates": []any{candidate}, "usageMetadata": usage, "modelVersion": x.asked.Model, "responseId": "r1"}))
}

func (x *candidates) Say(text string) { x.part(map[string]any{"text": text}, "", nil) }

func (x *candidates) Think(text string) {
	x.part(map[string]any{"text": text, "thought": true}, "", nil)
}

// Call seals the first call of an answer only, as the API does.
func (x *candidates) Call(c llm.ToolCall) {
	x.calls++
	id := cmp.Or(c.ID, fmt.Sprintf("call_%d", x.calls))
	fields := map[string]any{"functionCall": map[string]any{"name": c.Name, "args": c.Input, "id": id}}
	if x.calls == 1 {
		fields["thoughtSignature"] = []byte(seal)
	}
	x.part(fields, "", nil)
}

// seal is the signature of every thought.
const seal = "\x01a thought\xff"

// Done counts a part of the output as thoughts, if there are enough of it.
func (x *candidates) Done(tokens llm.Usage) {
	thoughts := tokens.Output / 2
	x.part(map[string]any{"text": ""}, "STOP", map[string]int{
		"promptTokenCount": tokens.Input, "cachedContentTokenCount": tokens.Cached, "candidatesTokenCount": tokens.Output - thoughts,
		"thoughtsTokenCount": thoughts, "totalTokenCount": tokens.Input + tokens.Output,
	})
}

func (x *candidates) Garble() { x.Event(`{"candidates":[{"content":{"parts":[{"text":"an`) }

func (x *candidates) Tear(text string) {
	x.send(`data: {"candidates":[{"content":{"parts":[{"text":"` + text[:len(text)-2])
	x.Die()
}

func (x *candidates) Fail(e llm.Error) {
	switch e.Kind {
	case llm.Cut:
		x.part(map[string]any{"text": ""}, "MAX_TOKENS", nil)
	case llm.Blocked:
		x.part(map[string]any{"text": ""}, "SAFETY", nil)
	case llm.Unauthorized:
		x.refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key. It is "+x.asked.Key,
			map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"})
	case llm.NoCredit:
		x.refuse(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.")
	case llm.RateLimited:
		x.refuse(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.",
			map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": e.RetryAfter.String()})
	case llm.TooLong:
		x.refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).")
	case llm.NoSuchModel:
		x.refuse(http.StatusNotFound, "NOT_FOUND", "models/"+x.asked.Model+" is not found for API version v1beta, or is not supported for generateContent.")
	case llm.Refused:
		x.refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "Request contains an invalid argument.")
	default:
		x.failServer(e.Status)
	}
}

func (x *candidates) failServer(status int) {
	if x.began { // the status has already said that all is well
		x.Event(encode(failed(http.StatusServiceUnavailable, "UNAVAILABLE", "The model is overloaded. Please try again later.")))
		return
	}
	x.refuse(status, "INTERNAL", "An internal error has occurred.")
}

func (x *candidates) refuse(status int, name, message string, details ...any) {
	x.Write(status, "application/json; charset=UTF-8", encode(failed(status, name, message, details...)))
}

func failed(status int, name, message string, details ...any) map[string]any {
	fields := map[string]any{"code": status, "message": message, "status": name}
	if len(details) > 0 {
		fields["details"] = details
	}
	return map[string]any{"error": fields}
}
