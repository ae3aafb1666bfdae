package dialect

import "strings"

// fenced reports whether a reply has fences with blocks in them that the gate would try, and whether
// it is nothing else. Beside other words they may be an example.
func (p *Parser) fenced(r *Reply) (found, alone bool) {
	alone, at := true, 0
	for _, block := range blockCode(r.Text) {
		first, inside, _ := strings.Cut(r.Text[block.Start:block.End], "\n")
		between := strings.TrimFunc(r.Text[at:block.Start], isSpace)
		alone = alone && between == "" && openingFence(first).width > 0
		at = block.End
		inner := &Reply{Text: inside, accepts: p.accepts}
		found = found || inner.countAccepted(blocks{}.Find(inner)) > 0
	}
	return found, alone && strings.TrimFunc(r.Text[at:], isSpace) == ""
}
