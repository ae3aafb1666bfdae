// Package responses is the adapter for OpenAI's Responses API. Package openai speaks the older chat completions API,
// where OpenAI's reasoning models take no tools.
//
// Start with [New]. Package door sends requests and turns refusals into errors; request.go builds requests, stream.go
// reads events, answer.go assembles an answer and decides whether it is whole, and wire.go has the format.
package responses

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"
	"sync"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

// Name is the runtime's name in errors and settings.
const Name = "openai"

// Options select the server and its model.
type Options struct {
	Key     string
	BaseURL string // as in https://example.com/v1; empty means OpenAI's own
	Model   string // for requests that name none

	// HTTP sends the requests. Nil means a client with timeouts for everything but the
	// answer itself. Redirects are never followed.
	HTTP *http.Client
}

// New returns a runtime. Nothing is sent before the first request.
func New(o Options) llm.Runtime {
	const home = "https://api.openai.com/v1"
	base := strings.TrimSuffix(cmp.Or(o.BaseURL, home), "/")
	d := door.New(door.Options{Runtime: Name, Prefix: "OPENAI", Key: o.Key, Home: home, BaseURL: base, HTTP: o.HTTP, Refusal: refusal})
	return &runtime{Options: o, base: base, door: d}
}

type runtime struct {
	Options
	base  string
	door  *door.Door
	plain sync.Map // models that do not reason
}

func (r *runtime) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	req.Model = cmp.Or(req.Model, r.Model)
	return r.door.Answer(ctx, req.Model, func(yield func(llm.Event, error) bool) {
		resp, err := r.ask(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = resp.Body.Close() }() // which ends the request; what is needed of it is read already
		a := &answer{door: r.door}
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
	if plain || !refused || e.Status != http.StatusBadRequest || !door.Mentions(e.Err.Error(), "encrypted content") {
		return resp, err
	}
	if door.Mentions(e.Err.Error(), "not supported") {
		r.plain.Store(req.Model, true)
	}
	return r.send(ctx, newRequest(req, false))
}

func (r *runtime) send(ctx context.Context, req request) (*http.Response, error) {
	body, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, r.base+"/responses", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	post.Header.Set("Content-Type", "application/json")
	if r.Key != "" {
		post.Header.Set("Authorization", "Bearer "+r.Key)
	}
	return r.door.Do(post)
}
