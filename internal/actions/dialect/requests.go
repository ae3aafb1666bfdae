package dialect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// What one reply may ask for in dialects other than blocks.
const (
	maxRequests = 20
	maxSearches = 3
)

var tooMany = actions.Malformed{
	Flaw:   actions.Unusable,
	Detail: fmt.Sprintf("one request too many: a reply has at most %d, and %d web searches", maxRequests, maxSearches),
}

// compiled returns the region of a request.
func compiled(dialect, typ string, members map[string]any) Region {
	all := map[string]any{"type": typ}
	for name, value := range members {
		if name != "type" {
			all[name] = value
		}
	}
	args, err := json.Marshal(all)
	if err != nil {
		return unusable("%s: %v", typ, err)
	}
	return Region{Tidy: true, Request: &actions.Request{Type: typ, Args: args, Dialect: dialect}}
}

// unusable returns the region of markup that cannot be used. The detail is for the model.
func unusable(detail string, args ...any) Region {
	return Region{Tidy: true, Malformed: &actions.Malformed{Flaw: actions.Unusable, Detail: fmt.Sprintf(detail, args...)}}
}

// over puts regions in a place: the first one takes it, the others are empty and stand behind it.
func over(place Span, list ...Region) []Region {
	if len(list) == 0 {
		list = []Region{{Tidy: true}}
	}
	for i := range list {
		list[i].Span = Span{place.End, place.End}
	}
	list[0].Span = place
	return list
}

// asked returns the requests of regions, and how many were too many. Where several dialects ask for
// the same, it is asked for once; where one does, that depends on the dialect.
func asked(regions []Region) (reqs []actions.Request, surplus int) {
	first := map[string]string{} // what was asked for, to its dialect
	for _, region := range regions {
		if req := region.Request; req != nil && req.Dialect == blockDialect {
			first[content(*req)] = blockDialect
		}
	}
	others, searches := 0, 0
	for _, region := range regions {
		req := region.Request
		if req == nil {
			continue
		}
		if req.Dialect != blockDialect {
			key := content(*req)
			by, known := first[key]
			if known && (by != req.Dialect || by == signalDialect || by == keywordDialect) {
				continue
			}
			first[key] = req.Dialect
			if others == maxRequests || req.Type == searchType && searches == maxSearches {
				surplus++
				continue
			}
			others++
			if req.Type == searchType {
				searches++
			}
		}
		reqs = append(reqs, *req)
	}
	return reqs, surplus
}

// content is the same for requests that mean the same.
func content(r actions.Request) string { return r.Type + " " + r.Arguments() }

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

const nativeDialect = "native"

// A Call is a function call with which a model asks for an action, beside its text. The runtime finds it, so that
// native is a dialect without a Pass.
type Call struct {
	ID    string // empty if the runtime has answered it
	Name  string
	Input json.RawMessage // as the model wrote it
}

// AddCalls adds what function calls ask for, in their order and behind what the text asks for. What is asked for already, in the text or by
// another call, is not added again; the request then answers that call as well.
func (p *Parsed) AddCalls(calls []Call) {
	known := map[string]int{} // what is asked for, to its index
	for i, req := range p.Requests {
		known[content(req)] = i
	}
	for _, c := range calls {
		p.Fenced, p.Shown = false, false // the reply asks for more than stands in code
		req, err := actions.Called(c.Name, c.Input)
		if err != nil {
			p.Malformed = append(p.Malformed, actions.Malformed{Flaw: actions.NotJSON,
				Detail: fmt.Sprintf("%s: %v", chat.Clip(chat.OneLine(c.Name), 60), err), Call: c.ID})
			continue
		}
		i, again := known[content(req)]
		if !again {
			i = len(p.Requests)
			known[content(req)] = i
			req.Dialect = nativeDialect
			p.Requests = append(p.Requests, req)
		}
		asked := &p.Requests[i]
		asked.Quiet, asked.Settled = false, false // a call waits for its result, whatever else asks for it
		if c.ID != "" {
			asked.Calls = append(asked.Calls, c.ID)
		}
	}
}
