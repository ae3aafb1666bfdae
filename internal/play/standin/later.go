package standin

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// deferLimit is how far ahead the action defer goes.
const deferLimit = 30 * time.Minute

// reminderShapes are requests for something at another time, once.
func reminderShapes() []shape {
	return []shape{
		{
			asked: wordings(
				`remind (?P<whom>me|us|everyone|everybody|@?[\p{L}\p{N}._-]+|<@!?\d+>),? {when},? (?:to|that|about|of) {text}`,
				`remind (?P<whom>me|us|everyone|everybody|@?[\p{L}\p{N}._-]+|<@!?\d+>)(?P<those> (?:who|that)(?:'s| is| are| has| have| \p{L}+s)? .+?)? (?:to|that|about|of) {text},? {when}`,
				`{when},? remind (?P<whom>me|us|everyone|everybody|@?[\p{L}\p{N}._-]+|<@!?\d+>) (?:to|that|about|of) {text}`,
				`remind (?P<whom>me|us|everyone|everybody) {text} {when}`,
				`(?:set|make|create|add) a reminder {when} (?:to|that|about|of|for) {text}`,
				`(?:set|make|create|add) a reminder (?:to|that|about|of|for) {text} {when}`,
				`(?P<text>wake) (?P<whom>me)(?: up)? {when}`,
			),
			fits:  func(_ situation, m match) bool { return !again().MatchString(m[""]) },
			begin: remind,
		},
		{
			asked: wordings(`remind (?P<whom>me|us|everyone|everybody|@?[\p{L}\p{N}._-]+|<@!?\d+>),?(?: and (?P<who2>@?[\p{L}\p{N}._-]+|<@!?\d+>))? (?P<all>.+)`),
			fits: func(_ situation, m match) bool {
				return whenIn().MatchString(m["all"]) && !again().MatchString(m[""]) && reminded(m)["text"] != ""
			},
			begin: func(s situation, m match) string { return remind(s, reminded(m)) },
		},
		{
			asked: wordings(`{show} (?:reminders?|follow-ups?)(?: (?:do|did|have|are|is) .*)?`,
				`what (?:did I ask you to remind me of|will you remind me (?:of|about))`),
			begin: func(situation, match) string { return act("remindList") + act("deferList") },
			goOn: func(s situation, _ match) string {
				var items []string
				for _, line := range s.results {
					if m := reminderLine().FindStringSubmatch(line); m != nil {
						items = append(items, fmt.Sprintf("%s (reminder %s, %s)", m[3], m[1], m[2]))
					}
				}
				if len(items) == 0 {
					return "No reminders are waiting."
				}
				return listed("Still to come:", items)
			},
		},
		{
			asked: wordings(`(?:cancel|delete|remove|stop|forget) (?:the |my )?reminder (?:number |no\. ?|#)?(?P<id>\d+)`),
			begin: func(_ situation, m match) string { return act("remindCancel", "id", m["id"]) },
		},
		{
			asked: wordings(`{when},? (?P<text>(?:post|say|tell|write|list|show|summari[sz]e|announce|send) .+?)(?: (?:in|to) {#channel})?`,
				`(?P<text>(?:post|say|tell us|list|summari[sz]e|announce) .+?)(?: (?:in|to) {#channel})? (?P<when>in `+countWords+` `+unitWords+`)`),
			begin: func(s situation, m match) string { return doLater(s, m["when"], m["channel"], instruction(m["text"])) },
		},
	}
}

// again is in a request for more than once, and before in one that hangs on an event.
var again = lazily(`(?i)\b(?:every|each|daily|weekly|hourly|monthly)\b|\bbefore(?:hand)?\b`)

// reminded finds the time in a request whose words stand in any order.
func reminded(m match) match {
	at := whenIn().FindStringSubmatchIndex(m["all"])
	text := strings.Trim(strings.TrimSpace(m["all"][:at[0]])+" "+strings.TrimSpace(strings.TrimLeft(m["all"][at[3]:], ", ")), " ,.")
	return match{"whom": m["whom"], "who2": m["who2"], "when": m["all"][at[2]:at[3]], "text": reminderHead().ReplaceAllString(text, "")}
}

