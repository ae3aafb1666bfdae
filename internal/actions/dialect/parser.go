// Package dialect finds requests in a model's text and says what the reader sees
// of it.
//
// A dialect is a spelling, nothing more: each is a [Pass], and all compile to the
// same actions.Request. No pass runs anything or widens anything. Start with
// [Parser.Parse] for finished text and [Parser.Visible] for text that is still
// arriving.
//
// Model text is untrusted. Every pass must be linear in its length, whatever it
// contains.
package dialect

import (
	"strings"

	"discoclaw/internal/actions"
)

// A Pass finds one dialect's markup.
type Pass interface {
	Name() string
	// Find reports the regions of r's text that are this dialect's markup, in
	// order and without overlap.
	Find(r *Reply) []Region
	// Preview says of r's text, which may be unfinished, what to hide and from
	// where on to wait, which is the length of the text if there is nothing to
	// wait for. The hidden parts are in order and do not overlap.
	Preview(r *Reply) (hidden []Span, cut int)
}

// A Span is a half-open range of offsets.
type Span struct{ Start, End int }

// A Region is a stretch of text that the reader does not see, and what it means:
// a request, or nothing usable.
type Region struct {
	Span
	Request   *actions.Request
	Malformed *actions.Malformed
}

// A Parser applies passes to replies of one turn. It is safe for concurrent use.
type Parser struct {
	accepts  func(actions.Request) bool
	passes   []Pass
	capsules bool
}

// New returns a parser with the given passes. Accepts says which requests the
// turn's gate would try. A pass may use it to choose between two readings of a
// doubtful text, as blocks does, and for nothing else: the gate is applied to
// what Parse returns.
func New(accepts func(actions.Request) bool, passes ...Pass) *Parser {
	return &Parser{accepts: accepts, passes: passes}
}

// WithCapsules returns a parser that also takes capsules out of the text; see [CapsuleOpen].
func (p *Parser) WithCapsules() *Parser {
	with := *p
	with.capsules = true
	return &with
}

// Parsed is a reply taken apart.
type Parsed struct {
	Requests  []actions.Request // in source order
	Text      string            // what the reader sees
	Malformed []actions.Malformed
	Capsule   string // what the last valid capsule says; may be empty
	// Fenced and Shown say that nothing is asked for but in code, by blocks that the gate would try:
	// Fenced if there is nothing else, Shown if there are other words.
	Fenced, Shown bool
}

// Failures counts the payloads that did not decode.
func (p Parsed) Failures() int {
	n := 0
	for _, m := range p.Malformed {
		if m.Flaw == actions.NotJSON {
			n++
		}
	}
	return n
}

// Parse takes finished text apart. It is a pure function.
func (p *Parser) Parse(text string) Parsed {
	r := &Reply{Text: text, accepts: p.accepts}
	var regions []Region
	for _, pass := range p.passes {
		regions = merge(regions, pass.Find(r))
	}
	hidden := places(regions)
	var parsed Parsed
	if p.capsules {
		parsed.Capsule, hidden = takeCapsules(r, hidden)
	}
	parsed.Text = clean(text, hidden)
	for _, region := range regions {
		switch {
		case region.Request != nil:
			parsed.Requests = append(parsed.Requests, *region.Request)
		case region.Malformed != nil:
			parsed.Malformed = append(parsed.Malformed, *region.Malformed)
		}
	}
	if len(regions) == 0 {
		if len(hidden) > 0 {
			r = &Reply{Text: parsed.Text, accepts: p.accepts}
		}
		found, alone := p.fenced(r)
		parsed.Fenced, parsed.Shown = found && alone, found && !alone
	}
	return parsed
}

// Visible is what a preview may show of text that is still arriving. It never
// shows markup that the finished reply does not have. It may show less than the
// reply: what is in doubt stays hidden, and behind a block that does not end, or an
// example that follows a block without its closing marker, nothing is shown until
// the reply is finished.
func (p *Parser) Visible(soFar string) string {
	r := &Reply{Text: soFar, accepts: p.accepts}
	var hidden []Span
	cut := len(soFar)
	for _, pass := range p.passes {
		more, limit := pass.Preview(r)
		hidden = union(hidden, more)
		cut = min(cut, limit)
	}
	if p.capsules {
		more, limit := previewCapsules(r)
		hidden = union(hidden, more)
		cut = min(cut, limit)
	}
	return clean(soFar[:cut], hidden)
}

// A Reply is the text that passes look at, with what they share about it.
type Reply struct {
	Text string

	accepts func(actions.Request) bool
	inert   spans
	looked  bool
}

// Inert reports whether the byte at offset i is part of Markdown code or of a quote: what is
// written there is shown, and never run.
func (r *Reply) Inert(i int) bool {
	if !r.looked {
		r.inert, r.looked = inertSpans(r.Text), true
	}
	return r.inert.contain(i)
}

// merge adds a pass's regions in source order, but for those that touch what an earlier
// pass has claimed.
func merge(have, more []Region) []Region {
	all := make([]Region, 0, len(have)+len(more))
	for _, m := range more {
		for len(have) > 0 && have[0].End <= m.Start {
			all, have = append(all, have[0]), have[1:]
		}
		if len(have) == 0 || m.End <= have[0].Start {
			all = append(all, m)
		}
	}
	return append(all, have...)
}

func places(regions []Region) []Span {
	list := make([]Span, len(regions))
	for i, region := range regions {
		list[i] = region.Span
	}
	return list
}

// clean removes the spans, keeps at most one blank line between paragraphs, and
// trims. Spans may reach beyond the end of the text.
func clean(text string, remove []Span) string {
	if len(remove) > 0 {
		var b strings.Builder
		at := 0
		for _, s := range remove {
			if s.Start >= len(text) {
				break
			}
			b.WriteString(text[at:s.Start])
			at = min(s.End, len(text))
		}
		b.WriteString(text[at:])
		text = b.String()
	}
	return strings.TrimFunc(collapseNewlines(text), isSpace)
}

// collapseNewlines makes two of three or more newlines in a row.
func collapseNewlines(text string) string {
	const tooMany = "\n\n\n"
	i := strings.Index(text, tooMany)
	if i < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i >= 0 {
		b.WriteString(text[:i+2])
		text = strings.TrimLeft(text[i+2:], "\n")
		i = strings.Index(text, tooMany)
	}
	b.WriteString(text)
	return b.String()
}
