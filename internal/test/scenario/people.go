package scenario

import (
	"errors"
	"fmt"
	"regexp"

	"discoclaw/internal/fakediscord"
)

// People are the users of a world, who carry out the lines of a script. They do not need a test.
type People struct {
	world *fakediscord.World
	files map[string]string              // attachments by name
	last  map[string]fakediscord.Message // by author
}

// NewPeople returns the users of a world. Files are the contents of attachments by name; others have made-up
// contents.
func NewPeople(w *fakediscord.World, files map[string]string) *People {
	return &People{world: w, files: files, last: map[string]fakediscord.Message{}}
}

// A Line is a line of a script that needs no stage: an action of a user, or a change on the server.
type Line struct {
	Text string
	Do   func(*People) error
	Wait bool // for the bot to become idle
}

// An Answer is one of the model, as a script has it.
type Answer struct {
	Text   string
	Reader bool // it is the clean reader's
}

// ParseLines parses a script of such lines. Answers are those of its model's and its reader's lines.
func ParseLines(text string) (lines []Line, answers []Answer, err error) {
	for _, line := range logicalLines(text) {
		if m := modelLine.FindStringSubmatch(line); m != nil {
			answers = append(answers, Answer{Text: m[3]})
			continue
		}
		if m := readerLine.FindStringSubmatch(line); m != nil {
			says, err := readerSays(m[1])
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", line, err)
			}
			answers = append(answers, Answer{Text: says, Reader: true})
			continue
		}
		s, err := parseStep(line)
		if err == nil && s.people == nil {
			err = errors.New("only what people do can stand here")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", line, err)
		}
		lines = append(lines, Line{Text: line, Do: s.people, Wait: s.wait})
	}
	return lines, answers, nil
}

var reference = regexp.MustCompile(`\{([#@])([^{}]+)\}`)

// Expand puts IDs in place of {#channel} and {@member}.
func (p *People) Expand(text string) (string, error) {
	var unknown []error
	text = reference.ReplaceAllStringFunc(text, func(ref string) string {
		m := reference.FindStringSubmatch(ref)
		if ch, ok := p.world.Channel(m[2]); ok && m[1] == "#" {
			return string(ch.ID)
		}
		if who, ok := p.world.Member(m[2]); ok && m[1] == "@" {
			return string(who.ID)
		}
		unknown = append(unknown, fmt.Errorf("%s means nothing in this world", ref))
		return ref
	})
	return text, errors.Join(unknown...)
}

var mention = regexp.MustCompile(`<(@&|[#@])([0-9]+)>`)

// Readable puts names in place of IDs in mentions.
func (p *People) Readable(text string) string {
	return mention.ReplaceAllStringFunc(text, func(ref string) string {
		m := mention.FindStringSubmatch(ref)
		if ch, ok := p.world.Channel(m[2]); ok && m[1] == "#" {
			return "<#" + ch.Name + ">"
		}
		if who, ok := p.world.Member(m[2]); ok && m[1] == "@" {
			return "<@" + who.Name + ">"
		}
		for _, r := range p.world.Roles() {
			if m[1] == "@&" && string(r.ID) == m[2] {
				return "<@&" + r.Name + ">"
			}
		}
		return ref
	})
}

// Writing reports whether a reply has a Stop button.
func (p *People) Writing() bool {
	for _, ch := range p.world.Channels() {
		for _, m := range p.world.Messages(string(ch.ID)) {
			for _, b := range m.Buttons() {
				if b.Label == "Stop" {
					return true
				}
			}
		}
	}
	return false
}

var memberLine = regexp.MustCompile(`(?m)^member (\w+)`)

// Members are the IDs of the layout's members.
func (p *People) Members(layout string) string {
	list := ""
	for _, m := range memberLine.FindAllStringSubmatch(layout, -1) {
		if who, ok := p.world.Member(m[1]); ok {
			list += string(who.ID) + ","
		}
	}
	return list
}
