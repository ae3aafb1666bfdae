// Package openai is the adapter for OpenAI's chat completions API, and for the many servers
// that are compatible with it.
//
// Start with [New]. A response is checked in three steps: package transport sends requests and turns
// refusals into errors, body.go lets only events through, and answer.go assembles an
// answer and decides whether it is whole. The library in between builds requests and
// decodes events.
package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"

	api "github.com/sashabaranov/go-openai"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
)

// Name is the runtime's name in errors and settings, unless Options have another one.
const Name = "openai"

// Options select the server and its model.
type Options struct {
	Name    string // of the runtime, whose settings begin with it, as in OPENAI_API_KEY; empty means Name
	Key     string // empty for a server that wants none
	Home    string // the vendor's own address; empty means OpenAI's
	BaseURL string // as in https://example.com/v1; empty means Home
	Model   string // for requests that name none

	// HTTP sends the requests. Nil means a client with timeouts for everything but the
	// answer itself. Redirects are never followed.
	HTTP *http.Client
}

// New returns a runtime. Nothing is sent before the first request.
func New(o Options) llm.Runtime {
	config := api.DefaultConfig(o.Key)
	home := cmp.Or(o.Home, config.BaseURL)
	config.BaseURL = cmp.Or(o.BaseURL, home)
	name := cmp.Or(o.Name, Name)
	d := transport.New(transport.Options{
		Runtime: name, Prefix: strings.ToUpper(name), Key: o.Key, Home: home, BaseURL: config.BaseURL, Ending: "/v1", HTTP: o.HTTP, Refusal: refusal,
	})
	config.HTTPClient = client{d}
	return &runtime{client: api.NewClientWithConfig(config), transport: d, model: o.Model, own: o.Home+o.BaseURL == ""}
}

type runtime struct {
	client    *api.Client
	transport *transport.Transport
	model     string
	own       bool     // the server is OpenAI's
	newer     sync.Map // models elsewhere that know the limit of an answer only by its newer name
}

func (r *runtime) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	req.Model = cmp.Or(req.Model, r.model)
	return r.transport.Answer(ctx, req.Model, func(yield func(llm.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := r.ask(ctx, req)
		if errors.Is(err, api.ErrChatCompletionInvalidModel) {
			err = &llm.Error{Kind: llm.NoSuchModel, Err: err}
		}
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = stream.Close() }() // the response is read already
		a := &answer{hurry: cancel}
		a.read(stream)(yield)
	})
}

// ask sends the limit of the answer by its newer name, max_completion_tokens, to OpenAI. Other servers often ignore that, and get the older
// one. Those that pass requests on to OpenAI refuse it; a refusal costs nothing, so they are asked once more.
func (r *runtime) ask(ctx context.Context, req llm.Request) (*api.ChatCompletionStream, error) {
	out := request(req)
	if _, newer := r.newer.Load(req.Model); r.own || newer {
		out.MaxCompletionTokens = req.MaxOutput
		return r.client.CreateChatCompletionStream(ctx, out)
	}
	//lint:ignore SA1019 other servers know the limit only by this name
	out.MaxTokens = req.MaxOutput
	stream, err := r.client.CreateChatCompletionStream(ctx, out)
	e, refused := errors.AsType[*llm.Error](err)
	if !errors.Is(err, api.ErrReasoningModelMaxTokensDeprecated) && !(refused && e.Status/100 == 4 && transport.Mentions(e.Err.Error(), "max_completion_tokens")) {
		return stream, err
	}
	r.newer.Store(req.Model, true)
	return r.ask(ctx, req)
}

func request(req llm.Request) api.ChatCompletionRequest {
	messages := make([]api.ChatCompletionMessage, 0, len(req.Messages)+1)
	if req.System != "" { // the API refuses a message without content, and with it the whole request
		messages = append(messages, api.ChatCompletionMessage{Role: api.ChatMessageRoleSystem, Content: req.System})
	}
	for _, m := range req.Messages {
		messages = append(messages, message(m)...)
	}
	return api.ChatCompletionRequest{
		Model:         req.Model,
		Messages:      messages,
		Tools:         tools(req.Tools),
		StreamOptions: &api.StreamOptions{IncludeUsage: true},
	}
}

