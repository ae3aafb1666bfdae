// Package reference renders what is known about actions for its readers: the
// model, which gets a prompt, and people, who get a page.
//
// Nothing here is written by hand for a particular action; all of it comes from
// the action's struct and Spec.
package reference

import (
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
)

// A Prompt teaches a model the actions of one gate.
type Prompt struct {
	// Static is the same for every turn with the same gate, so that a provider can
	// cache it: how to write a block, the rules, and one line for every allowed
	// action. It is empty if nothing is allowed.
	Static string
	// Details explain the fields of the categories that the turn seems to be about,
	// a text for each.
	Details []string
}

// Explain joins the details that fit into as many bytes. What does not fit is still
// named in Static, with its required fields.
func (p Prompt) Explain(room int) string {
	var some []string
	for _, text := range p.Details {
		if len(text) <= room {
			some = append(some, text)
			room -= len(text) + len(separator)
		}
	}
	return strings.Join(some, separator)
}

// ExplainAll joins all details.
func (p Prompt) ExplainAll() string { return strings.Join(p.Details, separator) }

const separator = "\n\n"

// NewPrompt renders the gate. The hint chooses the categories that are explained
// in detail; nil means all of them.
func NewPrompt(g actions.Gate, hint *actions.Hint) Prompt {
	var lines, details []string
	asks := ""
	for c, acts := range g.Sections() {
		for _, a := range acts {
			lines = append(lines, compactLine(a))
			if a.Grave {
				asks = asksFirst
			}
		}
		if isAbout(c, hint) {
			details = append(details, explain(c, acts))
		}
	}
	if len(lines) == 0 {
		return Prompt{}
	}
	return Prompt{
		Static:  fmt.Sprintf(howTo, asks) + strings.Join(lines, "\n"),
		Details: details,
	}
}

// asksFirst is said only where it applies.
const asksFirst = "- An (asks first) action waits for a person's approval by itself; do not ask for it yourself.\n"

// howTo is paid for with every turn. Each sentence answers a mistake that models
// make.
const howTo = `## Actions

To act, write a block anywhere in your reply:
` + actions.BlockOpen + `{"type":"name","field":"value"}` + actions.BlockClose + `

- Only the types below exist. Leave a block out rather than invent a type, an ID or a value.
- One JSON object per block. Put all blocks you need into one reply; they run in order, and a type may repeat.
- Readers do not see blocks; lines with the results are added below your reply. Do not announce work without the block that does it, and do not claim success you have not seen.
- Results of a (query) come back to you before the user hears more, so wait for them instead of guessing.
- To show a block without running it, put it in code.
%s
Types, with their required fields (… if there are optional ones):
`

// compactLine names an action with what is needed to use it at all.
func compactLine(a *actions.Action) string {
	var fields []string
	for _, f := range a.Fields() {
		if f.Required {
			fields = append(fields, f.Name)
		}
	}
	if len(fields) < len(a.Fields()) {
		fields = append(fields, "…")
	}
	name := a.Name
	if len(fields) > 0 {
		name += " {" + strings.Join(fields, ", ") + "}"
	}
	return name + ": " + a.Summary + marks(a)
}

func marks(a *actions.Action) string {
	s := ""
	if a.Effect == actions.Queries {
		s += " (query)"
	}
	if a.Grave {
		s += " (asks first)"
	}
	return s
}

func isAbout(c actions.Category, hint *actions.Hint) bool {
	topical, ok := c.(actions.Topical)
	return !ok || hint == nil || topical.Matches(*hint)
}

// explain renders a category in detail.
func explain(c actions.Category, acts []*actions.Action) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n", c.Name())
	if guide, ok := c.(actions.Guide); ok {
		fmt.Fprintln(&b, guide.Guidance())
	}
	for _, a := range acts {
		fmt.Fprintf(&b, "\n%s: %s%s\n", a.Name, a.Summary, marks(a))
		fmt.Fprintf(&b, "%s%s%s\n", actions.BlockOpen, a.Examples()[0], actions.BlockClose)
		writeFields(&b, a.Fields(), "  ")
		for _, note := range a.Notes {
			fmt.Fprintf(&b, "  %s\n", note)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
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

// conditions says whether a field must be there and which values it takes.
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
