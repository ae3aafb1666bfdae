package standin

import (
	"cmp"
	"slices"
	"strings"
)

// whichWords are a message, by its author or by what it is about.
const whichWords = `(?:(?:the|my|that|this|a) )?(?:(?P<who><@!?\d+>|@?[\p{L}\p{N}_-]+?)(?:'s?|s'|s)? )?(?:(?:last|latest|newest|previous|most recent) )?` +
	`(?:message|post|comment|question|note|remark|announcement|msg|answer|reply|tip|joke)(?: (?:by|from|of) (?P<by><@!?\d+>|@?[\p{L}\p{N}_-]+)| (?:that )?(?P<by2>@?[\p{L}\p{N}_-]+) (?:wrote|posted|sent|said|left))?` +
	`(?: (?:about|on|with|mentioning|where \w+ (?:talks|asks|says)(?: about| for)?) (?P<about>.+?))?(?: (?:in|from) #?(?P<in>[\p{L}\p{N}_-]+))?`

// whichShapes do something to a message that has to be found first.
func whichShapes() []shape {
	one := func(kind, pattern string) shape {
		return shape{
			asked: wordings(strings.Split(pattern, "||")...),
			fits: func(s situation, m match) bool {
				m["by"] = cmp.Or(m["by"], m["by2"])
				return m["by"] != "" && s.club.hasPerson(m["by"]) || m["about"] != "" ||
					m["who"] != "" && (s.club.hasPerson(m["who"]) || strings.Contains(m[""], m["who"]+"'s")) || strings.Contains(m[""], " my ")
			},
			begin: func(s situation, m match) string {
				by := m["by"]
				if s.club.hasPerson(m["who"]) || strings.Contains(m[""], m["who"]+"'s") {
					by = cmp.Or(by, m["who"])
				}
				if by == "" && strings.Contains(m[""], " my ") {
					by = s.who
				}
				if by == "" && m["about"] == "" {
					return act("readMessages", "channel", orHere(m["in"]), "limit", 20)
				}
				return act("searchMessages", "userId", s.mine(by), "query", searchWord(m["about"]), "channel", m["in"])
			},
			goOn: func(s situation, m match) string { return s.onMessage(kind, m) },
		}
	}
	return []shape{
		one("pinMessage", `(?:pin|stick) `+whichWords), one("unpinMessage", `unpin `+whichWords), one("deleteMessage", `{delete} `+whichWords),
		one("react", `(?:a )?(?P<emoji>(?:thumbs? (?:up|down)|heart|👍|❤️|🎉)) (?:to|for|on|at) `+whichWords+`||react to `+whichWords+` with (?P<emoji>.+?)||(?:give|put|add) `+whichWords+` (?P<emoji>(?:a|an) .+?)`+
			`||(?:put|add) (?P<emoji>.+?) (?:on|to) `+whichWords+`||react with (?P<emoji>.+?) to `+whichWords),
		one("threadCreate", `(?:{make}) {a}thread (?:on|from|under|for) `+whichWords),
	}
}

// onMessage does something to the message in the results that the words fit best; of equals, to the latest.
func (s situation) onMessage(kind string, m match) string {
	best, most := message{}, -1
	found := s.others()
	slices.SortStableFunc(found, func(a, b message) int { return strings.Compare(b.sent, a.sent) })
	for _, f := range found {
		if n := shared(m["about"], f.text); n > most && f.handle != "" && f.author != s.bot && (f.author != s.who || !s.asksHere(f.text)) {
			best, most = f, n
		}
	}
	if best.handle == "" {
		return "I don't see such a message."
	}
	fields := []any{"channelId", strings.Trim(cmp.Or(strings.TrimPrefix(best.channel, "#"), orHere(m["in"])), "<#>"), "messageId", best.handle}
	switch kind {
	case "react":
		fields = append(fields, "emoji", emojiOf(m["emoji"]))
	case "threadCreate":
		fields = append(fields, "name", strings.TrimRight(firstWords(best.text, 8), ",.;:"))
	}
	return act(kind, fields...)
}

func firstWords(text string, n int) string {
	list := strings.Fields(text)
	return strings.Join(list[:min(len(list), n)], " ")
}
