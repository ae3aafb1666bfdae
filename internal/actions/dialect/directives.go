package dialect

import (
	"iter"
	"slices"
	"strings"
)

// Directives is LettaBot's dialect: a block <actions>…</actions> with a tag for each request, and <no-reply/>. Blocks run
// at the very beginning of a reply, or anywhere if told so; others are taken out without being run.
func Directives(anywhere bool) Pass { return directives{anywhere} }

type directives struct{ anywhere bool }

const (
	directiveDialect = "directives"

	actionsOpen  = "<actions~>"
	actionsClose = "</actions~>"
)

// noReply are the ways to write that there is no reply.
var noReply = []string{"<no-reply~/~>", "<no-reply></no-reply>"}

func (directives) Name() string { return directiveDialect }

// Open takes the blocks off the beginning. White space between and behind them goes as well, so that what
// follows is not read as indented code.
func (directives) Open(text string) Opened {
	o := Opened{Rest: text}
	for {
		at := skipSpace(o.Rest, 0)
		body, whole, partial := follow(o.Rest, at, actionsOpen)
		if !whole {
			o.Waits = partial && at < len(o.Rest)
			return o
		}
		end, closed := find(o.Rest, body, actionsClose)
		if !closed {
			end = Span{body, behindTags(o.Rest, body)}
			o.Found, o.Waits = append(o.Found, unusable("<actions> lacks its end, so nothing in it was done")), true
		} else {
			o.Found = append(o.Found, compile(o.Rest[body:end.Start])...)
		}
		o.Rest = o.Rest[skipSpace(o.Rest, end.End):]
		if !closed {
			return o
		}
	}
}

// behindTags returns the offset behind the complete tags at i, and behind their text if they have some.
func behindTags(text string, i int) int {
	s := scanner{text: text}
	for {
		at := skipSpace(text, i)
		t, ok := s.tagAt(at)
		if !ok || t.endless {
			return i
		}
		i = t.end
	}
}

// A directive is a piece of markup in the text.
type directive struct {
	Span
	silent   bool // it is a <no-reply/>
	body     Span // of a block
	open     bool // the block has no end
	cut      bool // the text ends in the middle of a marker
	unsteady bool // see Reply.Shaky
}

// directivesIn finds the markup of an opened text, and what may become markup.
func directivesIn(r *Reply) (found []directive) {
	at, endless := 0, false
	for i := range openings(r.Text, '<') {
		if i < at || i+1 < len(r.Text) && strings.IndexByte("aAnN", r.Text[i+1]) < 0 || !r.Free(i) && !r.Shaky(i) {
			continue
		}
		if d, ok := directiveAt(r.Text, i, endless); ok {
			d.unsteady = r.Shaky(i)
			found = append(found, d)
			at, endless = d.End, endless || d.open
		}
	}
	return found
}

// directiveAt reads the markup at i. Endless says that no block ends behind it, which need not be looked up again.
func directiveAt(text string, i int, endless bool) (d directive, ok bool) {
	d.Start = i
	for _, form := range noReply {
		end, whole, partial := follow(text, i, form)
		if whole {
			d.End, d.silent = end, true
			return d, true
		}
		d.cut = d.cut || partial
	}
	body, whole, partial := follow(text, i, actionsOpen)
	if d.cut = d.cut || partial; d.cut {
		d.End = len(text)
		return d, true
	}
	if !whole {
		return d, false
	}
	d.End, d.open = body, true
	if !endless {
		if closer, ok := find(text, body, actionsClose); ok {
			d.body, d.End, d.open = Span{body, closer.Start}, closer.End, false
		}
	}
	return d, true
}

func (p directives) Find(r *Reply) []Region { return p.regions(r, directivesIn(r)) }

func (p directives) regions(r *Reply, list []directive) (found []Region) {
	for _, d := range list {
		switch {
		case d.open || d.cut || d.unsteady:
		case d.silent:
			found = append(found, Region{Span: d.Span, Tidy: true, Control: Control{NoReply: true}})
		case p.anywhere:
			found = append(found, over(d.Span, compile(r.Text[d.body.Start:d.body.End])...)...)
		default:
			found = append(found, Region{Span: d.Span, Tidy: true, Stripped: "actions"})
		}
	}
	return found
}

// Preview waits for the end of a block and of a marker.
func (p directives) Preview(r *Reply) (hidden []Region, cut int) {
	list := directivesIn(r)
	if i := slices.IndexFunc(list, func(d directive) bool { return d.open || d.cut || d.unsteady }); i >= 0 {
		return p.regions(r, list[:i]), list[i].Start
	}
	return p.regions(r, list), len(r.Text)
}

// openings yields the offsets of a character.
func openings(text string, char byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; at++ {
			i := strings.IndexByte(text[at:], char)
			if i < 0 || !yield(at+i) {
				return
			}
			at += i
		}
	}
}

// follow reads a tag at i by its form, which is in small letters and has "~" where white space may stand. Case makes no
// difference. If the text ends first, the tag is partial.
func follow(text string, i int, form string) (end int, whole, partial bool) {
	for k := range len(form) {
		if form[k] == '~' {
			i = skipSpace(text, i)
			continue
		}
		if i == len(text) {
			return i, false, true
		}
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != form[k] {
			return i, false, false
		}
		i++
	}
	return i, true, false
}

// find returns the first such tag at or behind an offset.
func find(text string, at int, form string) (Span, bool) {
	for i := range openings(text[at:], form[0]) {
		if end, whole, _ := follow(text, at+i, form); whole {
			return Span{at + i, end}, true
		}
	}
	return Span{}, false
}

// namesIn are the keys of a table, in order.
func namesIn[T any](table map[string]T) []string {
	names := make([]string, 0, len(table))
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
