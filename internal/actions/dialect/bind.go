package dialect

import (
	"cmp"
	"encoding/json"
	"slices"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// lastMessage is the bot's newest message in the current channel.
const lastMessage = "@last"

// Bind completes requests of dialects that leave out where they act: the message is the one that is answered, and the
// channel its own. Where no message is answered, one that needs it says so and is not carried out. Those of blocks and
// of function calls stay as they are, since models are taught all of their fields. It comes after the gate, so that
// nothing is let through because of it.
func Bind(g actions.Gate, from chat.Place, reqs []actions.Request) []actions.Request {
	bound := make([]actions.Request, len(reqs))
	for i, req := range reqs {
		bound[i] = req
		a, ok := g.Action(req.Type)
		given := fields{}
		if !ok || req.Dialect == blockDialect || req.Dialect == nativeDialect || json.Unmarshal(req.Args, &given) != nil {
			continue
		}
		bound[i].Lacks = given.complete(a, from, req.Dialect)
		if args, err := json.Marshal(given); err == nil {
			bound[i].Args = args
		}
	}
	return bound
}

// fields are those of a request, each as it was written.
type fields map[string]json.RawMessage

// noMessage is the error of a request about the message that is answered, in a scheduled job, a deferred run or a voice turn.
const noMessage = "there is no message to act on here"

// complete sets what a request leaves out. It returns what is missing, as an error for people.
func (f fields) complete(a *actions.Action, from chat.Place, dialect string) (lacks string) {
	if f.text("messageId") == lastMessage {
		f.set("messageId", string(chat.Last))
	}
	for _, field := range a.Fields() {
		switch {
		case field.Name == "messageId" && field.Required && !f.has("messageId", "message"):
			if from.Message == "" {
				return noMessage
			}
			f.set(field.Name, string(from.Message))
		case field.Name == "importance" && dialect == signalDialect && !f.has(field.Name):
			f.set(field.Name, 3) // [REMEMBER:…] is for what must not be forgotten
		}
	}
	message := cmp.Or(f.text("messageId"), f.text("message"))
	bare := message == string(chat.Last) || chat.IsID(message) // a link and a handle have their channel
	for _, field := range a.Fields() {
		if (field.Name == "channel" || field.Name == "channelId") && (field.Required || bare) && !f.has("channel", "channelId") && from.Channel != "" {
			f.set(field.Name, string(from.Channel))
		}
	}
	return ""
}

func (f fields) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return f[name] != nil && string(f[name]) != "null" })
}

// text is a field that is a string, or empty.
func (f fields) text(name string) (text string) {
	if json.Unmarshal(f[name], &text) != nil {
		return ""
	}
	return text
}

func (f fields) set(name string, value any) {
	if raw, err := json.Marshal(value); err == nil {
		f[name] = raw
	}
}
