package gemini

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"google.golang.org/genai"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
)

// A body is a request of the API.
type body struct {
	System   *genai.Content          `json:"systemInstruction,omitempty"`
	Contents []*genai.Content        `json:"contents"`
	Tools    []*genai.Tool           `json:"tools,omitempty"`
	Config   *genai.GenerationConfig `json:"generationConfig,omitempty"`
}

func request(req llm.Request, maxTokens int) body {
	b := body{Contents: []*genai.Content{}, Tools: tools(req.Tools)}
	if strings.TrimSpace(req.System) != "" {
		b.System = &genai.Content{Parts: []*genai.Part{{Text: req.System}}}
	}
	for _, m := range req.Messages {
		// The API refuses a message without parts, and with it the whole request.
		if parts := parts(m); len(parts) > 0 {
			b.Contents = append(b.Contents, &genai.Content{Role: role(m.Role), Parts: parts})
		}
	}
	if maxTokens > 0 {
		b.Config = &genai.GenerationConfig{MaxOutputTokens: int32(maxTokens)}
	}
	return b
}

func role(r llm.Role) string {
	if r == llm.Assistant {
		return genai.RoleModel
	}
	return genai.RoleUser
}

func tools(all []llm.Tool) []*genai.Tool {
	if len(all) == 0 {
		return nil
	}
	out := &genai.Tool{}
	for _, t := range all {
		f := &genai.FunctionDeclaration{Name: t.Name, Description: t.Description}
		if len(t.Schema) > 0 {
			f.ParametersJsonSchema = t.Schema
		}
		out.FunctionDeclarations = append(out.FunctionDeclarations, f)
	}
	return []*genai.Tool{out}
}

// parts returns a message in parts. Files come first, since the text is about them, and inside the request: a link
// to Discord would give the attachment away.
func parts(m llm.Message) []*genai.Part {
	var all []*genai.Part
	for _, r := range m.Results {
		all = append(all, &genai.Part{FunctionResponse: result(r)})
	}
	for _, image := range m.Images {
		all = append(all, &genai.Part{InlineData: &genai.Blob{MIMEType: image.Type, Data: image.Data}})
	}
	for _, d := range m.Documents {
		if d.Name != "" { // for which this API has no field
			all = append(all, &genai.Part{Text: "File: " + d.Name})
		}
		all = append(all, &genai.Part{InlineData: &genai.Blob{MIMEType: d.Type, Data: d.Data}})
	}
	if strings.TrimSpace(m.Text) != "" {
		all = append(all, &genai.Part{Text: m.Text})
	}
	for _, c := range m.Calls {
		all = append(all, call(c))
	}
	return all
}

func result(r llm.ToolResult) *genai.FunctionResponse {
	field := "output"
	if r.Failed {
		field = "error"
	}
	return &genai.FunctionResponse{ID: theirs(r.ID), Name: r.Name, Response: map[string]any{field: cmp.Or(r.Text, "(nothing)")}}
}

// call returns a call with the signature that came with it. Those of other vendors, when a conversation has changed
// its runtime, are JSON.
func call(c llm.ToolCall) *genai.Part {
	args := map[string]any{}
	in := json.NewDecoder(bytes.NewReader(door.Object(c.Input)))
	in.UseNumber() // IDs have more digits than a float
	_ = in.Decode(&args)
	p := &genai.Part{FunctionCall: &genai.FunctionCall{ID: theirs(c.ID), Name: c.Name, Args: args}}
	if !json.Valid(c.Seal) {
		p.ThoughtSignature = c.Seal
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
