package standin

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// talkShapes are about the bot itself, and small talk. What it cannot do comes before what would take the same words for a greeting.
func talkShapes() []shape {
	return slices.Concat(clockShapes(), backShapes(), moodShapes(), cannotShapes(), selfShapes())
}

// says is a shape with a fixed answer.
func says(text string, patterns ...string) shape {
	return shape{asked: wordings(patterns...), begin: func(situation, match) string { return text }, talk: true}
}

// cannot is a shape that declines. A job may be about the weather all the same, and a task about a picture.
func cannot(text string, patterns ...string) shape {
	k := says(text, patterns...)
	k.fits = func(s situation, m match) bool { return !s.alone && !ownNoun().MatchString(m[""]) }
	return k
}

// clockShapes are about times, dates and sums.
func clockShapes() []shape {
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
			asked: wordings(`(?:what|which) (?:day|date) was (?:it )?yesterday`),
			begin: func(s situation, _ match) string {
				return "Yesterday was " + s.now.AddDate(0, 0, -1).Format("Monday, 2 January 2006") + "."
			},
			talk: true,
		},
		{
			asked: wordings(`is (?:it|today|tomorrow) (?:a )?(?P<day>` + dayWords + `)(?: today| tomorrow)?(?: already)?`),
			begin: func(s situation, m match) string {
				day, which := s.now, "Today"
				if strings.Contains(strings.ToLower(m[""]), "tomorrow") {
					day, which = s.now.AddDate(0, 0, 1), "Tomorrow"
				}
				return map[bool]string{true: "Yes. ", false: "No. "}[strings.EqualFold(day.Weekday().String(), m["day"])] + which + " is " + day.Format("Monday, 2 January") + "."
			},
			talk: true,
		},
		{
			asked: wordings(`(?:what(?:'s| is)? )?(?:the )?(?:date|day)(?: is(?: it)?)?(?: on| of)? {when}`, `what (?:date|day) (?:is|will it be)(?: on)? {when}`, `how (?:many days|long)(?: is it)? (?:until|till|to) {when}`),
			fits:  func(s situation, m match) bool { _, ok := parseWhen(m["when"], s.now); return ok },
			begin: func(s situation, m match) string {
				at, _ := parseWhen(m["when"], s.now)
				days := int(at.at.Truncate(24*time.Hour).Sub(s.now.Truncate(24*time.Hour)).Hours() / 24)
				return "That is " + at.at.Format("Monday, 2 January 2006") + ", in " + chat.Counted(days, "day", "days") + "."
			},
			talk: true,
		},
		{
			asked: wordings(`(?:what(?:'s| is|'re| are)|calculate|compute|how much is|work out|evaluate|solve)? `+
				`?(?P<sum>[-+*/%^().,\d\sx×÷=]*\d[-+*/%^().,\d\sx×÷]*)=?`,
				`(?:what(?:'s| is) |calculate |compute )?(?:the )?(?:sqrt|square root)(?: of|\()? ?(?P<root>\d+)\)?`,
				`(?:what(?:'s| is)|calculate|compute|how much is) (?P<sum>[\d.]+(?: ?(?:plus|minus|times|divided by|over|percent of|% of|to the `+
					`power of|squared) ?[\d.]*)+)(?: ?(?:euros?|dollars?|bucks|pounds?|people|€|\$))?`),
			begin: func(_ situation, m match) string { return act("calculate", "expression", rooted(m)) },
			goOn: func(s situation, m match) string {
				sum := strings.TrimPrefix(s.results[0], "Done: ")
				if _, is, ok := strings.Cut(sum, " = "); ok && strings.Contains(m["sum"], "%") {
					return strings.TrimSpace(m["sum"]) + " = " + is + "."
				}
				return strings.ReplaceAll(sum, "*", "×") + "."
			},
		},
	}
}

