package dialect

import (
	"slices"
	"strings"

	"discoclaw/internal/actions"
)

// A Dialect is a spelling that a turn understands.
type Dialect struct {
	Pass
	// Teach says in a paragraph how a model writes it, with what the gate lets through. It
	// may be nil: the dialect is then understood without being taught, as blocks is here,
	// which the list of actions teaches.
	Teach func(g actions.Gate) string
}

// A List is what one turn understands. Where two dialects claim the same text, the
// earlier one has it. The empty list is blocks alone.
type List []Dialect

// Parser returns the parser of a turn with that gate.
func (l List) Parser(g actions.Gate) *Parser {
	if len(l) == 0 {
		return New(g.Accepts, Blocks()).WithCapsules()
	}
	passes := make([]Pass, len(l))
	for i, d := range l {
		passes[i] = d.Pass
	}
	return New(g.Accepts, passes...).WithCapsules()
}

// Without returns the list without the dialect of a name.
func (l List) Without(name string) List {
	return slices.DeleteFunc(slices.Clone(l), func(d Dialect) bool { return d.Name() == name })
}

// asExample stands below what is taught.
const asExample = "People do not see what you write in these forms; to show them one, put it in code."

// Teach is what a prompt says about the dialects, below the list of actions.
func (l List) Teach(g actions.Gate) string {
	var taught []string
	for _, d := range l {
		if d.Teach == nil {
			continue
		}
		if text := d.Teach(g); text != "" {
			taught = append(taught, text)
		}
	}
	if taught == nil {
		return ""
	}
	return strings.Join(append(taught, asExample), "\n\n")
}
