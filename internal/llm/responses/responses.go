// Package responses is the adapter for OpenAI's Responses API. Package openai speaks the older chat completions API,
// where OpenAI's reasoning models take no tools.
//
// Start with [New]. Package transport sends requests and turns refusals into errors; request.go has the format and builds requests,
// and answer.go reads events, assembles an answer and decides whether it is whole.
package responses

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"
	"sync"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
)

// Name is the runtime's name in errors and settings.
const Name = "openai"

// Options select the server and its model.
type Options = transport.Access

// New returns a runtime. Nothing is sent before the first request.
func New(o Options) llm.Runtime {
	const home = "https://api.openai.com/v1"
	base := strings.TrimSuffix(cmp.Or(o.BaseURL, home), "/")
	d := transport.New(transport.Options{Runtime: Name, Prefix: "OPENAI", Key: o.Key, Home: home, BaseURL: base, HTTP: o.HTTP, Refusal: refusal})
	return &runtime{Access: o, base: base, transport: d}
}

type runtime struct {
	transport.Access
	base      string
	transport *transport.Transport
	plain     sync.Map // models that do not reason
}

func (r *runtime) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	req.Model = cmp.Or(req.Model, r.Model)
	return r.transport.Answer(ctx, req.Model, func(yield func(llm.Event, error) bool) {
		resp, err := r.ask(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = resp.Body.Close() }() // which ends the request; what is needed of it is read already
		a := &answer{transport: r.transport}
		a.read(resp.Body)(yield)
	})
}

// ask asks for the model's reasoning too, and returns what there is of it. Models without any refuse that, as the server
// does with reasoning that it cannot decrypt, such as that of another account. A refusal costs nothing, so they are
// asked once more.
func (r *runtime) ask(ctx context.Context, req llm.Request) (*http.Response, error) {
	if req.Model == "" {
		return nil, &llm.Error{Kind: llm.NoSuchModel, Err: errors.New("the request names no model")}
	}
	_, plain := r.plain.Load(req.Model)
	resp, err := r.send(ctx, newRequest(req, !plain))
	e, refused := errors.AsType[*llm.Error](err)
	if plain || !refused || e.Status != http.StatusBadRequest || !transport.Mentions(e.Err.Error(), "encrypted content") {
		return resp, err
	}
	if transport.Mentions(e.Err.Error(), "not supported") {
		r.plain.Store(req.Model, true)
	}
	return r.send(ctx, newRequest(req, false))
}

func (r *runtime) send(ctx context.Context, req request) (*http.Response, error) {
	return r.transport.Post(ctx, r.base+"/responses", req, "Authorization", "Bearer "+r.Key)
}

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
func refusal(d *transport.Transport, status int, body []byte) *llm.Error {
	f, _ := parseFault(body)
	return f.err(d, status)
}

// err returns the fault as an error. A status of 0 means that it came inside a stream.
func (f fault) err(d *transport.Transport, status int) *llm.Error {
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
	if status < 500 && transport.Mentions(f.Message, tooLong...) {
		return llm.TooLong
	}
	for _, code := range []string{f.code(), f.Type} {
		if kind, ok := codes[code]; ok {
			return kind
		}
	}
	switch {
	case status == http.StatusNotFound && transport.Mentions(f.Message, "model"):
		return llm.NoSuchModel
	case status != 0:
		return transport.ByStatus(status)
	case f.Type == "invalid_request_error", strings.Contains(f.code(), "image"): // such as invalid_image_format
		return llm.Refused
	}
	return llm.Broken
}