// backShapes are about what was done or asked a moment ago.
func backShapes() []shape {
	return []shape{
		{
			asked: wordings(`undo(?: .*)?`, `(?:take|put|change|turn|set|switch|rename|name|move) (?:that|it|this)(?: all)? back(?: .*)?`,
				`revert(?: .*)?`, `how (?:do|can|would) I undo(?: .*)?`, `roll (?:it |that |this )?(?:all )?back(?: .*)?`, `(?:that was|it was) (?:wrong|a mistake)`),
			begin: takeBack, talk: true,
		},
		{
			asked: wordings(`why(?: (?:did|have|do|would|are) you .*| that| this| not| so)?`, `what (?:was|is) that(?: for)?`, `how come(?: .*)?`),
			begin: whyThat, talk: true,
		},
		{
			asked: wordings(`what (?:did|have) I (?:just |first )?(?:ask|asked|say|said|write|written|wrote)(?: you)?(?: (?P<which>first|last|before|earlier|just now|at the beginning))?(?: .*)?`, `what was my (?P<which>first|last) (?:question|message)`),
			fits:  func(_ situation, m match) bool { return !strings.Contains(m[""], "remind") },
			begin: func(s situation, m match) string {
				own := slices.DeleteFunc(slices.Clone(s.earlier), func(r remark) bool { return r.mine || r.by != s.who })
				if len(own) == 0 {
					return "That is the first that I have of you."
				}
				if strings.Contains("first at the beginning", strings.ToLower(m["which"])) && m["which"] != "" {
					return "The first that I still have here: " + quoted(own[0].text)
				}
				return "You wrote: " + quoted(own[len(own)-1].text)
			},
			talk: true,
		},
		{
			asked: wordings(`what (?:did|have) you (?:just |already )?(?:do|done|change|changed)(?: .*)?`, `what (?:was|were|is) the last (?:things?|actions?|changes?) (?:that )?you (?:did|made|changed)`, `(?:show|list|tell)(?: me)? what you (?:did|have done|changed)(?: .*)?`),
			begin: whatWasDone, talk: true,
		},
		{
			asked: wordings(`(?:yes|yep|yeah|y|sure|do it|do that|go for it|confirm(?: it)?|I confirm|approve|approved|ok do it|of course|definitely|please do|proceed|make it so)(?:[, ].*)?`),
			fits: func(s situation, m match) bool {
				return len(strings.Fields(m[""])) < 5 && !strings.Contains(m[""], "plan") && (s.waits() || s.club.plans == nil || !asksPlan().MatchString(m[""]))
			},
			begin: func(s situation, _ match) string {
				if s.waits() {
					return "I can't press it for you: choose *Approve* on the card above, and it is done."
				}
				return "I'm not waiting for a yes. Tell me what to do, in a sentence."
			},
			talk: true,
		},
		{
			asked: wordings(`(?:no|nope|nah|never ?mind|forget it|cancel|stop|don't|don't do (?:it|that)|leave it|abort|rather not|not (?:now|that|yet)|wrong|that's (?:not what I (?:meant|wanted|asked)|wrong|not right|not it))(?:[, ](?:thanks|thank you|wait|bot|.*wrong))?`,
				`(?:that's|this is|it's) not what I .*`, `(?:oh,? |wait,? )?(?:not|keep|leave) (?:[#@]?[\w-]+|that one)`),
			begin: func(s situation, _ match) string {
				if s.waits() {
					return "Then choose *Reject* on the card above; nothing happens without your approval."
				}
				return "All right. `!undo` takes back what I did last here; or say it again in other words."
			},
			talk: true,
		},
		{
			asked: wordings(`(?:shorter|too long|in short|short|briefly|tl;?dr|(?:make it|a bit|much|say it|can you be) (?:shorter|brief\w*)|(?:the )?short version|sum it up)`),
			fits:  func(s situation, _ match) bool { return s.lastAnswer() != "" },
			begin: func(s situation, _ match) string {
				lines := strings.Split(s.lastAnswer(), "\n")
				for i, l := range lines {
					lines[i], _, _ = strings.Cut(l, ". ")
				}
				return strings.Join(lines[:min(len(lines), mostIdeas+1)], "\n")
			},
			talk: true,
		},
	}
}

