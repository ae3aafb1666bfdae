package standin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// messageShapes are requests about what is written in channels.
func messageShapes() []shape {
	const last = `(?:(?:the |my |that |this |your )?(?:last|latest|newest|previous)(?: message| post| one)?|the one|that one)`
	return slices.Concat(lookShapes(), []shape{
		onLast("pinMessage", `pin (?:`+last+`|that|this|it|(?:that|this) message)(?: (?:in|from|of) {channel})?`),
		onLast("react", `react (?:to `+last+` )?(?:in {channel} )?with (?P<emoji>(?:an? )?\S+)`, `react with (?P<emoji>(?:an? )?\S+) to `+last+`(?: in {channel})?`, `(?:put|add|give) (?P<emoji>(?:an? )?\S+(?: up| down)?) (?:on|to) (?:it|that|this|`+last+`)(?: in {channel})?`, `give (?:it|that|this|`+last+`) (?P<emoji>(?:an? )?\S+(?: up| down)?)`),
		onLast("deleteMessage", `{delete} (?P<bot>your) (?:last|latest|previous) (?:message|answer|reply|post)(?: (?:in|from|of) {channel})?`),
		onLast("deleteMessage", `{delete} `+last+`(?: (?:in|from|of) {channel})?`),
		{
			asked: wordings(`pin {text} (?:in|to|into) {channel}`),
			begin: func(s situation, m match) string {
				if m["channel"] == s.where { // it is posted with this very answer
					return welcome(m["text"]) + "\nWrite “pin your last message” once this stands here."
				}
				return act("sendMessage", "channel", m["channel"], "content", welcome(m["text"])) + act("pinMessage", "channelId", m["channel"],
					"messageId", "last")
			},
		},
		{
			asked: wordings(`(?:what(?:'s| is| are)?|show(?: me)?|list|read).*?\bpin(?:s|ned)?(?: messages?)?(?: (?:in|of) {channel})?`),
			begin: func(_ situation, m match) string { return act("listPins", "channel", orHere(m["channel"])) },
			goOn:  func(s situation, m match) string { return s.tellMessages("pinned", orHere(m["channel"])) },
		},
		{
			asked: wordings(`{delete} the (?:last|latest) (?P<count>\d{1,2}) messages(?: (?:in|from|of) {channel})?`),
			begin: func(_ situation, m match) string {
				return act("bulkDelete", "channelId", orHere(m["channel"]), "count", m["count"])
			},
		},
		{
			asked: wordings(`{make} {a}(?P<private>private )?thread(?: here| in here| in this channel)?(?:,? (?:about|called|on|for|named|titled)|:) "?{text}"?(?: in {channel})?`,
				`{make} {a}thread in {channel}(?: (?:about|called|on|for|named)|:) "?{text}"?`,
				`(?:discuss|talk about) {text} in a thread`),
			fits: func(_ situation, m match) bool {
				return len(strings.Fields(purpose().ReplaceAllString(m["text"], ""))) < 9
			},
			begin: func(_ situation, m match) string {
				name := purpose().ReplaceAllString(m["text"], "")
				fields := []any{"channelId", orHere(m["channel"]), "name", chat.Clip(name, 100)}
				if m["private"] != "" {
					fields = append(fields, "private", true)
				}
				return act("threadCreate", fields...)
			},
		},
		{
			asked: wordings(`(?:ask|post a question) in {the}{channel}(?: forum| channel)?[:,]? {text}`,
				`{make} {a}(?:forum )?post in {the}{channel}(?: forum)?(?: about| called| titled|:)? {text}`,
				`post in {the}{channel} forum[:,]? {text}`, `{make} {a}forum post (?:about |called )?{text} in {the}{channel}(?: forum)?`),
			begin: func(s situation, m match) string {
				title := unquoted(m["text"])
				if strings.HasSuffix(s.asked, "?") {
					title += "?"
				}
				return act("threadCreate", "channelId", m["channel"], "name", chat.Clip(chat.Capital(title), 90), "content",
					sentence(title)+" Who knows more?")
			},
		},
		{
			asked: wordings(`(?:write|post|say|announce|send|put|drop)(?: (?:a|the))?(?: message| note| reminder| notice)? (?:in|to|into|on) {#channel}(?: channel)?(?:,| that| saying|:) (?:that )?"?{text}"?`,
				`(?:say|send|post|write|announce|tell everyone|tell everybody|drop|put)(?: a| the)?(?: message)?(?: saying| that `+
					`says| that)? {text},? (?:in|to|into|on) {the}{channel}(?: channel)?`,
				`(?:in|on) {#channel}[,:]? (?:say|post|write|announce)(?: that)?:? {text}`,
				`(?:write|post|say|announce|send)(?: a message)? (?:in|to|into) {#channel}(?: that| saying)?[:,]? {text}`,
				`tell {#channel}(?: that)? {text}`),
			fits: func(s situation, m match) bool {
				return !isVague(m["text"]) && !isVague(m["channel"]) && (s.club.channels == nil || s.club.hasChannel(m["channel"]) || strings.Contains(m[""], "#") || !mayBeName(m["channel"]))
			},
			begin: func(s situation, m match) string {
				return posting(m["channel"]) + act("sendMessage", "channel", m["channel"], "content", s.asWritten(unquoted(m["text"])))
			},
		},
	})
}

