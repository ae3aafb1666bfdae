package render

import (
	"strings"

	"discoclaw/internal/chat"
)

// A fence is a code fence that is open. The zero fence is none.
type fence struct {
	char  byte
	width int
	info  string // what stands behind the marker, such as a language
}

// markOf reads the run of backticks or tildes that line begins with, and what
// stands behind it. Runs that cannot belong to a fence give the zero fence.
func markOf(line string) fence {
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 || trimmed == "" || trimmed[0] != '`' && trimmed[0] != '~' {
		return fence{}
	}
	info := strings.TrimLeft(trimmed, trimmed[:1])
	width := len(trimmed) - len(info)
	if width < 3 {
		return fence{}
	}
	return fence{trimmed[0], width, strings.TrimRight(info, " \t")}
}

// after is what is open below line, if f is open above it.
func (f fence) after(line string) fence {
	mark := markOf(line)
	switch {
	case !f.open() && mark.char == '`' && strings.Contains(mark.info, "`"):
		return fence{} // code within a line
	case !f.open():
		return mark
	case mark.char == f.char && mark.width >= f.width && mark.info == "":
		return fence{}
	}
	return f
}

// afterAll is what is open below text.
func (f fence) afterAll(text string) fence {
	for line := range strings.Lines(text) {
		f = f.after(strings.TrimSuffix(line, "\n"))
	}
	return f
}

func (f fence) open() bool { return f.width > 0 }

// opening is the line that opens f, and closing the one that closes it, each with
// the line end that keeps it apart from the code. They are empty if f is none.
func (f fence) opening() string {
	if !f.open() {
		return ""
	}
	return strings.Repeat(string(f.char), f.width) + f.info + "\n"
}

func (f fence) closing() string {
	if !f.open() {
		return ""
	}
	return "\n" + strings.Repeat(string(f.char), f.width)
}

// reopened is the fence that goes on with f in the next message. It is f, unless
// that would take up the room that code needs: a very wide fence becomes narrower,
// and of a very long info string the first word stays, which is the language.
func (f fence) reopened() fence {
	const maxWidth, maxInfo = 200, 200
	f.width = min(f.width, maxWidth)
	if chat.Length(f.info) > maxInfo {
		f.info = firstWord(f.info)
	}
	if chat.Length(f.info) > maxInfo {
		f.info = ""
	}
	return f
}

// firstWord keeps the blanks before the word: without them it might become a part
// of the marker.
func firstWord(s string) string {
	word := strings.TrimLeft(s, " \t")
	if end := strings.IndexAny(word, " \t"); end >= 0 {
		return s[:len(s)-len(word)+end]
	}
	return s
}

// closed is text with the fence closed that it may leave open.
func closed(text string) string { return text + fence{}.afterAll(text).closing() }