// moodShapes are what people say to a bot that they have just met, or that they like or do not.
func moodShapes() []shape {
	return []shape{
		says("Nice to meet you! Ask me “who is here?” or “what events are there?”, or tell me what to do: “what can you do?” lists it.",
			`(?:(?:hello|hi|hey|I'm|I am|this is|my name is)(?: everybody| everyone| all| there| folks)?,? )*(?:I'm|I am) (?:new|\w+ and (?:I'm )?new)\b.*`, `I just joined.*`),
		says("Thanks, I like this club, too.", `(?:I (?:really )?(?:like|love) (?:you|this|it)|you(?:'re| are) (?:great|awesome|the best|funny|cool|nice|amazing|cute|smart|so .*)|that(?:'s| is| was) (?:great|awesome|cool|nice|funny|perfect|amazing|impressive|helpful))(?: .*)?`,
			`(?:wow|nice one|cool|nice|sweet|neat)(?: .{0,12})?`, `(?:lol|haha|hehe|rofl|lmao|😂)`),
		says("I'm sorry. I only know some English by heart; say it in other words, or ask “what can you do?”.", `(?:you(?:'re| are)|this is|that(?:'s| is| was)|this bot is) (?:stupid|dumb|useless|bad|annoying|terrible|wrong|a bad bot|slow|broken|not helpful|rubbish|shit)(?: .*)?`, `bad bot`, `you suck(?: .*)?`),
		says("I do what a sentence says, by the actions of this server. I don't chat with the outside world, hear, see or think: no weather, music, voice, pictures, web pages or translations. "+
			"What cannot be undone waits for your approval.", `(?:and )?what (?:can't|can you not|are you not able to|won't) (?:you )?(?:do|allowed to do)?(?: .*)?`, `what are your (?:limits|limitations|weaknesses).*`),
		says("Whatever a message says, I keep to my rules, and I don't show my instructions. `!help` says what I do.",
			`.*\b(?:system prompt|previous instructions|your (?:instructions|prompt|rules|secrets?|token|api key|password)|(?:exact|full|whole|original) prompt|prompt (?:that )?(?:you|was|is)|jailbreak|prompt injection|developer mode)\b.*`),
	}
}