var reminderHead = lazily(`(?i)^(?:(?:all|to|that|about|of|for|because|I have|I need to|I must|it's time to) )+`)

// reminderLine is one of the results of remindList.
var reminderLine = lazily(`^(\d+): (<t:[^>]*>|.*?\d\d:\d\d)[^:]*: (.*)$`)

// remind asks for a reminder. What is for everybody is posted, since a reminder mentions one person.
func remind(s situation, m match) string {
	at, ok := parseWhen(m["when"], s.now)
	if !ok {
		return "I didn't get the time. When should I remind you?"
	}
	text := m["text"]
	if strings.EqualFold(text, "wake") {
		text = "wake up"
	}
	switch whom := strings.ToLower(m["whom"]); whom {
	case "us", "everyone", "everybody":
		if m["those"] != "" {
			return doLater(s, m["when"], "", "Post: "+chat.Capital(whom)+" "+m["those"]+": "+text+".")
		}
		return doLater(s, m["when"], "", everybody+text+".")
	case "", "me":
		return act("remind", append([]any{"text", text}, at.fields()...)...)
	default:
		asks := act("remind", append([]any{"text", text, "userId", person(m["whom"])}, at.fields()...)...)
		if m["who2"] != "" {
			asks += act("remind", append([]any{"text", text, "userId", s.mine(m["who2"])}, at.fields()...)...)
		}
		return asks
	}
}

// doLater asks for something to be done once, by the action that reaches that far.
func doLater(s situation, when, channel, prompt string) string {
	at, ok := parseWhen(when, s.now)
	if !ok {
		return "I didn't get the time. When should I do that?"
	}
	if delay := at.at.Sub(s.now); at.in > 0 && delay <= deferLimit {
		return act("defer", "channel", orHere(channel), "delaySeconds", int(delay/time.Second), "prompt", prompt)
	}
	return act("cronCreate", "name", chat.Clip(strings.Trim(prompt, "."), 60), "schedule", "once "+at.at.Format("2006-01-02 15:04"),
		"channel", channel, "prompt", prompt)
}

// everybody begins the prompt of something that is said to all.
const everybody = "Tell everybody to "

var (
	tellUs   = lazily(`(?i)^(?:tell|remind) (?:us|me|everyone|everybody|them|people|the team)(?: here)? to (.+)$`)
	tellThat = lazily(`(?i)^(?:tell|remind) (?:us|me|everyone|everybody|them|people|the team)(?: here)?(?: that| about| of)? (.+)$`)
)

// instruction is a request as the prompt of a later turn, which knows nothing else.
func instruction(text string) string {
	if m := tellUs().FindStringSubmatch(text); m != nil {
		return everybody + sentenceEnd(m[1])
	}
	if m := tellThat().FindStringSubmatch(text); m != nil {
		return "Post " + sentenceEnd(m[1])
	}
	return sentence(text)
}

func sentenceEnd(text string) string { return strings.TrimRight(text, ".! ") + "." }

// A recurring is a request for something that is done again and again.
type recurring struct{ often, channel, prompt, missed string }

// recurringForms are the orders in which such a request can be said.
var recurringForms = sync.OnceValue(func() []*regexp.Regexp {
	return wordings(
		`(?P<text>remind (?:me|us|everyone|everybody)) {often},? (?P<rest>(?:to|that|of|about) .+)`,
		`{often}[,:]? (?:I want you to |please |you should |can you )?{text}(?P<late>,? but never late)?`,
		`(?:schedule|make|create|add|set up) a (?:scheduled |recurring |daily |weekly )?job (?:that runs )?{often}[,:]? (?:to |that |which `+
			`)?{text}`,
		`(?P<text>(?:post|tell|remind|say|send|write|list|show|summari[sz]e|ask|share|announce|wish|greet|give|print|publish|report) .+?),? {often}`+
			`(?: (?:in|to|into) #(?P<in>[\p{L}\p{N}_-]+))?(?P<late>,? but never late)?`,
		`(?:schedule|make|create|add|set up) a job (?:to |that )?{text},? {often}`,
		`(?:schedule|make|create|add|set up) {a}(?:weekly |daily |regular )?(?:post|message|announcement)(?: (?:in|to|for) #(?P<in>[\p{L}\p{N}_-]+))? {often}[,:] (?:saying )?{text}`,
	)
})

