package standin

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// askedShapes are questions that need some counting or choosing among what is there.
func askedShapes() []shape {
	return []shape{
		{
			asked: wordings(`(?:is|are) there (?:a|an|any|some) (?:\w+ )?channels? (?:about|for|on|where \w+ \w+ about|called) (?:the )?{text}`, `(?:which|what) channel (?:is|do I use|should I use) (?:for|about) (?:the )?{text}`,
				`where (?:do|can|should) (?:I|we) (?:talk|write|post|chat|ask)(?: about)? (?:the )?{text}`),
			fits: func(s situation, _ match) bool { return s.club.channels != nil },
			begin: func(s situation, m match) string {
				for _, c := range s.club.channels {
					if shared(m["text"], c) > 0 || strings.Contains(strings.ToLower(m["text"]), strings.TrimSuffix(c, "s")) {
						return "Yes: #" + c + "."
					}
				}
				return fmt.Sprintf("No, there is no channel about %s. The channels are #%s.", m["text"], strings.Join(s.club.channels, ", #"))
			},
		},
		{
			asked: wordings(`(?:who|which of you|anyone)(?:'s| is| are| has| have)?(?: the| an?)? (?:admins?|administrators?|owners?|boss|in charge|admin rights|moderators?|responsible here|runs this)(?: .*)?`,
				`who (?:runs|owns|administers|moderates|manages) (?:this|the|our) .*`),
			begin: func(situation, match) string { return act("memberList") },
			goOn: func(s situation, _ match) string {
				var who []string
				for _, line := range s.results {
					if m := memberLine().FindStringSubmatch(line); m != nil && strings.Contains(m[2], "mod") {
						who = append(who, m[1])
					}
				}
				if len(who) == 0 {
					return "I see nobody with a role for that. Ask me “who is here?” for everybody and their roles."
				}
				return map[bool]string{true: "You may do everything here. Besides you, ", false: "Besides the owner, "}[s.mayAll] + chat.And(who) + plural(len(who), " has", " have") + " a role for that: mods."
			},
		},
	}
}

// severalShapes are requests for several things at once, and for what people may do.
func severalShapes() []shape {
	return []shape{
		{
			asked: wordings(`{make} (?:(?:two|three|four|five|some|these|the following|new|\d) )*(?P<noun>roles|channels|categories|tasks|todos)(?: called| named)?(?: ?[:,-]+)? (?P<list>.+(?:,| and ).+)`),
			begin: makeSeveral,
		},
		{
			asked: wordings(`(?P<verb>pause|stop|suspend|halt|disable|turn off|switch off|resume|restart|turn on|switch on|enable) (?:all|every|each)(?: of)?(?: the)?(?: scheduled)? jobs?`, `(?P<verb>pause|stop|resume) (?:the|your) (?:scheduled )?jobs`),
			begin: func(situation, match) string { return act("cronList") },
			goOn: func(s situation, m match) string {
				kind, text := "cronPause", ""
				if resuming().MatchString(m["verb"]) {
					kind = "cronResume"
				}
				for _, t := range s.things() {
					if t.kind == "job" {
						text += act(kind, "cronId", t.id)
					}
				}
				return cmp.Or(text, nothingToAdd)
			},
		},
		{
			asked: wordings(`(?:who|which of us|why|what roles?)(?: all)? (?:can|can't|cannot|could|may|is allowed to|are allowed to|is not allowed to|has access|has the right)(?: \w+)? ?(?:to )?(?:write|post|see|read|talk|access|enter|view|to)(?: (?:in|to|into))? {the}{channel}(?: channel)?`,
				`(?:show|what are|list)(?: me)? (?:the )?permissions (?:of|for|in) {the}{channel}`, `what (?:can|may|is) \S+ (?:allowed to )?do in {the}{channel}`,
				`(?:is|are|can|may|why is|why can't|does) \S+ (?:allowed to |able to |still )*(?:write|post|see|read|talk)(?: (?:in|to))? {the}{channel}(?: channel)?`),
			fits:  func(s situation, m match) bool { return s.club.hasChannel(m["channel"]) },
			begin: func(_ situation, m match) string { return act("channelPermissions", "channelId", m["channel"]) },
			goOn: func(s situation, _ match) string {
				return idNumber().ReplaceAllString(firstLines(s.results, mostLines-1), "")
			},
		},
		{
			asked: wordings(`{delete} (?:all )?(?P<who>[\p{L}@<>\d!_-]+?)'?s roles?`, `(?:take|remove) (?:all )?(?:the )?roles (?:away )?from (?P<who>[\p{L}@<>\d!_-]+)`, `(?:take|strip) (?P<who>[\p{L}@<>\d!_-]+) of (?:all )?(?:his|her|their|the) roles?`),
			begin: func(s situation, m match) string { return act("memberInfo", "userId", s.mine(person(m["who"]))) },
			goOn: func(s situation, m match) string {
				text := ""
				for _, role := range strings.Split(facts(s.results)["Roles"], ", ") {
					if role != "" && role != "(none)" {
						text += act("roleRemove", "userId", s.mine(person(m["who"])), "role", strings.TrimPrefix(role, "@"))
					}
				}
				return cmp.Or(text, person(m["who"])+" has no roles.")
			},
		},
	}
}