// message returns a message in the form of the API, in which every result of a tool is one of its own.
func message(m llm.Message) []api.ChatCompletionMessage {
	if len(m.Results) > 0 {
		return results(m.Results)
	}
	out := api.ChatCompletionMessage{Role: string(m.Role), Content: m.Text}
	if len(m.Images)+len(m.Documents) > 0 {
		out.Content, out.MultiContent = "", parts(m)
	}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, api.ToolCall{
			ID: c.ID, Type: api.ToolTypeFunction, Function: api.FunctionCall{Name: c.Name, Arguments: string(c.Input)},
		})
	}
	if out.Content == "" && out.MultiContent == nil && out.ToolCalls == nil {
		return nil
	}
	return []api.ChatCompletionMessage{out}
}

// results: the API has no mark for a call that failed, so its text says so.
func results(all []llm.ToolResult) []api.ChatCompletionMessage {
	var out []api.ChatCompletionMessage
	for _, r := range all {
		text := cmp.Or(r.Text, "(nothing)")
		if r.Failed {
			text = "Error: " + text
		}
		out = append(out, api.ChatCompletionMessage{Role: api.ChatMessageRoleTool, ToolCallID: r.ID, Content: text})
	}
	return out
}

func tools(all []llm.Tool) []api.Tool {
	var out []api.Tool
	for _, t := range all {
		out = append(out, api.Tool{Type: api.ToolTypeFunction,
			Function: &api.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Schema}})
	}
	return out
}

// parts returns a text and its files, which are sent inside the request: a link to Discord would
// give the attachment away.
func parts(m llm.Message) []api.ChatMessagePart {
	var all []api.ChatMessagePart
	if m.Text != "" {
		all = append(all, api.ChatMessagePart{Type: api.ChatMessagePartTypeText, Text: m.Text})
	}
	for _, image := range m.Images {
		all = append(all, inline(image.Type, "", image.Data))
	}
	for _, d := range m.Documents {
		all = append(all, inline(d.Type, d.Name, d.Data))
	}
	return all
}

func inline(media, name string, data []byte) api.ChatMessagePart {
	url := "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data)
	return api.ChatMessagePart{Type: api.ChatMessagePartTypeImageURL, ImageURL: &api.ChatMessageImageURL{URL: fileMark(name) + url}}
}

// A client is how the library reaches the server. It lets only answers through.
type client struct{ transport *transport.Transport }

// Do sends a request. The response it returns is one with an answer in it.
func (c client) Do(req *http.Request) (*http.Response, error) {
	if err := convertFiles(req); err != nil {
		return nil, err
	}
	resp, err := c.transport.Do(req)
	if err != nil {
		return nil, err
	}
	resp.Body = &body{raw: resp.Body, transport: c.transport}
	return resp, nil
}

// convertFiles gives the files in a request their proper form.
func convertFiles(req *http.Request) error {
	if req.Body == nil {
		return nil
	}
	text, err := io.ReadAll(req.Body) // a buffer of the library's
	if err != nil {
		return err
	}
	if bytes.Contains(text, []byte(fileMarker)) {
		if text, err = withFiles(text); err != nil {
			return err
		}
	}
	req.Body, req.ContentLength, req.GetBody = io.NopCloser(bytes.NewReader(text)), int64(len(text)), nil
	return nil
}

// The library knows no files in messages, only images. So a file travels through it as an image whose address
// begins with a mark and the file's name, and becomes a file just before the request is sent.
const fileMarker = "discoclaw-file:"

func fileMark(name string) string {
	if name == "" {
		return ""
	}
	return fileMarker + url.PathEscape(name) + "|"
}

// withFiles puts files in their proper form into the body of a request.
func withFiles(body []byte) ([]byte, error) {
	var req map[string]json.RawMessage
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, err
	}
	var messages []map[string]any
	if err := json.Unmarshal(req["messages"], &messages); err != nil {
		return nil, err
	}
	for _, m := range messages {
		parts, _ := m["content"].([]any)
		for i, p := range parts {
			if file := asFile(p); file != nil {
				parts[i] = file
			}
		}
	}
	text, err := json.Marshal(messages)
	if err != nil {
		return nil, err
	}
	req["messages"] = text
	return json.Marshal(req)
}

// asFile returns the file that travels as an image, or nil.
func asFile(part any) map[string]any {
	fields, _ := part.(map[string]any)
	image, _ := fields["image_url"].(map[string]any)
	address, _ := image["url"].(string)
	rest, ok := strings.CutPrefix(address, fileMarker)
	if !ok {
		return nil
	}
	escaped, data, _ := strings.Cut(rest, "|")
	name, err := url.PathUnescape(escaped)
	if err != nil {
		return nil
	}
	return map[string]any{"type": "file", "file": map[string]any{"filename": name, "file_data": data}}
}
