package standin

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// polite are words around a request that change nothing.
var (
	politeBefore = lazily(`(?i)^(?:(?:good (?:morning|evening|afternoon|day)|please(?: to)?|pls|plz|hey|hi|hello|hm+|um|oh|ah|ok|okay|kk|alright|all right|right|so|well|now|and|also|but|then|next|` +
		`yes|yeah|no|nope|nah|wait|quick|real quick|question|quick question|sorry|actually|lol|haha|bot|discoclaw|dude|mate|<@!?\d+>|` +
		`would you mind|would you be so kind(?: as)? to|(?:can|could|would|will) (?:you|u|we|ya|someone|somebody)|be so kind and|` +
		`(?:I|we) (?:want|need)(?: for)? you to|(?:I'd|we'd|I would|we would) (?:like|love)(?: for)? you to|(?:I'd|we'd|I would|we would) like to|(?:I'd|we'd|I would|we would) like that you|nvm|btw|fyi|provide(?: me| us)?(?: with)?|` +
		`(?:I|we) (?:want|wanna) to|you (?:should|can|could|may|might)|let's|do me a favou?r and|go ahead and|go and|just|quickly|kindly|maybe|perhaps|` +
		`I (?:wonder|was wondering)(?: if (?:you|we) (?:can|could))?|do you know|any idea|(?:is it|would it be) possible to|any chance you (?:can|could)|` +
		`is there (?:a|any) way to|(?:that's|that is|it's|this is) (?:way |a bit |much )?(?:too|not) [\pL ]{2,16}[,;.!]|tell me,?|I think|I guess|that means|in that case|help me(?: to)?|don't forget to|make sure to|be sure to|remember to|try to|time to|it'?s time to|once more)(?:[,!:.…]+ ?| ))+`)
	politeAfter = lazily(`(?i)(?:[, ]+(?:please|pls|plz|thanks|thank you|thx|ty|for me|for us|if you can|if possible|if you don't mind|` +
		`when you (?:can|have (?:a|the) (?:time|minute|moment))|now|right now|right away|once|asap|real quick|would you|could you|will you|can you|ok|okay|mate|` +
		`bot|discoclaw|then|instead|rather|after all|too|as well|again|maybe|or (?:so|something)|lol|haha|yet|at all|actually|really|for now|` +
		`a (?:bit|little)|:\)|;\)|🙏))*[?.! …]*$`)
	quotes = strings.NewReplacer("’", "'", "‘", "'", "´", "'", "“", `"`, "”", `"`, "„", `"`)
	slips  = []struct {
		said func() *regexp.Regexp
		as   string
	}{
		{lazily(`(?i)^(what|who|where|when|how)s\b`), "$1's"},
		{lazily(`(?i)\b(I)(m|ve|d)\b`), "$1'$2"},
		{lazily(`(?i)\b(do|does|did|is|are|has|have|was|ca|wo)nt\b`), "${1}n't"},
		{lazily(`(?i)\bto-do(s?)\b`), "todo$1"}, {lazily(`(?i)\bto do list\b`), "todo list"},
		{lazily(`(?i)\bu\b`), "you"}, {lazily(`(?i)\bgimme\b`), "give me"}, {lazily(`(?i)\bsetup\b`), "set up"}, {lazily(`(?i)^(.*?\b)?(?:a |the )?(?:full |complete |short )?list of `), "${1}list "}, {lazily(`(?i)^(approve|accept|close|stop|pause|resume|delete|unlock) and (\w+) (it|that)$`), "$1 $3 and $2 $3"}, {lazily(`(?i)(\w),? (?:please|pls|plz)\b`), "$1"}, {lazily(`(?i),? btw\b,?`), ""}, {lazily(`(?i)\bwanna\b`), "want to"}, {lazily(`(?i)\blets\b`), "let's"},
		{lazily(`(?i)\b(\d{1,2}(?:[:.]\d\d)?) ?(?:hours?|h|uhr|o'?clock)? (?:in the morning|a\.m\.)`), "${1}am"},
		{lazily(`(?i)\b(\d{1,2}(?:[:.]\d\d)?) ?(?:hours?|h|uhr|o'?clock)? (?:in the (?:afternoon|evening)|at night|p\.m\.)`), "${1}pm"},
		{lazily(`(?i)^(\S+ \S+ .*?),? in (?:this|the current) (?:channel|room)(\W*)$`), "$1$2"},
		{lazily(`(?i)\bhalf an hour\b`), "30 minutes"}, {lazily(`(?i)\bmidday\b`), "noon"},
		{lazily(`(?i)^(who|what|where|when|which|anything|anybody|anyone) else (.+)`), "$1 $2"},
		{lazily(`(?i)\b(tonight|(?:this |tomorrow |day )?(?:evening|afternoon|night)),? (?:at |around |by )?(\d{1,2}(?:[:.]\d\d)?)( \D|[,.!?]|$)`), "$1 at ${2}pm$3"},
		{lazily(`(?i)\b(\d{1,2}(?:[:.]\d\d)?) (tonight|(?:this|tomorrow|\w+day) (?:evening|afternoon|night))\b`), "${1}pm $2"},
		{lazily(`(?i)^(?:skip|not (?:on|at)|without|no|leave out) (?:the )?weekends?\W*$`), "make it weekdays"}, {lazily(`(?i)^((?:make|create|add|open|start) (?:an? )?\w+),? (?:for|about|of|out of) (?:that|this|it) ?:`), "$1:"}, {lazily(`(?i)\b(tmr|tmrw|tomoz)\b`), "tomorrow"}, {lazily(`(?i)^put (.+) off\b`), "postpone $1"}, {lazily(`(?i)^call (.+) off\b`), "cancel $1"}, {lazily(`(?i)\ba quarter of an hour\b`), "15 minutes"},
	}
)

