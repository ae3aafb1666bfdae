package dialect

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/utility/calc"
)

// Signals is the dialect of RAI Chat: [REMEMBER:Ana prefers tea], [SEARCH:tide times]. The names are
// in capitals, and brackets in a payload are even or escaped.
func Signals() Pass { return signals{} }

type signals struct{}

const (
	signalDialect = "signals"
	maxPayload    = 2000 // characters
)

func (signals) Name() string { return signalDialect }

// A bracket is an opening one that may begin a signal.
type bracket struct {
	Span        // its end is zero if it is not closed on its line
	name string // of the signal
	body int    // where the payload begins
}

// Find takes every complete signal outside of code. Of nested ones, the outer one counts.
func (signals) Find(r *Reply) (found []Region) {
	eachLine(r, func(list []bracket, _ int) bool {
		at := 0
		for _, b := range list {
			if b.Start < at || b.End == 0 || !r.Free(b.Start) {
				continue
			}
			if more := b.read(r); more != nil {
				found = append(found, more...)
				at = b.End
			}
		}
		return true
	})
	return found
}

// read returns the regions of a signal, or nil if it is text.
func (b bracket) read(r *Reply) []Region {
	payload := r.Text[b.body : b.End-1]
	if strings.HasPrefix(r.Text[b.End:], "(") || tooLong(payload) {
		return nil
	}
	payload = strings.TrimFunc(unescape.Replace(payload), isSpace)
	if payload == "" {
		return nil
	}
	list := signalKinds[b.name](r, payload)
	if list == nil {
		return nil
	}
	if list[0].Instead != "" && list[0].Request.Quiet && b.alone(r.Text) {
		list[0].Instead, list[0].Request.Quiet = "", false // a Done line says it
	}
	return over(b.Span, list...)
}

var unescape = strings.NewReplacer(`\[`, "[", `\]`, "]", `\\`, `\`)

func tooLong(payload string) bool {
	return len(payload) > maxPayload*utf8.UTFMax || len(payload) > maxPayload && utf8.RuneCountInString(payload) > maxPayload
}

// alone reports whether a line has nothing else.
func (b bracket) alone(text string) bool {
	before, behind := b.Start, skipBlanks(text, b.End)
	for before > 0 && isBlank(text[before-1]) {
		before--
	}
	return (before == 0 || text[before-1] == '\n') && (behind == len(text) || text[behind] == '\n')
}

// eachLine calls visit with the brackets of each line that has some, and with the end of that, until it returns false.
func eachLine(r *Reply, visit func(list []bracket, end int) bool) {
	for at := 0; ; {
		b, ok := nextBracket(r.Text, at, len(r.Text))
		if !ok {
			return
		}
		at = endOfLine(r.Text, b.Start)
		if !visit(brackets(r.Text, b.Start, at), at) {
			return
		}
	}
}

// nextBracket returns the first bracket that may begin a signal.
func nextBracket(text string, at, end int) (bracket, bool) {
	for {
		i := strings.IndexByte(text[at:end], '[')
		if i < 0 {
			return bracket{}, false
		}
		at += i
		if b, ok := bracketAt(text, at); ok {
			return b, true
		}
		at++
	}
}

func bracketAt(text string, at int) (bracket, bool) {
	end := at + 1
	for end < len(text) && (text[end] >= 'A' && text[end] <= 'Z' || text[end] == '_') {
		end++
	}
	if end == at+1 {
		return bracket{}, false
	}
	colon := skipBlanks(text, end)
	b := bracket{Span: Span{Start: at}, name: text[at+1 : end], body: colon + 1}
	escaped := at > 0 && text[at-1] == '\\'
	return b, colon < len(text) && text[colon] == ':' && !escaped && signalKinds[b.name] != nil
}

// brackets pairs the brackets between the offsets, in one go: looking for the end of each by itself would
// take quadratic time on brackets that never close.
func brackets(text string, at, end int) (list []bracket) {
	var open []int // index into list, or -1 for a bracket of no signal
	for ; at < end; at++ {
		switch text[at] {
		case '\\':
			if at+1 < end && strings.IndexByte(`[]\`, text[at+1]) >= 0 {
				at++
			}
		case '[':
			index := -1
			if b, ok := bracketAt(text, at); ok {
				index = len(list)
				list = append(list, b)
			}
			open = append(open, index)
		case ']':
			if last := len(open) - 1; last >= 0 {
				if open[last] >= 0 {
					list[open[last]].End = at + 1
				}
				open = open[:last]
			}
		}
	}
	return list
}

// Preview waits only on the last line: for the end of a signal, for what follows it, and for a backtick that makes
// code of it.
func (signals) Preview(r *Reply) (hidden []Region, cut int) {
	cut = partialSignal(r)
	eachLine(r, func(list []bracket, end int) bool {
		at, line := 0, strings.LastIndexByte(r.Text[:list[0].Start], '\n')+1
		ticks, counted := 0, line
		for _, b := range list {
			ticks, counted = ticks+strings.Count(r.Text[counted:b.Start], "`"), b.Start
			waits := end == len(r.Text) && !r.Inert(b.Start) && (b.open(r.Text) || b.End == end || b.End > 0 && ticks%2 == 1)
			switch {
			case b.Start < at || r.claimed.contain(b.Start):
			case waits || r.Shaky(b.Start):
				cut = min(cut, b.Start)
				return false
			case b.End > 0 && !r.Inert(b.Start):
				if more := b.read(r); more != nil {
					hidden = append(hidden, more...)
					at = b.End
				}
			}
		}
		return true
	})
	return hidden, cut
}

// open reports whether a bracket of the last line may still become a signal.
func (b bracket) open(text string) bool { return b.End == 0 && !tooLong(text[b.body:]) }

// partialSignal is the offset of a signal at the end of the text of which not even the name is whole.
func partialSignal(r *Reply) int {
	i := strings.LastIndexByte(r.Text, '[')
	if i < 0 || !r.Free(i) || i > 0 && r.Text[i-1] == '\\' {
		return len(r.Text)
	}
	name := strings.TrimRight(r.Text[i+1:], " \t")
	whole := name == r.Text[i+1:]
	if slices.ContainsFunc(signalNames, func(full string) bool {
		return full == name || whole && strings.HasPrefix(full, name)
	}) {
		return i
	}
	return len(r.Text)
}

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