// asWritten is the end of a request with the sign behind it, which tells a question.
func (s situation) asWritten(text string) string {
	if said := strings.TrimSpace(quotes.Replace(s.asked)); strings.HasSuffix(said, text+"?") || strings.HasSuffix(said, text+"!") {
		return text + said[len(said)-1:]
	}
	return text
}

// posting stands beside a message for another channel, since the bot has no line of its own about that.
func posting(channel string) string { return "Posting it in #" + channel + "." }

// lookShapes are questions about what was written.
func lookShapes() []shape {
	const topic = `(?:about |of |for |on )?(?:the |a |an |our )?"?{text}"?`
	return []shape{
		{
			asked: wordings(`(?:summari[sz]e|sum up|recap|tl;?dr)(?: (?:this|the|that|our))?(?: (?:channel|conversation|chat|thread|discussion`+
				`|talk|it|here))*`, `give me (?:a|the) (?:summary|recap|gist)(?: of (?:this|the) (?:channel|conversation|chat))?`,
				`what (?:was|is) (?:this|the) (?:conversation|channel|chat|discussion) about`),
			begin: func(situation, match) string { return act("conversationSummary") },
			goOn: func(s situation, _ match) string {
				if len(s.results) < 2 {
					return "There is nothing to sum up here yet."
				}
				return strings.Join(s.results[1:], "\n")
			},
		},
		{
			asked: wordings(`(?:what did I miss|what(?:'s| is| has been)? (?:new|going on|happening|up)|catch me up|what happened|any news` +
				`|bring me up to date|what have I missed)` +
				`(?: (?:here|today|lately|recently|while I was (?:away|gone)|since (?:yesterday|last week)|on this server|yesterday|this week))*`),
			begin: func(situation, match) string { return act("channelList") },
			goOn:  missed,
			looks: true,
		},
		{
			asked: wordings(`(?:what did I miss|what(?:'s| is| was| has been)(?: being)? (?:said|new|going on|happening|up|written|discussed)`+
				`|what happened|what (?:are|do) (?:they|people) (?:talk(?:ing)? about|say|saying)|`+
				`read|summari[sz]e|sum up|recap|catch me up|give me (?:a summary|the gist|the news)|any news)(?: me)?(?: the)?(?: latest)?(?: `+
				`messages)? ?(?:in|on|of|from)? (?:the )?{#channel}(?: channel)?(?: .*)?`,
				`(?:what(?:'s| is| was) (?:said|new|going on|happening)|summari[sz]e|read) (?:in )?(?:the )?{channel} channel`,
				`what was (?:said|written) in {channel}`),
			begin: func(s situation, m match) string {
				if s.club.hasChannel(m["channel"]) && !slices.ContainsFunc(s.club.texts, func(c string) bool { return strings.EqualFold(c, m["channel"]) }) {
					return "#" + m["channel"] + " is a forum or a voice channel, in which I read no messages. The posts of tasks are the open tasks, those of crons " +
						"are scheduled jobs: ask me “what's still open?” or “what is scheduled?”."
				}
				return act("readMessages", "channel", m["channel"], "limit", 50)
			},
			goOn: func(s situation, m match) string { return s.tellMessages("written", m["channel"]) },
		},
		{
			asked: wordings(`who (?:wrote|said|talked|posted|asked|knows|mentioned|spoke|has written|has talked|was talking)(?: anything| `+
				`something)? `+topic,
				`(?:find|search for|look for|search|look up)(?: me)?(?: all)?(?: the)?(?: messages?| posts?| everything)?(?:,? (?:that|where|in which|which)(?: \w+)? (?:mentions?|mentioned|said|says?|wrote|talks?|talked|asked|asks|spoke)| containing| with)? `+topic,
				`(?:where|when) did (?:we|somebody|someone|anyone|they) (?:talk|write|say|mention|discuss|speak)(?: anything| something)? `+topic,
				`(?:did|has) (?:anyone|anybody|someone|somebody) (?:said?|written?|write|mention(?:ed)?|talk(?:ed)?|ask(?:ed)?)(?: anything| `+
					`something)? `+topic,
				`what (?:did|do) (?:we|people|they) (?:say|write|think|know) about (?:the )?"?{text}"?`,
				`what (?:was|has been) (?:said|written) about (?:the )?"?{text}"?`),
			fits: func(_ situation, m match) bool { return !strings.HasPrefix(m["text"], "last in ") },
			begin: func(_ situation, m match) string {
				m["text"] = strings.TrimSpace(saidWhen().ReplaceAllString(m["text"], ""))
				about, _, _ := strings.Cut(m["text"], " and ")
				if list := subjects(about); len(list) == 2 {
					return act("searchMessages", "query", list[0]) + act("searchMessages", "query", list[1])
				}
				return act("searchMessages", "query", searchWord(m["text"]))
			},
			goOn: func(s situation, m match) string {
				m["text"] = strings.TrimSpace(saidWhen().ReplaceAllString(m["text"], ""))
				return tellFound(s, m)
			},
			looks: true,
		},
		{
			asked: wordings(`(?:show|read|list|give|quote|what (?:are|were))(?: me| us)? {the}(?:last|latest|newest|most recent) (?P<count>\d{1,2}|few) (?:messages|posts)(?: (?:in|of|from) {the}{channel}(?: channel)?)?`),
			begin: func(_ situation, m match) string {
				return act("readMessages", "channel", orHere(m["channel"]), "limit", 20)
			},
			goOn: func(s situation, m match) string {
				found, items, most := s.others(), []string{}, cmp.Or(int(count(m["count"])), mostFound)
				for _, f := range found[max(len(found)-most, 0):] {
					items = append(items, f.author+": "+quoted(f.text))
				}
				return listed("The last that was written there:", items)
			},
		},
		{
			asked: wordings(`what (?:did|has) {who} (?:say|said|write|written|post|posted)(?: (?:about|on) (?:the )?"?{text}"?)?(?: in {#channel})?(?: (?:lately` +
				`|recently|today|last|here))?`),
			begin: func(s situation, m match) string {
				return act("searchMessages", "userId", s.mine(m["who"]), "query", searchWord(m["text"]), "channel", m["channel"])
			},
			goOn: tellFound,
		},
	}
}

