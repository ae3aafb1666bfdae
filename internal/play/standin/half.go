package standin

import (
	"regexp"
	"strings"
	"sync"
)

// A half is a request that lacks something. The script asks for it, and puts the answer where it belongs.
type half struct {
	asked    []*regexp.Regexp
	question string
	whole    string // the request with {answer}, and with {NAME} for the groups of what was said before
	loose    bool   // its wordings also fit whole requests, which come first
}

var halves = sync.OnceValue(func() []half {
	h := func(question, whole string, patterns ...string) half {
		return half{asked: wordings(patterns...), question: question, whole: whole}
	}
	loose := func(question, whole string, patterns ...string) half {
		return half{asked: wordings(patterns...), question: question, whole: whole, loose: true}
	}
	return []half{
		h("What should it be called?", "make a {private}{kind} channel called {answer}",
			`{make} {a}(?P<private>private )?(?P<kind>text |voice |forum |announcement )?(?:channel|room)`),
		loose("What should it be called?", "make a {private}{kind} channel called {answer}",
			`{make} {a}(?P<private>private )?(?P<kind>text |voice |forum |announcement )?(?:channel|room)\b.*`),
		h("What should I tell them?", "tell {who} {answer}", `(?:tell|let) {who}(?: know)?(?: (?:about )?(?:it|that|this))?`),
		h("What should it be called?", "make a category called {answer}", `{make} {a}category`),
		h("What should the role be called?", "make a role called {answer}", `{make} {a}role`),
		loose("What should the role be called?", "make a role called {answer}", `{make} {a}role\b.*`),
		h("Which role?", "give {who} the role {answer}", `give {who} {a}role`),
		h("Which role?", "take the role {answer} from {who}", `(?:take|remove) (?:the |a |his |her )?role (?:away )?from {who}`),
		h("Who should get it?", "give {answer} the role {role}", `(?:give|assign|add) (?:the )?role (?P<role>[\p{L}\p{N}_-]+)`),
		h("Which channel, and what should it be called?", "rename {answer}", `rename(?: (?:a|the) channel| it| that)?`),
		h("What should it be called?", "rename #{channel} to {answer}", `rename {the}(?:channel )?{channel}(?: channel)?`),
		h("To which category?", "move #{channel} to {answer}", `move {the}(?:channel )?{channel}(?: channel)?`),
		h("Which channel do you mean?", "delete #{answer}", `{delete} (?:(?:a|the|this|that) )?channels?`,
			`{delete} (?:it|that|this|them|something)?`),
		h("Which channel, and what should its topic be?", "set the topic of {answer}", `(?:set|change) (?:the|a) topic`),
		h("What should it say?", "set the topic of #{channel} to {answer}", `(?:set|change) the topic (?:of|in|for) {channel}`),
		h("What is there to do?", "make a task: {answer}", `{make} {a}(?:task|to-?do)`),
		h("Which task?", "close task {answer}", `(?:close|finish|complete|resolve)(?: (?:a|the|this|that|my) task| it| that)?`),
		h("Which task, and to whom?", "assign task {answer}", `assign(?: (?:a|the|this|that) task| it| that)?`),
		h("Of what, and when?", "remind me {answer}", `remind me`, `(?:set|make|create|add) a reminder`),
		h("Of what, and when?", "remind us {answer}", `remind (?:us|everyone|everybody)`),
		h("Of what?", "remind me {when} to {answer}", `remind me {when}`, `(?:set|make|create|add) a reminder (?:for )?{when}`),
		loose("When?", "remind {whom} {answer} to {text}", `remind (?P<whom>me|us|everyone|everybody) (?:(?:to|that|about|of) )?{text}`,
			`(?:set|make|create|add) a reminder (?:to|that|about|of|for) {text}`),
		h("What should I do then?", "{often}, {answer}", `{often}`),
		h("How often, and what should it do?", "{answer}", `(?:schedule|make|create|add|set up) {a}(?:scheduled |recurring )?job`),
		h("Which job?", "{verb} the job {answer}", `(?P<verb>pause|resume|run|trigger)(?: (?:a|the|this|that) job)?`),
		h("What is the question, and what can people choose?", "make a poll: {answer}", `{make} {a}poll`),
		loose("What can people choose?", "make a poll: {question}: {answer}",
			`{make} {a}(?:poll|vote)(?:,? (?:about|on|asking|for))?:? "?(?P<question>[^:]+?)\??"?`),
		h("What, when and where?", "make an event: {answer}", `(?:{make}|schedule|announce|plan) {a}event`),
		loose("When does it begin?", "make an event: {text} {answer}",
			`(?:{make}|schedule|announce|plan) {a}event(?::| called| named| for) {text}`),
		h("What is it about?", "start a thread about {answer}", `{make} {a}thread`),
		loose("What should it be called?", "start a thread about {answer}", `{make} {a}thread\b.*`),
		h("What should I write, and in which channel?", "say {answer}", `(?:send|write|post|say|announce)(?: (?:a message|something|it|that))?`),
		h("What should I write there?", "say {answer} in #{channel}",
			`(?:send|write|post|say|announce)(?: (?:a message|something|it|that|this))? (?:in|to|into) {channel}`),
		loose("In which channel?", "say {text} in {answer}", `(?:say|announce|send|write) {text}`),
		h("What should I pin, and in which channel?", "pin {answer}", `pin(?: (?:a message|something))?`),
		h("What should I look for?", "find {answer}", `(?:find|search|look up|look for)(?: (?:a message|something|messages))?`),
		h("What should I remember?", "remember that {answer}", `(?:remember|keep in mind|note)(?: (?:something|this|that))?`),
		h("What should I forget?", "forget that {answer}", `forget(?: (?:something|it|that|this))?`),
		h("What should the plan change?", "make a plan to {answer}", `(?:{make}|write|draft|forge) {a}plan`, `forge`),
		loose("Whose, or about what? As in: “delete mia's message about the buoys”. What you may delete yourself, I delete, too.", "delete {answer}",
			`{delete} (?:a|any|some|other|somebody's|someone's) (?:\w+ )?messages?\b.*`),
		loose("Which one do you mean?", "{verb} the {answer}", `(?P<verb>cancel|{delete}|pause|resume|run|move|change|start|stop) (?:the |that )?(?:\w+ )?(?:one|thing)`),
		h("Which thread?", "close the thread about {answer}", `(?:close|archive|lock|end|{delete}) (?:the|that|this|a) thread`),
		h("What should it say?", "edit your last message to {answer}", `(?:edit|change|correct) (?:your|the) last (?:message|answer|post)`),
		h("Nobody tells me when somebody joins, so I can only pin a welcome message. In which channel?", "pin a welcome message in {answer}",
			`(?:{make}|set|pin|write|send|have|configure) {a}(?:\w+ )?(?:welcome|greeting)(?: (?:message|text|note|bot))?(?: (?:for|to|when|whenever|up)\b.*)?`,
			`(?:welcome|greet) (?:all |every |each )?(?:new|newcomer|everybody|everyone)\b.*`),
		h("Discord has no archive for channels. I can lock it or make it private: which?", "{answer} #{channel}", `archive {the}(?:channel )?{channel}(?: channel)?`),
		h("Which plan?", "{verb} plan {answer}", `(?P<verb>show|approve|run|close) (?:a |the |this )?plan`),
		h("What should I work out?", "calculate {answer}", `(?:calculate|compute|calculate something)`),
	}
})

