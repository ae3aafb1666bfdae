package standin

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// generalShapes are questions that need no look at the server: what a word means, sums that go on, and the calendar.
func generalShapes() []shape {
	noun := `(?:an? |the |your )?(?P<%s>` + strings.Join(explainedNouns(), "|") + `)s?`
	return []shape{
		{
			asked: wordings(`(?:what(?:'s| is| are)|what do you mean by|explain|describe)(?: the difference between)? ` + fmt.Sprintf(noun, "one") +
				`(?: (?:and|or|vs\.?) ` + fmt.Sprintf(noun, "two") + `)?(?: here| for| good for)?|how (?:do|does) ` + fmt.Sprintf(noun, "three") + ` work`),
			fits: func(_ situation, m match) bool {
				return !strings.Contains(m[""], " the "+m["one"]) && m["one"]+"s" != lastWord(m[""])
			},
			begin: func(_ situation, m match) string {
				var list []string
				for _, name := range []string{m["one"], m["two"], m["three"]} {
					if name != "" {
						list = append(list, chat.Capital(explained()[strings.ToLower(name)])+".")
					}
				}
				return strings.Join(list, " ")
			},
			talk: true,
		},
		{
			asked: wordings(`(?:what(?:'s| is) )?(?P<part>half|twice|double|a third|a quarter)(?: of)? (?:that|it)`, `(?:what(?:'s| is) (?:that|it) )?(?P<sum>(?:plus|minus|times|divided by|over|[-+*/×÷]) ?\d[\d.]*)`),
			fits:  func(s situation, _ match) bool { return equals().MatchString(s.lastAnswer()) },
			begin: func(s situation, m match) string {
				of := map[string]string{"half": "/ 2", "twice": "* 2", "double": "* 2", "a third": "/ 3", "a quarter": "/ 4"}
				return act("calculate", "expression", equals().FindStringSubmatch(s.lastAnswer())[1]+" "+cmp.Or(of[strings.ToLower(m["part"])], expression(m["sum"])))
			},
			goOn: func(s situation, _ match) string { return strings.TrimPrefix(s.results[0], "Done: ") + "." },
		},
		{
			asked: wordings(`(?:roll|throw|flip|toss|pick|draw|choose)(?: me)? (?:a|an|the|one|some)? ?(?:(?P<coin>coin)|(?:dice|die|number|d(?P<sides>\d{1,3})))(?: .*)?`, `(?P<coin>heads or tails)`),
			begin: func(_ situation, m match) string {
				if m["coin"] != "" {
					return []string{"Heads.", "Tails."}[rand.N(2)]
				}
				return fmt.Sprintf("%d.", 1+rand.N(max(int(count(cmp.Or(m["sides"], "6"))), 1)))
			},
			talk: true,
		},
		{
			asked: wordings(`(?:what|which) (?P<part>year|month|week)(?: number)?(?: (?:is|are|do) (?:it|this|we(?: have| in)?))?(?: in| now)?`),
			begin: func(s situation, m match) string {
				if _, week := s.now.ISOWeek(); strings.EqualFold(m["part"], "week") {
					return fmt.Sprintf("It is week %d.", week)
				}
				return "It is " + s.now.Format("January 2006") + "."
			},
			talk: true,
		},
		{
			asked: wordings(`(?:tell|say|know|got|give|do you know|have you got)?(?: me| us)? ?(?:a|any|another|some|one more)? ?(?:\w+ )?jokes?(?: about .*)?`, `another one|one more|one more joke`,
				`be funny`, `make me laugh`, `tell me something funny`),
			fits: func(s situation, m match) bool {
				return strings.Contains(m[""], "joke") || strings.Contains(m[""], "fun") || strings.Contains(m[""], "laugh") || told(s) > 0
			},
			begin: func(s situation, _ match) string { return jokes[told(s)%len(jokes)] },
			talk:  true,
		},
	}
}

func lastWord(text string) string { return text[strings.LastIndexByte(text, ' ')+1:] }

// equals is the end of an answer to a sum.
var equals = lazily(`= (-?[\d.]*\d)\b`)

var jokes = []string{
	"A channel walks into a server and asks: “Is anybody here?” Nobody. So it was deleted in March.",
	"Why did the bot cross the road? It waits for your approval first.",
	"How many sailors does it take to tie a bowline? One, and eleven who know a better knot.",
}

// told is how many jokes were told in this conversation.
func told(s situation) (n int) {
	for _, r := range s.earlier {
		for _, j := range jokes {
			if r.mine && strings.HasPrefix(r.text, j[:12]) {
				n++
			}
		}
	}
	return n
}

// explained are the words of this server that people ask about.
var explained = onDemand(func() map[string]string {
	return map[string]string{
		"task":          "a task is work to be done: a post in #tasks that says for whom and until when, as in “make a task: buy rope, for ben, due Friday”",
		"reminder":      "a reminder tells one person something once, as in “remind me tomorrow at 8 to bring the ropes”",
		"job":           "a scheduled job does something again and again, such as “every Friday at 17:00, post the open tasks in #ops”",
		"cron":          "a cron is a scheduled job: it does something again and again, such as “every Friday at 17:00, post the open tasks in #ops”",
		"scheduled job": "a scheduled job does something again and again, such as “every Friday at 17:00, post the open tasks in #ops”",
		"follow-up":     "a follow-up is something that I do once, a little later, as in “in 10 minutes, say hello in #ops”",
		"plan":          "a plan says how a project's files are to change; you approve it before anything happens, as in “show me plan 1”",
		"forge":         "the forge writes plans for changes to a project and has them audited, as in “make a plan to greet people by name”",
		"thread":        "a thread is a conversation beside a channel, as in “start a thread about lunch”",
		"forum":         "a forum is a channel in which every post is a conversation of its own, such as #help",
		"poll":          "a poll is a vote in a channel, as in “start a poll: Lunch? pizza, pasta or soup”",
		"event":         "an event is a date that Discord shows to everybody, as in “make an event: Harbour walk on Saturday at 15:00 at the pier”",
		"role":          "a role is a group of members with a name, a color and rights, as in “give sam the role helpers”",
		"category":      "a category is a heading above channels, as in “move #food to Work”",
		"pin":           "a pinned message is kept where everybody finds it, as in “pin the last message in #ops”",
		"slowmode":      "slow mode lets everybody write only once in so many seconds, as in “slow down #random”",
		"slow mode":     "slow mode lets everybody write only once in so many seconds, as in “slow down #random”",
		"card":          "a card says what is about to happen, and nothing happens until somebody who may do it presses *Approve*",
		"undo":          "`!undo` shows what can be taken back of what I did last in this channel, and goes ahead when you approve",
		"memory":        "what you tell me to remember about you counts in all your conversations; `!memory` shows it to you alone",
	}
})

func explainedNouns() (list []string) {
	for name := range explained() {
		list = append(list, regexp.QuoteMeta(name))
	}
	return list
}

// feast is the next of a day that people count to.
func feast(text string, now time.Time) (time.Time, bool) {
	for _, day := range []struct{ name, month, of string }{{"christmas eve", "december", "24"}, {"christmas", "december", "25"}, {"new year's eve", "december", "31"}, {"new year", "january", "1"}} {
		if strings.Contains(text, day.name) {
			return ofMonth(day.of, day.month, "", now), true
		}
	}
	return now, false
}
