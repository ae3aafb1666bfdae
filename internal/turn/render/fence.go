// Package render turns finished and half-finished answers into texts that Discord
// takes: [Chunks] splits one over several messages, [Tables] aligns the tables in it, [Report]
// puts what came of its actions below it, and [Preview] shows one that is still being written.
//
// All of it is pure text work. The package posts nothing, and decides nothing about the
// content; it makes sure that no text is lost, that no message is too long, and that
// code stays code.
//
// Code means fenced code by the rules of CommonMark: at least three backticks or
// tildes, indented by three spaces at most, and closed by at least as many of the
// same. Since a message is read on its own, each one closes every fence it opens.
package render

import (
	"strings"
	"unicode"

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

// A Block is fenced code in a text.
type Block struct {
	Info     string // what stands behind the opening fence, as a language
	Code     string // without the fences
	From, To int    // where it stands in the text, with the fences
}

// Blocks are the fenced code of a text whose line ends are \n, in order. Code whose
// fence is never closed goes on to the end.
func Blocks(text string) []Block {
	var all []Block
	var open fence
	at, from, code := 0, 0, 0
	for line := range strings.Lines(text) {
		below := open.after(strings.TrimSuffix(line, "\n"))
		switch {
		case !open.open() && below.open():
			from, code = at, at+len(line)
		case open.open() && !below.open():
			all = append(all, open.block(text[code:at], from, at+len(line)))
		}
		at, open = at+len(line), below
	}
	if open.open() {
		all = append(all, open.block(text[code:], from, len(text)))
	}
	return all
}

func (f fence) block(code string, from, to int) Block {
	return Block{Info: strings.Trim(f.info, " \t"), Code: code, From: from, To: to}
}

// limit is how long a message may be, in UTF-16 units. It is Discord's: "Create
// Message" in its documentation has it as the maximum of content.
const limit = 2000

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// tidy gives text uniform line ends and takes white space off its end.
func tidy(text string) string {
	return strings.TrimRightFunc(lineEnds.Replace(text), unicode.IsSpace)
}

// withoutBlankLines takes blank lines off the front of text, but leaves the
// indentation of the first line that says something.
func withoutBlankLines(text string) string {
	blank := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	return text[strings.LastIndexByte(text[:blank], '\n')+1:]
}
