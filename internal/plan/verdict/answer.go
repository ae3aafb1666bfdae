package verdict

import (
	"strings"
	"unicode"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/markdown"
)

// An answer is an auditor's text while it is read.
type answer struct {
	text   string // without quotations, and without JSON verdicts once they are read
	lines  []markdown.Line
	quoted []bool // by line

	worst      Severity
	least      Severity // what an approval without any severity counts as
	unreadable bool     // something that looks like a verdict cannot be understood

	listed    []Concern // in JSON
	told      []Concern // in prose
	opening   bool      // the answer begins with a JSON verdict that approves
	lastSaid  statement // of lines that are labelled as the verdict
	finalSaid statement // of the last line
}

func newAnswer(text string) *answer {
	a := &answer{}
	var unclosed int
	a.lines, unclosed = markdown.Lines(plain(text))
	// What comes after an opening fence that is never closed may be the auditor's own words as well as a quotation.
	a.unreadable = unclosed >= 0

	a.quoted = make([]bool, len(a.lines))
	own := make([]string, len(a.lines))
	for i, l := range a.lines {
		if a.quoted[i] = !l.Code && strings.HasPrefix(strings.TrimLeft(l.Text, " "), ">"); !a.quoted[i] {
			own[i] = l.Text
		}
	}
	a.text = strings.Join(own, "\n")
	return a
}

// plain removes hidden characters, which break up words, and leaves one kind of space and of line break.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, strings.Join(chat.Lines(chat.Visible(text)), "\n"))
}

// each calls do for the lines that are not quoted, without the JSON that was read.
func (a *answer) each(do func(i int, line string, code bool)) {
	for i, line := range strings.Split(a.text, "\n") {
		if i < len(a.lines) && !a.quoted[i] {
			do(i, line, a.lines[i].Code)
		}
	}
}

func (a *answer) saw(s Severity) { a.worst = max(a.worst, s) }

// approved reports whether the auditor approves; severities are not considered.
func (a *answer) approved() bool {
	if a.finalSaid == approves {
		return a.lastSaid == silent || a.lastSaid == approves
	}
	return a.opening && (a.lastSaid == silent || a.lastSaid == approves)
}

// concerns prefers the list in JSON: prose repeats it, in slightly different words.
func (a *answer) concerns() []Concern {
	if len(a.listed) > 0 {
		return a.listed
	}
	return a.told
}
