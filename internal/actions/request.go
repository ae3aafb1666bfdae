package actions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// The markers around a request in a model's text. They are exact: case matters
// and there are no attributes.
const (
	BlockOpen  = "<discord-action>"
	BlockClose = "</discord-action>"
)

// A Request is found in a reply by a dialect: a name and its arguments, unchecked.
type Request struct {
	Type    string
	Args    json.RawMessage // the whole object as written, its "type" included
	Dialect string
	Calls   []string // the IDs of the function calls that ask for it, whose result is its outcome; mostly none
	Quiet   bool     // no line for the user, and a failure starts no follow-up
	Settled bool     // the reply has what it brings already, so its success starts no follow-up
	Lacks   string   // why it cannot be carried out, since what it leaves out is not there; an error for people
}

// Called returns the request of a function or tool call. The input is a JSON object, or nothing.
func Called(name string, input json.RawMessage) (Request, error) {
	var members map[string]json.RawMessage
	if len(bytes.TrimSpace(input)) > 0 {
		if err := json.Unmarshal(input, &members); err != nil {
			return Request{}, errors.New("the arguments must be a JSON object")
		}
	}
	if members == nil { // there were none, or they were null
		members = map[string]json.RawMessage{}
	}
	members["type"], _ = json.Marshal(name) // texts always can be encoded
	args, err := json.Marshal(members)
	return Request{Type: name, Args: args}, err
}

// Arguments are the members of the request besides its type, as compact JSON.
func (r Request) Arguments() string {
	var members map[string]json.RawMessage
	if json.Unmarshal(r.Args, &members) != nil {
		return ""
	}
	delete(members, "type")
	text, err := json.Marshal(members)
	if err != nil {
		return ""
	}
	return string(text)
}

// Passages returns the longer texts in the fields of a request, which may repeat what the model has read. Names and IDs are none.
func (r Request) Passages() []string {
	var fields map[string]any
	if json.Unmarshal(r.Args, &fields) != nil {
		return nil
	}
	delete(fields, "type")
	return slices.DeleteFunc(textsIn(fields), func(text string) bool { return len(text) < 16 || chat.IsID(text) })
}

func textsIn(value any) (list []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			list = append(list, textsIn(one)...)
		}
	case map[string]any:
		for _, one := range v {
			list = append(list, textsIn(one)...)
		}
	}
	return list
}

// content is the same for requests with the same members, in any order; see meaning.
func (r Request) content() string {
	var members map[string]any
	if json.Unmarshal(r.Args, &members) == nil {
		if text, err := json.Marshal(members); err == nil {
			return r.Type + " " + string(text)
		}
	}
	return r.Type + " " + string(r.Args)
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
	FlowMCP        Flow = "mcp"
	FlowCommand    Flow = "command" // an action that a command asks for, without a model
)

// unmarked is the key of a context whose answers are not marked.
type unmarked struct{}

// Unmarked returns a context for an answer that is not marked, though models may read it: queries show no outside text in it.
func Unmarked(ctx context.Context) context.Context { return context.WithValue(ctx, unmarked{}, true) }

// IsUnmarked reports whether a context is one of [Unmarked].
func IsUnmarked(ctx context.Context) bool { return ctx.Value(unmarked{}) != nil }

// An Origin says where a turn came from. Categories read it; they never need the event
// itself.
type Origin struct {
	Flow      Flow
	Place     chat.Place
	Requester chat.UserID // empty if it is unknown
	// Prompters are the authors of the question that the requester has answered, if that led
	// here, and of the questions that led to it. They chose the words, so their rights bound the turn as well.
	Prompters chat.UserIDs
	Depth     int          // more than 0 inside the work on a plan; deferred runs and jobs are at 0, however they were started
	Turn      chat.TurnID  // names the turn in the journal; empty outside of one
	Undoing   bool         // this undoes actions, and is not undone itself
	Approves  chat.UserID  // whose request the requester would approve; only while their rights are looked up
	Outside   chat.Sources // the outside texts that the turn has read so far
	Granted   []string     // types of actions that were approved beforehand, when the turn's work was set up
	Job       string       // the scheduled job that the turn is a run of, if it is one
	Wish      *Wish        // the words that ask for what is done; nil if there are none
	Private   bool         // the turn was told what not everybody who reads the answer may know
}

// People are the users whose rights bound the turn: what one of them may not see or do is
// not shown and not done. It is empty if the requester is unknown.
func (o Origin) People() []chat.UserID {
	if o.Requester == "" {
		return nil
	}
	return chat.Union(o.Requester, o.Prompters).List()
}

// Addressed is what a refusal calls the requester: "you" in an answer to them, and by a mention in work that
// begins without them.
func (o Origin) Addressed() string {
	if o.Unattended() {
		return o.Requester.Mention()
	}
	return "you"
}

// Unattended reports whether the work began without the requester.
func (o Origin) Unattended() bool {
	return o.Flow == FlowDefer || o.Flow == FlowCron
}