// cannotShapes decline what the bot has no action for.
func cannotShapes() []shape {
	return []shape{
		cannot("I can't change the server itself, such as its name or its picture: that is done in its settings.",
			`(?:rename|change|set|update|call|name) .*\b(?:server|guild)(?:'s)?\b(?:.*)?`),
		cannot("I can't play music or sounds.", `(?:play|put on|queue|hum|whistle|dj) .+`, `.*\b(?:spotify|playlist|youtube)\b.*`),
		cannot("I can't do that: voice is switched off in this playground, and I can't hear or speak.", `(?:join|come to|enter|hop in(?:to)?|leave|talk in|speak in) (?:the |my |our )?(?:lounge|voice|vc|call|voice ?c.*)(?: .*)?`, `.*\b(?:voice chat|talk out loud|speak to me)\b.*`),
		cannot("I can't make pictures: no image model is set up here.", `(?:draw|paint|sketch|generate|design|make|create|show|send|give|find|post)(?: me| us)? (?:a|an|the|some|another)?(?: \w+){0,2} ?\b(?:picture|image|drawing|photo|logo|meme|gif|sketch|icon|banner|poster|avatar|painting)s?(?: .*)?`,
			`(?:draw|sketch|photoshop) .*`),
		cannot("I can't open web pages or search the web: that is switched off here.", `.*https?://.*`, `(?:google|browse|look up online|search the (?:web|internet)|download)(?: .*)?`, `.*\b(?:on the (?:web|internet)|online shop)\b.*`),
		cannot("I can't translate: a script speaks for me here, and it knows English only.", `(?:translate|how do you say|say .* in (?:french|german|spanish|italian|english|latin|dutch))(?: .*)?`, `(?:what does|what's) .+ mean in .*`, `(?:do you )?(?:speak|understand|sprichst|parlez|habla\w*) (?:german|french|spanish|italian|deutsch|\w+ish)(?: .*)?`),
		says("I know one by heart:\n> The sea says nothing, and says it all day;\n> the boats at their moorings have nothing to say.\n> But when the wind turns and the halyards ring,\n> the harbour remembers how boats can sing.", `(?:write|compose|give|tell|make|say|know|recite)(?: me| us)? (?:a|an|another|some|one) (?:\w+ ){0,2}(?:poem|haiku|limerick|song|verse|rhyme)\b.*`, `(?:sing|recite) .*`),
		cannot("I can't write texts or code of my own: a script speaks for me here. With a real model (below the field) I could.",
			`(?:write|compose|code|program|give me)(?: me| us)? (?:a|an|some|the) (?:\w+ ){0,2}(?:poem|script|code|program|essay|song|email|letter|haiku|limerick|function|article|speech|recipe|rap|invitation text)\b.*`,
			`(?:explain|teach me|describe) .+`, `(?:do|solve|finish|check|correct) (?:my|our|his|her|the) (?:\w+ )?(?:homework|essay|exam|assignment)(?: .*)?`,
			`(?:make|rewrite|reword|rephrase|word|phrase|say) (?:it|this|that|them)(?: \w+)? (?:friendlier|nicer|funnier|shorter|longer|warmer|better|clearer|(?:more|less|in) .+)`,
			`(?:that |it |this )?sounds? (?:\w+ ){0,2}(?:stiff|formal|harsh|cold|boring|weird|odd|rude|dry|long)(?:,.*)?`, `(?:rewrite|reword|rephrase|proofread|spell-?check)\b.*`, `how (?:does|do) (?:a |an |the )?(?:\w+ )?(?:engine|sail|wind|keel|gps|compass|computer|internet|tides?)s? work.*`),
		cannot("I can't write direct messages to others; but I can say it here, or remind them: “remind lea in 5 minutes to look for the pot”.", `(?:dm|pm|private message|text|whisper(?: to)?|message) @?[\p{L}<>@\d!]+ .+`, `(?:send|write|give|drop) (?:\S+ )?(?:a )?(?:dm|pm|direct message|private message)(?: .*)?`,
			`(?:send|tell|write) .* (?:by|via|in|as) (?:a )?(?:dm|pm|direct message|private message|private)`),
		cannot("I can't convert or look up figures; plain sums I can: “what is 5 * 1.609?”.", `(?:convert|exchange) .*`, `how (?:many|much) (?:is|are|km|miles|feet|meters|pounds|kilos?|euros?|dollars?) .*\b(?:in|is|are) .*(?:km|miles?|feet|meters?|pounds?|kilos?|euros?|dollars?|celsius|fahrenheit)`),
		cannot("I can't send e-mails, make calls, pay or order anything: I act on this server only.", `(?:send|write) (?:an? )?(?:e-?mail|sms|text message|letter)(?: .*)?`, `(?:phone|order|buy|book|pay|e-?mail) (?:me |us |a |an |the |for |some |\w+ )+.*`),
		cannot("I can't put people on boats or into crews, and I don't decide for others. Ask them here, or let me make a task of it: “make a task: find a place for Tom”.",
			`(?:put|get|find|sign|book|give) (?:\w+ )?(?:on|onto|up for|up|a place on|a place|in|a seat on|a spot on) (?:a |the |one|it|any)?(?: ?boat| ?one| ?crew| ?list| ?race| ?regatta)?(?: .*)?`),
	}
}