// A message is one of the results of an action.
type message struct{ handle, sent, channel, author, text string }

var (
	readLine  = lazily(`^(?:(m\d+) )?\[([^\]]*)\] (.*?)(?: \((\d{4}-[^()]*)\))?$`)
	foundLine = lazily(`^(?:(m\d+) )?\[(\d{4}-[^\]]*)\](?: in (?:thread )?(#.+?|<#\d+>))? \[([^\]]*)\] (.*)$`)
)

// messagesIn are the messages in results. Notices, such as "a message was pinned", are not among them.
func (s situation) messagesIn(results []string) (list []message) {
	for _, r := range results {
		if m := foundLine().FindStringSubmatch(r); m != nil {
			list = append(list, message{handle: m[1], sent: s.sent(m[2]), channel: m[3], author: m[4], text: m[5]})
		} else if m := readLine().FindStringSubmatch(r); m != nil && !strings.HasPrefix(m[3], "(a notice") {
			list = append(list, message{handle: m[1], author: m[2], text: m[3], sent: s.sent(m[4])})
		}
	}
	return list
}

// sent is when a message was sent, as the clock showed it.
func (s situation) sent(stamp string) string {
	const layout = "2006-01-02 15:04"
	at, err := time.Parse(layout, stamp[:min(len(stamp), len(layout))])
	if err != nil || s.shown == nil {
		return stamp
	}
	return s.shown(at).Format(layout)
}

