package render

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"discoclaw/internal/chat"
)

// cutLine finds the best place inside a line that does not fit. The line stands
// below open and behind used units of room. There is none if the room is used up.
func cutLine(line string, open fence, used, room int) cut {
	most := fitting(line, room-used-reserve(line, open, room-used))
	if most == 0 {
		return cut{}
	}
	if at := cutWords(line, most, open.open()); at > 0 {
		return cut{at, open.after(line[:at]), ranked(betweenWords, used+chat.Length(line[:at]), room)}
	}
	at := cutAnywhere(line, most)
	return cut{at, open.after(line[:at]), insideWord}
}

// reserve is the room that a closing fence may take, wherever the line is cut.
func reserve(line string, open fence, room int) int {
	if open.open() {
		return len(open.closing())
	}
	mark := markOf(line)
	if !mark.open() {
		return 0
	}
	// The part before the cut may open a fence, even if the line as a whole does
	// not. A marker too wide for the room is cut itself, in the middle of the room,
	// so that the closing one has the other half.
	mark.width = min(mark.width, room/2)
	return len(mark.closing())
}

// cutWords finds the last cut between words within most bytes, or 0. In code the
// blanks before the cut are kept, so they have to fit as well.
func cutWords(line string, most int, code bool) int {
	head := line[:most]
	if !code && most < len(line) && isBlank(line[most]) {
		head = line[:most+1]
	}
	for {
		blank := strings.LastIndexAny(head, " \t")
		if blank < 0 {
			return 0
		}
		head = strings.TrimRight(line[:blank], " \t")
		switch {
		case head == "":
			return 0 // only indentation
		case beginsFence(strings.TrimLeft(line[blank:], " \t")):
			continue
		case code:
			return blank + 1
		}
		return len(head)
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// beginsFence reports whether s would be taken for a fence at the start of a line,
// judging by no more than its first few characters.
func beginsFence(s string) bool { return markOf(s[:min(len(s), 6)]).open() }

// cutAnywhere cuts after most bytes, or a little before if that would tear
// something apart.
func cutAnywhere(line string, most int) int {
	for at := most; at > max(0, most-maxClusterBytes); {
		if !insideCluster(line, at) && !beginsFence(line[at:]) {
			return at
		}
		_, size := utf8.DecodeLastRuneInString(line[:at])
		at -= size
	}
	return most
}

// fitting is how many bytes of s take at most room units.
func fitting(s string, room int) int {
	for i, r := range s {
		room -= utf16.RuneLen(r)
		if room < 0 {
			return i
		}
	}
	return len(s)
}
