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
	"slices"
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
	Preview(r *Reply) (hidden []Region, cut int)
}

// An Opener is a pass that also takes something off before all passes look: what stands around
// the whole reply, or at its very beginning.
type Opener interface {
	Open(text string) Opened
}

// Opened is what an Opener leaves of a text.
type Opened struct {
	Rest    string
	Found   []Region // what it took off; their places mean nothing
	Wrapped bool     // Rest stood inside of something
	Damaged bool     // that was not whole, so nothing in Rest is run
	Waits   bool     // more text could still change this
}

// A Span is a half-open range of offsets.
type Span struct{ Start, End int }

// A Region is a stretch of text that the reader does not see, and what it means:
// a request, an order about the reply itself, or nothing usable. What means several things is
// several regions, of which all but the first are empty.
type Region struct {
	Span
	Request   *actions.Request
	Malformed *actions.Malformed
	Stripped  string // a name for what was asked for and can never run
	Control   Control
	Instead   string // stands in its place
	Tidy      bool   // the blanks around it go as well, and its line if that has nothing else
}

// A Parser applies passes to replies of one turn. It is safe for concurrent use.
type Parser struct {
	accepts  func(actions.Request) bool
	passes   []Pass
	capsules bool
}

// New returns a parser with the given passes. Accepts says which requests the
// turn's gate would try. A pass may use it to choose between two readings of a
// doubtful text, as blocks does, or what to show in place of a request, and for nothing
// else: the gate is applied to what Parse returns.
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
	Stripped  []string // names of what was asked for and can never run, besides what the gate strips
	Control   Control
	Capsule   string // what the last valid capsule says; may be empty
	// Fenced and Shown say that nothing is asked for but in code, by blocks that the gate would try:
	// Fenced if there is nothing else, Shown if there are other words.
	Fenced, Shown bool
}

// Failures counts what was recognised and could not be used, of blocks only the payloads that did not decode.
func (p Parsed) Failures() int {
	n := 0
	for _, m := range p.Malformed {
		if m.Flaw == actions.NotJSON || m.Flaw == actions.Unusable {
			n++
		}
	}
	return n
}

