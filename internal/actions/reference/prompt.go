// Package reference renders the documentation of actions: a prompt for the model, and a
// page for people.
//
// Nothing here is written by hand for a particular action; all of it comes from
// the action's struct and Spec.
package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
)

// A Prompt teaches a model the actions of one gate.
type Prompt struct {
	// Static is the same for every turn with the same gate, so that a provider can
	// cache it: how to write a block, the rules, and one line for every allowed
	// action. It is empty if nothing is allowed.
	Static   string
	sections []section // the categories that the turn seems to be about
}

// A section explains a category: what goes for all of it, and each action.
type section struct {
	head   string
	pieces []piece
}

// A piece explains one action.
type piece struct {
	text     string
	relevant int // how many of its words are in the turn
}

// Explain explains as many actions as fit into so many bytes, the most relevant first. The
// others are still named in Static, with their required fields.
func (p Prompt) Explain(room int) string {
	type place struct{ section, piece int }
	var all []place
	for i, s := range p.sections {
		for j := range s.pieces {
			all = append(all, place{i, j})
		}
	}
	slices.SortStableFunc(all, func(a, b place) int {
		return cmp.Compare(p.sections[b.section].pieces[b.piece].relevant, p.sections[a.section].pieces[a.piece].relevant)
	})
	chosen := make([]map[int]bool, len(p.sections))
	for _, at := range all {
		s := p.sections[at.section]
		cost := len(s.pieces[at.piece].text)
		if chosen[at.section] == nil {
			cost += len(s.head) + len(separator)
		}
		if cost > room {
			continue
		}
		room -= cost
		if chosen[at.section] == nil {
			chosen[at.section] = map[int]bool{}
		}
		chosen[at.section][at.piece] = true
	}
	return p.join(func(section, piece int) bool { return chosen[section][piece] })
}

// ExplainAll explains all of them.
func (p Prompt) ExplainAll() string { return p.join(func(int, int) bool { return true }) }

// join puts the chosen pieces below the heads of their sections.
func (p Prompt) join(chosen func(section, piece int) bool) string {
	var some []string
	for i, s := range p.sections {
		text := s.head
		for j, piece := range s.pieces {
			if chosen(i, j) {
				text += piece.text
			}
		}
		if text != s.head {
			some = append(some, strings.TrimSuffix(text, "\n"))
		}
	}
	return strings.Join(some, separator)
}

const separator = "\n\n"

// NewPrompt renders the gate. The hint chooses the categories that are explained
// in detail; nil means all of them.
func NewPrompt(g actions.Gate, hint *actions.Hint) Prompt {
	var lines []string
	var sections []section
	asks := ""
	for c, acts := range g.Sections() {
		for _, a := range acts {
			lines = append(lines, compactLine(a))
			if a.Destructive {
				asks = asksFirst
			}
		}
		if isAbout(c, hint) {
			sections = append(sections, explain(c, acts, hint))
		}
	}
	if len(lines) == 0 {
		return Prompt{}
	}
	return Prompt{Static: fmt.Sprintf(howTo, asks) + strings.Join(lines, "\n"), sections: sections}
}

// asksFirst is said only where it applies.
const asksFirst = "- A person is asked before a type with ! runs; do not ask yourself.\n"

// howTo is part of every turn. Each sentence answers a common mistake of models.
const howTo = `## Actions

To act, write a block anywhere in your reply, one JSON object each:
` + actions.BlockOpen + `{"type":"name","field":"value"}` + actions.BlockClose + `

- Only the types below exist. Leave a block out rather than invent a type, an ID or a value.
- Put all blocks you need into one reply; they run in order, and a type may repeat.
- Readers do not see blocks; results are added below your reply. Do not announce work without the block that does it, nor claim success you have not seen.
- Results of a query, a type with ?, come back to you before the user hears more: wait for them instead of guessing.
- To show a block without running it, put it in code.
%s
Types, with their required fields (+ if there are optional ones):
`

// marks are what stands behind a summary.
func marks(a *actions.Action) string {
	s := ""
	if a.Effect == actions.Queries {
		s += " (query)"
	}
	if a.Destructive {
		s += " (asks first)"
	}
	return s
}

func isAbout(c actions.Category, hint *actions.Hint) bool {
	topical, ok := c.(actions.Topical)
	return !ok || hint == nil || hint.All || topical.Matches(*hint)
}

// explain renders a category in detail.
func explain(c actions.Category, acts []*actions.Action, hint *actions.Hint) section {
	s := section{head: fmt.Sprintf("### %s\n", c.Name())}
	if guide, ok := c.(actions.Guide); ok {
		s.head += guide.Guidance() + "\n"
	}
	for _, a := range acts {
		s.pieces = append(s.pieces, piece{text: "\n" + Explain(a) + "\n", relevant: relevance(a, hint)})
	}
	return s
}

// Explain renders one action in detail.
func Explain(a *actions.Action) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s%s\n", a.Name, a.Summary, marks(a))
	fmt.Fprintf(&b, "%s%s%s\n", actions.BlockOpen, a.Examples()[0], actions.BlockClose)
	writeFields(&b, a.Fields(), "  ")
	for _, note := range a.Notes {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// relevance is how many words of an action's summary are in the turn. Endings of words do
// not count.
func relevance(a *actions.Action, hint *actions.Hint) int {
	if hint == nil {
		return 0
	}
	n := 0
	for word := range strings.FieldsSeq(strings.ToLower(a.Summary)) {
		stem := strings.Trim(word, ".,;:()")
		if len(stem) > 5 {
			stem = stem[:len(stem)-len(stem)/4]
		}
		if len(stem) > 3 && hint.Mentions(stem) {
			n++
		}
	}
	return n
}

func writeFields(b *strings.Builder, fields []schema.Field, indent string) {
	for _, f := range fields {
		fmt.Fprintf(b, "%s%s (%s): %s\n", indent, f.Name, conditions(f), f.Doc)
		writeFields(b, inner(f), indent+"  ")
	}
}

// inner are the fields of an object, or of the objects in a list.
func inner(f schema.Field) []schema.Field {
	if f.Kind == schema.List {
		return f.Item.Fields
	}
	return f.Fields
}

// conditions says whether a field is required and which values it takes.
func conditions(f schema.Field) string {
	parts := []string{"optional"}
	if f.Required {
		parts[0] = "required"
	}
	if limits := f.Limits(); limits != "" {
		parts = append(parts, limits)
	}
	if f.Default != "" {
		parts = append(parts, "default "+f.Default)
	}
	if f.Example != "" {
		parts = append(parts, "such as "+f.Example)
	}
	return strings.Join(parts, ", ")
}