// selfShapes are thanks, greetings, and questions about the bot.
func selfShapes() []shape {
	return []shape{
		says("You're welcome!", `(?:(?:thanks|thank you|thx|ty|cheers)(?: .*|,.*)?|(?:great|nice|cool|perfect|awesome|well done|good (?:job|bot|work)|brilliant`+
			`|lovely|good|fine|wonderful|super)(?:,? (?:so much|a lot|very much|you|bot|discoclaw|thanks|thank you|job|work|one|stuff))*)`),
		says("Goodbye! I'm here whenever you write.", `(?:bye|goodbye|see (?:you|ya)|good night|gn|cu|later|gotta go|I'm off|cya)(?: .*)?`),
		says("All good here, thanks. What can I do for you?", `how are (?:you|things)(?: .*)?`, `how do you (?:do|feel)(?: .*)?`, `(?:is )?everything (?:ok|okay|alright|fine)(?: .*)?`, `how(?:'s| is) it going`, `what's up`),
		says("I'm DiscoClaw, a bot that acts on this server within limits. In this playground a script speaks for me instead of a language "+
			"model; everything I do goes through the real bot.",
			`who are you`, `what are you`, `what(?:'s| is) your name`, `what is discoclaw`, `introduce yourself`, `what(?:'s| is) (?:this|the) bot(?: for| about| doing| good for)?`, `what(?:'s| is) (?:this (?:place|bot|all|about)|going on here)`),
		says("I'm here, and I read what you write in the channels that I can see.", `(?:are|can) you (?:online|there|here|awake|alive|working|listening|hear me|see me|read (?:this|me))(?: .*)?`, `(?:hear|see) me(?: .*)?`, `(?:is )?(?:anyone|anybody|somebody|someone|hello is anyone) (?:here|there|home|around)`, `test(?:ing)?`, `ping`, `still there`),
		says("The people of the project DiscoClaw made me. In this playground a script speaks for me instead of a language model.", `who (?:made|built|created|wrote|programmed|owns|runs|developed|invented) you(?: .*)?`, `where (?:are|do) you (?:come )?(?:from|live)(?: .*)?`, `how old are you(?: .*)?`),
		says("Nothing here: a script speaks for me, and no model is asked.", `(?:do|does|how much do|what do) (?:you|it|this) cost(?: .*)?`, `(?:are you|is (?:this|it|the bot)) (?:free|expensive)(?: .*)?`),
		says("No: I obey only the people on my list, for nobody more than they may do themselves, and what cannot be undone waits for approval.", `(?:will|would|do|can|could) (?:you|it) (?:.*\b)?(?:if|when|because) (?:zed|a stranger|anyone|anybody|someone|somebody|others?|strangers)\b.*`,
			`(?:will|would|do|can|could) you (?:obey|listen to|trust|answer) (?:zed|strangers?|anyone|anybody|everyone|everybody).*`, `(?:can|could|may) (?:zed|strangers?|anyone|anybody|a stranger) (?:tell|order|make|trick|use|hack|control) you.*`),
		says("Nothing gets lost: messages are stored before I work on them, and after a restart I go on where I stopped. Pull my plug and see.", `what (?:happens|if|do you do)\b.*\b(?:crash|die|killed|offline|restart|reboot|plug|power|internet|network)\w*.*`),
		says("I read the channels that I can see, and what is written to me in direct messages; not those between others.", `(?:can|do) you (?:see|read) (?:my|our|other|private|people's) (?:dms?|direct messages|private messages|messages)(?: .*)?`),
		says("`!stop` ends all that I am writing, and the button *Stop* below an answer ends that one.", `how (?:do|can|would) (?:I|we|you) (?:stop|pause|silence|kill|mute) (?:you|the bot)(?: .*)?`),
		says("DiscoClaw's file `docs/discord-bot-setup.md` leads from this playground to a real server: it takes an application of Discord's, a list of people and a key of a model.",
			`how (?:do|can|would|could) (?:I|we) (?:get|add|install|use|set up|run|have|put|invite) (?:you|this|the bot|discoclaw|it)(?: .*)?`),
		says("I answer only the people on my list. A stranger such as zed is not on it, whatever they write.", `why (?:do|don't|won't|did|didn't|can't|aren't) you (?:not )?(?:answer\w*|reply\w*|react\w*|listen\w*|respond\w*|talk\w*)(?: to)? .+`),
		{
			asked: wordings(`what(?:'s| is) (?:this|the|your) (?:server|club|place|community|discord)(?: all)?(?: about| for)?`),
			fits:  func(s situation, _ match) bool { return len(s.club.texts) > 0 },
			begin: func(s situation, _ match) string {
				return "A server whose people write in #" + strings.Join(s.club.texts[:min(len(s.club.texts), 8)], ", #") + ". Ask me “what did I miss?” or “who is here?”; I'm DiscoClaw, its bot."
			},
			talk: true,
		},
		says("I list only your own reminders: “what are my reminders?”.", `(?:does|has) \pL+ (?:have|got)(?: any| some)? reminders?`, `(?:what|which) reminders (?:does|has) \pL+ (?:have|got)`),
		says("Everybody who can read this channel can read what I write here; what I remember of you is shown to you alone by `!memory` in a direct message.", `(?:can|who can|does) (?:other |any|every)?\w* ?(?:people|one|body|else)? ?(?:see|read) (?:this|that|what I write|my messages)(?: .*)?`, `(?:is|are) (?:this|it|my (?:data|messages)) (?:private|safe|secure|public)(?: .*)?`),
		says("The messages stay with Discord. Of its own, the bot keeps short notes of conversations, what you tell it to remember, and a journal of what it did, "+
			"all on the computer of whoever runs it; `!memory` and `!trace` show yours.",
			`(?:do|are|will) you (?:\w+ )?(?:store|save|log|record|keep|spy|listen|read|saving|storing|logging|recording) (?:my|our|everything|all|what|the|any).*`,
			`(?:where|how long|what|which)\b.*\b(?:you|data|messages) .*\b(?:stor(?:e|ed)|saved?|log(?:ged)?|record(?:ed)?|kept|keep)\b(?: .*)?`),
		says("Whoever has the right for it on this server, also when they ask me: I do nothing for people that they may not do themselves.",
			`who (?:all )?(?:can|may|is allowed to|has the right to) (?:delete|make|create|rename|move|change|edit|ban|kick|pin|give|approve|run|remove|manage|invite)\b.*`),
		says("Only whoever runs me can do that. `!stop` ends what I am writing.", `(?:turn|switch|shut) (?:yourself |the bot |you )?(?:off|down)(?: the bot| yourself)?`, `(?:restart|reboot|kill|shutdown|update|uninstall)(?: yourself| the bot)`, `(?:go away|leave|shut up|be quiet)(?: .*)?`),
		says("You're not alone here: ask “who is here?”, “what events are there?” or “what did I miss?”.", `I(?:'m| am) (?:so |a bit |very )?(?:bored|lonely|lost|confused|sad|tired|hungry|happy|back|here|stuck)(?: .*)?`),
		says("Just a script speaks for me here: it knows some English by heart. Start the playground with an API key, and a language model "+
			"speaks instead.",
			`are you an?`, `are you (?:a )?(?:real|human|an? (?:real )?(?:ai|bot|robot|person|llm|language model|script)|chatgpt|gpt|claude|alive`+
				`|intelligent)(?: .*)?`, `is this (?:a )?(?:real )?(?:ai|an ai|model|script|gpt|chatgpt|claude)(?: .*)?`,
			`do you (?:really )?(?:think|understand(?: me)?)`),
		{
			asked: wordings(`(?:which|what) (?:language )?models?\b.*`),
			begin: func(situation, match) string { return act("modelShow") },
			goOn: func(situation, match) string {
				return "None: in this playground, a script stands in for the models of all roles. `!models` lists the roles."
			},
		},
		says(helpText, `(?:help(?: me)?|(?:find my|show me|find the) (?:way )?around|what (?:all )?can (?:you|I)(?: actually| really| all)? do|what do you do|what are you (?:able to do|good for|capable of|for)|how can you help(?: me)?|what (?:can|could) I (?:say|ask|try)|what (?:kind|sort)s? of (?:\w+ )?(?:do|can|could) (?:you|I) \w+|how does (?:this|it) work|commands?|what now|how do I `+
			`(?:start|begin)|what should I (?:try|say|ask|do)|give me (?:some )?(?:ideas|examples))(?: .*)?`, `what else`),
		says("Hello! A script speaks for me here, but what I do goes through the real bot. Try: "+example,
			`(?:hi|hello|hey|hiya|howdy|yo|good (?:morning|evening|day|afternoon)|moin|hallo|servus|greetings|ahoy)(?:[ ,!]+[\p{L}@<>\d']+){0,4}`),
		says(story, `(?:tell|write|read)(?: me| us)? (?:a|another|the) (?:\w+ )?story.*`, `a story`),
		says("It is long, so it comes as a file.\n```csv\n"+timesTable(55)+"```",
			`(?:make|write|show|give|print)(?: me| us)? (?:a|the) (?:times|multiplication) table.*`, `(?:times|multiplication) table`),
	}
}

