package standin

import (
	"fmt"
	"regexp"
	"strings"
)

// talkShapes are about the bot itself, and small talk.
func talkShapes() []shape {
	says := func(text string, patterns ...string) shape {
		return shape{asked: wordings(patterns...), begin: func(situation, match) string { return text }, talk: true}
	}
	return []shape{
		{
			asked: wordings(`what(?:'s| is)? (?:the )?(?:current )?time(?: is it)?(?: now)?`,
				`what(?:'s| is)? (?:the )?(?:current |today's )?(?:date|day)(?: is it)?(?: today)?`, `what(?:'s| is) today`, `how late is it`,
				`do you know what time it is`, `time`, `date`),
			begin: func(s situation, _ match) string {
				if s.now.IsZero() {
					return "I don't know the time here."
				}
				return "It is " + s.now.Format("Monday, 2 January 2006, 15:04") + "."
			},
			talk: true,
		},
		{
			asked: wordings(`(?:what(?:'s| is|'re| are)|calculate|compute|how much is|work out|evaluate|solve)? `+
				`?(?P<sum>[-+*/%^().,\d\sx×÷=]*\d[-+*/%^().,\d\sx×÷]*)=?`,
				`(?:what(?:'s| is)|calculate|compute|how much is) (?P<sum>[\d.]+(?: ?(?:plus|minus|times|divided by|over|percent of|% of|to the `+
					`power of|squared) ?[\d.]*)+)`),
			begin: func(_ situation, m match) string { return act("calculate", "expression", expression(m["sum"])) },
			goOn: func(s situation, _ match) string {
				return strings.ReplaceAll(strings.TrimPrefix(s.results[0], "Done: "), "*", "×") + "."
			},
		},
		says("Write `!undo`: it takes back what I did last in this channel, as far as Discord lets me.",
			`undo(?: (?:that|it|this|the last (?:thing|action|change)|what you (?:just )?did))?`, `(?:take|put) (?:that|it) back`,
			`revert(?: (?:that|it|this))?`, `(?:that was|it was) (?:wrong|a mistake)`),
		says("You're welcome!", `(?:thanks|thank you|thx|ty|cheers|great|nice|cool|perfect|awesome|well done|good (?:job|bot|work)|brilliant`+
			`|lovely)(?:,? (?:so much|a lot|very much|you|bot|discoclaw|thanks|thank you|job|work))*`),
		says("Goodbye! I'm here whenever you write.", `(?:bye|goodbye|see you|good night|cu|later)(?: .*)?`),
		says("All good here, thanks. What can I do for you?", `how are you(?: .*)?`, `how(?:'s| is) it going`, `what's up`),
		says("I'm DiscoClaw, a bot that acts on this server within limits. In this playground a script speaks for me instead of a language "+
			"model; everything I do goes through the real bot.",
			`who are you`, `what are you`, `what(?:'s| is) your name`, `what is discoclaw`, `introduce yourself`, `what is this bot`),
		says("No. Here a script speaks for me: it knows some English by heart. Start the playground with an API key, and a language model "+
			"speaks instead.",
			`are you (?:a )?(?:real|human|an? (?:real )?(?:ai|bot|robot|person|llm|language model|script)|chatgpt|gpt|claude|alive`+
				`|intelligent)(?: .*)?`, `is this (?:a )?(?:real )?(?:ai|an ai|model|script|gpt|chatgpt|claude)(?: .*)?`,
			`do you (?:really )?(?:think|understand(?: me)?)`),
		{
			asked: wordings(`(?:which|what) (?:language )?models?\b.*`),
			begin: func(situation, match) string { return act("modelShow") },
			goOn: func(situation, match) string {
				return "None: in this playground, a script stands in for the models of all roles. `!models` lists the roles."
			},
		},
		says(helpText, `(?:help|what can (?:you|I) do|what do you do|how does (?:this|it) work|commands?|what else|what now|how do I `+
			`(?:start|begin)|what should I (?:try|say|ask|do)|give me (?:some )?(?:ideas|examples))(?: .*)?`),
		says("Hello! A script speaks for me here, but what I do goes through the real bot. Try: "+example,
			`(?:hi|hello|hey|hiya|howdy|yo|good (?:morning|evening|day|afternoon)|moin|hallo|servus|greetings)(?:[ ,!]+[\p{L}@<>\d']+){0,4}`),
		says(story, `(?:tell|write|read)(?: me| us)? (?:a|another|the) (?:\w+ )?story.*`, `a story`),
		says("A channel walks into a server and asks: “Is anybody here?” Nobody. So it was deleted in March.",
			`(?:tell|say)(?: me| us)? (?:a|another) joke.*`, `make me laugh`, `joke`),
		says("It is long, so it comes as a file.\n```csv\n"+timesTable(55)+"```",
			`(?:make|write|show|give|print)(?: me| us)? (?:a|the) (?:times|multiplication) table.*`, `(?:times|multiplication) table`),
	}
}

