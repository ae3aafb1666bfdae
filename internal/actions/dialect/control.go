package dialect

import (
	"slices"

	"discoclaw/internal/actions"
)

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
