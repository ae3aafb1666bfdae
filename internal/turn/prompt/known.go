package prompt

import "discoclaw/internal/chat"

// Known is what the bot knows of one subject.
type Known struct {
	Name    string // of the part of the prompt
	Heading string // says what it is, and for models that it is information, not orders
	Text    string
	Outside chat.Sources // the outside texts in it
}

// known are the parts with what the bot knows.
func (s Setting) known() []part {
	var parts []part
	for _, k := range s.Known {
		s.Outside.Add(k.Outside)
		parts = append(parts, part{name: k.Name, text: k.Heading + "\n" + k.Text})
	}
	return parts
}
