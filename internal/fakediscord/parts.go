package fakediscord

import (
	"slices"

	"discoclaw/internal/chat"
)

// An Embed is a card below a message, in the form in which Discord takes it.
type Embed struct {
	Type        string       `json:"type,omitempty"`
	Title       string       `json:"title,omitempty"`
	Description string       `json:"description,omitempty"`
	URL         string       `json:"url,omitempty"`
	Timestamp   string       `json:"timestamp,omitempty"`
	Color       int          `json:"color,omitempty"`
	Footer      *EmbedFooter `json:"footer,omitempty"`
	Image       *EmbedImage  `json:"image,omitempty"`
	Thumbnail   *EmbedImage  `json:"thumbnail,omitempty"`
	Author      *EmbedAuthor `json:"author,omitempty"`
	Fields      []EmbedField `json:"fields,omitempty"`
}

// An EmbedFooter is the last line of an Embed.
type EmbedFooter struct {
	Text    string `json:"text"`
	IconURL string `json:"icon_url,omitempty"`
}

// An EmbedImage is a picture in an Embed.
type EmbedImage struct {
	URL string `json:"url"`
}

// An EmbedAuthor is the first line of an Embed.
type EmbedAuthor struct {
	Name    string `json:"name"`
	URL     string `json:"url,omitempty"`
	IconURL string `json:"icon_url,omitempty"`
}

// An EmbedField is a titled paragraph of an Embed.
type EmbedField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline"`
}

// text is everything in the embed that counts towards its limit.
func (e Embed) text() string {
	all := e.Title + e.Description
	if e.Footer != nil {
		all += e.Footer.Text
	}
	if e.Author != nil {
		all += e.Author.Name
	}
	for _, f := range e.Fields {
		all += f.Name + f.Value
	}
	return all
}

// Kinds of Component.
// https://discord.com/developers/docs/components/reference
const (
	ActionRow   = 1
	Button      = 2
	TextDisplay = 10
)

// linkButton is the style of a button that opens a page and is never pressed.
const linkButton = 5

// A Component is a row of buttons, a button or a text.
type Component struct {
	Type       int             `json:"type"`
	ID         int             `json:"id"`
	CustomID   string          `json:"custom_id,omitempty"`
	Style      int             `json:"style,omitempty"`
	Label      string          `json:"label,omitempty"`
	Emoji      *ComponentEmoji `json:"emoji,omitempty"`
	URL        string          `json:"url,omitempty"`
	Disabled   bool            `json:"disabled,omitempty"`
	Components []Component     `json:"components,omitempty"`
	Content    string          `json:"content,omitempty"` // of a TextDisplay
}

// A ComponentEmoji stands on a button.
type ComponentEmoji struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
}

// numbered gives every component an ID, as Discord does for those without.
func numbered(rows []Component) []Component {
	n := 0
	var number func([]Component) []Component
	number = func(list []Component) []Component {
		list = slices.Clone(list)
		for i := range list {
			n++
			list[i].ID = n
			list[i].Components = number(list[i].Components)
		}
		return list
	}
	return number(rows)
}

// Buttons are the buttons of a message, in order.
func (m Message) Buttons() []Component {
	var all []Component
	for _, row := range m.Components {
		for _, c := range row.Components {
			if c.Type == Button {
				all = append(all, c)
			}
		}
	}
	return all
}

// Unfinished reports whether a message of the bot is a placeholder, or an answer that is still being written.
func (m Message) Unfinished() bool {
	return slices.ContainsFunc(m.Buttons(), func(b Component) bool { return b.Label == chat.StopLabel })
}
