package dialect

import (
	"strings"
	"unicode/utf8"

	"discoclaw/internal/chat"
)

// markerNames are the names in the markers of all dialects, and in those of capsules.
var markerNames = []string{"discord-action", "continuation-capsule"}

// Defuse breaks the markers of all dialects in a text that is information for a model and not an
// order: a model that repeats it word for word asks for nothing. The text stays legible. What is hidden in it goes
// first, because a marker could be left.
func Defuse(text string) string {
	text = chat.Visible(text)
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			break
		}
		b.WriteString(text[:i])
		text = text[i+1:]
		if namesMarker(text) {
			b.WriteString("‹")
		} else {
			b.WriteByte('<')
		}
	}
	if b.Len() == 0 {
		return text
	}
	return b.String() + text
}

// namesMarker reports whether the text behind an angle bracket makes it a marker. It is wider than
// any parser, because a model may tidy up what it repeats.
func namesMarker(text string) bool {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return r == '/' || isSpace(r) })
	for _, name := range markerNames {
		if len(text) >= len(name) && strings.EqualFold(text[:len(name)], name) {
			return true
		}
	}
	return false
}

// DefuseNames breaks what could pass for a request without its markers, in names and in texts that have no foreign text
// but names. Names do not taint a turn, so a model that obeys one must find nothing in it that it could copy.
func DefuseNames(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if beginsObject(after) {
			b.WriteString("❴")
		} else {
			b.WriteByte('{')
		}
		text = after
	}
}

// beginsObject reports whether the text behind a brace begins with a field, whose quotes a model may mend.
func beginsObject(text string) bool {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return r == '\\' || isSpace(r) })
	first, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune("\"'“”„‘’«", first)
}
