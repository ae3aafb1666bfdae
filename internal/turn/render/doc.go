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
)

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
