package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// CapsuleOpen and CapsuleClose stand around a note in which a model tells its later turns where it was:
//
//	<continuation-capsule>{"currentFocus":"the release","nextStep":"write the notes"}</continuation-capsule>
//
// It is no request, and readers do not see it.
const (
	CapsuleOpen  = "<continuation-capsule>"
	CapsuleClose = "</continuation-capsule>"
)

// A capsule is a stretch of text that belongs to such a note.
type capsule struct {
	Span
	body string
	open bool // its end is missing
}

// capsulesOf finds capsules, if the parser looks for them.
func (p *Parser) capsulesOf(r *Reply) (found []capsule, places []Span) {
	if p.capsules {
		found = capsulesOf(r)
	}
	for _, c := range found {
		places = append(places, c.Span)
	}
	return found, places
}

// capsulesOf finds capsules outside code and quotes. The end of one is missing if another begins before it; it then reaches
// to a blank line at most, so that it takes no answer along. Closing markers without a beginning are found as well.
func capsulesOf(r *Reply) (found []capsule) {
	for start, next := 0, 0; start < len(r.Text); start = next {
		next = len(r.Text)
		from := start
		if strings.HasPrefix(r.Text[start:], CapsuleOpen) {
			from += len(CapsuleOpen)
		}
		if i := strings.Index(r.Text[from:], CapsuleOpen); i >= 0 {
			next = from + i
		}
		if from > start && !r.Inert(start) {
			c := capsuleAt(r.Text[:next], start, from)
			found = append(found, c)
			from = c.End
		}
		for {
			i := strings.Index(r.Text[from:next], CapsuleClose)
			if i < 0 {
				break
			}
			stray := Span{from + i, from + i + len(CapsuleClose)}
			if from = stray.End; !r.Inert(stray.Start) {
				found = append(found, capsule{Span: stray})
			}
		}
	}
	return found
}

// capsuleAt returns the capsule at start, whose body begins at the second offset.
func capsuleAt(text string, start, body int) capsule {
	rest := text[body:]
	if inside, _, closed := strings.Cut(rest, CapsuleClose); closed {
		return capsule{Span: Span{start, body + len(inside) + len(CapsuleClose)}, body: inside}
	}
	rest, _, _ = strings.Cut(rest, "\n\n")
	return capsule{Span: Span{start, body + len(rest)}, open: true}
}

// capsuleIn returns what the last valid capsule says. A capsule in the payload of a block is a part of that.
func capsuleIn(capsules []capsule, blocks []Span) (text string) {
	for _, c := range capsules {
		if said := capsuleText(c.body); said != "" && !spans(blocks).contain(c.Start) {
			text = said
		}
	}
	return text
}

// previewCapsules returns from where on a preview has to wait because of capsules.
func previewCapsules(r *Reply, capsules []capsule) (cut int) {
	cut = min(shakyExample(r, CapsuleOpen), shakyExample(r, CapsuleClose))
	if i := strings.LastIndexByte(r.Text, '<'); i >= 0 && !r.Inert(i) {
		if tail := r.Text[i:]; strings.HasPrefix(CapsuleOpen, tail) || strings.HasPrefix(CapsuleClose, tail) {
			cut = min(cut, i)
		}
	}
	for _, c := range capsules {
		if c.open {
			return min(cut, c.Start)
		}
	}
	return cut
}

// capsuleFields are the fields of a capsule, of which the first two are required, and how they are written for models.
var capsuleFields = []struct{ name, alias, label string }{
	{"currentFocus", "current_focus", "Focus"}, {"nextStep", "next_step", "Next step"},
	{"activeTaskId", "active_task_id", "Task"}, {"blockedOn", "blocked_on", "Blocked on"},
}

const (
	requiredFields  = 2
	maxCapsuleField = 200 // characters
)

// capsuleText is what a capsule says, a line for each field, or empty if it is not valid.
func capsuleText(body string) string {
	said := capsuleValues(body)
	var lines []string
	for i, f := range capsuleFields {
		switch value := strings.TrimSuffix(chat.Clip(chat.OneLine(said[capsuleKey(f.name)]), maxCapsuleField), "…"); {
		case !slices.Contains(saysNone, strings.ToLower(value)):
			lines = append(lines, f.label+": "+value)
		case i < requiredFields:
			return ""
		}
	}
	return strings.Join(lines, "\n")
}

// saysNone are the ways to say that there is nothing.
var saysNone = []string{"", "none", "(none)", "n/a", "(n/a)", "[]", "null"}

// capsuleValues are the fields of a capsule, which is JSON or has a line for each.
func capsuleValues(body string) map[string]string {
	said := map[string]string{}
	var members map[string]any
	begin, end := strings.IndexByte(body, '{'), strings.LastIndexByte(body, '}')
	if begin >= 0 && begin < end && json.Unmarshal([]byte(body[begin:end+1]), &members) == nil {
		for _, f := range capsuleFields {
			for _, name := range []string{f.alias, f.name} {
				if text, ok := members[name].(string); ok {
					said[capsuleKey(name)] = text
				} else if members[name] != nil {
					said[capsuleKey(name)] = strings.Trim(fmt.Sprint(members[name]), "[]") // a list
				}
			}
		}
		return said
	}
	for _, line := range chat.Lines(body) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			said[capsuleKey(name)] = strings.Trim(value, " \t*")
		}
	}
	return said
}

var joiners = strings.NewReplacer("_", "", "-", "", "*", "", " ", "", "\t", "")

// capsuleKey is the name of a field in small letters, without what joins words or stands around it in Markdown.
func capsuleKey(name string) string { return strings.ToLower(joiners.Replace(name)) }