// example is a request that shows what the bot can do.
const example = "“Make a channel called ideas and pin a welcome message there.”"

const helpText = "I can, among other things,\n" +
	"- make, rename, move and delete channels and roles\n" +
	"- post, pin, find and sum up messages; start threads and polls\n" +
	"- keep tasks, events and reminders\n" +
	"- do things by myself: “every Friday at 17:00, post the open tasks in #ops”\n" +
	"- remember what you tell me about yourself\n" +
	"`!help` lists the commands."

var sums = strings.NewReplacer("plus", "+", "minus", "-", "times", "*", "divided by", "/", "over", "/", "percent of", "/100*", "% of",
	"/100*", "to the power of", "^", "squared", "^2",
	"x", "*", "×", "*", "÷", "/", ",", "")

// expression is a sum in words as the action calculate takes it.
func expression(text string) string { return strings.TrimSpace(sums.Replace(strings.ToLower(text))) }

// prompted are the prompts of the bot's own for turns that no message began.
func prompted() []shape {
	return []shape{
		{
			asked: []*regexp.Regexp{regexp.MustCompile(`^You had asked: .*`)}, // for a chosen answer
			begin: func(situation, match) string {
				return "Noted. A language model would go on from that answer; the script stops here."
			},
			talk: true,
		},
		{
			asked: []*regexp.Regexp{regexp.MustCompile(`^(?:They wrote it themselves|You wrote it|That one was (?:written|posted) by .*?): `)},
			// for a reaction
			begin: func(situation, match) string { return silence },
			talk:  true,
		},
	}
}

// silence is how a model says nothing.
const silence = "HEARTBEAT_OK"

var (
	toEverybody = lazily(`(?i)^(?:tell|remind) (?:everybody|everyone|us|the team|people) to (.+?)[.!]*$`)
	timeTo      = lazily(`(?i)^(?:say|tell .*?) that (?:it is|it's) time to (.+?)[.!]*$`)
	toSay       = lazily(`(?i)^(?:post|say|write|announce|send|share|wish us|tell (?:everybody|everyone|us)(?: that)?) (.+)$`)
	toLook      = lazily(`(?i)^(?:post|list|show|share|give|tell us|summari[sz]e|read|send|what|which|who)\b`)
)

// posted is the answer of a turn that nobody waits for. What the script does not know is posted in the prompt's own words.
func posted(s situation) string {
	if m := toEverybody().FindStringSubmatch(s.asked); m != nil {
		return "Time to " + m[1] + "."
	}
	if m := timeTo().FindStringSubmatch(s.asked); m != nil {
		return "Time to " + m[1] + "."
	}
	if k, m, ok := understood(s.asked); ok && (!k.talk || toLook().MatchString(s.asked)) {
		if s.rounds == 0 {
			return k.begin(s, m)
		}
		return shortened(after(s, k, m))
	}
	if m := toSay().FindStringSubmatch(plain(s.asked)); m != nil {
		return sentence(unquoted(m[1]))
	}
	return sentence(fmt.Sprint(s.asked))
}
