package standin

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// channelShapes are requests about channels.
func channelShapes() []shape {
	const name = `#?(?P<name>[\p{L}\p{N}_-]+(?: [\p{L}\p{N}_-]+){0,4}?)`
	const tail = `(?:,? (?:just |only )?for (?P<whom>(?:me|us)(?: and (?:me|[\p{L}]+))?))?(?:,? (?:in|under|below) (?:the )?(?:category )?(?P<parent>[\p{L}\p{N} _-]+?)(?: category)?)?(?:, (?:as )?(?:a )?(?P<kind3>voice|forum|text))?(?: for (?P<purpose>[^"]+?))?(?:,? (?:with|and)(?: (?:set|give) (?:its|it|the))?(?: the| a)? ` +
		`topic:?(?: to| of)? "?(?P<topic>.+?)"?)?` +
		`(?:,? (?:and|then) (?:pin|put|post|write) (?P<pin>.+?) (?:there|in it|in there|into it|inside))?`
	const several = `(?P<list>#?[\p{L}\p{N}_-]+(?:(?:,|,? and) (?:the )?#?[\p{L}\p{N}_-]+)+)`
	const kind = `(?P<private>private |secret |hidden )?(?P<kind>text |voice |forum |announcement |stage )?`
	return slices.Concat(
		quietShapes(),
		[]shape{
			{
				asked: wordings(`{make} {a}`+kind+`(?:channel|room)(?: called:?| named:?|:| for| about| with the name)? "?`+name+`"?`+tail,
					`{make} {a}(?:[\p{L}-]+ ){0,3}(?:channel|room)(?: called:?| named:?| with the name) "?`+name+`"?`+tail,
					`{make} {a}(?P<kind>forum)(?: called:?| named:?|:| for| about) "?`+name+`"?`+tail,
					`{make} {a}`+kind+name+` channel`+tail, `{make} {a}#(?P<name>[\p{L}\p{N}_-]+)`+tail),
				fits:  func(_ situation, m match) bool { return !noChannel().MatchString(m["name"]) && nameLike(m["name"]) },
				begin: makeChannel,
			},
			{
				asked: wordings(`{make} {a}(?:private|secret|hidden) (?:channel|room)(?: (?:just|only))? for (?:me and (?P<who>[\p{L}@<>\d!]+)|(?P<who2>[\p{L}@<>\d!]+) and me)(?: only| alone)?`),
				begin: func(s situation, m match) string {
					who := person(m["who"] + m["who2"])
					name := slug(s.who + "-" + strings.Trim(who, "<@!>"))
					return act("channelCreate", "name", name, "private", true) + act("channelPermissions", "channelId", name, "userId", who, "allow", []string{"View Channel"})
				},
			},
			{
				asked: wordings(`(?P<delete>{delete}) {the}`+several+`(?: channels?)?`,
					`(?:put|move|drag) {the}`+several+`(?: channels?)?(?: together)? (?:in|into|to|under) (?P<new>a |a new )?(?:the )?(?:category )?(?:called |named )?"?(?P<parent>[\p{L}\p{N} _-]+?)"?(?: category)?`),
				fits: func(s situation, m match) bool {
					return !slices.ContainsFunc(choices(m["list"]), func(c string) bool { return !s.club.hasChannel(plainName(c)) })
				},
				begin: func(_ situation, m match) (text string) {
					if m["new"] != "" {
						text = act("categoryCreate", "name", m["parent"])
					}
					for _, c := range choices(m["list"]) {
						text += act(map[bool]string{true: "channelDelete", false: "channelMove"}[m["delete"] != ""], "channelId", plainName(c), "parent", m["parent"])
					}
					return text
				},
			},
			{
				asked: wordings(`{make} {a}category(?: called:?| named:?|:| for)? "?(?P<name>[^"]+?)"?`),
				begin: func(_ situation, m match) string { return act("categoryCreate", "name", m["name"]) },
			},
			{
				asked: wordings(`(?:rename|change the name of) {the}(?:channel )?{channel}(?: channel)? (?:to|into|as) "?#?(?P<name>[^"]+?)"?`,
					`(?:call|name) #(?P<channel>[\p{L}\p{N}_-]+) "?#?(?P<name>[^"]+?)"?(?: instead| from now on)?`),
				begin: func(_ situation, m match) string {
					return act("channelEdit", "channelId", m["channel"], "name", slug(m["name"]))
				},
			},
			{
				asked: wordings(`{delete} {the}(?:channel )?{#channel}(?: channel| room)?(?P<list> and (?:list|show|tell) .*)?`,
					`{delete} (?:the |my |our )?channel {channel}`, `{delete} (?:the |my |our )?{channel} channel`),
				begin: func(_ situation, m match) string {
					text := act("channelDelete", "channelId", m["channel"])
					if m["list"] != "" {
						text += act("channelList")
					}
					return text
				},
				goOn: tellChannels,
			},
			{
				asked: wordings(`move {the}(?:channel )?{channel}(?: channel)? (?:to|into|under|in) (?:the )?(?:category )?(?P<parent>top`+
					`|[\p{L}\p{N} _-]+?)(?: category| of the list)?`,
					`put {#channel} (?:in|into|under|to|below) (?:the )?(?:category )?(?P<parent>[\p{L}\p{N} _-]+?)(?: category)?`),
				fits: func(_ situation, m match) bool { return !onlyWhen().MatchString(m["parent"]) && m["channel"] != "it" },
				begin: func(s situation, m match) string {
					if strings.EqualFold(m["parent"], "top") {
						return act("channelMove", "channelId", m["channel"], "position", 0)
					}
					if strings.EqualFold(m["parent"], "bottom") || strings.EqualFold(m["parent"], "end") {
						return act("channelMove", "channelId", m["channel"], "position", len(s.club.channels))
					}
					return act("channelMove", "channelId", m["channel"], "parent", m["parent"])
				},
			},
			{
				asked: wordings(`(?:set|change|make|update) the (?:channel )?topic(?: (?:of|in|for) {channel})? (?:to|as|:) "?{text}"?`,
					`(?:set|change|make|update) {#channel}(?:'s)? topic (?:to|as|:) "?{text}"?`, `(?:give) {#channel} the topic:? "?{text}"?`),
				begin: func(_ situation, m match) string {
					return act("channelEdit", "channelId", orHere(m["channel"]), "topic", m["text"])
				},
			},
			{
				asked: wordings(
					`(?:turn|switch) (?P<off>off) (?:the )?slow ?mode(?: (?:in|on|for|of) {channel})?`,
					`(?P<off>disable|remove|stop|end) (?:the )?slow ?mode(?: (?:in|on|for|of) {channel})?`,
					`(?:set|turn on|switch on|enable|put|start|use|activate)(?: a)? slow ?mode(?: (?:in|on|for|of) {channel})?,?(?: (?:to|of|at|with`+
						`|on))?(?: (?P<count>\d{1,5}) ?(?P<unit>s|m|h|seconds?|minutes?|hours?))?`,
					`(?:set|put) (?:the )?slow ?mode (?:to|of|at) (?P<count>\d{1,5}) ?(?P<unit>s|m|h|seconds?|minutes?|hours?)(?: (?:in|on|for|of) `+
						`{channel})?`,
					`slow ?mode(?: of)? (?P<count>\d{1,5}) ?(?P<unit>s|m|h|seconds?|minutes?|hours?)(?: (?:in|on|for|of) {the}{channel}(?: channel)?)?`,
					`slow (?:down )?{#channel}(?: down)?`),
				begin: func(_ situation, m match) string {
					return act("channelEdit", "channelId", orHere(m["channel"]), "slowmode", slowness(m))
				},
			},
			permission(`(?:make|turn) {the}{channel}(?: channel)? (?:private|secret|hidden|invisible)|hide {#channel2}(?: from (?:everyone`+
				`|everybody|others|people))?`, "deny", "View Channel"),
			permission(`(?:make|turn) {the}{channel}(?: channel)? (?:public|visible)(?: again)?|(?:unhide|show) {#channel2} to (?:everyone`+
				`|everybody)`, "clear", "View Channel"),
			{
				asked: wordings(`(?:let|allow) (?:the )?(?:role )?(?P<who>[\p{L}@<>\d!&_-]+?)(?: role)? (?:to )?(?P<what>write|post|talk|see|read|join)(?: (?:in|into|to))? {#channel}`),
				begin: func(s situation, m match) string {
					whom, name := "userId", s.mine(m["who"])
					if role, ok := s.club.role(m["who"]); ok {
						whom, name = "role", role
					} else if slices.Contains([]string{"everyone", "everybody", "all", "people"}, strings.ToLower(name)) {
						whom, name = "role", "everyone"
					}
					right := map[bool]string{true: "View Channel", false: "Send Messages"}[strings.Contains("see read join", strings.ToLower(m["what"]))]
					return act("channelPermissions", "channelId", m["channel"], whom, name, "allow", []string{right})
				},
			},
			permission(`(?:lock|close|freeze) {#channel}`, "deny", "Send Messages"),
			permission(`(?:unlock|reopen|unfreeze) {#channel}`, "clear", "Send Messages"),
			{
				asked: wordings(`{show} channels?(?: (?:are|is|do|does|there|we|have|here|on|exist|can)\b.*)?`),
				begin: func(situation, match) string { return act("channelList") },
				goOn:  tellChannels,
			},
			{
				asked: wordings(`(?:what(?:'s| is)|tell me about|describe|show me|who (?:can see|sees)) {the}(?:channel )?{#channel}(?: (?:about` +
					`|for))?`),
				begin: func(_ situation, m match) string { return act("channelInfo", "channelId", m["channel"]) },
				goOn:  tellChannel,
			},
		})
}