// A Call is an action's context besides its input. A middleware that has checked something
// passes on a Call that says so.
type Call struct {
	Origin Origin

	permitted, approved bool
	gate                Gate                               // of the turn; closed outside Execute
	afterwards          bool                               // the turn's reply is over
	asked               bool                               // the asker's own words ask for it, so what was read does not matter
	weigh               func(context.Context, Call, Bound) // gets it instead of running it; mostly nil
	mass                bool                               // its changes need approval, as one of too many
	taint               Taint                              // what becomes of its changes, since the turn has read outside text
	source              chat.SourceOf                      // what is outside text in messages
	makes               []string                           // names of what held requests of the reply will make
	closing             []chat.ChannelID                   // in which held requests of the reply take rights
	checked             chat.ChannelID                     // where the requester's rights were checked
	sent                map[chat.ChannelID]chat.MessageID  // shared by the actions of one reply; nil outside Execute
	mark                func(chat.Sources, chat.MessageID) // may be nil
	channels            FindChannel                        // may be nil
	messages            FindMessage                        // may be nil
	readable            FindReadable                       // may be nil
	quoted              *quotes                            // the words of messages on the card; nil unless one is written
	users               FindUser                           // may be nil
	roles               FindRole                           // may be nil
	begin               func(context.Context) error        // records the request before it has an effect; may be nil
	idempotencyKey      string                             // empty if the turn cannot be resumed
}

// IdempotencyKey returns a key of this request that stays the same when the turn is resumed
// after a crash. The second result is false if the turn cannot be resumed.
func (c Call) IdempotencyKey() (string, bool) { return c.idempotencyKey, c.idempotencyKey != "" }

// Gate is what may run in the turn.
func (c Call) Gate() Gate { return c.gate }

// Sent records that this action has sent a message, for later actions of the same reply
// that refer to it without its ID.
func (c Call) Sent(ch chat.ChannelID, m chat.MessageID) {
	if c.sent != nil {
		c.sent[ch] = m
	}
	c.Wrote(m)
}

// Wrote marks a message whose text this action wrote with the outside texts that the turn had read, so that its
// readers count as having read them.
func (c Call) Wrote(m chat.MessageID) {
	if c.mark != nil {
		c.mark(c.Origin.Outside, m)
	}
}

// LastSent is the latest message that an earlier action of the same reply has sent
// to the channel.
func (c Call) LastSent(ch chat.ChannelID) (chat.MessageID, bool) {
	m, ok := c.sent[ch]
	return m, ok
}

// PermittedIn vouches that the requester has the rights that the action needs in a channel.
func (c Call) PermittedIn(ch chat.ChannelID) Call {
	c.permitted, c.checked = true, ch
	return c
}

// Checked is the channel of PermittedIn, if there is one. It is the one to act in: a name
// may mean another channel by now than when it was checked.
func (c Call) Checked() (chat.ChannelID, bool) { return c.checked, c.checked != "" }

// Afterwards reports whether the turn's reply is over: it runs because it was approved.
func (c Call) Afterwards() bool { return c.afterwards }

// Approved vouches that the action was approved.
func (c Call) Approved() Call {
	c.approved = true
	return c
}

// A Result is that of an action that succeeded.
type Result struct {
	Summary string // for people, in a few words
	ID      string // of what the summary names otherwise, for the model
	Seen    bool   // people see what was done where they read the answer, so it gets no line
	// Found is what a query found, for the model. People see it only after the last answer of a
	// turn, and only if all who read that may know it; see LastLines.
	Found string
	From  []chat.ChannelID // the channels that Found is about
	Open  bool             // without such a channel: every member of the server may know what was found
	// Outside are the outside texts in Found, or in Hint.
	Outside chat.Sources
	// Shows are the messages in Found. Each stands on a line that ends with its ID, as in (id:123); the
	// model is given a handle instead.
	Shows []chat.Place
	// Reply is for the reader of the reply, unless the model has written it into its answer
	// as well.
	Reply string
	// Hint is what the model alone is told of a failure.
	Hint string
	// Undo are the inverses of the action, in the order in which they have to run. It is empty
	// if there are none.
	Undo []Inverse
}

// An Inverse undoes an action. It is a request like any other, so that it passes the same
// gate and needs the same rights.
type Inverse struct {
	Request Request
	Text    string // its effect, in Markdown: "rename #chat back to general"
}

// Reverse is an inverse of the given type. The input is that type's own struct, with IDs
// as references.
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
	Detail string // for the model, so that it can correct its mistake
	Call   string // the ID of the function call that it is instead; mostly empty
}

// A Flaw is what is wrong with a Malformed block.
type Flaw uint8

const (
	NotJSON  Flaw = iota // the payload does not decode
	CutOff               // the payload never ends
	NoType               // the payload is not an object with a "type"
	Unusable             // another dialect's markup lacks something, or is one request too many
)
