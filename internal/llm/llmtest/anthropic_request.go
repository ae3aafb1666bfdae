package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/llm"
)

// A messagesRequest is a request of Anthropic's messages API.
type messagesRequest struct {
	Model     string       `json:"model"`
	MaxTokens int          `json:"max_tokens"`
	Stream    bool         `json:"stream"`
	System    []block      `json:"system"`
	Messages  []blocksOf   `json:"messages"`
	Tools     []toolSchema `json:"tools"`
}

type blocksOf struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type toolSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
	Cache       *ephemeral      `json:"cache_control"`
}

type ephemeral struct {
	Type string `json:"type"`
}

// A block is a piece of a message, with the fields of all types.
type block struct {
	Type   string     `json:"type"`
	Text   string     `json:"text"`
	Title  string     `json:"title"`
	Cache  *ephemeral `json:"cache_control"`
	Source *struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`

	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	CallID  string          `json:"tool_use_id"`
	Content []block         `json:"content"`
	IsError bool            `json:"is_error"`

	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
	Data      string `json:"data"`
}

func (r messagesRequest) check() error {
	switch {
	case r.Model == "":
		return errors.New("model: Field required")
	case r.MaxTokens < 1:
		return errors.New("max_tokens: Field required")
	case len(r.Messages) == 0:
		return errors.New("messages: at least one message is required")
	case r.Messages[0].Role != "user":
		return errors.New(`messages: first message must use the "user" role`)
	case r.breakpoints() > 4:
		return errors.New("a maximum of 4 blocks with cache_control may be provided")
	}
	for i, t := range r.Tools {
		if t.Name == "" || !isObject(t.InputSchema) || !strings.Contains(string(t.InputSchema), `"type":"object"`) {
			return fmt.Errorf("tools.%d: needs a name and an input_schema of the type object", i)
		}
	}
	var open []string // the calls that wait for their results
	for i, m := range r.Messages {
		var err error
		if open, err = m.check(open); err != nil {
			return fmt.Errorf("messages.%d%w", i, err)
		}
	}
	return nil
}

func (r messagesRequest) breakpoints() int {
	n := 0
	count := func(e *ephemeral) {
		if e != nil {
			n++
		}
	}
	for _, b := range r.System {
		count(b.Cache)
	}
	for _, t := range r.Tools {
		count(t.Cache)
	}
	for _, m := range r.Messages {
		for _, b := range m.Content {
			count(b.Cache)
		}
	}
	return n
}

// check returns the calls of a message, the results of which must be in the next one.
func (m blocksOf) check(open []string) ([]string, error) {
	switch {
	case m.Role != "user" && m.Role != "assistant":
		return nil, fmt.Errorf(".role: %q is not a role", m.Role)
	case len(m.Content) == 0:
		return nil, errors.New(".content: must not be empty")
	}
	var calls []string
	for i, b := range m.Content {
		if err := b.check(m.Role); err != nil {
			return nil, fmt.Errorf(".content.%d.%w", i, err)
		}
		switch b.Type {
		case "tool_use":
			calls = append(calls, b.ID)
		case "tool_result":
			if len(open) == 0 || open[0] != b.CallID {
				return nil, fmt.Errorf(".content.%d: unexpected tool_use_id %q", i, b.CallID)
			}
			open = open[1:]
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf(": tool_use ids were found without tool_result blocks immediately after: %s", strings.Join(open, ", "))
	}
	return calls, nil
}

func (b block) check(role string) error {
	user := role == "user"
	switch {
	case b.Cache != nil && b.Cache.Type != "ephemeral":
		return errors.New("cache_control.type: must be ephemeral")
	case b.Type == "text" && strings.TrimSpace(b.Text) != "":
		return nil
	case b.Type == "image" && user && b.Source != nil && b.Source.Type == "base64" && strings.HasPrefix(b.Source.MediaType, "image/"):
		return nil
	case b.Type == "document" && user && b.Source != nil && b.Source.Type == "base64" && b.Source.MediaType == "application/pdf":
		return nil
	case b.Type == "tool_use" && !user && b.ID != "" && b.Name != "" && isObject(b.Input):
		return nil
	case b.Type == "tool_result" && user && len(b.Content) == 1 && b.Content[0].check(role) == nil:
		return nil
	case b.Type == "thinking" && !user && b.Signature != "":
		return nil
	case b.Type == "redacted_thinking" && !user && b.Data != "":
		return nil
	}
	return fmt.Errorf("%s: does not hold what it should in a message of the role %s", b.Type, role)
}

func (r messagesRequest) asked(key string) Asked {
	a := Asked{Key: key, Request: llm.Request{Model: r.Model, MaxOutput: r.MaxTokens}}
	for _, b := range r.System {
		a.System += b.Text
	}
	for _, t := range r.Tools {
		a.Tools = append(a.Tools, llm.Tool{Name: t.Name, Description: t.Description, Schema: t.InputSchema})
	}
	names := map[string]string{} // of calls, by their IDs
	for _, m := range r.Messages {
		out := llm.Message{Role: llm.Role(m.Role)}
		for _, b := range m.Content {
			b.addTo(&out, names)
		}
		a.Messages = append(a.Messages, out)
	}
	return a
}

func (b block) addTo(m *llm.Message, names map[string]string) {
	var data []byte
	if b.Source != nil {
		data, _ = base64.StdEncoding.DecodeString(b.Source.Data)
	}
	switch b.Type {
	case "text":
		m.Text += b.Text
	case "image":
		m.Images = append(m.Images, llm.Image{Type: b.Source.MediaType, Data: data})
	case "document":
		m.Documents = append(m.Documents, llm.Document{Name: b.Title, Type: b.Source.MediaType, Data: data})
	case "tool_use":
		names[b.ID] = b.Name
		m.Calls = append(m.Calls, llm.ToolCall{ID: b.ID, Name: b.Name, Input: b.Input})
	case "tool_result":
		m.Results = append(m.Results, llm.ToolResult{ID: b.CallID, Name: names[b.CallID], Text: b.Content[0].Text, Failed: b.IsError})
	}
}