// permission is a change of what everybody may do in a channel.
func permission(wording, how, what string) shape {
	wording = strings.Replace(wording, "{#channel2}", `#(?P<channel2>[\p{L}\p{N}_-]+)`, 1)
	return shape{
		asked: wordings(wording),
		begin: func(_ situation, m match) string {
			return act("channelPermissions", "channelId", cmp.Or(m["channel"], m["channel2"]), "role", "everyone", how, []string{what})
		},
	}
}

// makeChannel creates a channel, and pins a message there if that was asked for.
func makeChannel(_ situation, m match) string {
	name := slug(onlyWord().ReplaceAllString(articles().ReplaceAllString(m["name"], ""), ""))
	fields := []any{"name", name, "parent", m["parent"], "topic", cmp.Or(m["topic"], chat.Capital(m["purpose"])), "channelType", strings.ToLower(m["kind"] + m["kind3"])}
	if m["private"] != "" {
		fields = append(fields, "private", true)
	}
	text := act("channelCreate", fields...)
	if m["pin"] == "" {
		return text
	}
	return text + act("sendMessage", "channel", name, "content", welcome(m["pin"])) + act("pinMessage", "channelId", name, "messageId", "last")
}

// noChannel begins what is asked for about a channel.
var noChannel = lazily(`(?i)^(?:.* a (?:private|secret|hidden|public|voice|text)|summary|recap|list|overview|digest|link|invite|gist|update|rundown|private|just|only)\b`)

