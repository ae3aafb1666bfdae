package gemini

import (
	"cmp"
	"encoding/json"
	"strings"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/door"
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
	p := part{Call: &call{ID: theirs(c.ID), Name: c.Name, Args: door.Object(c.Input)}}
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