// Parse takes finished text apart. It is a pure function.
func (p *Parser) Parse(text string) Parsed {
	r, opened, _ := p.open(text)
	capsules, notes := p.capsulesOf(r)
	var regions []Region
	for _, pass := range p.passes {
		r.claimed = union(notes, places(regions))
		regions = merge(regions, pass.Find(r))
	}
	var parsed Parsed
	parsed.Capsule = capsuleIn(capsules, places(regions))
	parsed.Text = clean(r.Text, union(removed(r.Text, regions), notes), regions)
	if r.damaged {
		regions = nil
	}
	parsed.collect(append(opened, regions...))
	if len(opened)+len(regions) == 0 {
		if len(capsules) > 0 {
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
	r, _, waits := p.open(wholeRunes(soFar))
	if waits {
		return ""
	}
	capsules, notes := p.capsulesOf(r)
	cut := len(r.Text)
	var hidden []Span
	var regions []Region
	for _, pass := range p.passes {
		r.claimed = union(notes, hidden)
		more, limit := pass.Preview(r)
		hidden = union(hidden, removed(r.Text, more))
		regions = merge(regions, more)
		cut = min(cut, limit)
	}
	if p.capsules {
		cut = min(cut, previewCapsules(r, capsules))
	}
	for _, region := range regions {
		if region.Control.Interrupt && region.Start < cut {
			return ""
		}
	}
	return clean(r.Text[:cut], union(hidden, notes), regions)
}

// open lets the openers take off theirs. Waits means that more text may change what they do.
func (p *Parser) open(text string) (r *Reply, found []Region, waits bool) {
	r = &Reply{Text: text, accepts: p.accepts}
	for _, pass := range p.passes {
		if o, ok := pass.(Opener); ok {
			opened := o.Open(r.Text)
			found, waits = append(found, opened.Found...), waits || opened.Waits
			r.Text, r.wrapped, r.damaged = opened.Rest, r.wrapped || opened.Wrapped, r.damaged || opened.Damaged
			if opened.Damaged {
				break
			}
		}
	}
	return r, found, waits
}

// A Reply is the text that passes look at, with what they share about it.
type Reply struct {
	Text string

	accepts func(actions.Request) bool
	wrapped bool  // an opener took off what stood around it
	damaged bool  // that was not whole
	claimed spans // capsules, and what earlier passes have taken
	inert   spans
	looked  bool
	firm    *Reply // without the backticks at its end
}

// Inert reports whether the byte at offset i is part of Markdown code or of a quote: what is
// written there is shown, and never run.
func (r *Reply) Inert(i int) bool {
	if !r.looked {
		r.inert, r.looked = inertSpans(r.Text), true
	}
	return r.inert.contain(i)
}

// Free reports whether a dialect may take what begins at offset i.
func (r *Reply) Free(i int) bool { return !r.Inert(i) && !r.claimed.contain(i) }

// Shaky reports whether the byte at offset i is inert only because the text ends in the backticks that
// it ends in: one more, and they close nothing.
func (r *Reply) Shaky(i int) bool {
	if !strings.HasSuffix(r.Text, "`") || !r.Inert(i) {
		return false
	}
	if r.firm == nil {
		r.firm = &Reply{Text: strings.TrimRight(r.Text, "`")}
	}
	return !r.firm.Inert(i)
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

// Control is what a reply says about its own delivery. It needs no category, and works in direct
// messages too.
type Control struct {
	NoReply   bool     `json:"noReply,omitempty"`   // post nothing
	Stop      bool     `json:"stop,omitempty"`      // be silent in this channel until the bot is addressed
	Resume    bool     `json:"resume,omitempty"`    // end that
	Respond   bool     `json:"respond,omitempty"`   // the model chose to answer
	Continue  bool     `json:"continue,omitempty"`  // the model wants another turn
	Quote     bool     `json:"quote,omitempty"`     // begin with a quote of the message that is answered
	Reply     bool     `json:"reply,omitempty"`     // post it as a reply to that message
	Interrupt bool     `json:"interrupt,omitempty"` // withhold the text: the follow-up answers instead
	Decision  Decision `json:"decision,omitempty"`  // of a closed question
}

// A Decision is an answer to a closed question.
type Decision string

const (
	Undecided Decision = ""
	Yes       Decision = "yes"
	No        Decision = "no"

	both Decision = "both"
)

// add joins what two pieces of markup say.
func (c *Control) add(more Control) {
	c.NoReply = c.NoReply || more.NoReply
	c.Stop = c.Stop || more.Stop
	c.Resume = c.Resume || more.Resume
	c.Respond = c.Respond || more.Respond
	c.Continue = c.Continue || more.Continue
	c.Quote = c.Quote || more.Quote
	c.Reply = c.Reply || more.Reply
	c.Interrupt = c.Interrupt || more.Interrupt
	switch {
	case c.Decision == Undecided:
		c.Decision = more.Decision
	case more.Decision != Undecided && more.Decision != c.Decision:
		c.Decision = both
	}
}

// collect fills in what the regions mean. Silence is for a reply that has nothing to say, and that no other one replaces.
func (p *Parsed) collect(regions []Region) {
	for _, region := range regions {
		p.Control.add(region.Control)
		if region.Stripped != "" {
			p.Stripped = append(p.Stripped, region.Stripped)
		}
		if region.Malformed != nil {
			p.Malformed = append(p.Malformed, *region.Malformed)
		}
	}
	var surplus int
	p.Requests, surplus = asked(regions)
	p.Malformed = append(p.Malformed, slices.Repeat([]actions.Malformed{tooMany}, surplus)...)
	switch p.Control.Decision {
	case Yes, No:
		if p.Text == "" {
			p.Text = map[Decision]string{Yes: "Yes.", No: "No."}[p.Control.Decision]
		}
	default:
		p.Control.Decision = Undecided
	}
	p.Control.NoReply = p.Control.NoReply && p.Text == "" && !p.Control.Respond && !p.Control.Interrupt
}

// Prose returns text without its Markdown code and quotes.
func Prose(text string) string {
	var b strings.Builder
	at := 0
	for _, s := range inertSpans(text) {
		b.WriteString(text[at:s.Start])
		at = s.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// InCode returns a function that reports whether the byte of text at an offset is Markdown code.
func InCode(text string) func(offset int) bool { return codeSpans(text).contain }

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
