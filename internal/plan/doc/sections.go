package doc

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"discoclaw/internal/plan/markdown"
)

// A Section is a part of the body under a heading of the second level.
type Section struct {
	Heading, Body string
}

// The sections that every plan has, in their order.
const (
	Objective = "Objective"
	Scope     = "Scope"
	Changes   = "Changes"
	Risks     = "Risks"
	Testing   = "Testing"
)

// Sections returns the sections of the body, without the rules between them.
func (d Doc) Sections() []Section {
	var list []Section
	for i, r := range d.ranges() {
		list = append(list, Section{d.sectionAt(r.first - 1), ""})
		last := r.last
		for last > r.first && (strings.TrimSpace(d.lines[last-1].Text) == "" || markdown.IsRule(d.lines[last-1].Text) && !d.lines[last-1].Code) {
			last--
		}
		list[i].Body = strings.TrimSpace(normal(d.text[d.offset(r.first):d.offset(last)]))
	}
	return list
}

// Section returns the text of a section of the body. Of several with the same heading the last one counts.
func (d Doc) Section(heading string) (body string, ok bool) {
	for _, s := range d.Sections() {
		if strings.EqualFold(s.Heading, heading) {
			body, ok = s.Body, true
		}
	}
	return body, ok
}

// A span is the lines of a section after its heading.
type span struct{ first, last int }

// ranges are the sections of the body.
func (d Doc) ranges() []span {
	var list []span
	for i := d.headerEnd; i < d.tail; i++ {
		if d.sectionAt(i) == "" {
			continue
		}
		if len(list) > 0 {
			list[len(list)-1].last = i
		}
		list = append(list, span{i + 1, d.tail})
	}
	return list
}

// Hash tells whether what is to be done has changed: all that models who carry the plan out are told of it, and the
// project that it changes. It covers neither the other fields of the header nor the tail, so that a plan can be
// approved and audited without becoming another one.
func (d Doc) Hash() string {
	h := sha256.New()
	note := func(name, text string) { _, _ = fmt.Fprintf(h, "%q %q\n", name, trimmedLines(normal(text))) } // a hash takes everything
	note(d.Project, d.Title)
	note("", d.preamble())
	for _, s := range d.Sections() {
		note(s.Heading, s.Body)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// preamble is what stands in the body before the first section.
func (d Doc) preamble() string {
	end := d.bodyEnd
	if list := d.ranges(); len(list) > 0 {
		end = d.offset(list[0].first - 1)
	}
	return strings.TrimSpace(d.text[d.bodyStart:end])
}

// normal has the line breaks of Unix.
func normal(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// trimmedLines removes the blanks at the ends of lines.
func trimmedLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\r")
	}
	return strings.Join(lines, "\n")
}
