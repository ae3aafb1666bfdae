// Package gemini is the adapter for the Gemini API.
//
// Start with [New]. Package door sends requests and turns refusals into errors; request.go builds requests, stream.go
// reads events, answer.go assembles an answer and decides whether it is whole, and wire.go has the format.
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

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

// Name is the runtime's name in errors and settings.
const Name = "gemini"

// Options select the server and its model.
type Options struct {
	Key     string
	BaseURL string // as in https://example.com; empty means Google's own
	Model   string // for requests that name none

	// HTTP sends the requests. Nil means a client with timeouts for everything but the
	// answer itself. Redirects are never followed.
	HTTP *http.Client
}

// New returns a runtime. Nothing is sent before the first request.
func New(o Options) llm.Runtime {
	// With other runtimes people write the version into the address.
	const home = "https://generativelanguage.googleapis.com"
	base := strings.TrimSuffix(strings.TrimSuffix(cmp.Or(o.BaseURL, home), "/"), "/v1beta")
	d := door.New(door.Options{Runtime: Name, Prefix: "GEMINI", Key: o.Key, Home: home, BaseURL: base, HTTP: o.HTTP, Refusal: refusal})
	return &runtime{Options: o, base: base, door: d}
}

type runtime struct {
	Options
	base string
	door *door.Door
}

func (r *runtime) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	req.Model = cmp.Or(req.Model, r.Model)
	return r.door.Answer(ctx, req.Model, func(yield func(llm.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		resp, err := r.send(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = resp.Body.Close() }() // it is read already
		a := &answer{door: r.door}
		a.read(resp.Body)(yield)
	})
}

func (r *runtime) send(ctx context.Context, req llm.Request) (*http.Response, error) {
	if req.Model == "" {
		return nil, &llm.Error{Kind: llm.NoSuchModel, Err: errors.New("the request names no model")}
	}
	body, err := json.Marshal(newRequest(req))
	if err != nil {
		return nil, err
	}
	// A model's name comes from people, and stays one part of the path whatever it holds.
	model := url.PathEscape(strings.TrimPrefix(req.Model, "models/"))
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, r.base+"/v1beta/models/"+model+":streamGenerateContent?alt=sse", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	post.Header.Set("Content-Type", "application/json")
	if r.Key != "" {
		post.Header.Set("X-Goog-Api-Key", r.Key)
	}
	return r.door.Do(post)
}
