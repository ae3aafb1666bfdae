// Package doc reads and edits plans, which are Markdown files that people and models write.
//
// A plan has three parts: the header (title and fields such as the status, up to the first rule or section), the body (what
// is to be done), and the tail (what was said about it: the audit log and what follows). Edits return a new text in which
// everything else is, byte for byte, what was there. Nothing here reads or writes files.
package doc

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/markdown"
)

// A Doc is a plan.
type Doc struct {
	Title   string
	ID      ID
	Task    string
	Created string // YYYY-MM-DD
	Status  Status // as the file says; empty if that is no status
	Project string

	parts
}

// Parse reads a plan. The error is a sentence for the people who wrote it.
func Parse(text string) (Doc, error) {
	p, err := split(text)
	if err != nil {
		return Doc{}, err
	}
	d := Doc{Title: p.title(), Task: p.field("task"), Created: p.field("created"), Project: p.field("project"), parts: p}
	if s, known := ParseStatus(p.field("status")); known {
		d.Status = s
	}
	if d.Title == "" {
		return Doc{}, errors.New("the plan has no title; write it after `# Plan:`")
	}
	id := p.field("id")
	if id == "" {
		return Doc{}, errors.New("the plan has no ID; write a line such as `**ID:** plan-007` below its title")
	}
	if d.ID, err = ParseID(id); err != nil {
		return Doc{}, err
	}
	return d, nil
}

// Text is the whole plan as it was parsed.
func (d Doc) Text() string { return d.text }

// Body is what is to be done, without header and tail.
func (d Doc) Body() string { return strings.TrimSpace(d.text[d.bodyStart:d.bodyEnd]) }

// Heartbeat is how often a run of this plan shows that it is alive, 0 for never; see ParseHeartbeat.
func (d Doc) Heartbeat(usual time.Duration) time.Duration {
	return ParseHeartbeat(d.field("heartbeat"), usual)
}

// parts is a plan, or the draft of one, by its parts.
type parts struct {
	text      string
	lines     []markdown.Line
	titleLine int
	header    []fieldLine
	headerEnd int // line
	bodyStart int // byte, after the rule that ends the header
	bodyEnd   int // byte, before the rule above the tail
	tail      int // line; len(lines) without one
}

type fieldLine struct {
	key        string // in small letters
	line       int
	start, end int // of the value, in the text
}

const titleMark = "# Plan:"

func split(text string) (parts, error) {
	p := parts{text: text, titleLine: -1}
	var unclosed int
	if p.lines, unclosed = markdown.Lines(text); unclosed >= 0 {
		return parts{}, fmt.Errorf("the code block that begins in line %d is never closed; close it with a line of %s", unclosed+1, "```")
	}
	for i, l := range p.lines {
		if !l.Code && strings.HasPrefix(strings.TrimPrefix(l.Text, "\ufeff"), titleMark) {
			p.titleLine = i
			break
		}
	}
	if p.titleLine < 0 {
		return parts{}, errors.New("this is no plan; a plan has a line that begins with `# Plan:`")
	}
	p.readHeader()
	p.findTail()
	return p, nil
}

var fieldForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\*\*([A-Za-z]+)(?::\*\*|\*\*:)[ \t]*(.*?)[ \t]*$`)
})

func (p *parts) readHeader() {
	for p.headerEnd = p.titleLine + 1; p.headerEnd < len(p.lines); p.headerEnd++ {
		l := p.lines[p.headerEnd]
		level, _ := markdown.Heading(l.Text)
		if !l.Code && (markdown.IsRule(l.Text) || level == 1 || level == 2) {
			break
		}
		if m := fieldForm().FindStringSubmatchIndex(l.Text); m != nil && !l.Code {
			p.header = append(p.header, fieldLine{strings.ToLower(l.Text[m[2]:m[3]]), p.headerEnd, l.Start + m[4], l.Start + m[5]})
		}
	}
	p.bodyStart = p.offset(p.headerEnd)
	if p.headerEnd < len(p.lines) && markdown.IsRule(p.lines[p.headerEnd].Text) {
		p.bodyStart = p.lines[p.headerEnd].End
	}
}

// The sections of the tail.
const (
	auditLog = "Audit Log"
	notes    = "Implementation Notes"
)

func (p *parts) findTail() {
	p.tail, p.bodyEnd = len(p.lines), len(p.text)
	for i := p.headerEnd; i < len(p.lines); i++ {
		if name := p.sectionAt(i); strings.EqualFold(name, auditLog) || strings.EqualFold(name, notes) {
			p.tail = i
			break
		}
	}
	if p.tail == len(p.lines) {
		return
	}
	above := p.tail
	for above > p.headerEnd && strings.TrimSpace(p.lines[above-1].Text) == "" {
		above--
	}
	// Blank lines without a rule belong to the body, or they would become more with every Merge.
	p.bodyEnd = p.offset(p.tail)
	if above > p.headerEnd+1 && markdown.IsRule(p.lines[above-1].Text) && !p.lines[above-1].Code {
		p.bodyEnd = p.offset(above - 1)
	}
}

// offset is where a line begins, also the one after the last.
func (p *parts) offset(line int) int {
	if line < len(p.lines) {
		return p.lines[line].Start
	}
	return len(p.text)
}

// sectionAt is the heading of a section, if a line is one.
func (p *parts) sectionAt(line int) string {
	l := p.lines[line]
	if level, title := markdown.Heading(l.Text); level == 2 && !l.Code {
		return title
	}
	return ""
}

func (p *parts) title() string {
	_, title, _ := strings.Cut(p.lines[p.titleLine].Text, titleMark)
	return strings.TrimSpace(title)
}

// find returns the first of the header's fields with a name, which is the one that counts.
func (p *parts) find(key string) (fieldLine, bool) {
	for _, f := range p.header {
		if f.key == key {
			return f, true
		}
	}
	return fieldLine{}, false
}

func (p *parts) field(key string) string {
	f, _ := p.find(key)
	return p.text[f.start:f.end]
}

// lineBreak is what ends the lines of this text.
func (p *parts) lineBreak() string {
	if strings.Contains(p.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// ID names a plan: plan-007. Other forms become this one in ParseID.
type ID string

var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:plan-)?0*([1-9]\d{0,8})$`) })

// ParseID reads the forms in which people write an ID: plan-007, plan-7, 007 and 7.
func ParseID(text string) (ID, error) {
	m := idForm().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return "", fmt.Errorf("%s is no ID of a plan; IDs look like plan-007, or 7 for short", chat.InCode(chat.Clip(text, 40)))
	}
	n, err := strconv.Atoi(m[1])
	return idOf(n), err
}

func idOf(n int) ID { return ID(fmt.Sprintf("plan-%03d", n)) }

var fileForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^plan-(\d{1,6})(?:\D|$)`) })

// NextID returns the ID after the highest number of a plan, and of the names of files, except numbers so high that they
// would leave no room.
func NextID(highest int, names ...string) ID {
	for _, name := range names {
		if m := fileForm().FindStringSubmatch(name); m != nil {
			n, _ := strconv.Atoi(m[1]) // six digits at most
			highest = max(highest, n)
		}
	}
	return idOf(highest + 1)
}

const maxSlug = 50

// FileName returns the name of a new plan's file: its ID and the letters and digits of its title.
func FileName(id ID, title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case b.Len() == maxSlug:
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	slug := strings.Trim(b.String(), "-")
	if slug == "" {
		return string(id) + ".md"
	}
	return string(id) + "-" + slug + ".md"
}
