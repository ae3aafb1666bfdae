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