// countedShapes are questions that need some counting, and what hangs on events and threads.
func countedShapes() []shape {
	return []shape{
		{
			asked: wordings(`(?:edit|change|correct|update) (?:your|the|my) last (?:message|answer|post)(?: in {#channel})?(?: (?:to say|to|so that it says|and write))?:? "?{text}"?`),
			begin: func(_ situation, m match) string {
				return act("editMessage", "channelId", orHere(m["channel"]), "messageId", "last", "content", m["text"])
			},
		},
		{
			asked: wordings(`how (?:many|much) (?:messages?|posts?|times)? ?(?:did|has|does|do|have) (?P<who>[\p{L}@<>\d!_-]+)(?: \w+)? (?:write|written|wrote|say|said|post|posted|talk|talked|sent|send|chat)(?: .*)?`, `(?:which|what)(?:'s| is)?(?: the)? (?P<busy>(?:busiest|most active|liveliest) channel|channels? (?:is|are|has|have|gets?)(?: the)? (?:most|busiest|liveliest))(?: .*)?`, `who (?:writes?|wrote|talks?|talked|posts?|posted|chats?|is) (?:the )?most(?: .*)?`,
				`how many messages(?: .*)?`),
			begin: func(s situation, m match) string {
				text := ""
				for _, c := range s.club.texts {
					text += act("readMessages", "channel", c, "limit", 100)
				}
				return cmp.Or(text, act("readMessages", "channel", here, "limit", 100))
			},
			goOn: tellCounts,
		},
		{
			asked: wordings(`(?:what|anything)(?:'s| is) (?P<which>overdue|late|due|urgent|due (?:next|soon|this week|today|tomorrow|first))(?: .*)?`,
				`(?:which|what|any|are there(?: any)?|is there(?: any)?|show|list|give|tell)(?: me)?(?: the| of)?(?: .*)? (?P<which>overdue|late|urgent|oldest|newest|latest|unassigned|nobody's|next due|due (?:next|first|soon|this week|today|tomorrow)|most important|important|free|done|closed?|finish(?:ed)?|completed?)\b(?: .*)? ?(?:tasks?|todos?)?(?: .*)?`,
				`who has (?:the )?(?P<which>most)(?: open)? (?:tasks|todos|to do|work).*`),
			fits: func(s situation, m match) bool {
				return strings.Contains(m[""], "task") || strings.HasPrefix(m[""], "what's ") || strings.Contains(m[""], "todo")
			},
			begin: func(situation, match) string { return act("taskList") },
			goOn:  tellSomeTasks,
		},
		{
			asked: wordings(`remind (?P<whom>me|us|everyone|@?[\p{L}]+) (?:(?:of|about|to) (?P<text>.+) )?(?:the |on the |in the |a )?(?P<early>evening|day|night|morning|week|` + countWords + ` ` + unitWords + `) before(?:hand)?(?: the| it| that)?(?: (?P<event>.+))?`),
			begin: func(situation, match) string { return act("eventList") },
			goOn:  remindBefore,
		},
	}
}