// plainName is a channel of a list.
func plainName(c string) string { return strings.TrimPrefix(strings.TrimPrefix(c, "the "), "#") }

// nameLike tells a name from the rest of a sentence.
func nameLike(name string) bool {
	return len(strings.Fields(name)) <= 5 && !clause().MatchString(name) && !slices.Contains(vague(), strings.ToLower(name))
}

var (
	clause   = lazily(`(?i)(?:^| )(?:so|because|that|which|who|we|they|you|don't|next|beside|where|are|is|should|can|please|it|people|everyone|everybody)(?: |$)`)
	onlyWord = lazily(`(?i)^(?:only|just) | (?:only|just|alone)$`)
	purpose  = lazily(`(?i),? (?:so(?: that)?|because|since|in order (?:to|that)|where|to (?:keep|avoid)) .*$`)
)

var articles = lazily(`(?i)^(?:the|a|an|our|my) `)

// slowness is the seconds of a slow mode.
func slowness(m match) int {
	n, err := strconv.Atoi(m["count"])
	switch {
	case m["off"] != "":
		return 0
	case err != nil:
		return 30
	}
	return min(n*int(unit(strings.ToLower(m["unit"]))/time.Second), 21600) // six hours, the most that Discord takes
}

// Parts of the results of channelList.
var (
	categoryLine = lazily(`^(?:Done: )?([^#]*?): #`)
	listedOne    = lazily(`(#[^,(]+) \(id:\d+(?:, active (\d{4}-\d\d-\d\d \d\d:\d\d) UTC)?[^)]*\)( [a-z]+)?`)
)

