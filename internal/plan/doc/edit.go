package doc

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/markdown"
)

// WithStatus returns the text with another status in its header, which gets the line if it has none.
func (d Doc) WithStatus(s Status) string {
	f, ok := d.find("status")
	if !ok {
		return d.withField("**Status:** " + string(s))
	}
	value := string(s)
	if last := d.text[f.start-1]; f.start == f.end && last != ' ' && last != '\t' {
		value = " " + value
	}
	return d.text[:f.start] + value + d.text[f.end:]
}

// withField adds a line below the other fields.
func (d Doc) withField(line string) string {
	after := d.titleLine
	if n := len(d.header); n > 0 {
		after = d.header[n-1].line
	}
	at := d.lines[after].End
	if !strings.HasSuffix(d.text[:at], "\n") {
		return d.text[:at] + d.lineBreak() + line
	}
	if after == d.titleLine {
		line = d.lineBreak() + line
	}
	return d.text[:at] + line + d.lineBreak() + d.text[at:]
}

// Merge returns the text with title and body of a draft. Header and tail stay as they are: those of the draft are what a
// model believes to be there. The error says what is wrong with the draft.
func (d Doc) Merge(draft string) (string, error) {
	p, err := splitDraft(draft)
	if err != nil {
		return "", err
	}
	title := d.lines[d.titleLine]
	value := title.Start + strings.Index(title.Text, titleMark) + len(titleMark)
	end := title.Start + len(title.Text)

	br := d.lineBreak()
	header := d.text[:value] + " " + p.title() + d.text[end:d.bodyStart]
	if !strings.HasSuffix(header, "\n") {
		header += br
	}
	if d.headerEnd == len(d.lines) || !markdown.IsRule(d.lines[d.headerEnd].Text) {
		header += br + "---" + br // or lines of the draft could become fields
	}
	body := strings.ReplaceAll(withoutRules(normal(p.text[p.bodyStart:p.bodyEnd])), "\n", br)
	tail := d.text[d.bodyEnd:]
	if strings.HasSuffix(header, br+br) || body == "" {
		br = ""
	}
	merged := header + br + body + d.lineBreak()
	if strings.TrimSpace(tail) == "" {
		return merged, nil
	}
	return merged + d.lineBreak() + tail, nil
}

// withoutRules removes rules and blank lines from the end of a text: the rule above the tail is the tail's.
func withoutRules(text string) string {
	for {
		text = strings.TrimSpace(text)
		start := strings.LastIndexByte(text, '\n') + 1
		if !markdown.IsRule(text[start:]) {
			return text
		}
		text = text[:start]
	}
}

// withNotes returns the text with an entry at the end of the audit log, which it gets if it has none.
func (d Doc) withNotes(entry string) string {
	br := d.lineBreak()
	entry = strings.ReplaceAll(normal(entry), "\n", br)
	start, end, ok := d.log()
	if !ok {
		before := d.text[:d.bodyEnd]
		if !strings.HasSuffix(before, "\n") {
			before += br
		}
		return before + br + "---" + br + br + "## " + auditLog + br + br + entry + br + br + d.text[d.bodyEnd:]
	}
	at := d.offset(end)
	before := d.text[:at]
	switch {
	case !strings.HasSuffix(before, "\n"):
		before += br + br
	case start == end || strings.TrimSpace(d.lines[end-1].Text) != "":
		before += br
	}
	entry += br
	if at < len(d.text) {
		entry += br
	}
	return before + entry + d.text[at:]
}

// log returns the lines of the audit log after its heading.
func (d Doc) log() (start, end int, ok bool) {
	for i := d.tail; i < len(d.lines); i++ {
		switch name := d.sectionAt(i); {
		case ok && name != "":
			return start, i, true
		case strings.EqualFold(name, auditLog) && !ok:
			start, ok = i+1, true
		}
	}
	if !ok {
		return 0, 0, false
	}
	return start, len(d.lines), true
}

// quoted makes a text part of the plan without making a part of the plan of it: no heading, no code block, no field.
func quoted(text string) string {
	lines := strings.Split(strings.TrimSpace(normal(text)), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight("> "+strings.ReplaceAll(l, "\r", " "), " ")
	}
	return strings.Join(lines, "\n")
}

// demoted makes notes fit for the audit log: their headings stay below the one of the review, and their code ends with them.
func demoted(text string) string {
	text = strings.TrimSpace(normal(text))
	lines, unclosed := markdown.Lines(text)
	var b strings.Builder
	for _, l := range lines {
		if level, title := markdown.Heading(l.Text); !l.Code && level > 0 && level < 4 {
			b.WriteString("#### " + title + "\n")
			continue
		}
		b.WriteString(l.Text + "\n")
	}
	if unclosed >= 0 {
		fence := strings.TrimLeft(lines[unclosed].Text, " \t-*+.)0123456789")
		b.WriteString(fence[:len(fence)-len(strings.TrimLeft(fence, fence[:1]))] + "\n")
	}
	return strings.TrimSpace(b.String())
}

// A ReviewEntry is one audit of a plan.
type ReviewEntry struct {
	Number int
	Date   string
	Notes  string
}

var reviewForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^Review (\d{1,6})(?:\s+[—–-]+\s*(.*))?$`)
})

// Reviews returns the entries of the audit log.
func (d Doc) Reviews() []ReviewEntry {
	start, end, _ := d.log()
	var list []ReviewEntry
	var notes []string
	finish := func() {
		if n := len(list); n > 0 {
			text := strings.TrimSpace(strings.Join(notes, "\n"))
			list[n-1].Notes = strings.TrimSpace(strings.TrimSuffix(text, "---"))
		}
		notes = nil
	}
	for i := start; i < end; i++ {
		l := d.lines[i]
		level, title := markdown.Heading(l.Text)
		m := reviewForm().FindStringSubmatch(title)
		if l.Code || level != 3 || m == nil {
			notes = append(notes, l.Text)
			continue
		}
		finish()
		n, _ := strconv.Atoi(m[1]) // six digits at most
		list = append(list, ReviewEntry{Number: n, Date: m[2]})
	}
	finish()
	return list
}

// NextReview is the number that the next review gets.
func (d Doc) NextReview() int {
	highest := 0
	for _, r := range d.Reviews() {
		highest = max(highest, r.Number)
	}
	return highest + 1
}

// WithReview returns the text with a further review at the end of the audit log.
func (d Doc) WithReview(date, notes string) string {
	return d.withNotes(fmt.Sprintf("### Review %d — %s\n\n**Status:** COMPLETE\n\n%s\n\n---", d.NextReview(), chat.OneLine(date), demoted(notes)))
}

// WithLogNote returns the text with a remark at the end of the audit log that is no review, such as that no rounds are left.
func (d Doc) WithLogNote(note string) string { return d.withNotes(demoted(note)) }

// LatestVerdict is the last verdict in the audit log, to be shown. Whether a plan passed is not for its text to say.
func (d Doc) LatestVerdict() string {
	const mark = "**Verdict:**"
	start, end, _ := d.log()
	verdict := ""
	for _, l := range d.lines[start:end] {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(l.Text), mark); ok && !l.Code {
			verdict = rest
		}
	}
	return chat.OneLine(verdict)
}