// tidyShapes are about threads and pins that are done with, and about more than the bot does at once.
func tidyShapes() []shape {
	return []shape{
		{
			asked: wordings(`(?:close|archive|lock|end|{delete}|finish) (?:the |that |this )?thread(?: (?:about|on|called|named|for|with))?(?: the)? "?{text}"?`),
			begin: look,
			goOn: func(s situation, m match) string {
				if id, name := s.thread(m["text"]); name != "" {
					return act("threadEdit", "threadId", id, "archived", true)
				}
				return "I don't see a thread like " + quoted(m["text"]) + "."
			},
		},
		{
			asked: wordings(`unpin (?:everything|all|all of (?:them|it)|all (?:the )?(?:messages|pins)|the pins?|it|that|the (?:last )?(?:message|pin))(?: (?:in|from|of) {channel})?(?: .*)?`),
			begin: func(_ situation, m match) string { return act("listPins", "channel", orHere(m["channel"])) },
			goOn: func(s situation, m match) string {
				text := ""
				for _, p := range s.messagesIn(s.results) {
					text += act("unpinMessage", "channelId", orHere(m["channel"]), "messageId", p.handle)
				}
				return cmp.Or(text, "Nothing is pinned there.")
			},
		},
		{
			asked: wordings(`(?:make|give) (?P<who>me|[\p{L}@<>\d!]+) (?:an? |the )?(?P<role>admin|administrator|mod|moderator|owner|boss)(?: (?:here|rights|role|permissions?|access))*`),
			begin: func(s situation, m match) string {
				return fmt.Sprintf("There is no role called %s here, and I make nobody one by that name. The roles are: %s.", m["role"], strings.Join(s.club.roles, ", "))
			},
		},
		{
			asked: wordings(`(?:{delete}|close|cancel|finish|end|lock|archive|stop|rename|move|pin|assign) (?:all|every|each)(?: of)?(?: (?:the|my|our|other|open))*(?: (?:channels?|roles?|messages?|tasks?|reminders?|events?|polls?|threads?|members?|everything)| ?everything)?(?: .*)?`, `(?:clear|wipe|nuke|empty|{delete}) (?:everything|the (?:whole )?server|all .*|this server)`),
			fits:  func(_ situation, m match) bool { return !quietOnes().MatchString(m[""]) },
			begin: func(situation, match) string {
				return "That is too much at once for me: name what should go, one by one, and each waits for your approval."
			},
			talk: true,
		},
	}
}

// toldShapes are texts for somebody or everybody here.
func toldShapes() []shape {
	return []shape{
		{
			asked: wordings(`(?:say|wish|shout|send) "?{text}"? to (?P<who>[\p{L}@<>\d!_-]+)`, `(?:wish|congratulate) (?P<who>[\p{L}@<>\d!_-]+) (?:a )?{text}`),
			fits: func(s situation, m match) bool {
				return s.club.channels != nil && !s.club.hasChannel(m["who"]) && mayBeName(m["who"])
			},
			begin: func(_ situation, m match) string { return sentence(unquoted(m["text"]) + ", " + person(m["who"])) },
		},
		{
			asked: wordings(`(?:say|tell|write) (?:something|sth) (?:nice|kind|friendly|good|sweet) (?:to|about|for) {who}`, `(?:compliment|praise|cheer up|encourage) {who}`),
			fits:  func(s situation, m match) bool { return s.club.hasPerson(m["who"]) || mayBeName(m["who"]) },
			begin: func(s situation, m match) string {
				return s.mine(m["who"]) + ", thank you: without you it would be quieter here, and worse. ⚓"
			},
			talk: true,
		},
		{
			asked: wordings(`(?P<what>welcome|greet|thank|congratulate) {who}(?: (?:here|to .*|for .*|warmly))?`),
			fits:  func(s situation, m match) bool { return s.club.hasPerson(m["who"]) || mayBeName(m["who"]) },
			begin: func(_ situation, m match) string {
				return map[string]string{"welcome": "Welcome", "greet": "Hello", "thank": "Thank you", "congratulate": "Congratulations"}[strings.ToLower(m["what"])] + ", " + person(m["who"]) + "!"
			},
			talk: true,
		},
		{
			asked: wordings(`(?:post|write|say|put|send|add) "?{text}"? (?:in|to|into) the thread "?(?P<name>[^"]+?)"?`),
			begin: func(_ situation, m match) string {
				return act("sendMessage", "channel", m["name"], "content", m["text"])
			},
		},
		{
			asked: wordings(`tell (?:everybody|everyone) {text}`),
			fits: func(_ situation, m match) bool {
				return !strings.HasPrefix(strings.ToLower(m["text"]), "in ") && !isVague(m["text"])
			},
			begin: func(_ situation, m match) string { return sentence(unquoted(strings.TrimPrefix(m["text"], "that "))) },
		},
		{
			asked: wordings(`tell (?P<who>[\p{L}@<>\d!_-]+?)(?:,| that| about)? {text}`, `(?:answer|reply to|let) (?P<who>[\p{L}@<>\d!_-]+?)(?: know)?(?:,| that|:)? {text}`),
			fits: func(s situation, m match) bool {
				return s.club.hasPerson(m["who"]) && !strings.EqualFold(m["text"], "know")
			},
			begin: func(_ situation, m match) string { return person(m["who"]) + ": " + sentence(unquoted(m["text"])) },
		},
	}
}