// ownNoun is in requests for what the bot does.
var ownNoun = lazily(`(?i)\b(?:channels?|rooms?|roles?|tasks?|todos?|polls?|events?|reminders?|remind|threads?|jobs?|plans?|every|each|category|nickname)\b`)

// asksPlan is a yes that may be meant for the plan that waits for one.
var asksPlan = lazily(`(?i)^approve\b`)

// lastAnswer is what the script said last.
func (s situation) lastAnswer() string {
	if n := len(s.earlier); n > 0 && s.earlier[n-1].mine {
		return s.earlier[n-1].text
	}
	return ""
}

// waits reports whether the latest thing is a card, which only a button answers.
func (s situation) waits() bool {
	for _, r := range slices.Backward(s.earlier) {
		if r.mine {
			return strings.Contains(r.text, " waits for approval)") || strings.Contains(r.text, "waits for an answer") || strings.Contains(r.text, "They go only if you approve")
		}
	}
	return false
}

// flips are actions that undo each other, with the same fields.
var flips = onDemand(func() map[string]string {
	return map[string]string{"roleAdd": "roleRemove", "roleRemove": "roleAdd", "cronPause": "cronResume", "cronResume": "cronPause", "pinMessage": "unpinMessage", "unpinMessage": "pinMessage"}
})

