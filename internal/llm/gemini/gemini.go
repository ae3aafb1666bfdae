// Package gemini is the adapter for the Gemini API.
//
// Start with [New]. Package transport sends requests and turns refusals into errors; request.go has the format and builds requests,
// and answer.go reads events, assembles an answer and decides whether it is whole.
//
// The vendor's library would add 12 MB to the program and 8 MB to its memory at rest; its client always reads variables
// of its own, and writes to the standard logger.
package gemini

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
)

// Name is the runtime's name in errors and settings.
const Name = "gemini"

// Options select the server and its model.
type Options = transport.Access

// New returns a runtime. Nothing is sent before the first request.
func New(o Options) llm.Runtime {
	// With other runtimes people write the version into the address.
	const home = "https://generativelanguage.googleapis.com"
	base := strings.TrimSuffix(strings.TrimSuffix(cmp.Or(o.BaseURL, home), "/"), "/v1beta")
	d := transport.New(transport.Options{Runtime: Name, Prefix: "GEMINI", Key: o.Key, Home: home, BaseURL: base, HTTP: o.HTTP, Refusal: refusal})
	return &runtime{Access: o, base: base, transport: d}
}

type runtime struct {
	transport.Access
	base      string
	transport *transport.Transport
}

func (r *runtime) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	req.Model = cmp.Or(req.Model, r.Model)
	return r.transport.Answer(ctx, req.Model, func(yield func(llm.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		resp, err := r.send(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = resp.Body.Close() }() // it is read already
		a := &answer{transport: r.transport}
		a.read(resp.Body)(yield)
	})
}

func (r *runtime) send(ctx context.Context, req llm.Request) (*http.Response, error) {
	if req.Model == "" {
		return nil, &llm.Error{Kind: llm.NoSuchModel, Err: errors.New("the request names no model")}
	}
	// A model's name comes from people, and stays one part of the path whatever it holds.
	model := url.PathEscape(strings.TrimPrefix(req.Model, "models/"))
	return r.transport.Post(ctx, r.base+"/v1beta/models/"+model+":streamGenerateContent?alt=sse", newRequest(req), "X-Goog-Api-Key", r.Key)
}

// A fault is the server's description of an error:
// {"error":{"code":429,"message":"…","status":"RESOURCE_EXHAUSTED","details":[{"@type":"…","reason":"…","retryDelay":"20s"}]}}.
type fault struct {
	Code            int
	Message, Status string
	Details         []struct{ Reason, RetryDelay string }
}

// parseFault parses a fault, or the first of a list of them. It returns false if the text is not about an error.
func parseFault(text []byte) (fault, bool) {
	type body struct{ Error *fault }
	all := make([]body, 1)
	var err error
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		err = json.Unmarshal(text, &all)
	} else {
		err = json.Unmarshal(text, &all[0])
	}
	if err != nil || len(all) == 0 || all[0].Error == nil {
		return fault{}, false
	}
	return *all[0].Error, true
}

// refusal makes an error of the body of a response that is no answer.
func refusal(d *transport.Transport, status int, body []byte) *llm.Error {
	f, _ := parseFault(body)
	return f.err(d, status)
}

// err returns the fault as an error. A status of 0 means that it came inside a stream.
func (f fault) err(d *transport.Transport, status int) *llm.Error {
	e := d.Fault(f.classify(cmp.Or(status, f.Code)), status, f.Status, f.reason(), f.Message)
	for _, detail := range f.Details {
		if wait, err := time.ParseDuration(detail.RetryDelay); err == nil {
			e.RetryAfter = transport.Span(float64(wait), 1)
		}
	}
	return e
}

func (f fault) reason() string {
	for _, detail := range f.Details {
		if detail.Reason != "" {
			return detail.Reason
		}
	}
	return ""
}

// classify goes by the reason; by the message where one status stands for several errors; then by the status.
func (f fault) classify(status int) llm.Kind {
	switch f.reason() {
	case "API_KEY_INVALID", "API_KEY_EXPIRED":
		return llm.Unauthorized
	case "BILLING_DISABLED":
		return llm.NoCredit
	}
	if kind := f.byMessage(); kind != "" {
		return kind
	}
	switch f.Status {
	case "UNAUTHENTICATED":
		return llm.Unauthorized
	case "PERMISSION_DENIED":
		return llm.Forbidden
	case "RESOURCE_EXHAUSTED":
		return llm.RateLimited
	case "INTERNAL", "UNAVAILABLE", "DEADLINE_EXCEEDED":
		return llm.Unavailable
	}
	if status == 0 {
		return llm.Broken
	}
	return transport.ByStatus(status)
}

// byMessage returns a kind that only the message tells, or none.
func (f fault) byMessage() llm.Kind {
	says := func(phrases ...string) bool { return transport.Mentions(f.Message, phrases...) }
	switch f.Status {
	case "INVALID_ARGUMENT":
		switch {
		case says("api key not valid", "api key expired"):
			return llm.Unauthorized
		case says("token count", "payload size exceeds"):
			return llm.TooLong
		case says("model name"):
			return llm.NoSuchModel
		}
	case "PERMISSION_DENIED":
		if says("unregistered callers", "reported as leaked") { // there is no key, or one that is known to others
			return llm.Unauthorized
		}
	case "FAILED_PRECONDITION":
		switch {
		case says("billing"):
			return llm.NoCredit
		case says("location"):
			return llm.Forbidden
		}
	case "RESOURCE_EXHAUSTED":
		// "Check your plan and billing details" stands in every error about limits.
		if says("credits are depleted", "spending cap", "spend cap") {
			return llm.NoCredit
		}
	case "NOT_FOUND":
		if says("model") {
			return llm.NoSuchModel
		}
	}
	return ""
}
