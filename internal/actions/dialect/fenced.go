package dialect

import "strings"

// isFenced reports whether a reply is nothing but fences, with blocks in them that the gate would
// try. A model that meant an example would have said something about it.
func (p *Parser) isFenced(r *Reply) bool {
	found, at := false, 0
	for _, block := range blockCode(r.Text) {
		if strings.TrimFunc(r.Text[at:block.Start], isSpace) != "" {
			return false
		}
		at = block.End
		first, inside, _ := strings.Cut(r.Text[block.Start:block.End], "\n")
		if openingFence(first).width == 0 {
			return false
		}
		inner := &Reply{Text: inside, accepts: p.accepts}
		for _, pass := range p.passes {
			found = found || inner.countAccepted(pass.Find(inner)) > 0
		}
	}
	return found && strings.TrimFunc(r.Text[at:], isSpace) == ""
}