// asksBack is the question about a request that lacks something.
func asksBack(text string) (half, match, bool) { return halfOf(text, true) }

// halfOf finds what a request lacks. Without loose, wordings do not count that whole requests may have, too.
func halfOf(text string, loose bool) (half, match, bool) {
	text = plain(text)
	for _, h := range halves() {
		if h.loose && !loose {
			continue
		}
		for _, p := range h.asked {
			if m := matched(p, text); m != nil {
				return h, m, true
			}
		}
	}
	return half{}, nil, false
}

// answered is the whole request.
func (h half) answered(m match, answer string) string {
	before, after, _ := strings.Cut(h.whole, "{answer}")
	answer = bare(answer)
	if i := strings.LastIndexByte(strings.TrimSpace(before), ' ') + 1; i > 0 { // "move it to", "to Work"
		answer = strings.TrimPrefix(answer, before[i:])
	}
	whole := before + answer + after
	for name, text := range m {
		whole = strings.ReplaceAll(whole, "{"+name+"}", text+map[bool]string{true: " "}[name == "private" || name == "kind"])
	}
	return strings.ReplaceAll(oneLine(optional().ReplaceAllString(whole, "")), "##", "#")
}

var (
	optional    = lazily(`\{\w+\}`) // a group that was not said
	answerStart = lazily(`(?i)^(?:call it|it should be called|it's called|named|called|how about|maybe|I mean|it is|it's|let's say)\s+`)
)