// plain is a request without polite words, with plain quotes, and with the usual slips mended.
func plain(text string) string {
	text = hourInWords().ReplaceAllStringFunc(strings.TrimSpace(quotes.Replace(text)), hourInDigits)
	for _, s := range slips {
		text = s.said().ReplaceAllString(text, s.as)
	}
	if short := politeBefore().ReplaceAllString(text, ""); len(strings.Fields(short)) > 0 {
		text = short
	}
	if short := politeAfter().ReplaceAllString(text, ""); short != "" {
		text = short
	}
	return mended(text)
}

// hourInWords is a time such as "at nine" or "half past eight".
var hourInWords = lazily(`(?i)\b(at|by|around|until|till|make it|(?:at )?half past|(?:at )?(?:a )?quarter past|to) (one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2})(?: o'clock)?( [ap]m| tonight| tomorrow| today| this| on| to| in the|[,.!?]|$)`)

func hourInDigits(text string) string {
	m := hourInWords().FindStringSubmatch(text)
	before, hour := strings.ToLower(m[1]), strconv.Itoa(int(count(strings.ToLower(m[2]))))
	for part, minutes := range map[string]string{"half past": ":30", "quarter past": ":15"} {
		if strings.HasSuffix(before, part) {
			return "at " + hour + minutes + map[bool]string{true: "pm"}[count(hour) < 7 && !strings.HasSuffix(m[3], "m")] + m[3]
		}
	}
	return m[1] + " " + hour + m[3]
}

// spelled are the words that a request hangs on, and that are mended if one letter is wrong. Shorter ones have too many neighbours.
var spelled = wordsOf(`create delete remove rename channel category remind reminder schedule every tomorrow tonight today morning evening
	monday tuesday wednesday thursday friday saturday sunday message thread summary summarize members private announce approve pause resume
	cancel event meeting minutes hours urgent nickname assign finish complete everyone everybody weather pinned regatta task tasks poll role
	please close start move what when where which`)

// ordinary are words that look like misspelled ones and are not.
var ordinary = wordsOf(`talk talks talked member number numbers rules whole closed hour house evenings event even remote cause clause minute pole pool roll rope told toll task take takes polls then
	feed teams steam bark milk there were wheat that started mover moved state stare wither whether`)

// mended mends slips in words outside of quotes, and makes "renaming" at the beginning "rename".
func mended(text string) string {
	parts := strings.Split(text, `"`)
	for i := 0; i < len(parts); i += 2 {
		words := strings.Split(parts[i], " ")
		for j, w := range words {
			words[j] = mendedWord(w, i == 0 && j == 0)
		}
		parts[i] = strings.Join(words, " ")
	}
	return strings.Join(parts, `"`)
}

func mendedWord(w string, first bool) string {
	small := strings.ToLower(strings.TrimRight(w, ",.?!:"))
	if first && strings.HasSuffix(small, "ing") {
		for _, verb := range []string{strings.TrimSuffix(small, "ing"), strings.TrimSuffix(small, "ing") + "e", small[:max(len(small)-4, 0)]} {
			if slices.Contains(spelled(), verb) || verb == "make" || verb == "add" || verb == "pin" || verb == "post" {
				return verb
			}
		}
	}
	if len(small) < 4 || slices.Contains(ordinary(), small) || strings.ContainsAny(small, "#@<>/'0123456789") {
		return w
	}
	best := ""
	for _, right := range spelled() {
		if strings.HasPrefix(small, right) {
			return w
		}
		if best == "" && small[0] == right[0] && slipped(small, right) {
			best = right
		}
	}
	if best == "" {
		return w
	}
	return best + w[len(small):]
}

// slipped reports whether a word is another one with two neighbours swapped or, if it is long, with a letter more, less or else; with
// two if it is very long.
func slipped(w, right string) bool {
	switch {
	case len(right) >= 8:
		return within(2, w, right)
	case len(right) >= 5:
		return within(1, w, right)
	}
	sorted := func(word string) string { return string(slices.Sorted(slices.Values([]byte(word)))) }
	return len(right) == 4 && sorted(w) == sorted(right) && within(1, w, right)
}

// within reports whether so many changes of letters make the one word of the other, with a swap of neighbours as one change.
func within(n int, a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if a == b || n == 0 {
		return a == b
	}
	swap := len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && within(n-1, a[2:], b[2:])
	return swap || a != "" && within(n-1, a[1:], b) || b != "" && within(n-1, a, b[1:]) || a != "" && b != "" && within(n-1, a[1:], b[1:])
}

var sentenceEnds = lazily(`[.!?…]+ |, | - | because | cause `)

// pieces are the parts of a long text that may be the request, the likeliest first.
func pieces(text string) (list []string) {
	for _, at := range sentenceEnds().FindAllStringIndex(text, 4) {
		before, after := strings.TrimSpace(text[:at[0]]), strings.TrimSpace(text[at[1]:])
		for _, part := range []string{before, after} {
			if len(strings.Fields(part)) > 1 {
				list = append(list, part)
			}
		}
	}
	return list
}
