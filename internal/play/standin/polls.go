package standin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// pollShapes are requests about polls and quick questions.
func pollShapes() []shape {
	const new = `(?:(?:{make}|do|run|hold|launch|have) {a}(?:quick |small |little )?(?:poll|vote|survey)|(?:(?:another|one more|new) )?poll|survey|(?:let us|have us|we should|everyone should)?(?: )?vote|` +
		`(?:make|let) (?:us|everyone|everybody|people) vote)`
	return []shape{
		{
			asked: wordings(`(?:who|what)(?:'s| is) (?:winning|leading|ahead)(?: .*)?`, `(?:who|what|which)(?: option| side| answer| one| food| dish)? (?:won|wins|is winning|leads|is leading|is ahead|got (?:the )?most votes)(?: .*)?`,
				`(?:{show}|what(?:'s| is| are| was| were)|how(?:'s| is| did| does| are)|(?:is|are) there|who|where|when|any) (?:.*\b)?(?:polls?|votes?|voted|voting|survey)\b(?: .*)?`),
			fits:  func(_ situation, m match) bool { return !strings.Contains(m[""], ":") },
			begin: func(s situation, m match) string { return act("readMessages", "channel", s.named(m[""]), "limit", 100) },
			goOn:  tellPolls,
		},
		{
			asked: wordings(`(?:close|end|stop|finish|cancel|{delete}) (?:the |that |this |my |our )?(?:\w+ )?(?:poll|vote|voting)(?: .*)?`),
			begin: func(s situation, m match) string { return act("readMessages", "channel", s.named(m[""]), "limit", 50) },
			goOn: func(s situation, m match) string {
				for _, p := range slices.Backward(s.messagesIn(s.results)) {
					if pollState().MatchString(p.text) && p.author == s.bot {
						return act("pollEnd", "messageId", p.handle, "channel", orHere(s.named(m[""])))
					}
				}
				return "I see no poll there."
			},
		},
		{
			asked: wordings(new+`(?: ?[:,-]+ ?| (?:in|on|about|asking|for|whether|if|with|between) | )(?P<all>.+)`,
				`ask (?:us|everyone|everybody|people|the (?:crew|club|team)) (?:(?:to choose|to pick) )?(?P<all>.*\?.+|.+: .+)`),
			fits:  func(s situation, m match) bool { _, list := s.poll(m["all"]); return len(list) > 1 },
			begin: makePoll,
		},
		{
			asked: wordings(`ask (?:us|everyone|everybody|people|them|the \w+|\w+) (?:whether|if) (?:they|anyone|people|you|somebody|someone) (?P<verb>can|could|will|would|want|have|like|need|know|are)\b {text}`),
			begin: func(_ situation, m match) string {
				verb := strings.ToLower(m["verb"])
				if strings.Contains("want have like need know", verb) {
					verb = "do you " + verb
				} else {
					verb += " you"
				}
				return act("reactionPrompt", "question", chat.Capital(verb)+" "+m["text"]+"? ✅ means yes, ❌ means no.", "choices", []string{"✅", "❌"})
			},
		},
		{
			asked: wordings(`ask (?:us |everyone |everybody |people |the \w+ )?(?:whether|if) (?:to |we should |we )?{text}`),
			begin: func(_ situation, m match) string {
				question := fmt.Sprintf("Shall we %s? ✅ means yes, ❌ means no.", m["text"])
				return act("reactionPrompt", "question", question, "choices", []string{"✅", "❌"})
			},
		},
	}
}

var (
	pollState   = lazily(`\[Poll “(.*?)”: (.*); ([^;]*)\]`)
	pollHours   = lazily(`(?i),? (?:open )?for (` + countWords + `) (hours?|days?|weeks?)\b`)
	pollChannel = lazily(`(?i)(?:^|,? )(?:in |to )?#([\p{L}\p{N}_-]+)[,:]?`)
	pollPlace   = lazily(`(?i)^in ([\p{L}\p{N}_-]+)[,:] `)
	saidFirst   = lazily(`(?i)^(?:(?:poll|vote|on|about|asking|for|whether|if|the question|called|:|between|with) )+`)
	yesOrNo     = lazily(`(?i)^(?:whether|if|should|shall|do|does|did|is|are|can|could|will|would|may|must|have|has)\b`)
	choicesFrom = lazily(`(?i)(?:[,;]|:)? (?:with (?:the )?(?:options|choices|answers)|with|options|choices|answers)(?: are)?:? | ?[:–—] ?| - `)
	lastWords   = lazily(`(?i)^(.*?)((?:[\p{L}\p{N}'-]+)) or ((?:[\p{L}\p{N}'-]+))(.*)$`)
)

func makePoll(s situation, m match) string {
	text, fields := m["all"], []any{}
	if d := pollHours().FindStringSubmatch(text); d != nil {
		fields = append(fields, "durationHours", int(count(strings.ToLower(d[1]))*unit(strings.ToLower(d[2])).Hours()))
	}
	channel := ""
	if c := pollChannel().FindStringSubmatch(text); c != nil {
		channel = c[1]
	}
	question, list := s.poll(text)
	return act("poll", append([]any{"channel", orHere(channel), "question", question, "answers", list}, fields...)...)
}

