package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"discoclaw/internal/llm"
)

// UnmarshalJSON reads a message whose content is a text, or a list of parts.
func (m *Message) UnmarshalJSON(text []byte) error {
	var raw struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Calls   []toolCall      `json:"tool_calls"`
		CallID  string          `json:"tool_call_id"`
	}
	if err := strictly(text, &raw); err != nil {
		return err
	}
	*m = Message{Role: raw.Role, CallID: raw.CallID}
	for _, c := range raw.Calls {
		m.Calls = append(m.Calls, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Input: json.RawMessage(c.Function.Arguments)})
	}
	switch {
	case len(raw.Content) == 0:
		return nil
	case raw.Content[0] != '[':
		return json.Unmarshal(raw.Content, &m.Content)
	}
	var parts []part
	if err := strictly(raw.Content, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if err := m.add(p); err != nil {
			return err
		}
	}
	return nil
}

// A tool is a function that the model may call.
type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// A toolCall is a call of one, or a piece of a call while it is streamed.
type toolCall struct {
	Index    *int     `json:"index,omitempty"`
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"` // JSON, in a text
}

// A part is a piece of a message's content.
type part struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Image *struct {
		URL string `json:"url"`
	} `json:"image_url"`
	File *struct {
		Name string `json:"filename"`
		Data string `json:"file_data"`
	} `json:"file"`
}

func (m *Message) add(p part) error {
	switch {
	case p.Type == "text" && p.Text != "" && p.Image == nil:
		m.Content += p.Text
	case p.Type == "image_url" && p.Text == "" && p.Image != nil:
		image, err := inline(p.Image.URL, "image/")
		if err != nil {
			return err
		}
		m.Images = append(m.Images, image)
	case p.Type == "file" && p.Text == "" && p.File != nil && p.File.Name != "":
		file, err := inline(p.File.Data, "application/pdf")
		if err != nil {
			return err
		}
		m.Documents = append(m.Documents, llm.Document{Name: p.File.Name, Type: file.Type, Data: file.Data})
	default:
		return fmt.Errorf("a part of the type %q does not hold what it should", p.Type)
	}
	return nil
}

// inline reads data of a type that are inside their own address.
func inline(address, kind string) (llm.Image, error) {
	head, data, _ := strings.Cut(address, ",")
	media, ok := strings.CutPrefix(strings.TrimSuffix(head, ";base64"), "data:")
	if !ok || !strings.HasPrefix(media, kind) {
		return llm.Image{}, fmt.Errorf("the address holds nothing of the type %s", kind)
	}
	decoded, err := base64.StdEncoding.DecodeString(data)
	return llm.Image{Type: media, Data: decoded}, err
}

func strictly(text []byte, into any) error {
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	return in.Decode(into)
}
