package render

import (
	"strings"
	"unicode/utf16"

	"discoclaw/internal/chat"
)

// Report is the text of a reply with what came of its actions: the body, the
// result lines below it, and then the notices, each of them a paragraph. Nothing
// of it falls into a fence that something above has left open. Blank parts are
// left out, and line ends become \n.
func Report(body string, lines, notices []string) string {
	var r report
	r.add(body, paragraph)
	above := paragraph
	for _, line := range lines {
		if r.add(line, above) {
			above = "\n"
		}
	}
	for _, notice := range notices {
		r.add(notice, paragraph)
	}
	return r.text.String()
}

const paragraph = "\n\n"

type report struct {
	text strings.Builder
	open fence // below the text
}

// add puts part below the text, with above between the two, and says whether
// there was anything to put.
func (r *report) add(part, above string) bool {
	part = tidy(part)
	if part == "" {
		return false
	}
	if r.text.Len() > 0 {
		r.text.WriteString(r.open.closing() + above)
	}
	r.text.WriteString(part)
	r.open = fence{}.afterAll(part)
	return true
}

// Preview is what a message shows while its text is still being written: the text
// so far and, in small print below it, the status. If a message cannot hold all of
// it, only the last lines are shown, or the end of the last line, behind a "…".
//
// The result always fits into one message and closes every fence it opens. Code
// whose opening fence is left out gets it back. Tables are shown as [Tables] has
// them, from their line of dashes on. Without text there is only the status, and
// without status only the text.
func Preview(text, status string) string {
	text, status = withoutBlankLines(tidy(Tables(text))), subtext(status)
	if text == "" {
		return status
	}
	if status != "" {
		status = "\n" + status
	}
	room := limit - chat.Length(status)
	shown := closed(text)
	if chat.Length(shown) > room {
		shown = ending(text, room)
	}
	return shown + status
}

// subtext is a line of small print.
func subtext(line string) string {
	const most = 200
	line = chat.OneLine(line)
	if line == "" {
		return ""
	}
	return "-# " + chat.Clip(line, most)
}

// ending is as many of the last lines as the room can hold, or the end of the last
// one if it is too long by itself.
func ending(text string, room int) string {
	left := text
	units := chat.Length(text)
	var above fence
	for {
		line, following, more := strings.Cut(left, "\n")
		below := above.after(line)
		// A tail that began with a closing fence would show an empty block.
		if closing := above.open() && !below.open(); units <= room && !closing {
			tail := closed("…\n" + above.reopened().opening() + left)
			if chat.Length(tail) <= room {
				return tail
			}
		}
		if !more {
			return lineEnding(line, above.reopened(), room)
		}
		units -= chat.Length(line) + 1
		left, above = following, below
	}
}

// lineEnding is as much of the end of line as the room can hold. The line is code
// if above is open.
func lineEnding(line string, above fence, room int) string {
	head := "…"
	if above.open() {
		head = "…\n" + above.opening() + "…"
	}
	room -= chat.Length(head + above.closing())
	return head + line[lastFitting(line, room):] + above.closing()
}

// lastFitting is where the end of s begins that takes at most room units.
func lastFitting(s string, room int) int {
	units := chat.Length(s)
	for i, r := range s {
		if units <= room {
			return afterCluster(s, i)
		}
		units -= utf16.RuneLen(r)
	}
	return len(s)
}