// quietOnes are channels that have gone quiet, which can be deleted together.
var quietOnes = lazily(`(?i)\b(?:quiet|silent|dead|unused|inactive|idle|empty|old|stale|nobody|no one|since)\b`)

func tellSomeTasks(s situation, m match) string {
	which, items, counts := strings.ToLower(m["which"]), []string{}, map[string]int{}
	for _, t := range tasksIn(s.results) {
		due, who := dueIn().FindStringSubmatch(t[3]), forIn().FindStringSubmatch(t[3])
		at := time.Time{}
		if due != nil {
			at, _ = time.Parse("2006-01-02 15:04", due[1]) // zero without one
		}
		if who != nil {
			counts[who[1]]++
		}
		fits := map[string]bool{"overdue": due != nil && at.Before(s.now), "late": due != nil && at.Before(s.now), "urgent": strings.Contains(t[3], "urgent"),
			"unassigned": who == nil, "nobody's": who == nil, "free": who == nil}
		if fit, asked := fits[which]; fit || !asked && (due != nil && at.Before(s.now.AddDate(0, 0, 8)) || !strings.Contains(which, "due")) {
			items = append(items, fmt.Sprintf("%s (%s%s)", t[2], t[1], map[bool]string{true: ", due " + at.Format("2 January")}[due != nil]))
		}
	}
	byNumber := func(a, b string) int { return strings.Compare(hasTask().FindString(a), hasTask().FindString(b)) }
	switch {
	case which == "most":
		return mostBusy(counts)
	case strings.Contains("done closed finished completed", which):
		return "I list open tasks only. “What is still open?” shows them."
	case len(items) == 0:
		return "No open task is " + which + "."
	case which == "oldest":
		return "The oldest open task: " + slices.MinFunc(items, byNumber) + "."
	case which == "newest" || which == "latest":
		return "The newest open task: " + slices.MaxFunc(items, byNumber) + "."
	}
	return listed(chat.Capital(which)+", "+chat.Counted(len(items), "task", "tasks")+":", items)
}

func mostBusy(counts map[string]int) string {
	most := slices.Max(append(slices.Collect(maps.Values(counts)), 0))
	best := slices.DeleteFunc(slices.Sorted(maps.Keys(counts)), func(who string) bool { return counts[who] < most })
	if most == 0 {
		return "No open task has an assignee."
	}
	return chat.And(best) + plural(len(best), " has ", " have ") + chat.Counted(most, "open task", "open tasks") + plural(len(best), ".", " each.")
}

var (
	dueIn = lazily(`due (\d{4}-\d\d-\d\d \d\d:\d\d)`)
	forIn = lazily(`for (<@\d+>|@\S+)`)
)

