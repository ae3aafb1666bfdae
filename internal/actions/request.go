package actions

import (
	"encoding/json"

	"discoclaw/internal/chat"
)

// The markers around a request in a model's text. They are exact: case matters
// and there are no attributes.
const (
	BlockOpen  = "<discord-action>"
	BlockClose = "</discord-action>"
)

// A Request is what a dialect found in a reply: a name and its arguments, nothing
// decided.
type Request struct {
	Type    string
	Args    json.RawMessage // the whole object as written, its "type" included
	Dialect string
	Quiet   bool // no line for the user, and a failure starts no follow-up
}

// A Flow is a way in which a turn can begin.
type Flow string

const (
	FlowMessage    Flow = "message"
	FlowReaction   Flow = "reaction"
	FlowCron       Flow = "cron"
	FlowDefer      Flow = "defer"
	FlowVoice      Flow = "voice"
	FlowTrustedBot Flow = "trusted-bot"
	FlowDM         Flow = "dm"
	FlowWebhook    Flow = "webhook"
)

// An Origin says where a turn came from. Categories read it; they never need the
// event itself.
type Origin struct {
	Flow      Flow
	Place     chat.Place
	Requester chat.UserID // empty when nobody is known to have asked
	Depth     int         // 0 for a turn a person or a timer began, 1 inside a run it started
}

// A Call is what an action is told besides its input. A middleware that has made
// sure of something hands on a Call that says so.
type Call struct {
	Origin Origin

	permitted, approved bool
}

// Permitted vouches that the requester holds what the action needs.
func (c Call) Permitted() Call {
	c.permitted = true
	return c
}

// Approved vouches that a person has agreed to something that cannot be undone.
func (c Call) Approved() Call {
	c.approved = true
	return c
}

// A Result is what an action that succeeded has to say.
type Result struct {
	Summary string
}

// A Malformed block is one that was recognised and removed, but is no request.
type Malformed struct {
	Flaw   Flaw
	Detail string // for the model, so that it can mend its mistake
}

// A Flaw is what is wrong with a Malformed block.
type Flaw uint8

const (
	NotJSON Flaw = iota // the payload does not decode
	CutOff              // the payload never ends
	NoType              // the payload is not an object with a "type"
)
