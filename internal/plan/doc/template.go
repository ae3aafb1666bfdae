package doc

import (
	_ "embed" // the template
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/markdown"
)

// Template is what new plans look like, unless people have a template of their own.
//
//go:embed template.md
var Template string

// Fields are what a new plan begins with.
type Fields struct {
	Title   string
	ID      ID
	Task    string
	Date    string // YYYY-MM-DD
	Project string
	Context string // the conversation that led to the plan; it is kept as a quotation at the end
}

// Render makes a plan of a template. Its status is DRAFT, whatever the template says. The error is about the template.
func Render(template string, f Fields) (string, error) {
	title := chat.OneLine(f.Title)
	if title == "" {
		return "", errors.New("a plan needs a title")
	}
	text := strings.NewReplacer(
		"{{TITLE}}", title, "{{PLAN_ID}}", string(f.ID), "{{TASK_ID}}", chat.OneLine(f.Task),
		"{{DATE}}", chat.OneLine(f.Date), "{{PROJECT}}", chat.OneLine(f.Project),
	).Replace(template)
	d, err := Parse(text)
	if err != nil {
		return "", fmt.Errorf("the template of plans cannot be used: %w", err)
	}
	if d.ID != f.ID {
		return "", errors.New("the template of plans cannot be used: its header needs the line `**ID:** {{PLAN_ID}}`")
	}
	text = d.WithStatus(Draft)
	if strings.TrimSpace(f.Context) == "" {
		return text, nil
	}
	br := d.lineBreak()
	context := strings.ReplaceAll(quoted(f.Context), "\n", br)
	return strings.TrimRight(text, " \t\r\n") + br + br + "## Context" + br + br + context + br, nil
}

// IsTemplate reports whether the sections of a plan are those of a template, or there are none.
func (d Doc) IsTemplate(template string) bool {
	if d.Body() == "" {
		return true
	}
	text, err := Render(template, Fields{Title: d.Title, ID: d.ID, Task: d.Task, Date: d.Created, Project: d.Project})
	if err != nil {
		return false
	}
	fresh, err := Parse(text)
	return err == nil && fresh.Hash() == d.Hash()
}

var (
	leftToken  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{[A-Z_]+\}\}`) })
	inlineCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`[^`]+`") })
)

// ErrNotAPlan and ErrTemplateEcho are what is wrong with a model's draft; asking it once more may help.
var (
	ErrNotAPlan     = errors.New("the draft does not begin with `# Plan:`")
	ErrTemplateEcho = errors.New("the draft repeats the template instead of filling it in")
)

// CheckDraft returns what is wrong with the form of a draft that was to follow a template.
func CheckDraft(draft, template string) error {
	p, err := splitDraft(draft)
	if err != nil {
		return err
	}
	hints, examples := placeholders(template)
	echoed := 0
	for i, l := range p.lines[:p.tail] {
		text := strings.TrimSpace(l.Text)
		if l.Code || i > p.titleLine && i < p.headerEnd {
			continue // of the header, only the title is taken over
		}
		if hints[text] || text == "(system)" || leftToken().MatchString(inlineCode().ReplaceAllString(text, "")) {
			return ErrTemplateEcho
		}
		if examples[text] {
			echoed++
		}
	}
	if echoed > 1 {
		return ErrTemplateEcho
	}
	return nil
}

// splitDraft reads a model's plan, which needs a title, and a body.
func splitDraft(draft string) (parts, error) {
	draft = strings.TrimSpace(draft)
	if !strings.HasPrefix(draft, titleMark) {
		return parts{}, ErrNotAPlan
	}
	p, err := split(draft)
	switch {
	case err != nil:
		return parts{}, err
	case p.title() == "":
		return parts{}, errors.New("the draft has no title; write it after `# Plan:`")
	case withoutRules(p.text[p.bodyStart:p.bodyEnd]) == "":
		return parts{}, errors.New("the draft has a title and nothing else; write its sections")
	}
	return p, nil
}

// placeholders are the lines of a template that a plan must not keep: hints in brackets or italics, and its list items, of
// which a plan may have one by chance. A short hint, such as (none), may be what a plan says.
func placeholders(template string) (hints, examples map[string]bool) {
	const short = 12
	hints, examples = map[string]bool{}, map[string]bool{}
	lines, _ := markdown.Lines(template)
	for _, l := range lines {
		text := strings.TrimSpace(l.Text)
		_, _, isItem := markdown.Item(text)
		switch {
		case l.Code || len(text) < short:
		case strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")"), isItalic(text, "_"), isItalic(text, "*"):
			hints[text] = true
		case isItem:
			examples[text] = true
		}
	}
	return hints, examples
}
