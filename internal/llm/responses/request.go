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

// A request leaves how hard to think to the model.
type request struct {
	Model        string   `json:"model"`
	Instructions string   `json:"instructions,omitempty"`
	Input        []any    `json:"input"` // messages, calls, outputs, and reasoning as it came
	Tools        []tool   `json:"tools,omitempty"`
	Include      []string `json:"include,omitempty"`
	MaxOutput    int      `json:"max_output_tokens,omitempty"` // reasoning included
	Stream       bool     `json:"stream"`
	Store        bool     `json:"store"` // at the vendor's, which is the default there
}

type message struct {
	Type    string `json:"type"` // message
	Role    string `json:"role"`
	Content []part `json:"content"`
}

// A part is a piece of a message: input_text, input_image, input_file, or output_text in what the model said.
type part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
	Detail   string `json:"detail,omitempty"` // of the image
	Filename string `json:"filename,omitempty"`
	FileData string `json:"file_data,omitempty"`
}

// A call is an item of requests and of answers.
type call struct {
	Type      string `json:"type"` // function_call
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON, in a text
}

type output struct {
	Type   string `json:"type"` // function_call_output
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

type tool struct {
	Type        string          `json:"type"` // function
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"` // true is the default there, and wants schemas of a special kind
}

// An event is one of a stream. Most kinds of it have only some of the fields.
type event struct {
	Type        string          `json:"type"`
	OutputIndex int             `json:"output_index"`
	Delta       json.RawMessage `json:"delta"` // a text, where this package looks at it
	Refusal     string          `json:"refusal"`
	Item        json.RawMessage `json:"item"`
	Response    *response       `json:"response"`
	Error       json.RawMessage `json:"error"`
}

// A response is the state of the answer: at the end, all of it.
type response struct {
	Error             fault `json:"error"`
	IncompleteDetails struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage struct {
		Input        int `json:"input_tokens"`
		InputDetails struct {
			Cached int `json:"cached_tokens"`
		} `json:"input_tokens_details"`
		Output int `json:"output_tokens"` // reasoning included
	} `json:"usage"`
}

// A fault is the server's description of an error.
type fault struct {
	Code    any    `json:"code"` // a text or nil
	Type    string `json:"type"`
	Message string `json:"message"`
}

// A seal is the reasoning that came before a call, item by item, which the model wants back with it. It is an object, so
// that the adapters of other vendors, when a conversation changes its runtime, do not take it for their own.
type seal struct {
	BeforeText []json.RawMessage `json:"reasoning_before_text,omitempty"` // only of the first call
	BeforeCall []json.RawMessage `json:"reasoning_before_call,omitempty"`
}