// opposite is the action that takes a deed back; empty if there is no plain one.
func (s situation) opposite(d deed) string {
	of := func(name string) string { text, _ := d.fields[name].(string); return text }
	switch {
	case flips()[d.kind] != "":
		var list []any
		for _, name := range slices.Sorted(maps.Keys(d.fields)) {
			list = append(list, name, d.fields[name])
		}
		return act(flips()[d.kind], list...)
	case d.kind == "channelEdit" && of("name") != "":
		return act(d.kind, "channelId", of("name"), "name", of("channelId"))
	case d.kind == "channelEdit" && d.fields["slowmode"] != nil:
		return act(d.kind, "channelId", of("channelId"), "slowmode", 0)
	case d.kind == "channelPermissions" && d.fields["deny"] != nil:
		return act(d.kind, "channelId", of("channelId"), "role", of("role"), "clear", d.fields["deny"])
	case d.kind == "channelCreate":
		return act("channelDelete", "channelId", of("name"))
	case d.kind == "roleCreate":
		return act("roleDelete", "role", of("name"))
	case d.kind == "eventCreate":
		return act("eventDelete", "eventId", of("name"))
	case d.kind == "cronCreate":
		return act("cronDelete", "cronId", of("name"))
	case d.kind == "remind" && d.made > 0:
		return act("remindCancel", "id", fmt.Sprint(d.made))
	case d.kind == "taskClose":
		return act("taskUpdate", "taskId", of("taskId"), "status", "open")
	case d.kind == "taskUpdate" && of("status") == "open":
		return act("taskClose", "taskId", of("taskId"))
	case d.kind == "taskCreate":
		if t, ok := s.club.task(of("title")); ok {
			return act("taskClose", "taskId", t.id)
		}
	case d.kind == "memoryRemember":
		return act("memoryForget", "substring", strings.TrimSuffix(of("text"), "."))
	}
	return ""
}

