package dialect

import (
	"encoding/json"
	"strconv"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/utility/calc"
)

// signalKinds are what signals mean, by their names.
var signalKinds = map[string]func(r *Reply, payload string) []Region{
	"SEARCH":          webSearch,
	"WEB_SEARCH":      webSearch,
	"SEARCH_EPISODIC": field("memorySearch", "query"),
	"REMEMBER":        field("memoryRemember", "text"),
	"FORGET_THIS":     field("memoryForget", "substring"),
	"CORRECT":         correct,
	"CALCULATE":       calculate,
	"REQUEST_TIER":    requestTier,
	"COMMAND":         command("COMMAND"),
	"EXECUTE":         command("EXECUTE"),
}

// signalNames are the names of all signals.
var signalNames = namesIn(signalKinds)

// field is for a signal whose payload is a field of an action.
func field(typ, name string) func(*Reply, string) []Region {
	return func(_ *Reply, payload string) []Region {
		return []Region{compiled(signalDialect, typ, map[string]any{name: payload})}
	}
}

// searchType is the type of a search, whose results replace the reply if a signal asks for it.
const searchType = "webSearch"

// WebSearch returns the query of a request, if that is a search of the web.
func WebSearch(r actions.Request) (query string, ok bool) {
	var search struct{ Query string }
	ok = r.Type == searchType && json.Unmarshal(r.Args, &search) == nil
	return search.Query, ok
}

func webSearch(_ *Reply, query string) []Region {
	region := compiled(signalDialect, searchType, map[string]any{"query": query})
	region.Control.Interrupt = true
	return []Region{region}
}

// correct is to forget one thing and remember another.
func correct(_ *Reply, payload string) []Region {
	before, after, ok := strings.Cut(payload, "=>")
	if !ok && strings.Count(payload, ":") == 1 {
		before, after, ok = strings.Cut(payload, ":")
	}
	before, after = strings.TrimFunc(before, isSpace), strings.TrimFunc(after, isSpace)
	if !ok || before == "" || after == "" {
		return []Region{unusable("CORRECT is written [CORRECT:old=>new]")}
	}
	return []Region{
		compiled(signalDialect, "memoryForget", map[string]any{"substring": before}),
		compiled(signalDialect, "memoryRemember", map[string]any{"text": after}),
	}
}

func requestTier(_ *Reply, payload string) []Region {
	number, match, _ := strings.Cut(payload, ":")
	tier, err := strconv.Atoi(strings.TrimFunc(number, isSpace))
	if err != nil {
		return nil
	}
	if match = strings.TrimFunc(match, isSpace); tier < 1 || tier > 3 || match == "" {
		return []Region{unusable("REQUEST_TIER is written [REQUEST_TIER:n:what], with n from 1 to 3")}
	}
	return []Region{compiled(signalDialect, "memoryTier", map[string]any{"tier": tier, "match": match})}
}

// calculate is a request, and writes the value in its place. The value is in the reply then, so that the model is
// not asked again; an expression without one stays as it is.
func calculate(r *Reply, expression string) []Region {
	region := compiled(signalDialect, "calculate", map[string]any{"expression": expression})
	region.Request.Settled = true
	value, err := calc.Eval(expression)
	switch {
	case err != nil || !r.accepts(*region.Request):
		region.Instead = expression
	default:
		region.Instead, region.Request.Quiet = value, true
	}
	return []Region{region}
}

// commands is the closed table of [COMMAND:name] and [EXECUTE:name]. There are no arguments.
var commands = map[string]string{
	"summarizeconversation": "conversationSummary", "summariseconversation": "conversationSummary", "recap": "conversationSummary",
	"deletelastmessage": "deleteMessage", "pinlastmessage": "pinMessage",
	"readmessages": "readMessages", "readchannel": "readMessages", "listpins": "listPins",
	"listchannels": "channelList", "channellist": "channelList", "listroles": "roleInfo", "roleinfo": "roleInfo",
	"listevents": "eventList", "eventlist": "eventList", "listtasks": "taskList", "tasklist": "taskList",
	"synctasks": "taskSync", "tasksync": "taskSync", "listcrons": "cronList", "cronlist": "cronList",
	"listplans": "planList", "planlist": "planList", "forgestatus": "forgeStatus",
	"showmemory": "memoryShow", "memoryshow": "memoryShow", "showmodels": "modelShow", "modelshow": "modelShow",
	"voicestatus": "voiceStatus",
}

func command(signal string) func(*Reply, string) []Region {
	return func(_ *Reply, payload string) []Region {
		name := actions.FoldName(payload)
		typ, ok := commands[name]
		if !ok {
			return []Region{{Tidy: true, Stripped: signal + ":" + payload}}
		}
		var members map[string]any
		if strings.HasSuffix(name, "lastmessage") {
			members = map[string]any{"messageId": lastMessage}
		}
		return []Region{compiled(signalDialect, typ, members)}
	}
}
