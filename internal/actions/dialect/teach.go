package dialect

import (
	"slices"
	"strings"

	"discoclaw/internal/actions"
)

// taught is what a form asks for. A form without an action is about the reply itself.
type taught struct{ form, needs string }

// usable returns the forms whose action may run.
func usable(g actions.Gate, forms []taught) (list []string) {
	for _, f := range forms {
		if f.needs == "" || g.Verdict(f.needs).Decision == actions.Allowed {
			list = append(list, "`"+f.form+"`")
		}
	}
	return list
}

var taughtDirectives = []taught{
	{`<react emoji="eyes"/>`, "react"}, {`<send-file path="…" caption="…"/>`, "sendFile"},
	{`<send-message channel="name">…</send-message>`, "sendMessage"}, {`<voice>…</voice>`, voiceType},
}

func teachDirectives(anywhere bool) func(actions.Gate) string {
	return func(g actions.Gate) string {
		const silent = "If silence is better than a reply, write `<no-reply/>` and nothing else."
		tags := usable(g, taughtDirectives)
		if len(tags) == 0 {
			return silent
		}
		where := "At the very beginning of a reply"
		if anywhere {
			where = "In a reply"
		}
		return where + " you may write `<actions>…</actions>`, with any of these in it: " + strings.Join(tags, ", ") +
			". Without `message=\"ID\"`, the reaction is to the message that you answer. " + silent
	}
}

var taughtSignals = []taught{
	{"[SEARCH:query]", "webSearch"}, {"[SEARCH_EPISODIC:query]", "memorySearch"}, {"[REMEMBER:fact]", "memoryRemember"},
	{"[FORGET_THIS:fact]", "memoryForget"}, {"[CORRECT:old=>new]", "memoryForget"}, {"[CALCULATE:expression]", "calculate"},
	{"[REQUEST_TIER:1-3:what]", "memoryTier"}, {"[COMMAND:summarize_conversation]", "conversationSummary"},
}

func teachSignals(g actions.Gate) string {
	forms := usable(g, taughtSignals)
	if len(forms) == 0 {
		return ""
	}
	text := "Anywhere in a reply you may write signals: " + strings.Join(forms, ", ") + "."
	if slices.Contains(forms, "`[CALCULATE:expression]`") {
		text += " CALCULATE is replaced by its value."
	}
	if slices.Contains(forms, "`[SEARCH:query]`") {
		text += " SEARCH replaces the reply: you are asked again, with what was found."
	}
	return text
}

var taughtKeywords = []taught{{"[LIKE]", "react"}, {"[RETWEET]", "crosspost"}, {"[IGNORE]", ""}, {"[STOP]", ""}}

func teachKeywords(g actions.Gate) string {
	forms := usable(g, taughtKeywords)
	if len(g.Allowed()) > 0 {
		forms = append(forms, "`[QUOTE]`")
	}
	text := "Keywords stand on a line of their own: " + strings.Join(forms, ", ") + "."
	if slices.Contains(forms, "`[LIKE]`") {
		text += " LIKE reacts to the message that you answer."
	}
	return text + " IGNORE alone posts nothing; use it for what is not meant for you. STOP makes you silent here until you are addressed."
}

func teachEnvelope(g actions.Gate) string {
	names := []string{"NONE", "IGNORE", "CONTINUE", "STOP"}
	for _, a := range g.Allowed() {
		names = append(names, a.Name)
	}
	return "A whole reply may be one JSON object and nothing else: `" + `{"user":"your name","text":"what people read","action":"NAME","params":{}}` +
		"`. NAME is one of " + strings.Join(names, ", ") + ", and params has its fields. For several, write `" + `"actions":["A","B"],"params":{"A":{},"B":{}}` +
		"` instead. text may be empty; NONE is only text, IGNORE without text posts nothing, CONTINUE gives you another turn, and STOP makes you silent here until you are addressed."
}