// bare is an answer without the words around it.
func bare(answer string) string {
	answer = politeAfter().ReplaceAllString(quotes.Replace(answer), "")
	return answerStart().ReplaceAllString(answer, "")
}

// meant is what a member asks for: their words, or, if they answer a question of the script, the request that it was about.
func meant(s situation) string {
	open := "" // a request that lacks something, and was asked about
	said := ""
	for _, r := range s.earlier {
		if !r.mine && r.by != s.who {
			continue
		}
		if !r.mine {
			said, open = s.completed(open, r.text), ""
			continue
		}
		if h, _, ok := asksBack(said); ok && strings.Contains(r.text, h.question) {
			open = said
		} else {
			open = ""
		}
	}
	return s.completed(open, s.asked)
}

// completed puts an answer into the request that it belongs to. Somebody may also ask for something else instead.
func (s situation) completed(open, text string) string {
	if open == "" {
		return text
	}
	h, m, ok := asksBack(open)
	if !ok {
		return text
	}
	if plain(text) == plain(h.question) {
		return open // the question comes back: it stays what it was about
	}
	for _, piece := range pieces(text) {
		if firstVerb().MatchString(piece) && len(strings.Fields(text)) > 6 {
			return text // "nice. pin it there" answers nothing
		}
	}
	whole := h.answered(m, text)
	if _, _, ok := s.understood(whole); ok {
		s.earlier = nil // what follows something else is no request of its own
		if _, _, other := s.understood(bare(text)); !other || len(strings.Fields(text)) <= 2 {
			return whole
		}
		return text
	}
	if _, _, ok := asksBack(whole); ok {
		return whole
	}
	return text
}

// aboutPost is what can be said in a post of a forum that the bot keeps.
var aboutPost = onDemand(func() map[string]string {
	return map[string]string{"tasks": "This post is a task. Say here “mark it done”, “make it urgent”, “due on Friday” or “for ada”.", "crons": "This post is a scheduled job. Say here “pause it”, “run it” or “make it 9”."}
})

// baffled is the answer to what the script does not understand, or only by half.
func baffled(s situation, said string) string {
	if s.along != "" {
		return s.along + " A language model would tell you what it makes of that."
	}
	if h, _, ok := asksBack(s.asked); ok && !s.direct {
		if plain(said) == plain(h.question) {
			return "That is for you to say. " + h.question + " Or ask me for something else."
		}
		if n := len(s.earlier); n > 0 && strings.HasPrefix(h.question, "Which one") && strings.HasPrefix(s.earlier[n-1].text, "No ") {
			return "There is none, as I said."
		}
		return h.question
	}
	if what := aboutPost()[s.forum]; what != "" {
		return what
	}
	if ofTheWorld().MatchString(s.asked) {
		return notHere
	}
	if asksOnly().MatchString(plain(s.asked)) {
		return "I'm scripted here and have no answer to that. Try: " + strings.Join(nearest(s.asked, s.direct), " · ")
	}
	return "I'm scripted here and didn't get that, or can't do it. Try: " + strings.Join(nearest(s.asked, s.direct), " · ")
}
