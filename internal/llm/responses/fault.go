package responses

import (
	"encoding/json"
	"net/http"
	"strings"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

// parseFault parses {"error":{"message","type","param","code"}}, which is also what most errors inside of a stream look
// like, or the flat form that is documented for those: {"type":"error","code","message","param"}. It returns false if
// the text is not about an error.
func parseFault(text []byte) (fault, bool) {
	var outer struct {
		fault
		Error json.RawMessage `json:"error"`
	}
	// A field of an unexpected type leaves the others as they are.
	_ = json.Unmarshal(text, &outer)
	if given(outer.Error) {
		var f fault
		_ = json.Unmarshal(outer.Error, &f)
		return f, true
	}
	f, ok := outer.fault, outer.Type == "error"
	f.Type = "" // of the event
	return f, ok
}

func given(field json.RawMessage) bool { return len(field) > 0 && string(field) != "null" }

// refusal makes an error of the body of a response that is no answer.
func refusal(d *door.Door, status int, body []byte) *llm.Error {
	f, _ := parseFault(body)
	return f.err(d, status)
}

// err returns the fault as an error. A status of 0 means that it came inside a stream.
func (f fault) err(d *door.Door, status int) *llm.Error {
	return d.Fault(f.classify(status), status, f.code(), f.Type, f.Message)
}

func (f fault) code() string {
	s, _ := f.Code.(string)
	return s
}

// codes are values of "code" and "type".
var codes = map[string]llm.Kind{
	"invalid_api_key":      llm.Unauthorized,
	"authentication_error": llm.Unauthorized,

	"insufficient_quota":         llm.NoCredit,
	"billing_hard_limit_reached": llm.NoCredit,
	"billing_not_active":         llm.NoCredit,

	"rate_limit_exceeded":     llm.RateLimited,
	"context_length_exceeded": llm.TooLong,
	"model_not_found":         llm.NoSuchModel,

	"content_filter":                 llm.Blocked,
	"content_policy_violation":       llm.Blocked,
	"image_content_policy_violation": llm.Blocked,
	"invalid_prompt":                 llm.Blocked, // the usage policy, for reasoning models

	"server_error":         llm.Unavailable,
	"server_is_overloaded": llm.Unavailable,
}

// tooLong are messages about a conversation that does not fit. "Request too large" is for more tokens than are allowed
// in a minute: a retry never helps.
var tooLong = []string{"context length", "context window", "request too large"}

// classify goes by the message where one code stands for several errors, then by the code, then by the status.
func (f fault) classify(status int) llm.Kind {
	if status < 500 && door.Mentions(f.Message, tooLong...) {
		return llm.TooLong
	}
	for _, code := range []string{f.code(), f.Type} {
		if kind, ok := codes[code]; ok {
			return kind
		}
	}
	switch {
	case status == http.StatusNotFound && door.Mentions(f.Message, "model"):
		return llm.NoSuchModel
	case status != 0:
		return door.ByStatus(status)
	case f.Type == "invalid_request_error", strings.Contains(f.code(), "image"): // such as invalid_image_format
		return llm.Refused
	}
	return llm.Broken
}
