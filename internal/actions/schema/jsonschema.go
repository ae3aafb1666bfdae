package schema

import (
	"bytes"
	"encoding/json"
)

// JSONSchema describes the input as JSON Schema (draft 2020-12), for function
// calling and MCP. The action's name is not part of it: there it travels beside
// the arguments.
func (t *Type) JSONSchema() json.RawMessage {
	raw, err := marshal(objectNode(t.Fields))
	if err != nil {
		panic(err) // only strings and numbers go in
	}
	return raw
}

type node struct {
	Type        string            `json:"type"`
	Description string            `json:"description,omitempty"`
	Enum        []string          `json:"enum,omitempty"`
	Minimum     *float64          `json:"minimum,omitempty"`
	Maximum     *float64          `json:"maximum,omitempty"`
	MinLength   *float64          `json:"minLength,omitempty"`
	MaxLength   *float64          `json:"maxLength,omitempty"`
	MinItems    *float64          `json:"minItems,omitempty"`
	MaxItems    *float64          `json:"maxItems,omitempty"`
	Items       *node             `json:"items,omitempty"`
	Default     json.RawMessage   `json:"default,omitempty"`
	Examples    []json.RawMessage `json:"examples,omitempty"`
	Properties  *properties       `json:"properties,omitempty"`
	Required    []string          `json:"required,omitempty"`
}

func objectNode(fields []Field) *node {
	n := &node{Type: Object.String(), Properties: (*properties)(&fields)}
	for _, f := range fields {
		if f.Required {
			n.Required = append(n.Required, f.Name)
		}
	}
	return n
}

func (f *Field) node() *node {
	n := f.Shape.node()
	n.Description = f.Doc
	if f.Default != "" {
		n.Default = f.literal(f.Default)
	}
	if f.Example != "" {
		n.Examples = []json.RawMessage{f.literal(f.Example)}
	}
	if f.Required && f.Kind == Text && !f.clearable() && n.MinLength == nil && len(f.Enum) == 0 {
		one := 1.0
		n.MinLength = &one
	}
	return n
}

func (s *Shape) node() *node {
	n := &node{Type: s.Kind.String(), Enum: s.Enum}
	switch s.Kind {
	case Integer, Number:
		n.Minimum, n.Maximum = s.Min, s.Max
	case Text:
		n.MinLength, n.MaxLength = s.Min, s.Max
	case List:
		n.MinItems, n.MaxItems = s.Min, s.Max
		n.Items = s.Item.node()
	case Object:
		n = objectNode(s.Fields)
	}
	return n
}

// properties keeps the order of the struct, which a map would lose: models read
// a schema from top to bottom.
type properties []Field

func (p *properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range *p {
		f := &(*p)[i]
		name, err := marshal(f.Name)
		if err != nil {
			return nil, err
		}
		value, err := marshal(f.node())
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