// A channel is one of the results of channelList.
type channel struct {
	name, kind string
	active     time.Time // zero if nothing was ever said there
}

func channelsIn(results []string) (list []channel) {
	for _, line := range results {
		if !categoryLine().MatchString(line) {
			continue
		}
		for _, m := range listedOne().FindAllStringSubmatch(line, -1) {
			c := channel{name: strings.TrimSpace(m[1]), kind: cmp.Or(strings.TrimSpace(m[3]), "text")}
			c.active, _ = time.Parse("2006-01-02 15:04", m[2]) // zero without it
			list = append(list, c)
		}
	}
	return list
}

func tellChannels(s situation, _ match) string {
	var found []string
	threads := 0
	for _, m := range listedOne().FindAllStringSubmatch(s.all(), -1) {
		if name := strings.TrimSpace(m[1]); strings.Contains(name, " ") {
			threads++
		} else {
			found = append(found, name)
		}
	}
	rest := ""
	if threads > 0 {
		rest = fmt.Sprintf(" In them are %s.", chat.Counted(threads, "thread or post", "threads and posts"))
	}
	return fmt.Sprintf("There are %s: %s.%s", chat.Counted(len(found), "channel", "channels"), chat.Clip(strings.Join(found, ", "), 900), rest)
}

func tellChannel(s situation, m match) string {
	about := facts(s.results)
	text := fmt.Sprintf("#%s is a %s channel", m["channel"], cmp.Or(about["Type"], "text"))
	if about["Category"] != "" {
		text += " in " + about["Category"]
	}
	text += "."
	if about["Topic"] != "" {
		text += " Its topic: " + sentence(about["Topic"])
	}
	if about["Last active"] != "" {
		text += " Somebody last wrote there on " + about["Last active"] + "."
	}
	return text
}

var fact = lazily(`^(?:Done: )?([A-Z][a-z ]+): (.*)$`)

// facts are the results of an action that looks one thing up.
func facts(results []string) map[string]string {
	about := map[string]string{}
	for _, line := range results {
		if m := fact().FindStringSubmatch(line); m != nil && about[m[1]] == "" {
			about[m[1]] = m[2]
		}
	}
	return about
}

// quietShapes are about channels in which nobody writes.
func quietShapes() []shape {
	const quiet = `(?:quiet|silent|dead|unused|inactive|idle|empty|old|stale)`
	const since = `(?:,? (?:since|for) (?P<since>.+?))?`
	patterns := func(verb string) []*regexp.Regexp {
		return wordings(verb+` {the}(?:all )?(?:the )?`+quiet+` channels`+since,
			verb+` {the}(?:all )?(?:the )?channels (?:that|which) (?:have been|are|were|went|have gone) `+quiet+since,
			verb+` {the}(?:all )?(?:the )?channels (?:that|in which|where) (?:nobody|no one|noone) (?:has written|wrote|writes|has posted|posts`+
				`|uses|has used)(?: in| to)?`+since)
	}
	return []shape{
		{asked: patterns(`(?:{delete}|clean up|clear out|prune|archive)`), begin: look, goOn: deleteQuiet},
		{
			asked: append(patterns(`(?:what|which|list|show)(?: me)?(?: are)?`),
				wordings(`(?:which|what) channels (?:have been|are|were) `+quiet+since, `(?:which|what|are there(?: any)?) channels?.* (?:not|n't|\w+n't|nobody|no one|never|no longer|least)\b.*`,
					`(?:are|is) there (?:any |a )?`+quiet+` channels?.*`)...), begin: look,
			goOn: func(s situation, m match) string {
				list, cutoff := s.quiet(m["since"])
				if len(list) == 0 {
					return "None: somebody has written in each of them since " + cutoff.Format("2 January") + "."
				}
				return fmt.Sprintf("Quiet since %s: %s.", cutoff.Format("2 January"), strings.Join(list, ", "))
			},
		},
	}
}

