package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

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
func refusal(d *door.Door, status int, body []byte) *llm.Error {
	f, _ := parseFault(body)
	return f.err(d, status)
}

// err returns the fault as an error. A status of 0 means that it came inside a stream.
func (f fault) err(d *door.Door, status int) *llm.Error {
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
	if status < 500 && door.Mentions(f.message, tooLong...) {
		return llm.TooLong
	}
	if door.Mentions(f.message, "image input is not supported") { // llama.cpp, with status 500
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
	case status == http.StatusForbidden && door.Mentions(f.message, "flagged", "moderation"): // OpenRouter
		return llm.Blocked
	case status == http.StatusNotFound && door.Mentions(f.message, "model"), door.Mentions(f.message, "not a valid model"):
		return llm.NoSuchModel
	}
	return door.ByStatus(status)
}
