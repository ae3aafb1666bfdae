package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/llm"
)

// A responsesRequest is a request of OpenAI's Responses API, for an answer that the vendor does not store.
type responsesRequest struct {
	Model        string      `json:"model"`
	Instructions string      `json:"instructions"`
	Input        []inputItem `json:"input"`
	Include      []string    `json:"include"`
	Stream       bool        `json:"stream"`
	Store        *bool       `json:"store"`
	MaxOutput    int         `json:"max_output_tokens"`
	Tools        []struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"tools"`
}

// An inputItem is a message, a call, its output, or reasoning.
type inputItem struct {
	Type    string `json:"type"`
	Role    string `json:"role"`
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL string `json:"image_url"`
		Detail   string `json:"detail"`
		Filename string `json:"filename"`
		FileData string `json:"file_data"`
	} `json:"content"`

	CallID    string  `json:"call_id"`
	Name      string  `json:"name"`
	Arguments *string `json:"arguments"`
	Output    string  `json:"output"`

	ID        string `json:"id"`
	Summary   []any  `json:"summary"`
	Encrypted string `json:"encrypted_content"`
}

func (r responsesRequest) check(plain bool) error {
	encrypted := slices.Contains(r.Include, "reasoning.encrypted_content")
	switch {
	case r.Model == "":
		return errors.New("you must provide a model parameter")
	case len(r.Input) == 0:
		return errors.New("input is empty")
	case !r.Stream || r.Store == nil || *r.Store:
		return errors.New("this server answers only with a stream that is not stored")
	case plain && encrypted:
		return errors.New("encrypted content is not supported with this model")
	case !plain && !encrypted:
		return errors.New("the reasoning would be lost: include has no reasoning.encrypted_content")
	}
	for i, t := range r.Tools {
		if t.Type != "function" || t.Name == "" || !isObject(t.Parameters) || t.Strict == nil || *t.Strict {
			return fmt.Errorf("tools[%d]: needs a name, parameters that are an object, and strict to be false, since the schemas are not of that kind", i)
		}
	}
	return checkItems(r.Input, plain)
}

// checkItems has every call answered before the next message, and preceded by reasoning.
func checkItems(items []inputItem, plain bool) error {
	var open []string // the calls that wait for their outputs
	for i, item := range items {
		before := inputItem{}
		if i > 0 {
			before = items[i-1]
		}
		if before.Type == "reasoning" && item.Type != "function_call" && (item.Type != "message" || item.Role != "assistant") {
			return fmt.Errorf("item '%s' of type 'reasoning' was provided without its required following item", before.ID)
		}
		if err := item.check(); err != nil {
			return fmt.Errorf("input[%d]: %w", i, err)
		}
		switch at := slices.Index(open, item.CallID); {
		case item.Type == "function_call" && len(open) == 0 && before.Type != "reasoning" && !plain:
			return fmt.Errorf("input[%d]: 'function_call' was provided without its required 'reasoning' item", i)
		case item.Type == "function_call":
			open = append(open, item.CallID)
		case item.Type == "function_call_output" && at < 0:
			return fmt.Errorf("no tool call found for function call output with call_id %s", item.CallID)
		case item.Type == "function_call_output":
			open = slices.Delete(open, at, at+1)
		case len(open) > 0:
			return fmt.Errorf("no tool output found for function call %s", open[0])
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("no tool output found for function call %s", open[0])
	}
	return nil
}

func (i inputItem) check() error {
	switch {
	case i.Type == "message" && len(i.Content) > 0:
		return i.checkContent()
	case i.Type == "function_call" && i.CallID != "" && i.Name != "" && i.Arguments != nil:
		return nil
	case i.Type == "function_call_output" && i.CallID != "" && i.Output != "":
		return nil
	case i.Type == "reasoning" && i.Encrypted != sealed:
		return fmt.Errorf("item with id '%s' not found. Items are not persisted when `store` is set to false", i.ID)
	case i.Type == "reasoning" && i.ID != "" && i.Summary != nil:
		return nil
	}
	return fmt.Errorf("an item of the type %q does not hold what it should", i.Type)
}

func (i inputItem) checkContent() error {
	for _, p := range i.Content {
		switch {
		case i.Role == "assistant" && p.Type != "output_text":
			return fmt.Errorf("invalid value: '%s'. Supported values are: 'output_text' and 'refusal'", p.Type)
		case i.Role == "assistant" && p.Text != "":
		case i.Role == "user" && p.Type == "input_text" && p.Text != "":
		case i.Role == "user" && p.Type == "input_image" && p.Detail == "auto" && strings.HasPrefix(p.ImageURL, "data:image/"):
		case i.Role == "user" && p.Type == "input_file" && p.Filename != "" && strings.HasPrefix(p.FileData, "data:application/pdf;base64,"):
		default:
			return fmt.Errorf("a part of the type %q does not hold what it should in a message of the role %q", p.Type, i.Role)
		}
	}
	return nil
}

func (r responsesRequest) asked(key string) Asked {
	a := Asked{Key: key, Request: llm.Request{Model: r.Model, System: r.Instructions, MaxOutput: r.MaxOutput}}
	for _, t := range r.Tools {
		a.Tools = append(a.Tools, llm.Tool{Name: t.Name, Description: t.Description, Schema: t.Parameters})
	}
	for _, item := range r.Input {
		switch item.Type {
		case "message":
			a.Messages = append(a.Messages, item.message())
		case "function_call":
			a.addCall(llm.ToolCall{ID: item.CallID, Name: item.Name, Input: json.RawMessage(*item.Arguments)})
		case "function_call_output":
			a.addResult(Message{CallID: item.CallID, Content: item.Output})
		}
	}
	return a
}

// addCall puts a call, which is an item of its own here, together with the text before it.
func (a *Asked) addCall(c llm.ToolCall) {
	if n := len(a.Messages); n == 0 || a.Messages[n-1].Role != llm.Assistant {
		a.Messages = append(a.Messages, llm.Message{Role: llm.Assistant})
	}
	last := &a.Messages[len(a.Messages)-1]
	last.Calls = append(last.Calls, c)
}

func (i inputItem) message() llm.Message {
	m := llm.Message{Role: llm.Role(i.Role)}
	for _, p := range i.Content {
		m.Text += p.Text
		if image, err := inline(p.ImageURL, "image/"); err == nil {
			m.Images = append(m.Images, image)
		}
		if file, err := inline(p.FileData, "application/pdf"); err == nil {
			m.Documents = append(m.Documents, llm.Document{Name: p.Filename, Type: file.Type, Data: file.Data})
		}
	}
	return m
}
