package chat

import (
	"fmt"
	"slices"
	"strings"
)

// Blank reports whether there is nothing in the message that is known here.
func (m Message) Blank() bool {
	return strings.TrimSpace(m.Text) == "" && m.Components == "" && m.Poll == nil &&
		len(m.Attachments)+len(m.Embeds)+len(m.StickerNames) == 0 && (m.Forwards == nil || m.Forwards.Blank())
}

// Files are the attachments of the message, and of the one that it forwards.
func (m Message) Files() []Attachment {
	if m.Forwards == nil {
		return m.Attachments
	}
	return slices.Concat(m.Attachments, m.Forwards.Attachments)
}

// maxEmbedNote is how much of an embed is told in a note. Most embeds are previews of a link, and less than the
// words around it.
const maxEmbedNote = 200

// Notes say what the message has besides text, in parentheses and on a line each: "(sticker: wave)". Texts of others
// in it are cut after most characters, and cannot end the parentheses.
func (m Message) Notes(most int) []string {
	notes := m.OwnNotes()
	for _, a := range m.Attachments {
		notes = append(notes, a.Note())
	}
	add := func(label, text string) {
		if text = inParentheses(text); text != "" {
			notes = append(notes, fmt.Sprintf("(%s: %s)", label, Clip(text, most)))
		}
	}
	for _, e := range m.Embeds {
		add("embed", Clip(e.Text(), maxEmbedNote))
	}
	add("components", m.Components)
	if f := m.Forwards; f != nil {
		add("forwarded, by somebody who is not named", strings.Join(append([]string{f.Text}, f.Notes(most)...), " "))
	}
	return notes
}

// OwnNotes are those of Notes that are as much the author's as the text: stickers and a poll.
func (m Message) OwnNotes() []string {
	var notes []string
	for _, name := range m.StickerNames {
		notes = append(notes, fmt.Sprintf("(sticker: %s)", Clip(inParentheses(name), 60)))
	}
	if m.Poll != nil {
		notes = append(notes, fmt.Sprintf("(poll: %s)", Clip(inParentheses(m.Poll.text()), 1000)))
	}
	return notes
}

func (p Poll) text() string {
	parts := []string{p.Question}
	for i, answer := range p.Answers {
		parts = append(parts, fmt.Sprintf("%d. %s", i+1, answer))
	}
	return strings.Join(parts, " ")
}

// Note is the name of the file, or the length of the voice message that it is.
func (a Attachment) Note() string {
	if a.Spoken > 0 {
		return fmt.Sprintf("(voice message, %.0f s; you cannot hear it)", a.Spoken.Seconds())
	}
	return fmt.Sprintf("(attached: %s)", Clip(OneLine(a.Name), 100))
}

// Text is everything that is written in the embed, on a line each.
func (e Embed) Text() string {
	lines := []string{e.Author, e.Title, e.URL, e.Description}
	for _, f := range e.Fields {
		lines = append(lines, f.Name+": "+f.Value)
	}
	lines = append(lines, e.Footer)
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}

// inParentheses is OneLine for text between parentheses, which it cannot close.
func inParentheses(s string) string { return parentheses.Replace(OneLine(s)) }

var parentheses = strings.NewReplacer("(", "[", ")", "]")
