package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/llm"
)

// A generateRequest is a request of the Gemini API.
type generateRequest struct {
	System   *turn  `json:"systemInstruction"`
	Contents []turn `json:"contents"`
	Tools    []struct {
		Functions []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	Config *struct {
		MaxOutputTokens int `json:"maxOutputTokens"`
	} `json:"generationConfig"`
}

type turn struct {
	Role  string     `json:"role"`
	Parts []turnPart `json:"parts"`
}

// A turnPart has one of text, data, call and response.
type turnPart struct {
	Text      string `json:"text"`
	Signature []byte `json:"thoughtSignature"`
	Data      *struct {
		Type string `json:"mimeType"`
		Data []byte `json:"data"`
	} `json:"inlineData"`
	Call *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string            `json:"id"`
		Name     string            `json:"name"`
		Response map[string]string `json:"response"`
	} `json:"functionResponse"`
}

func (r generateRequest) check() error {
	if len(r.Contents) == 0 {
		return errors.New("contents is not specified")
	}
	for _, t := range r.Tools {
		for _, f := range t.Functions {
			if f.Name == "" || len(f.Schema) > 0 && !isObject(f.Schema) {
				return errors.New("function_declarations needs names and schemas that are objects")
			}
		}
	}
	calls := 0 // of the turn before
	for i, t := range r.Contents {
		var err error
		if calls, err = t.check(calls); err != nil {
			return fmt.Errorf("contents[%d]%w", i, err)
		}
	}
	return nil
}

// check returns how many calls a turn makes, all of which must have their responses in the next one.
func (t turn) check(before int) (calls int, err error) {
	switch {
	case t.Role != "user" && t.Role != "model":
		return 0, fmt.Errorf(".role: %q is not a valid role", t.Role)
	case len(t.Parts) == 0:
		return 0, errors.New(".parts must not be empty")
	}
	responses := 0
	for i, p := range t.Parts {
		if err := p.check(t.Role); err != nil {
			return 0, fmt.Errorf(".parts[%d]: %w", i, err)
		}
		if p.Response != nil {
			responses++
		}
		if p.Call == nil {
			continue
		}
		if calls++; calls == 1 && string(p.Signature) != seal {
			return 0, fmt.Errorf(".parts[%d]: function call is missing a thought_signature", i)
		}
	}
	if responses != before {
		return 0, errors.New(": the number of function response parts must be equal to the number of function call parts of the function call turn")
	}
	return calls, nil
}

func (p turnPart) check(role string) error {
	n := 0
	for _, has := range []bool{
		p.Text != "",
		p.Data != nil && role == "user" && p.Data.Type != "" && len(p.Data.Data) > 0,
		p.Call != nil && role == "model" && p.Call.Name != "" && (len(p.Call.Args) == 0 || isObject(p.Call.Args)),
		p.Response != nil && role == "user" && p.Response.Name != "" && len(p.Response.Response) == 1,
	} {
		if has {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("it holds %d things that it may hold in a turn of the role %s, instead of one", n, role)
	}
	return nil
}

func (r generateRequest) asked(key, model string) Asked {
	a := Asked{Key: key, Request: llm.Request{Model: model}}
	if r.Config != nil {
		a.MaxOutput = r.Config.MaxOutputTokens
	}
	if r.System != nil {
		for _, p := range r.System.Parts {
			a.System += p.Text
		}
	}
	for _, t := range r.Tools {
		for _, f := range t.Functions {
			a.Tools = append(a.Tools, llm.Tool{Name: f.Name, Description: f.Description, Schema: f.Schema})
		}
	}
	for _, t := range r.Contents {
		m := llm.Message{Role: llm.User}
		if t.Role == "model" {
			m.Role = llm.Assistant
		}
		for i, p := range t.Parts {
			p.addTo(&m, t.Parts[i+1:])
		}
		a.Messages = append(a.Messages, m)
	}
	return a
}

func (p turnPart) addTo(m *llm.Message, after []turnPart) {
	name, named := strings.CutPrefix(p.Text, "File: ")
	switch {
	case named && len(after) > 0 && after[0].Data != nil: // the API has no field for the name of a file
		m.Documents = append(m.Documents, llm.Document{Name: name})
	case p.Text != "":
		m.Text += p.Text
	case p.Call != nil:
		m.Calls = append(m.Calls, llm.ToolCall{ID: p.Call.ID, Name: p.Call.Name, Input: p.Call.Args, Seal: p.Signature})
	case p.Response != nil:
		text, failed := p.Response.Response["error"]
		m.Results = append(m.Results, llm.ToolResult{ID: p.Response.ID, Name: p.Response.Name, Text: text + p.Response.Response["output"], Failed: failed})
	case strings.HasPrefix(p.Data.Type, "image/"):
		m.Images = append(m.Images, llm.Image{Type: p.Data.Type, Data: p.Data.Data})
	default:
		if n := len(m.Documents); n == 0 || m.Documents[n-1].Data != nil {
			m.Documents = append(m.Documents, llm.Document{})
		}
		d := &m.Documents[len(m.Documents)-1]
		d.Type, d.Data = p.Data.Type, p.Data.Data
	}
}
