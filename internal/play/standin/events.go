package standin

import (
	"fmt"
	"strings"

	"discoclaw/internal/chat"
)

// eventShapes are requests about events, polls and questions.
func eventShapes() []shape {
	const place = `(?:,? (?:at|in) (?P<place>(?:the |a )?[\p{L}#][\p{L}\p{N} '_-]*?))?`
	const event = `(?:event|meeting|party|meetup|get-together|call)`
	return []shape{
		{
			asked: wordings(`(?:{make}|schedule|announce|plan|organi[sz]e) {a}event (?:on |for |at )?{when}`+place+`(?::| called| named| for| `+
				`about) "?{text}"?`,
				`(?:{make}|schedule|announce|plan|organi[sz]e) {a}event(?::| called| named| for| about)? "?{text}"?,? {when}`+place,
				`(?:schedule|announce|plan|organi[sz]e) {a}(?P<text>(?:[\p{L}-]+ )?(?:meeting|party|meetup|get-together|call|lunch|dinner|trip`+
					`|game night)(?: (?:about|for|with) .+?)?) (?:for )?{when}`+place),
			begin: func(s situation, m match) string {
				at, ok := parseWhen(m["when"], s.now)
				if !ok {
					return "I didn't get the time. When does it begin?"
				}
				fields := []any{"name", chat.Capital(unquoted(m["text"])), "startTime", at.stamp()}
				if strings.HasPrefix(m["place"], "#") {
					return act("eventCreate", append(fields, "channelId", m["place"][1:])...)
				}
				where := m["place"]
				if where == "" {
					where = "to be announced"
				}
				return act("eventCreate", append(fields, "location", where)...)
			},
		},
		{
			asked: wordings(`{show} (?:upcoming |planned |scheduled |next )*events?\b.*`,
				`what(?:'s| is) (?:on|coming up|planned)(?: (?:this week|next week|today|tomorrow|soon|here))?`, `when(?:'s| is) the next `+event,
				`(?:is|are) there (?:any|an) events?\b.*`),
			begin: func(situation, match) string { return act("eventList") },
			goOn: func(s situation, _ match) string {
				var items []string
				for _, line := range s.results {
					if m := eventLine().FindStringSubmatch(line); m != nil {
						items = append(items, fmt.Sprintf("%s, %s UTC%s", m[1], m[2], placed(m[3])))
					}
				}
				if len(items) == 0 {
					return "No events are planned."
				}
				return listed("Coming up:", items)
			},
		},
		{
			asked: wordings(`{make} {a}poll(?:,? (?:about|on|asking|for))?:? "?(?P<question>[^?:]+\?)"?:? (?P<choices>.+?)(?: in {#channel})?`,
				`{make} {a}poll(?:,? (?:about|on|asking|for))?:? "?(?P<question>[^?:,]+?)"?(?:: ?| - |, | with )(?P<choices>[^:]+?(?:,| or `+
					`).+?)(?: in {#channel})?`,
				`(?:let us|let's|have us|we should) vote(?: on)?:? "?(?P<question>[^?:]+\??)"?:? (?P<choices>[^:]+?(?:,| or ).+?)`,
				`poll:? "?(?P<question>[^?:]+\?)"?:? (?P<choices>.+?)`),
			begin: func(_ situation, m match) string {
				return act("poll", "channel", orHere(m["channel"]), "question", chat.Capital(m["question"]), "answers", choices(m["choices"]))
			},
		},
		{
			asked: wordings(`ask (?:us |everyone |everybody |people )?(?:whether|if) (?:to |we should |we )?{text}`),
			begin: func(_ situation, m match) string {
				question := fmt.Sprintf("Shall we %s? ✅ means yes, ❌ means no.", m["text"])
				return act("reactionPrompt", "question", question, "choices", []string{"✅", "❌"})
			},
		},
	}
}

// eventLine is one of the results of eventList.
var eventLine = lazily(`^(.*?) \(id:\d+\) — (\d{4}-\d\d-\d\d \d\d:\d\d)(?::\d\d UTC)?(?: to [^—]*)?(?: — (.*))?$`)

func placed(where string) string {
	if where == "" {
		return ""
	}
	return ", " + where
}

// mostChoices and longestChoice are what Discord takes in a poll.
const (
	mostChoices   = 10
	longestChoice = 55
)

// choices splits "pizza, pasta or soup".
func choices(text string) (list []string) {
	for part := range strings.SplitSeq(orWord().ReplaceAllString(text, ","), ",") {
		if part = strings.Trim(part, ` "'`); part != "" {
			list = append(list, chat.Clip(part, longestChoice))
		}
	}
	return list[:min(len(list), mostChoices)]
}

var orWord = lazily(`(?i),? (?:or|and|vs\.?|versus) | ?/ ?`)
