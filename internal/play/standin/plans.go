package standin

import (
	"strings"

	"discoclaw/internal/chat"
)

// planShapes are requests about plans.
func planShapes() []shape {
	const plan = `(?:the )?plan (?:number |no\. ?|#)?(?P<id>(?:plan-)?\d+)`
	one := func(verb, kind string) shape {
		return shape{
			asked: wordings(verb+` `+plan, verb+` (?P<id>plan-\d+)`),
			begin: func(_ situation, m match) string { return act(kind, "planId", m["id"]) },
		}
	}
	show := one(`(?:show|open|describe|read|what(?:'s| is)(?: in)?|tell me about|how far is)(?: me)?`, "planShow")
	show.goOn = func(s situation, _ match) string {
		text := firstLines(s.results, mostLines-1)
		if strings.Contains(text, ": a draft") || strings.Contains(text, ": waiting for approval") {
			text = "It waits for an approval, as in “approve plan 1”.\n" + text
		}
		return text
	}
	return []shape{
		show,
		{
			asked: wordings(`(?:{make}|write|draft|forge|draw up) {a}plan (?:to|for|that|which|about|:|of) {text}`,
				`(?:(?:make|write|draft|forge) )?{a}plan: {text}`, `plan (?:how )?to {text}`, `forge {text}`,
				`(?:change|improve|fix|extend) the (?:code|project|program|source)(?: so that| to|:) {text}`),
			begin: func(_ situation, m match) string { return act("forgeCreate", "description", chat.Capital(m["text"])) },
		},
		{
			asked: wordings(`{show} plans\b.*`, `{show} (?:any )?plans?`),
			begin: func(situation, match) string { return act("planList") },
			goOn: func(s situation, _ match) string {
				if strings.Contains(s.all(), "no plans") {
					return "There are no plans yet."
				}
				return firstLines(s.results, mostLines-1)
			},
		},
		{
			asked: wordings(`how (?:is|are|far is|far are) (?:the )?plans?(?: going| doing| coming along)?`,
				`what are you (?:forging|working on|planning)`),
			begin: func(situation, match) string { return act("forgeStatus") },
			goOn:  func(s situation, _ match) string { return firstLines(s.results, mostLines-1) },
		},
		one(`(?:approve|accept|OK)`, "planApprove"),
		one(`(?:run|carry out|execute|do|implement|start)`, "planRun"),
		one(`(?:close|drop|abandon|cancel|delete)`, "planClose"),
		one(`(?:revise|resume|improve|audit)`, "forgeResume"),
	}
}