// others are the messages in results without the request itself.
func (s situation) others() []message {
	return slices.DeleteFunc(s.messagesIn(s.results), func(m message) bool {
		return plain(linked().ReplaceAllString(m.text, "$1")) == plain(s.asked) || keptPost().MatchString(m.channel) || m.sent != "" && m.sent < s.since()
	})
}

// keptPost is a post of a task or a job, which the bot wrote itself.
var keptPost = lazily(`^#[^\pL\pN]`)

// since is the day from which on messages are asked for; empty without one.
func (s situation) since() string {
	m := sinceIn().FindStringSubmatch(plain(s.asked))
	if m == nil {
		return ""
	}
	return sinceWhen(m[1]+m[2]+m[3], s.now).Format(time.DateOnly)
}

var sinceIn = lazily(`(?i)\bsince (.+)$|\b(?:last|past) (\d+ (?:days?|weeks?)|(?:two|three|four|five|six) (?:days|weeks)|week|month)\b|\b(today|yesterday)$`)

// onLast does something to the last message of a channel.
func onLast(kind string, patterns ...string) shape {
	return shape{
		asked: wordings(patterns...),
		begin: func(_ situation, m match) string {
			return act("readMessages", "channel", orHere(m["channel"]), "limit", 5)
		},
		goOn: func(s situation, m match) string {
			found := slices.DeleteFunc(s.others(), func(f message) bool { return m["bot"] != "" && f.author != s.bot })
			if len(found) == 0 || found[len(found)-1].handle == "" {
				return "I don't see a message there."
			}
			emoji := m["emoji"]
			if emoji != "" {
				emoji = emojiOf(emoji)
			}
			return act(kind, "channelId", orHere(m["channel"]), "messageId", found[len(found)-1].handle, "emoji", emoji)
		},
	}
}

// tellMessages puts the messages of a channel into words.
func (s situation) tellMessages(how, where string) string {
	found := s.others()
	if len(found) == 0 {
		return fmt.Sprintf("Nothing is %s in #%s.", how, where)
	}
	last := found[len(found)-1]
	if how == "pinned" {
		return fmt.Sprintf("%s in #%s. The latest, by %s: %s", chat.Counted(len(found), "pinned message", "pinned messages"), where,
			last.author, quoted(last.text))
	}
	return fmt.Sprintf("#%s: %s", where, digest(found))
}

// mostFound is how many messages an answer quotes.
const mostFound = 4

// saidWhen ends what is looked for with a time, which no message has.
var saidWhen = lazily(`(?i) (?:` + dateWords + `|yesterday|lately|recently|(?:last|this|past) (?:week|month|` + dayWords + `)|since .*)$`)

func tellFound(s situation, m match) string {
	if s.rounds > 2 {
		return s.tellPost()
	}
	found, _ := s.ranked("", subjects(m["text"]), "")
	if m["text"] == "" || len(found) == 0 {
		found = s.others()
	}
	found = slices.DeleteFunc(found, func(f message) bool { return f.author == s.bot || f.text == "" || understoodAsSearch(f.text) })
	if len(found) == 0 {
		if m["text"] == "" {
			return "I found nothing by " + person(m["who"]) + "."
		}
		if id, _ := s.thread(m["text"]); s.rounds == 2 && id != "" {
			return act("readMessages", "channel", id, "limit", 10)
		} else if s.rounds == 1 && s.club.channels != nil {
			return act("channelList")
		}
		return "I found nothing about " + quoted(m["text"]) + " in the channels that you can read, and I see nothing outside of them."
	}
	var authors, items []string
	for _, f := range found {
		if !slices.Contains(authors, f.author) {
			authors = append(authors, f.author)
		}
	}
	for _, f := range found[:min(len(found), mostFound)] {
		items = append(items, fmt.Sprintf("%s in %s, %s: %s", f.author, cmp.Or(f.channel, "#"+m["channel"]), s.dayOf(f.sent), quoted(f.text)))
	}
	if len(found) > mostFound {
		items = append(items, fmt.Sprintf("… and %d more", len(found)-mostFound))
	}
	if m["text"] == "" && m["who"] != "" {
		return listed("The latest by "+person(m["who"])+":", items)
	}
	return listed(chat.Capital(chat.And(authors))+" wrote about it:", items)
}