var inChannel = lazily(`(?i)^(.+?)(?: (?:and post it|and send it))?,? (?:in|to|into) <?#([\p{L}\p{N}_-]+)>?$`)

var inBare = lazily(`(?i)^(.+?)(?: and post it)?,? (?:in|to|into) (?:the )?([\p{L}\p{N}_-]+)(?: channel)?$`)

// readRecurring reads such a request.
func readRecurring(text string, c club) (recurring, bool) {
	for _, p := range recurringForms() {
		m := matched(p, plain(text))
		if m == nil {
			continue
		}
		r := recurring{often: schedule(m["often"]), channel: m["in"]}
		todo := strings.TrimSpace(m["text"] + " " + m["rest"])
		if in := inBare().FindStringSubmatch(todo); in != nil && c.hasChannel(in[2]) {
			todo, r.channel = in[1], strings.ToLower(in[2])
		}
		if in := inChannel().FindStringSubmatch(todo); in != nil {
			todo, r.channel = in[1], in[2]
		}
		if m["late"] != "" {
			r.missed = "skip"
		}
		r.prompt = instruction(todo)
		return r, true
	}
	return recurring{}, false
}

// jobShapes are requests about scheduled jobs.
func jobShapes() []shape {
	return []shape{
		{
			asked: recurringForms(),
			begin: func(s situation, m match) string {
				r, ok := readRecurring(m[""], s.club)
				if !ok {
					return baffled(s, s.asked)
				}
				return act("cronCreate", "name", jobName(r.prompt), "schedule", r.often, "channel", r.channel, "prompt", r.prompt, "missed", r.missed)
			},
		},
		{
			asked: wordings(`what(?:'s| is)(?: all)? scheduled(?: here)?`,
				`{show} (?:scheduled |recurring )?(?:jobs?|crons?|schedules?|automations?)(?: (?:do|are|is|run|does|have)\b.*)?`,
				`what (?:do|will) you do by yourself`, `when do(?:es)? the jobs? run`),
			begin: func(situation, match) string { return act("cronList") },
			goOn: func(s situation, _ match) string {
				items := jobsIn(s.results)
				if len(items) == 0 {
					return "No jobs are scheduled."
				}
				about := subjects(s.asked + " " + strings.Join(s.followed(s.asked), " "))
				for _, item := range items {
					if name, _, _ := strings.Cut(item, ": "); len(items) > 1 && counted(about, name) > 0 {
						return sentence(item)
					}
				}
				return listed("Scheduled:", items)
			},
		},
	}
}

// jobName is a short name for what a job does.
func jobName(prompt string) string {
	name := jobHead().ReplaceAllString(strings.TrimPrefix(strings.Trim(prompt, ".! "), everybody), "")
	return chat.Clip(chat.Capital(firstWords(unquoted(strings.TrimPrefix(name, "the ")), mostNameWords)), 60)
}

const mostNameWords = 6

// jobHead are words of a prompt that name nothing.
var jobHead = lazily(`(?i)^(?:(?:please|post|publish|share|a|an|in the (?:morning|evening|afternoon)|at \d\S*|then|and|also|to|the message|saying|that),? )+`)

// jobLine is one of the results of cronList: a name, an ID if others have that name, and more.
var jobLine = lazily(`^“(.*?)”(?: \((cron-\w+)\))? by [^:]*: (?:runs )?(.*)$`)

// jobsIn are the jobs in results, in words.
func jobsIn(results []string) (items []string) {
	for _, line := range results {
		if m := jobLine().FindStringSubmatch(line); m != nil {
			when := jobTail().ReplaceAllString(m[3], "")
			if next := nextRun().FindStringSubmatch(m[3]); next != nil {
				when += ", next " + next[1]
			}
			if last := lastRun().FindStringSubmatch(m[3]); last != nil {
				when += ", last run " + last[1]
			}
			items = append(items, m[1]+": "+when)
		}
	}
	return items
}

var jobTail = lazily(`, (?:next|no run yet|\d+ runs?)\b.*$`)

var lastRun = lazily(`, the last (<t:[^>]*>(?:: \w+)?)`)

var nextRun = lazily(`, next (<t:[^>]*>|[^,;]*\d\d:\d\d)`)