// tellCounts says who wrote how much.
func tellCounts(s situation, m match) string {
	counts, all, weeks := map[string]int{}, 0, strings.Contains(m[""], "week")
	if m["busy"] != "" {
		return s.busiest()
	}
	for _, f := range s.messagesIn(s.results) {
		if f.author == s.bot || weeks && f.sent < s.now.AddDate(0, 0, -7).Format("2006-01-02 15:04") {
			continue
		}
		counts[f.author]++
		all++
	}
	since := map[bool]string{true: " in the last seven days", false: ""}[weeks]
	if who := s.mine(m["who"]); counts[who] > 0 || s.club.hasPerson(who) && who != "" {
		return fmt.Sprintf("I count %s by %s%s, in the channels that I read.", chat.Counted(counts[who], "message", "messages"), who, since)
	}
	var items []string
	most := func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) }
	for _, name := range slices.SortedFunc(maps.Keys(counts), most) {
		items = append(items, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return fmt.Sprintf("I count %s%s: %s.", chat.Counted(all, "message", "messages"), since, strings.Join(items, ", "))
}

// busiest says which channels have most of the messages in results.
func (s situation) busiest() string {
	counts := map[string]int{}
	for name, lines := range byChannel(s.results) {
		counts[name] = len(s.messagesIn(lines))
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	var items []string
	for _, name := range names[:min(len(names), 4)] {
		items = append(items, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return "Most messages, in the channels that I read: " + strings.Join(items, ", ") + "."
}

// remindBefore reminds of an event some time before it.
func remindBefore(s situation, m match) string {
	about, best, most := cmp.Or(m["event"], m["text"]), thing{}, 0
	if about == "" {
		for _, r := range slices.Backward(s.earlier) {
			about += " " + r.text
		}
	}
	for _, t := range s.things() {
		if n := nearness(about, t.name); t.kind == "event" && n > most {
			best, most = t, n
		}
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", best.when, s.now.Location())
	if err != nil {
		return "Before what? I don't see such an event."
	}
	early := strings.ToLower(m["early"])
	if hour, ok := hours()[early]; ok && early != "morning" {
		at = time.Date(at.Year(), at.Month(), at.Day()-1, hour, 0, 0, 0, at.Location())
	} else if n := inWords().FindStringSubmatch("in " + early); n != nil {
		at = at.Add(-time.Duration(count(n[1]) * float64(unit(n[2]))))
	} else {
		at = at.AddDate(0, 0, map[bool]int{true: -7, false: -1}[early == "week"])
	}
	text := cmp.Or(m["text"], best.name)
	if who := strings.ToLower(m["whom"]); who == "us" || who == "everyone" {
		return doLater(s, "at "+at.Format("15:04")+" "+at.Format(time.DateOnly), "", "Post: "+text+".")
	}
	return act("remind", "text", text, "at", moment{at: at}.stamp())
}

var (
	idNumber  = lazily(` ?\(id:\d+\)`)
	resuming  = lazily(`(?i)^(?:resume|restart|turn on|switch on|enable)`)
	howMany   = lazily(`(?i)\bhow (?:many|much|long|far|old)\b`)
	hasNumber = lazily(`(?i)\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|fifteen|eighteen|twenty|hundred)\b`)
)

// makeSeveral makes roles, channels, categories or tasks of a list.
func makeSeveral(_ situation, m match) (text string) {
	for _, name := range choices(m["list"]) {
		switch strings.ToLower(m["noun"]) {
		case "roles", "categories":
			text += act(map[bool]string{true: "roleCreate", false: "categoryCreate"}[strings.EqualFold(m["noun"], "roles")], "name", name)
		case "channels":
			text += act("channelCreate", "name", slug(name))
		default:
			text += act("taskCreate", "title", chat.Capital(name))
		}
	}
	return text
}

var threadLine = lazily(`(#[^#,(]+) \(id:(\d+)`)

// thread is the one in results whose name has most in common with a text.
func (s situation) thread(words string) (id, name string) {
	most, about := 0, subjects(words)
	for _, line := range s.results {
		if !strings.Contains(line, ": #") {
			continue
		}
		for _, m := range threadLine().FindAllStringSubmatch(line, -1) {
			title := strings.TrimSpace(strings.TrimPrefix(m[1], "#"))
			if n := counted(about, title); strings.Contains(title, " ") && !ownPost().MatchString(title) && n > most {
				id, name, most = m[2], title, n
			}
		}
	}
	return id, name
}

var (
	ownPost  = lazily(`^[^\pL\pN]`) // of a task or a job, which has a sign in front
	question = lazily(`(?i)^(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|did|does|do|has|have|had|can|could|should|shall|will|would|may|must|any|anyone|anybody|` +
		`somebody|someone|did|tell|show|find|search|look|quote|read|repeat|cite)\b|\?\s*$`)
	noQuestion = lazily(`(?i)^(?:do|have) (?:my|a|an|the|some|it|that|this|not)\b`)
	whenAsked  = lazily(`(?i)\bwhen\b|\bwhat (?:time|day|date)\b|\bwhere\b|\bhow (?:long|soon)\b|\bon (?:mon|tues|wednes|thurs|fri|satur|sun)day|\btake place\b|\bis there\b`)
)

// subjects are the words of a question that messages about it may have, the longest first.
func subjects(text string) (list []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(quotes.Replace(text)), func(r rune) bool { return !isWord(r) }) {
		w = strings.TrimSuffix(strings.Trim(w, "'"), "'s")
		if len(w) > 4 && !strings.HasSuffix(w, "ss") {
			w = strings.TrimSuffix(w, "s")
		}
		if slices.Contains(smallWords(), w) || slices.Contains(askingWords(), w) {
			continue
		}
		if short := strings.TrimSuffix(w, "ing"); len(short) > 2 && short != w && short != "spr" && short != "dur" && short != "even" && short != "morn" {
			w = short
		}
		known := slices.Contains(smallWords(), w) || slices.Contains(askingWords(), w) || slices.Contains(list, w)
		if len(w) > 2 && !known && strings.Trim(w, "0123456789") != "" {
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

// askingWords are further words that questions have and answers do not.
var askingWords = wordsOf(`the and for are was has had did can how who why yet may our your his her its him they you not any all get got out one use used using
	say said says said ask asked answer question talk talked talking wrote write written tell told show find search know think mean want need
	anyone anybody someone something anything everything thing things people person supposed going still place somewhere there whose
	come comes coming begin begins responsible charge newest decide decided cost deal still used quote repeat bringing doing this that with from into onto over under before after until during per via but yes now new old more most much many best place server club channel message
	ready finished available broken safe okay fine closed fixed works working
	happen happens happened happening off currently exactly really look looking explain discussion discuss mention mentioned please info information help kind sort long`)

// searchWord is the word of a text that is looked for.
func searchWord(text string) string {
	text, _, _ = strings.Cut(text, " and ")
	list := subjects(text)
	if len(strings.Fields(text)) < 2 || len(list) == 0 {
		return unquoted(text)
	}
	return list[0]
}

// ofMe is in questions about the bot.
var ofMe = lazily(`(?i)\b(?:your|yourself|discoclaw|(?:this|the) bot)\b|^(?:do|are|were|did|have|has|would|will|can|could|may|how|what|why|when|where|who|which|if)\b.*\byou\b`)

// mostSubjects is how many words are looked for.
const mostSubjects = 4

// fromTheClub looks among what was said, planned and noted for an answer to a question.
func (s situation) fromTheClub(text string) (shape, match, bool) {
	text = plain(text)
	about := subjects(text)
	by := ""
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !isWord(r | 0x20) }) {
		if name := strings.TrimSuffix(w, "'s"); s.club.hasPerson(name) && !strings.EqualFold(name, s.who) {
			by = name
			about = slices.DeleteFunc(about, func(a string) bool {
				return strings.EqualFold(a, strings.TrimSuffix(name, "s")) || strings.EqualFold(a, name)
			})
		}
	}
	main := s.spokenAbout(text)
	about = slices.Compact(append(slices.Clone(main), about...))
	if !question().MatchString(text) || noQuestion().MatchString(text) || len(about) == 0 && by == "" || s.direct || len(s.club.channels) == 0 {
		return shape{}, nil, false
	}
	if ofMe().MatchString(text) {
		return combined("I can't say that about myself: only a script speaks for me here. `!help` lists my commands, and DiscoClaw's README says how I work."), match{}, true
	}
	about = about[:min(len(about), mostSubjects)]
	return shape{
		begin: func(situation, match) string {
			ask := act("eventList") + act("channelList")
			for _, w := range about {
				ask += act("searchMessages", "query", w)
			}
			if by != "" {
				ask += act("searchMessages", "userId", by)
			}
			return ask
		},
		goOn:  func(s situation, _ match) string { return s.tellFromTheClub(text, about, main, by) },
		looks: true,
	}, match{}, true
}

// spokenAbout are the words that a pronoun of a question stands for: the subjects of the question before.
func (s situation) spokenAbout(text string) []string {
	if !theyWord().MatchString(text) {
		return nil
	}
	for _, r := range slices.Backward(s.earlier) {
		if list := subjects(r.text); !r.mine && r.by == s.who && len(list) > 0 && question().MatchString(r.text) {
			return list[:min(len(list), 2)]
		}
	}
	return nil
}

var theyWord = lazily(`(?i)\b(?:it|they|them|its|their|there|one)\b|\b(?:this|that|those|these)$`)

func (s situation) tellFromTheClub(text string, about, main []string, by string) string {
	if s.rounds > 1 {
		return s.tellPost()
	}
	var lines []string
	if t, ok := s.club.task(strings.Join(about, " ")); ok && len(about) > 0 && counted(about, t.title) >= min(len(about), 2) {
		lines = append(lines, fmt.Sprintf("There is an open task: %s%s (%s).", quoted(t.title), strings.ReplaceAll(t.rest, ", priority 0", ", urgent"), t.id))
	}
	if e, ok := s.event(about); ok && (whenAsked().MatchString(text) || strings.Contains(text, "event")) {
		return strings.Join(append(lines, e), "\n")
	}
	found, most := s.ranked(text, about, by)
	if len(about) == 0 && howMany().MatchString(text) {
		found = nil // somebody's messages have numbers, but of what?
	}
	id, name := s.thread(strings.Join(about, " "))
	if name != "" && 2*counted(about, name) >= most {
		return act("readMessages", "channel", id, "limit", 10)
	}
	if most < min(len(about), 2) && (len(found) == 0 || counted(main, found[0].text+" "+found[0].channel) == 0) && !slices.ContainsFunc(about, func(w string) bool { return properName(text, w) && len(found) > 0 && hasWord(found[0].text, w) }) {
		found = nil // a common word alone is no answer
	}
	if len(found) == 0 && len(lines) == 0 && ofTheWorld().MatchString(text) {
		return notHere
	}
	if len(found) == 0 && len(lines) == 0 && len(about) == 1 {
		return "I find nothing about " + quoted(about[0]) + " in what was said here, and I don't know it myself."
	}
	if len(found) == 0 && len(lines) == 0 {
		return "I don't know: nothing that was said here answers that, as far as I can tell."
	}
	if inTotal().MatchString(text) {
		lines = append([]string{"I can't add that up for you, since I only find words:"}, lines...)
	}
	for _, f := range found[:min(len(found), 3)] {
		lines = append(lines, fmt.Sprintf("- %s in %s, %s: %s", f.author, f.channel, s.dayOf(f.sent), quoted(f.text)))
	}
	if strings.HasPrefix(lines[0], "- ") {
		lines = slices.Insert(lines, 0, "This is what was said about it:")
	}
	return strings.Join(lines, "\n")
}

// properName reports whether a text has a word as a name, in the middle of a sentence.
func properName(text, word string) bool {
	at := strings.Index(strings.ToLower(text), word)
	return at > 0 && text[at] >= 'A' && text[at] <= 'Z'
}

const notHere = "Nothing was said about that here, and I have no view of the outside world: no weather, news, prices or results."

var ofTheWorld = lazily(`(?i)\b(?:weather|forecast|temperature|rain(?:ing|y)?|sunny|timetables?|trains?|flights?|opening hours|exchange rates?|stock price|bitcoin|football|news of the world|capital of|president|prime minister)\b`)

// event is the next event that the words name.
func (s situation) event(about []string) (string, bool) {
	for _, line := range s.results {
		m := eventLine().FindStringSubmatch(strings.TrimPrefix(line, "Done: "))
		if m == nil || !slices.ContainsFunc(about, func(w string) bool { return strings.Contains(strings.ToLower(m[1]), w) }) {
			continue
		}
		at, err := time.Parse("2006-01-02 15:04", m[2])
		if err != nil {
			continue
		}
		return fmt.Sprintf("**%s** is an event on %s%s.", m[1], at.Format("Monday, 2 January, 15:04"), strings.TrimRight(placed(strings.ReplaceAll(m[3], " — ", ". ")), ".")), true
	}
	return "", false
}

// ranked are the messages in results that have most of the words, the latest first.
func (s situation) ranked(text string, about []string, by string) (best []message, most int) {
	rare := slices.DeleteFunc(slices.Clone(about), func(w string) bool {
		has := func(f message) bool {
			return counted([]string{w}, f.text) > 0 && !s.asksHere(f.text) && f.author != s.bot
		}
		return len(slices.DeleteFunc(s.others(), func(f message) bool { return !has(f) })) > mostRare
	})
	score := func(f message) int {
		n := counted(about, f.text+" "+f.channel) + counted(rare, f.text)
		if f.text == "" {
			return 0
		}
		if by != "" && strings.EqualFold(f.author, by) {
			n++
		}
		if n > 0 && howMany().MatchString(text) && hasNumber().MatchString(f.text) {
			n++
		}
		return n
	}
	for _, f := range s.others() {
		same := func(b message) bool { return b.text == f.text && b.author == f.author }
		n := score(f)
		if numbered := asksCount(text, f.text); numbered {
			n = mostSubjects * 3 // the latest of those that say how many
		}
		own := f.author == s.bot || strings.EqualFold(f.author, s.who) && s.asksHere(f.text)
		if own || n < max(most, 1) || slices.ContainsFunc(best, same) {
			continue
		} else if n > most {
			best, most = nil, n
		}
		best = append(best, f)
	}
	slices.SortStableFunc(best, func(a, b message) int { return strings.Compare(b.sent, a.sent) })
	return best, most
}

// asksCount reports whether a text has a number right before what a question asks the number of.
func asksCount(asked, text string) bool {
	m := countOf().FindStringSubmatch(asked)
	if m == nil {
		return false
	}
	words := strings.Fields(strings.ToLower(text))
	for i, w := range words[:max(len(words)-1, 0)] {
		if hasNumber().MatchString(w) && strings.HasPrefix(words[i+1], strings.TrimSuffix(m[1], "s")) {
			return true
		}
	}
	return false
}

var countOf = lazily(`(?i)\bhow (?:many|much) (\pL{3,})`)

// mostRare is in how many messages a word may be that says as much as two.
const mostRare = 3

var inTotal = lazily(`(?i)\b(?:in total|altogether|all together|in all|sum|all in all)\b`)

// counted is how many words a text has.
func counted(words []string, text string) (n int) {
	for _, w := range words {
		if hasWord(text, w) {
			n++
		}
	}
	return n
}

// hasWord reports whether a word of a text begins so; a short one has to be the whole word.
func hasWord(text, word string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(quotes.Replace(text)), func(r rune) bool { return !isWord(r) }) {
		if w == word || len(word) > 3 && strings.HasPrefix(w, word) || len(word) == 3 && strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "s") == word {
			return true
		}
	}
	return false
}

// asksHere reports whether a text is one of the requests of this conversation.
func (s situation) asksHere(text string) bool {
	return plain(text) == plain(s.asked) || slices.ContainsFunc(s.earlier, func(r remark) bool { return !r.mine && r.text == text })
}

// tellPost quotes what a post of a forum says.
func (s situation) tellPost() string {
	var items []string
	for _, f := range s.others() {
		items = append(items, f.author+": "+quoted(f.text))
	}
	if len(items) == 0 {
		return "Somebody asked that here, and nobody has answered yet."
	}
	if len(items) == 1 {
		items = append(items, "Nobody has answered there yet.")
	}
	head := postHead().FindStringSubmatch(s.all())
	if head == nil {
		return listed("There is a thread about it:", items)
	}
	return listed("There is a thread about it, "+head[1]+":", items)
}

var postHead = lazily(`Messages in (<#\d+>|#[^:\n]+):`)

// dayOf is the day of a message as people say it.
func (s situation) dayOf(sent string) string {
	day, _, _ := strings.Cut(sent, " ")
	for i, word := range []string{"today", "yesterday"} {
		if day == s.now.AddDate(0, 0, -i).Format(time.DateOnly) {
			return word
		}
	}
	return dayOf(day)
}

func dayOf(date string) string {
	if at, err := time.Parse(time.DateOnly, date); err == nil {
		return at.Format("2 January")
	}
	return date
}
