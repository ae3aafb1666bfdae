package actions

import (
	"context"
	"encoding/json"

	"discoclaw/internal/actions/schema"
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
	FlowMCP        Flow = "mcp"
)

// An Origin says where a turn came from. Categories read it; they never need the
// event itself.
type Origin struct {
	Flow      Flow
	Place     chat.Place
	Requester chat.UserID // empty when nobody is known to have asked
	// Prompter is whose question the requester has answered, if that led here. Who
	// asks chooses the words, so their rights bound the turn as well.
	Prompter chat.UserID
	Depth    int         // 0 for a turn a person or a timer began, 1 inside a run it started
	Turn     chat.TurnID // names the turn in the journal; empty outside of one
	Undoing  bool        // this takes something back, and is not taken back itself
}

// People are those whose rights bound what is done: what one of them may not see or do
// is not shown and not done. There is nobody if nobody is known to have asked.
func (o Origin) People() []chat.UserID {
	switch {
	case o.Requester == "":
		return nil
	case o.Prompter == "" || o.Prompter == o.Requester:
		return []chat.UserID{o.Requester}
	}
	return []chat.UserID{o.Requester, o.Prompter}
}

// A Call is what an action is told besides its input. A middleware that has made
// sure of something hands on a Call that says so.
type Call struct {
	Origin Origin

	permitted, approved bool
	checked             chat.ChannelID                    // where the requester's rights were looked up
	sent                map[chat.ChannelID]chat.MessageID // shared by the actions of one reply; nil outside Execute
	begin               func(context.Context) error       // written down before anything is done; nil if nobody does that
	idempotencyKey      string                            // names the request; empty if nobody would go on with it
}

// IdempotencyKey names this request among all of its turn, also when another process goes on with
// that. It is false if none would.
func (c Call) IdempotencyKey() (string, bool) { return c.idempotencyKey, c.idempotencyKey != "" }

// Sent records that this action has sent a message, for later actions of the same
// reply that mean it without knowing its ID.
func (c Call) Sent(ch chat.ChannelID, m chat.MessageID) {
	if c.sent != nil {
		c.sent[ch] = m
	}
}

// LastSent is the latest message that an earlier action of the same reply has sent
// to the channel.
func (c Call) LastSent(ch chat.ChannelID) (chat.MessageID, bool) {
	m, ok := c.sent[ch]
	return m, ok
}

// Permitted vouches that the requester holds what the action needs.
func (c Call) Permitted() Call {
	c.permitted = true
	return c
}

// PermittedIn vouches that the requester holds what the action needs in a channel.
func (c Call) PermittedIn(ch chat.ChannelID) Call {
	c.permitted, c.checked = true, ch
	return c
}

// Checked is the channel for which somebody has vouched, if there is one. It is the
// one to act in: a name may mean another channel by now than when it was checked.
func (c Call) Checked() (chat.ChannelID, bool) { return c.checked, c.checked != "" }

// Approved vouches that a person has agreed to something that cannot be undone.
func (c Call) Approved() Call {
	c.approved = true
	return c
}

// A Result is what an action that succeeded has to say.
type Result struct {
	Summary string
	// Reply is what the reader of the reply should see, if the model has not written
	// it into its answer as well.
	Reply string
	// Undo is what would take the action back, in the order in which it has to be
	// done. It is empty where nothing would.
	Undo []Inverse
}

// An Inverse takes an action back. It is a request like any other, so that it passes
// the same gate and needs the same rights.
type Inverse struct {
	Request Request
	Text    string // what it would do, in Markdown: "rename #chat back to general"
}

// Reverse is an inverse of the given type. The input is that type's own struct, in
// which everything is meant by its ID.
func Reverse(text, typ string, input any) Inverse {
	args, err := schema.Encode(typ, input)
	if err != nil {
		panic(err) // the struct of an action always encodes
	}
	return Inverse{Request: Request{Type: typ, Args: args}, Text: text}
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