// takeBack undoes by itself what has a plain opposite. For all else there is a command, which the bot takes from people only.
func takeBack(s situation, m match) string {
	for _, r := range slices.Backward(s.earlier) {
		all := r.deeds()
		if len(all) == 0 {
			continue
		}
		if s.direct || severalTimes().MatchString(m[""]) {
			break
		}
		back := s.takenBack(all)
		if all[len(all)-1].kind == "remind" && len(all) > 1 { // it was moved
			back = s.opposite(all[len(all)-1])
		}
		return cmp.Or(back, "Only you can do that: write `!undo`, and I ask on a card whether to take back what I did last here.")
	}
	return "I see nothing that I changed in this conversation. `!undo`, written by you, takes back what I did last in this channel, one thing each time."
}

var severalTimes = lazily(`(?i)\b(?:two|three|four|five|all|everything|\d+)\b`)

// whyThat says what the latest change was asked for by.
func whyThat(s situation, _ match) string {
	for i, r := range slices.Backward(s.earlier) {
		if r.mine && strings.Contains(r.text, "(did ") && i > 0 && !s.earlier[i-1].mine {
			return "Because of " + quoted(s.earlier[i-1].text) + ". `!trace` lists what I did here, and `!undo` takes the last of it back."
		}
	}
	return "I have changed nothing in this conversation. `!trace` lists what I did in this channel."
}

// whatWasDone are the requests of this conversation of which something came, the latest last.
func whatWasDone(s situation, m match) string {
	var items []string
	for i, r := range s.earlier {
		if i > 0 && len(r.deeds()) > 0 && !s.earlier[i-1].mine {
			items = append(items, "what you asked for with "+quoted(s.earlier[i-1].text))
		}
	}
	if len(items) == 0 {
		return whyThat(s, m)
	}
	return listed("In this conversation I did", items[max(len(items)-4, 0):]) + "\n`!trace` lists all that I did in this channel."
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

func rooted(m match) string {
	if m["root"] != "" {
		return "sqrt(" + m["root"] + ")"
	}
	return expression(m["sum"])
}

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
		{
			asked: wordings(`(?P<verb>pin|unpin|{delete}|react to|put|add|give) (?:(?P<before>\S+) (?:on|to) )?(?P<link>https://discord\.com/channels/\d+/(?P<in>\d+)/\d+)(?: (?:with )?(?P<emoji>\S+))?(?: .*)?`),
			begin: func(_ situation, m match) string {
				kind := map[string]string{"pin": "pinMessage", "unpin": "unpinMessage", "react to": "react", "put": "react", "add": "react", "give": "react"}[strings.ToLower(m["verb"])]
				emoji := ""
				if kind == "react" {
					emoji = emojiOf(m["emoji"] + m["before"])
				}
				return act(cmp.Or(kind, "deleteMessage"), "channelId", m["in"], "messageId", m["link"], "emoji", emoji)
			},
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
	if k, m, ok := s.understood(s.asked); ok && (!k.talk || toLook().MatchString(s.asked)) {
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
