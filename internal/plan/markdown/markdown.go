// Package markdown splits a Markdown text into lines and says which of them are code.
//
// It is not a Markdown parser. Plans and audits are read line by line, and what stands in a code block is an example there,
// never a heading, a header field or a verdict.
package markdown

import "strings"

// A Line is one line of a text.
type Line struct {
	Text       string // without the line break
	Start, End int    // where it is in the text, with the line break
	Code       bool   // it is inside a code block, or opens or closes one
}

// Lines splits a text at its line breaks, which may be those of Windows. unclosed is the index of the line that opens a code
// block which nothing closes, or -1; such a block reaches to the end of the text.
func Lines(text string) (lines []Line, unclosed int) {
	unclosed = -1
	fence := ""
	for start := 0; start < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		l := Line{Text: strings.TrimRight(text[start:end], "\r\n"), Start: start, End: end}
		switch {
		case fence != "":
			l.Code = true
			if closes(l.Text, fence) {
				fence, unclosed = "", -1
			}
		default:
			if fence = opened(l.Text); fence != "" {
				l.Code, unclosed = true, len(lines)
			}
		}
		lines = append(lines, l)
		start = end
	}
	return lines, unclosed
}

// opened returns the fence with which a line opens a code block, and "" if it opens none. Any indentation is accepted, and so is
// a list item that begins with a fence: CommonMark counts indentation from the enclosing item.
func opened(line string) string {
	_, content, _ := Item(line)
	fence := fenceOf(content)
	if fence == "" || fence[0] == '`' && strings.Contains(content[len(fence):], "`") {
		return "" // such as ```code``` within a line
	}
	return fence
}

func closes(line, fence string) bool {
	line = strings.TrimSpace(line)
	found := fenceOf(line)
	return len(found) >= len(fence) && found == line && found[0] == fence[0]
}

// fenceOf returns the three or more backticks or tildes with which a line begins.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// Heading returns the level and the title of a heading; the level of other lines is 0.
func Heading(line string) (level int, title string) {
	title = strings.TrimLeft(line, "#")
	level = len(line) - len(title)
	if level > 6 || title != "" && title[0] != ' ' && title[0] != '\t' {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(title), "#"))
}

// Item returns the indentation of a line and its content without the marker of a list item.
func Item(line string) (indent int, content string, isItem bool) {
	content = strings.TrimLeft(line, " \t")
	for _, c := range line[:len(line)-len(content)] {
		if indent++; c == '\t' {
			indent += 3
		}
	}
	digits := len(content) - len(strings.TrimLeft(content, "0123456789"))
	marker := digits
	if digits > 0 && digits < 10 {
		marker = markerAt(content, digits, ".)")
	} else if digits == 0 {
		marker = markerAt(content, 0, "-*+")
	}
	rest := content[marker:]
	if marker == digits || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return indent, content, false
	}
	return indent, strings.TrimSpace(rest), true
}

// markerAt returns the position after one of the marks, or the position itself without one.
func markerAt(s string, at int, marks string) int {
	if at < len(s) && strings.IndexByte(marks, s[at]) >= 0 {
		return at + 1
	}
	return at
}

// IsRule reports whether a line is a row of dashes.
func IsRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && strings.Trim(line, "-") == ""
}