var searching = lazily(`(?i)^(?:who (?:wrote|said|talked|posted|mentioned)|find|search|look for|where did|when did|what did)\b`)

// understoodAsSearch tells a question like this one, which has the same words, from what was said about them.
func understoodAsSearch(text string) bool { return searching().MatchString(plain(text)) }

// mostRead is how many channels are read to tell what somebody missed, and newDays how old that may be.
const (
	mostRead = 6
	newDays  = 3
)

// missed looks at the channels where somebody wrote last, reads them, and tells what is there.
func missed(s situation, _ match) string {
	if s.rounds == 1 {
		list := slices.DeleteFunc(channelsIn(s.results),
			func(c channel) bool { return c.active.IsZero() || c.kind == "forum" || c.kind == "voice" })
		slices.SortStableFunc(list, func(a, b channel) int { return b.active.Compare(a.active) })
		text := ""
		for _, c := range list[:min(len(list), mostRead)] {
			text += act("readMessages", "channel", strings.TrimPrefix(c.name, "#"), "limit", 30)
		}
		if text == "" {
			return "Nobody has written anything yet."
		}
		return text + act("eventList")
	}
	var forMe, open, rest []string
	since := cmp.Or(s.since(), s.now.AddDate(0, 0, -newDays).Format(time.DateOnly))
	for name, lines := range byChannel(s.results) {
		found := slices.DeleteFunc(s.messagesIn(lines), func(m message) bool {
			return m.author == s.bot || m.author == s.who || m.sent != "" && m.sent < since
		})
		if len(found) > 0 {
			rest = append(rest, fmt.Sprintf("%s %d", name, len(found)))
		}
		for i, m := range found {
			said := fmt.Sprintf("%s in %s, %s: %s", m.author, name, s.dayOf(m.sent), quoted(m.text))
			if s.number != "" && strings.Contains(m.text, s.number) {
				forMe = append(forMe, "- For you, by "+said)
			} else if strings.HasSuffix(m.text, "?") && !slices.ContainsFunc(found[i+1:], func(next message) bool { return next.author != m.author }) {
				open = append(open, "- An open question, by "+said)
			}
		}
	}
	if len(rest) == 0 {
		return "Nobody else has written anything since " + dayOf(since) + "."
	}
	lines := slices.Concat([]string{"Since " + dayOf(since) + ":"}, forMe[:min(len(forMe), mostForMe)], open[:min(len(open), 2)])
	if next := s.comingUp(); len(next) > 0 {
		lines = append(lines, "- Coming up: "+strings.Join(next[:min(len(next), 2)], "; "))
	}
	return strings.Join(append(lines, "- New messages: "+strings.Join(rest, ", ")), "\n")
}

// mostForMe is how many messages for the asker are quoted.
const mostForMe = 3

var channelHeading = lazily(`^Done: Messages in (#\S+|<#\d+>):$`)

// byChannel are the results of several readMessages, in their order.
func byChannel(results []string) func(yield func(string, []string) bool) {
	return func(yield func(string, []string) bool) {
		name, start := "", 0
		for i := 0; i <= len(results); i++ {
			var m []string
			if i < len(results) {
				m = channelHeading().FindStringSubmatch(results[i])
			}
			if i < len(results) && m == nil && !strings.HasPrefix(results[i], "Done: ") {
				continue
			}
			if name != "" && !yield(name, results[start:i]) {
				return
			}
			if name = ""; m != nil {
				name, start = m[1], i+1
			}
		}
	}
}
