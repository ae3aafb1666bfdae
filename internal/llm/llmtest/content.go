package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/llm"
)

// UnmarshalJSON reads a message whose content is a text, or a list of parts.
func (m *Message) UnmarshalJSON(text []byte) error {
	var raw struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := strictly(text, &raw); err != nil {
		return err
	}
	*m = Message{Role: raw.Role}
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

// A part is a piece of a message's content.
type part struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Image *struct {
		URL string `json:"url"`
	} `json:"image_url"`
}

func (m *Message) add(p part) error {
	switch {
	case p.Type == "text" && p.Text != "" && p.Image == nil:
		m.Content += p.Text
	case p.Type == "image_url" && p.Text == "" && p.Image != nil:
		image, err := inline(p.Image.URL)
		if err != nil {
			return err
		}
		m.Images = append(m.Images, image)
	default:
		return fmt.Errorf("a part of the type %q does not hold what it should", p.Type)
	}
	return nil
}

// inline reads an image that is inside its own address.
func inline(address string) (llm.Image, error) {
	head, data, _ := strings.Cut(address, ",")
	media, ok := strings.CutPrefix(strings.TrimSuffix(head, ";base64"), "data:")
	if !ok || !strings.HasPrefix(media, "image/") {
		return llm.Image{}, errors.New("the address of an image holds none")
	}
	decoded, err := base64.StdEncoding.DecodeString(data)
	return llm.Image{Type: media, Data: decoded}, err
}

func strictly(text []byte, into any) error {
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	return in.Decode(into)
}
