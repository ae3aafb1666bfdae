package verdict

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/chat"
)

// maxBroken bounds how often JSON is tried that turns out not to be any, since each try may read the whole text.
const maxBroken = 100

// readObjects reads the JSON verdicts and removes them from the text.
func (a *answer) readObjects() {
	rest := []byte(a.text)
	broken, first := 0, true
	for at := 0; at < len(rest); {
		i := strings.IndexByte(a.text[at:], '{')
		if i < 0 {
			break
		}
		at += i
		found, length, err := decode(a.text[at:])
		if err != nil {
			at++
			if broken++; broken > maxBroken {
				a.unreadable = true
				break
			}
			continue
		}
		opening := first && a.isOpening(at, at+length)
		first = false
		if a.readObject(found, opening, outside) {
			for j := at; j < at+length; j++ {
				if rest[j] != '\n' {
					rest[j] = ' '
				}
			}
		}
		at += length
	}
	a.text = string(rest)
	for _, key := range []string{`"maxseverity"`, `"max_severity"`, `"shouldloop"`} {
		// It is a verdict, but its JSON is broken, and its worst part may be the one that is not read.
		a.unreadable = a.unreadable || strings.Contains(strings.ToLower(a.text), key)
	}
}

// isOpening reports whether the answer begins with the JSON between two positions: nothing stands before it but the line
// that opens its code block, nothing beside it, and nothing else in that block.
func (a *answer) isOpening(start, end int) bool {
	before := strings.TrimSpace(a.text[:start])
	beside, after, _ := strings.Cut(a.text[end:], "\n")
	if strings.TrimSpace(beside) != "" {
		return false
	}
	for i, l := range a.lines {
		switch {
		case a.quoted[i]:
			return false // what the answer begins with is a quotation
		case strings.TrimSpace(l.Text) == "":
			continue
		case l.Code:
			return before == strings.TrimSpace(l.Text) && isFence(strings.TrimSpace(after))
		}
		return before == ""
	}
	return false
}

// depth is where an object stands.
type depth int

const (
	outside depth = iota // of any verdict
	within               // a verdict
	listed               // among the concerns of a verdict, which are read with it
)

// readObject reads an object and everything in it, and reports whether any of it is a verdict or a concern.
func (a *answer) readObject(o object, opening bool, at depth) bool {
	verdict := o.isVerdict()
	is := verdict || o.has("severity") && (at == within || o.has("verdict") || o.title() != "")
	switch {
	case verdict:
		a.judge(o, opening)
		at = max(at, within)
	case is && at != listed:
		a.hear(o)
	}
	for _, m := range o {
		inside := min(at, within)
		if verdict && m.key == "concerns" {
			inside = listed
		}
		for _, inner := range objectsIn(m.value) {
			is = a.readObject(inner, opening && !verdict && m.key == "verdict", inside) || is
		}
	}
	return is
}

// judge takes the worst of what a JSON verdict says; its shouldLoop can make it worse, never better.
func (a *answer) judge(o object, opening bool) {
	states := 0
	for _, m := range o {
		switch m.key {
		case "maxseverity":
			if a.readSeverity(m.value) {
				states++
			}
		case "severity":
			a.readSeverity(m.value)
		case "shouldloop":
			if m.value != false {
				a.saw(Blocking)
			}
		case "concerns":
			a.list(m.value)
		case "verdict":
			a.hearWords(m.value)
		}
	}
	if opening && states > 0 {
		a.opening = true
	}
}

func (a *answer) list(value any) {
	for _, o := range objectsIn(value) {
		c := Concern{Title: o.title()}
		for _, m := range o {
			if m.key == "severity" && a.readSeverity(m.value) {
				s, _ := severityOf(m.value.(string))
				c.Severity = max(c.Severity, s)
			}
		}
		a.listed = append(a.listed, c)
	}
}

// hear takes in a concern on its own. It may belong to an example, so one that cannot be understood does no harm.
func (a *answer) hear(o object) {
	c := Concern{Title: o.title()}
	for _, m := range o {
		switch word, _ := m.value.(string); m.key {
		case "severity":
			s, _ := severityOf(word)
			c.Severity = max(c.Severity, s)
			a.saw(s)
		case "verdict":
			a.hearWords(word)
		}
	}
	a.listed = append(a.listed, c)
}

// hearWords takes in a verdict that is a text. It can only object: approval is what maxSeverity says.
func (a *answer) hearWords(value any) {
	if words, ok := value.(string); ok && stated(strings.ReplaceAll(words, "_", " ")) == objects {
		a.saw(Blocking)
	}
}

// readSeverity reports whether a value is a severity. One that is not makes the answer unreadable.
func (a *answer) readSeverity(value any) bool {
	word, _ := value.(string)
	s, ok := severityOf(word)
	a.saw(s)
	a.unreadable = a.unreadable || !ok
	return ok
}

// An object is a JSON object with all of its members: encoding/json would keep the last of those that have the same name,
// and so the one that approves.
type object []member

type member struct {
	key   string // in small letters, without underscores
	value any    // an object, a []any, or as encoding/json has it
}

func (o object) isVerdict() bool {
	for _, m := range o {
		switch m.key {
		case "maxseverity", "shouldloop":
			return true
		case "concerns":
			for _, c := range objectsIn(m.value) {
				if c.has("severity") {
					return true
				}
			}
		}
	}
	return false
}

func (o object) has(key string) bool {
	for _, m := range o {
		if m.key == key {
			return true
		}
	}
	return false
}

func (o object) title() string {
	for _, key := range []string{"title", "concern", "issue", "summary", "description"} {
		for _, m := range o {
			if text, ok := m.value.(string); ok && m.key == key {
				return titled(text)
			}
		}
	}
	return ""
}

// titled is a text as the title of a concern.
func titled(text string) string {
	const most = 200
	return chat.Clip(strings.Trim(chat.OneLine(strings.ReplaceAll(text, "**", "")), " *_`#-–—:|.()"), most)
}

// objectsIn returns a value that is an object, and the objects of one that is a list.
func objectsIn(value any) []object {
	switch v := value.(type) {
	case object:
		return []object{v}
	case []any:
		var list []object
		for _, e := range v {
			list = append(list, objectsIn(e)...)
		}
		return list
	}
	return nil
}

// decode reads the JSON object with which a text begins.
func decode(text string) (found object, length int, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	value, err := read(d, 0)
	if err != nil {
		return nil, 0, err
	}
	found, ok := value.(object)
	if !ok {
		return nil, 0, errors.New("no object")
	}
	return found, int(d.InputOffset()), nil
}

const maxDepth = 50

func read(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("deeper than %d", maxDepth)
	}
	switch token {
	case json.Delim('{'):
		return readMembers(d, depth)
	case json.Delim('['):
		var list []any
		for d.More() {
			e, err := read(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, e)
		}
		_, err := d.Token()
		return list, err
	}
	return token, nil
}

func readMembers(d *json.Decoder, depth int) (any, error) {
	found := object{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		value, err := read(d, depth+1)
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		found = append(found, member{strings.ReplaceAll(strings.ToLower(name), "_", ""), value})
	}
	_, err := d.Token()
	return found, err
}
