package gemini

import (
	"cmp"
	"encoding/json"
	"strings"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/transport"
)

func newRequest(req llm.Request) request {
	out := request{Contents: []content{}, Tools: tools(req.Tools)}
	if strings.TrimSpace(req.System) != "" {
		out.System = &content{Parts: []part{{Text: req.System}}}
	}
	for _, m := range req.Messages {
		// The API refuses a message without parts, and with it the whole request.
		if parts := parts(m); len(parts) > 0 {
			out.Contents = append(out.Contents, content{Role: role(m.Role), Parts: parts})
		}
	}
	if req.MaxOutput > 0 {
		out.Config = &config{MaxOutputTokens: req.MaxOutput}
	}
	return out
}

func role(r llm.Role) string {
	if r == llm.Assistant {
		return "model"
	}
	return "user"
}

func tools(all []llm.Tool) []tool {
	if len(all) == 0 {
		return nil
	}
	var out tool
	for _, t := range all {
		out.Functions = append(out.Functions, function{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return []tool{out}
}

// parts returns a message in parts. Files come first, since the text is about them, and inside the request: a link
// to Discord would give the attachment away.
func parts(m llm.Message) []part {
	var all []part
	for _, r := range m.Results {
		all = append(all, part{Response: result(r)})
	}
	for _, image := range m.Images {
		all = append(all, part{Data: &blob{Type: image.Type, Data: image.Data}})
	}
	for _, d := range m.Documents {
		if d.Name != "" { // for which this API has no field
			all = append(all, part{Text: "File: " + d.Name})
		}
		all = append(all, part{Data: &blob{Type: d.Type, Data: d.Data}})
	}
	if strings.TrimSpace(m.Text) != "" {
		all = append(all, part{Text: m.Text})
	}
	for _, c := range m.Calls {
		all = append(all, called(c))
	}
	return all
}

func result(r llm.ToolResult) *response {
	field := "output"
	if r.Failed {
		field = "error"
	}
	return &response{ID: theirs(r.ID), Name: r.Name, Response: map[string]string{field: cmp.Or(r.Text, "(nothing)")}}
}

// called returns a call with the signature that came with it. Those of other vendors, when a conversation has changed
// its runtime, are JSON.
func called(c llm.ToolCall) part {
	p := part{Call: &call{ID: theirs(c.ID), Name: c.Name, Args: transport.Object(c.Input)}}
	if !json.Valid(c.Seal) {
		p.Signature = c.Seal
	}
	return p
}

// ours begins the IDs of calls that the API gave none. It knows them by their order.
const ours = "discoclaw_call_"

// theirs returns an ID if it is one of the API's.
func theirs(id string) string {
	if strings.HasPrefix(id, ours) {
		return ""
	}
	return id
}

// A request is what the API takes. It knows more fields than these.
type request struct {
	System   *content  `json:"systemInstruction,omitempty"`
	Contents []content `json:"contents"`
	Tools    []tool    `json:"tools,omitempty"`
	Config   *config   `json:"generationConfig,omitempty"`
}

type content struct {
	Role  string `json:"role,omitempty"` // user or model
	Parts []part `json:"parts"`
}

type tool struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

type config struct {
	MaxOutputTokens int `json:"maxOutputTokens"`
}

// A part is a piece of a message, in requests and in answers.
type part struct {
	Text      string    `json:"text,omitempty"`
	Thought   bool      `json:"thought,omitempty"`          // the text is not part of the answer
	Signature []byte    `json:"thoughtSignature,omitempty"` // goes back with the part that it came with
	Data      *blob     `json:"inlineData,omitempty"`
	Call      *call     `json:"functionCall,omitempty"`
	Response  *response `json:"functionResponse,omitempty"`
}

type blob struct {
	Type string `json:"mimeType"`
	Data []byte `json:"data"`
}

type call struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"` // an object
}

type response struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"` // "output" or "error"
}

// A chunk is an event of a stream.
type chunk struct {
	Candidates []struct {
		Content       content `json:"content"`
		FinishReason  string  `json:"finishReason"`
		FinishMessage string  `json:"finishMessage"`
	} `json:"candidates"`
	PromptFeedback *struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *usage          `json:"usageMetadata"`
	Error json.RawMessage `json:"error"`
}

// usage counts tokens, from the start of the answer.
type usage struct {
	Prompt        int `json:"promptTokenCount"`
	ToolUsePrompt int `json:"toolUsePromptTokenCount"`
	Cached        int `json:"cachedContentTokenCount"` // of the prompt
	Candidates    int `json:"candidatesTokenCount"`
	Thoughts      int `json:"thoughtsTokenCount"`
}
