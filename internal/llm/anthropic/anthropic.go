// Package anthropic is the adapter for Anthropic's messages API.
//
// Start with [New]. A response is checked in three steps: package transport sends requests and turns refusals into
// errors, a client lets only streams of events through, and answer.go assembles an answer and decides whether it is
// whole. The library in between encodes requests, which request.go builds, and decodes events.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
)

// Name is the runtime's name in errors and settings.
const Name = "anthropic"

// Options select the server and its model.
type Options = transport.Access

// New returns a runtime. Nothing is sent before the first request.
func New(o Options) llm.Runtime {
	// The library adds the version to the address; with other runtimes people write it themselves.
	const home = "https://api.anthropic.com"
	base := strings.TrimSuffix(strings.TrimSuffix(cmp.Or(o.BaseURL, home), "/"), "/v1")
	d := transport.New(transport.Options{Runtime: Name, Prefix: "ANTHROPIC", Key: o.Key, Home: home, BaseURL: base, HTTP: o.HTTP, Refusal: refusal})
	settings := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(client{d}),
		option.WithMaxRetries(0),
	}
	if o.Key != "" {
		settings = append(settings, option.WithAPIKey(o.Key))
	}
	// A service of its own, unlike a client, takes no key and no address from the environment.
	return &runtime{messages: api.NewMessageService(settings...), transport: d, model: o.Model}
}

type runtime struct {
	messages  api.MessageService
	transport *transport.Transport
	model     string
}

func (r *runtime) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	req.Model = cmp.Or(req.Model, r.model)
	return r.transport.Answer(ctx, req.Model, func(yield func(llm.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream := r.messages.NewStreaming(ctx, request(req))
		defer func() { _ = stream.Close() }() // the response is read already
		a := &answer{transport: r.transport}
		a.read(stream)(yield)
	})
}

// A client is how the library reaches the server. It lets only streams of events through.
type client struct{ transport *transport.Transport }

func (c client) Do(req *http.Request) (*http.Response, error) {
	resp, err := c.transport.Do(req)
	if err != nil {
		return nil, err
	}
	in, first, err := c.transport.Begin(resp.Body)
	if err == nil && first == '{' {
		err = c.transport.NotStreamed(in, func(text []byte) (*llm.Error, bool) {
			f := parseFault(text)
			return f.err(c.transport, 0), f != fault{}
		})
	}
	if err != nil {
		_ = resp.Body.Close() // there is no answer in it
		return nil, transport.CutShort(err)
	}
	// Without its request, the library would not decode an error in the stream.
	resp.Body, resp.Request = &transport.Stream{In: in, Closer: resp.Body}, req
	return resp, nil
}

// A fault is the server's description of an error: {"type":"error","error":{"type","message"}}.
type fault struct{ kind, message string }

func parseFault(text []byte) fault {
	var body struct {
		Error struct{ Type, Message string }
	}
	_ = json.Unmarshal(text, &body) // what is not an error has no fields of one
	return fault{kind: body.Error.Type, message: body.Error.Message}
}

// refusal makes an error of the body of a response that is no answer.
func refusal(d *transport.Transport, status int, body []byte) *llm.Error {
	return parseFault(body).err(d, status)
}

// err returns the fault as an error. A status of 0 means that it came inside a stream.
func (f fault) err(d *transport.Transport, status int) *llm.Error {
	return d.Fault(f.classify(status), status, f.kind, f.message)
}

// types are values of "type".
var types = map[string]llm.Kind{
	"authentication_error": llm.Unauthorized,
	"permission_error":     llm.Forbidden,
	"billing_error":        llm.NoCredit,
	"rate_limit_error":     llm.RateLimited,
	"request_too_large":    llm.TooLong,
	"timeout_error":        llm.Unavailable,
	"api_error":            llm.Unavailable,
	"overloaded_error":     llm.Unavailable,
}

// classify goes by the type; by the message where one type stands for several errors; then by the status.
func (f fault) classify(status int) llm.Kind {
	if kind, ok := types[f.kind]; ok {
		return kind
	}
	switch f.kind {
	case "not_found_error":
		if transport.Mentions(f.message, "model") {
			return llm.NoSuchModel
		}
		return llm.Refused
	case "invalid_request_error":
		return invalid(f.message)
	}
	if status == 0 {
		return llm.Broken
	}
	return transport.ByStatus(status)
}

// invalid classifies requests that the API calls invalid, among which are some that only come at the wrong time.
func invalid(message string) llm.Kind {
	switch {
	case transport.Mentions(message, "credit balance"):
		return llm.NoCredit
	case transport.Mentions(message, "prompt is too long", "exceed context limit", "exceeds the maximum allowed number of tokens"):
		return llm.TooLong
	case transport.Mentions(message, "content filtering policy"):
		return llm.Blocked
	}
	return llm.Refused
}
