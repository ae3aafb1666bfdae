package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"discoclaw/internal/llm"
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

// err returns the fault as an error. A status of 0 means that it came inside a stream.
func (f fault) err(status int, hide func(string) string) *llm.Error {
	told := slices.DeleteFunc([]string{f.code, f.kind, clip(f.message)}, func(s string) bool { return s == "" })
	if len(told) == 0 {
		told = []string{"the server does not say why"}
	}
	e := &llm.Error{Kind: f.classify(status), Status: status, Err: errors.New(hide(strings.Join(told, ": ")))}
	if e.Kind == llm.Refused && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status/100 == 3) {
		e.Remedy = checkURL
	}
	return e
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
	message := strings.ToLower(f.message)
	if status < 500 && mentions(message, tooLong...) {
		return llm.TooLong
	}
	if mentions(message, "image input is not supported") { // llama.cpp, with status 500
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
	case status == http.StatusForbidden && mentions(message, "flagged", "moderation"): // OpenRouter
		return llm.Blocked
	case status == http.StatusNotFound && mentions(message, "model"), mentions(message, "not a valid model"):
		return llm.NoSuchModel
	}
	return byStatus(status)
}

func mentions(message string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(message, w) })
}

func byStatus(status int) llm.Kind {
	switch status {
	case http.StatusUnauthorized:
		return llm.Unauthorized
	case http.StatusForbidden:
		return llm.Forbidden
	case http.StatusPaymentRequired:
		return llm.NoCredit
	case http.StatusRequestEntityTooLarge:
		return llm.TooLong
	case http.StatusTooManyRequests:
		return llm.RateLimited
	case http.StatusRequestTimeout:
		return llm.Unavailable
	}
	if status >= 500 {
		return llm.Unavailable
	}
	return llm.Refused
}

const checkURL = "check OPENAI_BASE_URL"

// remedy names the variable to check. Empty means that there is none.
func remedy(e *llm.Error, model string) string {
	const models = "OPENAI_MODEL or RUNTIME_MODEL"
	switch {
	case e.Kind == llm.Unauthorized:
		return "check OPENAI_API_KEY"
	case e.Kind == llm.Forbidden:
		return fmt.Sprintf("check that the account of OPENAI_API_KEY may use %q from here, and that OPENAI_BASE_URL is the right address", clip(model))
	case e.Kind == llm.NoCredit:
		return "add some to the account of OPENAI_API_KEY"
	case model == "" && (e.Kind == llm.NoSuchModel || e.Kind == llm.Refused):
		return "name a model in " + models
	case e.Kind == llm.NoSuchModel:
		return fmt.Sprintf("choose another one than %q in %s", clip(model), models)
	}
	return ""
}

// clip shortens a server's text: it may quote the prompt.
func clip(text string) string {
	const most = 200
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}