func look(situation, match) string { return act("channelList") }

// mostDeleted is how many channels are asked about at once.
const mostDeleted = 5

func deleteQuiet(s situation, m match) string {
	list, cutoff := s.quiet(m["since"])
	if len(list) == 0 {
		return "No channel has been quiet since " + cutoff.Format("2 January 2006") + ", so there is nothing to delete."
	}
	list = list[:min(len(list), mostDeleted)]
	text := fmt.Sprintf("Quiet since %s: %s. They go only if you approve.", cutoff.Format("2 January 2006"), strings.Join(list, ", "))
	for _, name := range list {
		text += act("channelDelete", "channelId", strings.TrimPrefix(name, "#"))
	}
	return text
}

// quiet are the channels in which nobody has written since a time. Forums are left out: people see the activity of their posts.
func (s situation) quiet(since string) (names []string, cutoff time.Time) {
	cutoff = sinceWhen(since, s.now)
	for _, c := range channelsIn(s.results) {
		if (c.kind == "text" || c.kind == "announcement") && c.active.Before(cutoff) && c.name != "#"+s.where {
			names = append(names, c.name)
		}
	}
	return names, cutoff
}

var (
	forSoLong = lazily(`(?i)^(?:the (?:last|past) )?(` + countWords + `)? ?(days?|weeks?|months?|years?)$`)
	monthOnly = lazily(`(?i)^(` + monthWords + `)(?: (\d{4}))?$`)
)

// sinceWhen reads "March", "two weeks" or "yesterday". Without any, it is a month ago.
func sinceWhen(text string, now time.Time) time.Time {
	text = strings.ToLower(text)
	if m := monthOnly().FindStringSubmatch(text); m != nil {
		year, err := strconv.Atoi(m[2])
		if err != nil {
			year = now.Year()
		}
		at := time.Date(year, monthOf(m[1]), 1, 0, 0, 0, 0, now.Location())
		if at.After(now) {
			at = at.AddDate(-1, 0, 0)
		}
		return at
	}
	if m := forSoLong().FindStringSubmatch(text); m != nil {
		n := int(max(count(m[1]), 1))
		switch m[2][0] {
		case 'd':
			return now.AddDate(0, 0, -n)
		case 'w':
			return now.AddDate(0, 0, -7*n)
		case 'm':
			return now.AddDate(0, -n, 0)
		}
		return now.AddDate(-n, 0, 0)
	}
	switch text {
	case "yesterday":
		return now.AddDate(0, 0, -1)
	case "last week":
		return now.AddDate(0, 0, -7)
	}
	if day, ok := date(text, now); ok && text != "" {
		for day.After(now) && dayNamed().MatchString(text) {
			day = day.AddDate(0, 0, -7)
		}
		for day.After(now) {
			day = day.AddDate(-1, 0, 0)
		}
		return day
	}
	return now.AddDate(0, -1, 0)
}

var saying = lazily(`(?i)^(?:a |the )?(?:message|note|notice|text)(?: saying| that says|:)? "?(.+?)"?$`)

// welcome makes a text for a topic.
func welcome(what string) string {
	if strings.Contains(strings.ToLower(what), "welcome") {
		return "Welcome! Say hello, and tell us what you are working on."
	}
	if m := saying().FindStringSubmatch(what); m != nil {
		return m[1]
	}
	return unquoted(what)
}
