// Package anthropic is the adapter for Anthropic's messages API.
//
// Start with [New]. A response is checked in three steps: package door sends requests and turns refusals into
// errors, client.go lets only streams of events through, and answer.go assembles an answer and decides whether it is
// whole. The library in between encodes requests, which request.go builds, and decodes events.
package anthropic

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"strings"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

// Name is the runtime's name in errors and settings.
const Name = "anthropic"

// Options select the server and its model.
type Options struct {
	Key     string
	BaseURL string // as in https://example.com; empty means Anthropic's own
	Model   string // for requests that name none

	// HTTP sends the requests. Nil means a client with timeouts for everything but the
	// answer itself. Redirects are never followed.
	HTTP *http.Client
}

// New returns a runtime. Nothing is sent before the first request.
func New(o Options) llm.Runtime {
	// The library adds the version to the address; with other runtimes people write it themselves.
	const home = "https://api.anthropic.com"
	base := strings.TrimSuffix(strings.TrimSuffix(cmp.Or(o.BaseURL, home), "/"), "/v1")
	d := door.New(door.Options{Runtime: Name, Prefix: "ANTHROPIC", Key: o.Key, Home: home, BaseURL: base, HTTP: o.HTTP, Refusal: refusal})
	settings := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(client{d}),
		option.WithMaxRetries(0),
	}
	if o.Key != "" {
		settings = append(settings, option.WithAPIKey(o.Key))
	}
	// A service of its own, unlike a client, takes no key and no address from the environment.
	return &runtime{messages: api.NewMessageService(settings...), door: d, model: o.Model}
}

type runtime struct {
	messages api.MessageService
	door     *door.Door
	model    string
}

func (r *runtime) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	req.Model = cmp.Or(req.Model, r.model)
	return r.door.Answer(ctx, req.Model, func(yield func(llm.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream := r.messages.NewStreaming(ctx, request(req))
		defer func() { _ = stream.Close() }() // the response is read already
		a := &answer{door: r.door}
		a.read(stream)(yield)
	})
}
