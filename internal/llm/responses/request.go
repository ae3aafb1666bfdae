package responses

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strings"

	"discoclaw/internal/llm"
)

// newRequest builds a request, with reasoning or without: the server keeps nothing, so that the model's reasoning has to
// be asked for, and to go back with the calls that it led to.
func newRequest(req llm.Request, reasoning bool) request {
	out := request{Model: req.Model, Input: []any{}, Tools: tools(req.Tools), MaxOutput: req.MaxOutput, Stream: true}
	if strings.TrimSpace(req.System) != "" {
		out.Instructions = req.System
	}
	if reasoning {
		out.Include = []string{"reasoning.encrypted_content"}
	}
	for _, m := range req.Messages {
		out.Input = append(out.Input, items(m, reasoning)...)
	}
	return out
}

func tools(all []llm.Tool) []tool {
	var out []tool
	for _, t := range all {
		out = append(out, tool{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Schema})
	}
	return out
}

// items returns a message in the form of the API, in which every call and every result is an item of its own.
func items(m llm.Message, reasoning bool) []any {
	var all []any
	for _, r := range m.Results {
		all = append(all, output{Type: "function_call_output", CallID: r.ID, Output: result(r)})
	}
	seals := make([]seal, len(m.Calls))
	for i, c := range m.Calls {
		if reasoning {
			seals[i] = unsealed(c.Seal)
		}
	}
	if len(seals) > 0 {
		all = appendRaw(all, seals[0].BeforeText)
	}
	// The API refuses a message without content, and with it the whole request.
	if content := content(m); len(content) > 0 {
		all = append(all, message{Type: "message", Role: string(m.Role), Content: content})
	}
	for i, c := range m.Calls {
		all = appendRaw(all, seals[i].BeforeCall)
		all = append(all, call{Type: "function_call", CallID: c.ID, Name: c.Name, Arguments: cmp.Or(string(c.Input), "{}")})
	}
	return all
}

// unsealed returns the reasoning that came before a call, unless the seal is another vendor's.
func unsealed(text []byte) seal {
	var s seal
	if json.Unmarshal(text, &s) != nil {
		return seal{}
	}
	return s
}

func appendRaw(all []any, raw []json.RawMessage) []any {
	for _, r := range raw {
		all = append(all, r)
	}
	return all
}

// result: the API has no mark for a call that failed, so its text says so.
func result(r llm.ToolResult) string {
	text := cmp.Or(r.Text, "(nothing)")
	if r.Failed {
		return "Error: " + text
	}
	return text
}

// content returns the text and the files of a message. Files come first, since the text is about them, and inside the
// request: a link to Discord would give the attachment away.
func content(m llm.Message) []part {
	var all []part
	for _, image := range m.Images {
		all = append(all, part{Type: "input_image", Detail: "auto", ImageURL: inline(image.Type, image.Data)})
	}
	for _, d := range m.Documents {
		all = append(all, part{Type: "input_file", Filename: cmp.Or(d.Name, "document.pdf"), FileData: inline(d.Type, d.Data)})
	}
	if strings.TrimSpace(m.Text) == "" {
		return all
	}
	text := part{Type: "input_text", Text: m.Text}
	if m.Role == llm.Assistant {
		text.Type = "output_text"
	}
	return append(all, text)
}

func inline(media string, data []byte) string {
	return "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data)
}