// poll reads a question and what people can choose. A question for yes or no needs no choices.
func (s situation) poll(text string) (question string, list []string) {
	text = pollChannel().ReplaceAllString(pollHours().ReplaceAllString(text, ""), "")
	text = strings.Trim(saidFirst().ReplaceAllString(pollPlace().ReplaceAllString(strings.TrimSpace(text), ""), ""), ` "'`)
	question, rest, asked := strings.Cut(text, "?")
	rest = strings.Trim(strings.TrimPrefix(strings.TrimSpace(rest), `"`), ` :,-`)
	if list = choices(rest); asked && len(list) > 1 {
		return chat.Capital(question) + "?", list
	}
	if at := choicesFrom().FindStringIndex(question); at != nil {
		if list = choices(question[at[1]:]); len(list) > 1 {
			return chat.Capital(strings.TrimSpace(question[:at[0]])) + map[bool]string{true: "?"}[asked], list
		}
	}
	if strings.Contains(question, ",") {
		if list = choices(question); len(list) > 1 && !yesOrNo().MatchString(question) && longest(list) < 4 {
			return "Which one?", list
		}
	}
	if m := lastWords().FindStringSubmatch(question); m != nil {
		return chat.Capital(question) + "?", choices(m[2] + "," + m[3])
	}
	if yesOrNo().MatchString(question) || s.halfPoll(question) {
		return chat.Capital(question) + "?", []string{"Yes", "No"}
	}
	return question, nil
}

// halfPoll reports whether a question about whether something is to be done was cut before it was read.
func (s situation) halfPoll(question string) bool {
	return strings.Contains(s.asked, "whether "+question) || strings.Contains(s.asked, "if "+question)
}

func longest(list []string) (n int) {
	for _, text := range list {
		n = max(n, len(strings.Fields(text)))
	}
	return n
}

// named is the known channel that a text names, or the current one.
func (s situation) named(text string) string {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.?!:\"", r) }) {
		if strings.HasPrefix(w, "#") {
			return w[1:]
		}
	}
	if m := inKnown().FindStringSubmatch(text); m != nil && s.club.hasChannel(m[1]) {
		return m[1]
	}
	return here
}

var inKnown = lazily(`(?i)\b(?:in|of|from|on) (?:the )?#?([\p{L}\p{N}_-]+)(?: channel)?$`)

// tellPolls says how polls stand.
func tellPolls(s situation, m match) string {
	var items []string
	for _, p := range slices.Backward(s.messagesIn(s.results)) {
		if state := pollState().FindStringSubmatch(p.text); state != nil {
			items = append(items, fmt.Sprintf("“%s” %s%s (%s)", state[1], leader(state[2], state[3]), strings.ReplaceAll(state[2], " / ", ", "), state[3]))
		}
	}
	if len(items) == 0 {
		return "I see no poll there."
	}
	slices.SortStableFunc(items, func(a, b string) int { return cmp.Compare(s.aboutPoll(b, m[""]), s.aboutPoll(a, m[""])) })
	if strings.Contains(strings.ToLower(m[""]), "voted for") {
		return "I can't see whose votes they are; in Discord, a click on the poll shows it. " + items[0] + "."
	}
	return items[0] + "."
}

// aboutPoll is how many words a question has of a poll. Who asks about food may mean one about what is eaten.
func (s situation) aboutPoll(poll, asked string) int {
	return shared(strings.NewReplacer("food", "food eat", "dinner", "dinner eat", "lunch", "lunch eat", "menu", "menu eat").Replace(asked), poll) + counted(subjects(asked), poll)
}

var voted = lazily(`([^/]+?) \((\d+) votes?\)`)

func leader(answers, state string) string {
	best, most, equal := "", 0, false
	for _, m := range voted().FindAllStringSubmatch(answers, -1) {
		n := int(count(m[2]))
		if n == most {
			equal = true
		}
		if n > most {
			best, most, equal = strings.TrimSpace(m[1]), n, false
		}
	}
	switch {
	case best == "":
		return ""
	case equal:
		return "is a draw so far: "
	case strings.HasPrefix(state, "ended"):
		return "was won by " + best + ": "
	}
	return "is led by " + best + ": "
}

// mostChoices and longestChoice are what Discord takes in a poll.
const (
	mostChoices   = 10
	longestChoice = 55
)

// choices splits "pizza, pasta or soup". Equal ones would be refused.
func choices(text string) (list []string) {
	for part := range strings.SplitSeq(orWord().ReplaceAllString(text, ","), ",") {
		part = chat.Clip(strings.Trim(part, ` "'.!?`), longestChoice)
		if part != "" && !slices.ContainsFunc(list, func(c string) bool { return strings.EqualFold(c, part) }) {
			list = append(list, part)
		}
	}
	return list[:min(len(list), mostChoices)]
}

var orWord = lazily(`(?i),? (?:or|and|vs\.?|versus) | ?[/|;] ?`)

// emojis have names that people write.
var emojis = onDemand(func() map[string]string {
	return map[string]string{"thumb": "👍", "heart": "❤️", "fire": "🔥", "party": "🎉", "tada": "🎉", "laugh": "😂", "check": "✅", "tick": "✅", "eyes": "👀",
		"wave": "👋", "clap": "👏", "rocket": "🚀", "star": "⭐", "smil": "😄", "anchor": "⚓", "boat": "⛵", "ok": "👌", "sad": "😢", "cat": "🐈", "cross": "❌", "down": "👎"}
})

func emojiOf(text string) string {
	text = strings.ToLower(strings.Trim(text, ": "))
	for _, w := range []string{text, strings.TrimPrefix(text, "a ")} {
		for name, e := range emojis() {
			if strings.HasPrefix(w, name) && (name != "thumb" || !strings.Contains(w, "down")) {
				return e
			}
		}
	}
	if strings.Contains(text, "down") {
		return "👎"
	}
	return cmp.Or(strings.Fields(text + " 👍")[0])
}
