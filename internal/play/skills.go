package play

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// An idea is a request worth trying.
type idea struct {
	Text    string `json:"text"`
	As      string `json:"as,omitempty"`
	Channel string `json:"channel,omitempty"`
	Why     string `json:"why"`

	needs string // a member or channel that the text names without a sign; may be empty
}

// ideas all work in a new world, in any order.
var ideas = []idea{
	{Text: "make me a channel called ideas and pin a welcome message there", Why: "several actions in one reply; the later ones use what the first made"},
	{Text: "what channels do we have?", Why: "a query, whose results go back to the bot"},
	{Text: "what was said in #ops?", Why: "reads a channel"},
	{Text: "say good morning in #ops", Why: "acts somewhere else"},
	{Text: "react to the last message in #ops with 🎉", Why: "looks first, then acts on what it found"},
	{Text: "start a thread about lunch", Why: "makes a thread"},
	{Text: "ask in help: how do I deploy?", Why: "posts in a forum", needs: "help"},
	{Text: "make a task: fix the login, urgent", Why: "work to be done, as a post in the forum tasks that follows it"},
	{Text: "what's still open?", Why: "the open tasks"},
	{Text: "make a task: buy milk, and close it", Why: "two steps; the second archives its post"},
	{Text: "!task new Water the plants due:2027-05-01 @sam", Why: "tasks without a model; see also !task list", needs: "sam"},
	{Text: "every minute, tell us to breathe", Why: "a scheduled job, which the bot does by itself from now on"},
	{Text: "every day at 7:00, tell us to water the plants", Why: "then move the clock on, above: the job runs on time, or late"},
	{Text: "every day at 8:00, tell us to get up, but never late", Why: "if the clock moves on past it, the run is left out"},
	{Text: "what is scheduled?", Why: "the jobs, and when they run next"},
	{Text: "!cron list", Why: "jobs without a model; see also !cron pause"},
	{Text: "start a poll: Lunch? pizza or pasta", Why: "posts a poll; vote in it, also as sam"},
	{Text: "give sam the role helpers", Why: "makes the role, looks sam up, then gives it", needs: "sam"},
	{Text: "ban sam", Why: "moderation is switched off unless the operator wants it", needs: "sam"},
	{Text: "tell me a story", Why: "watch it grow, and stop it"},
	{Text: "what is 342 * 15?", Why: "calculates"},
	{Text: "ask us whether to order pizza", Why: "a question, to be answered with a reaction"},
	{Text: "remind me in 20 seconds to stretch", Why: "does something later, by itself"},
	{Text: "remember that I prefer tea", Why: "about you, in all your conversations, and in nobody else's"},
	{Text: "what do you know about me?", Why: "looks up what it remembers"},
	{Text: "!memory remember I live in Ulm", Why: "without a model; /discoclaw memory shows it to you alone"},
	{Text: "make a times table", Why: "what would flood the channel becomes a file"},
	{Text: "delete #random", Why: "what cannot be undone is asked about first"},
	{Text: "/discoclaw status", Why: "a slash command, whose answer only you see"},
	{Text: "rename #news to updates", Why: "then write !undo, which takes back what the bot did last here"},
	{Text: "!trace", Why: "what the bot did here, and what it cost"},
	{Text: "say hi in #ops", As: "sam", Why: "sam may not write there, so neither may the bot for sam"},
	{Text: "hello?", As: stranger, Why: "a stranger gets no answer"},
	{Text: "which models do you use?", Why: "the bot about itself"},
}

// channelNamed is a channel in the text of an idea.
var channelNamed = lazily(`#([\p{L}\p{N}_-]+)`)

// ideasFor are the ideas that can be tried on a world, which may lack members and channels of a new one.
func ideasFor(w *fakediscord.World) []idea {
	fits := []idea{}
	for _, i := range ideas {
		_, here := w.Channel(i.needs)
		_, known := w.Member(cmp.Or(i.As, i.needs))
		if i.As+i.needs != "" && !here && !known {
			continue
		}
		if m := channelNamed().FindStringSubmatch(i.Text); m != nil {
			if _, found := w.Channel(m[1]); !found {
				continue
			}
		}
		fits = append(fits, i)
	}
	return fits
}

// suggestions are the ideas as a list.
func suggestions() string {
	lines := []string{"Try one of these:"}
	for _, i := range ideas {
		if i.As == "" {
			lines = append(lines, "- "+i.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// A skill is one kind of request that the demo understands.
type skill struct {
	asked *regexp.Regexp
	begin func(m []string) string              // the first answer, given the submatches of the request; may contain {here}
	goOn  func(m []string, s situation) string // the next one, given results; nil says Done
}

// here in an answer stands for the current channel.
const here = "{here}"

// jobTo begins the prompt of the demo's scheduled jobs.
const jobTo = "Tell everybody to "

// timeTo begins the prompt of the demo's deferred runs.
const timeTo = "Say that it is time to "

const channel = `#?([\p{L}\p{N}_-]+)`

// skills in the order in which they are tried.
var skills = sync.OnceValue(func() []skill {
	return []skill{
		{
			asked: asking(`(?:make|create|add|open)(?: me)?(?: a| another)?(?: new)? channel (?:called |named )?` + channel + `(?: and (?:pin|put|write) (.+?) (?:there|in it|in there))?`),
			begin: func(m []string) string {
				text := "Here it is." + block("channelCreate", "name", m[1])
				if m[2] == "" {
					return text
				}
				return text + block("sendMessage", "channel", m[1], "content", welcome(m[2])) +
					block("pinMessage", "channelId", m[1], "messageId", "last")
			},
		},
		{
			asked: asking(`(?:what|which|list|show)(?: me)?(?: all)?(?: the)? channels?\b.*`),
			begin: func([]string) string { return "Let me look." + block("channelList") },
			goOn: func(_ []string, s situation) string {
				found := namesIn(s.results)
				return fmt.Sprintf("There are %d channels and threads: %s.", len(found), strings.Join(found, ", "))
			},
		},
		{
			asked: asking(`(?:delete|remove) (?:the )?(?:channel )?#([\p{L}\p{N}_-]+)( and (?:list|show|tell) .*)?`),
			begin: func(m []string) string {
				text := "As you wish." + block("channelDelete", "channelId", m[1])
				if m[2] != "" {
					text += block("channelList")
				}
				return text
			},
		},
		{
			asked: asking(`rename #?([\p{L}\p{N}_-]+) to ` + channel),
			begin: func(m []string) string {
				return "One moment." + block("channelEdit", "channelId", m[1], "name", m[2])
			},
		},
		{
			asked: asking(`(every [^,]+), (?:tell|remind) (?:us|me) to (.+?)(, but never late)?`),
			begin: func(m []string) string {
				job := []string{"name", m[2], "schedule", m[1], "prompt", jobTo + m[2]}
				if m[3] != "" {
					job = append(job, "missed", "skip")
				}
				return "I will." + block("cronCreate", job...)
			},
		},
		{
			asked: asking(regexp.QuoteMeta(jobTo) + `(.+)`),
			begin: func(m []string) string { return "Time to " + m[1] + "." },
		},
		{
			asked: asking(`what(?:'s| is) scheduled`),
			begin: func([]string) string { return "Let me look." + block("cronList") },
			goOn: func(_ []string, s situation) string {
				n := 0
				for _, line := range s.results {
					if strings.HasPrefix(line, "cron-") {
						n++
					}
				}
				return fmt.Sprintf("There are %d scheduled jobs; `!cron list` shows them.", n)
			},
		},
		{
			asked: asking(`(?:ask|post) in (?:the )?help(?: forum)?:? (.+?)`),
			begin: func(m []string) string {
				return "I am asking there." + block("threadCreate", "channelId", "help", "name", m[1], "content", m[1]+" Who knows?")
			},
		},
		{
			asked: asking(`(?:make|create|open|add)(?: me)? (?:a|another) (?:new )?task:? (?:to |about )?(.+?)(,? (?:it(?:'s| is) )?urgent)?(,? and close it)?`),
			begin: func(m []string) string {
				if m[3] != "" {
					return "Noted." + block("taskCreate", "title", chat.Capital(m[1])) + block("taskList")
				}
				if m[2] != "" {
					return "Noted, as urgent." + block("taskCreate", "title", chat.Capital(m[1]), "priority", "0")
				}
				return "Noted." + block("taskCreate", "title", chat.Capital(m[1]))
			},
			goOn: func(_ []string, s situation) string {
				task := openedTask().FindStringSubmatch(strings.Join(s.results, "\n"))
				if s.rounds > 1 || task == nil {
					return "Done."
				}
				return "And closed." + block("taskClose", "taskId", task[1])
			},
		},
		{
			asked: asking(`(?:what(?:'s| is)(?: still)? (?:open|to do|left)|(?:what|which|list|show)(?: me)?(?: all)?(?: the)?(?: open)? tasks?)\b.*`),
			begin: func([]string) string { return "Let me look." + block("taskList") },
			goOn: func(_ []string, s situation) string {
				var list []string
				for _, r := range s.results {
					if found := openTask().FindStringSubmatch(r); found != nil {
						list = append(list, fmt.Sprintf("- %s, %s", found[2], found[1]))
					}
				}
				if len(list) == 0 {
					return "Nothing is open."
				}
				return "This is still open:\n" + strings.Join(list, "\n")
			},
		},
		{
			asked: asking(`close (?:the )?(?:task )?((?:ws-)?\d+)(?:,? (?:because|since) (.+?))?`),
			begin: func(m []string) string {
				if m[2] == "" {
					return "Good." + block("taskClose", "taskId", m[1])
				}
				return "Good." + block("taskClose", "taskId", m[1], "reason", m[2])
			},
		},
		{
			asked: asking(`(?:please )?(?:remember|keep in mind) (?:that )?(?:I(?:'m| am)? )?(.+?)`),
			begin: func(m []string) string { return "I will." + block("memoryRemember", "text", chat.Capital(m[1])+".") },
		},
		{
			asked: asking(`what do you (?:know|remember)(?: about me)?\b.*`),
			begin: func([]string) string { return "Let me think." + block("memoryShow") },
			goOn: func(_ []string, s situation) string {
				var list []string
				for _, r := range s.results {
					if found := remembered().FindStringSubmatch(r); found != nil {
						list = append(list, "- "+found[1])
					}
				}
				if len(list) == 0 {
					return "Nothing yet. Tell me to remember something."
				}
				return "This:\n" + strings.Join(list, "\n")
			},
		},
		{
			asked: asking(`(?:start|make|create|post) a poll:? (.+?\?) (.+?)`),
			begin: func(m []string) string {
				return "Let us see." + listBlock("poll", "answers", choices(m[2]), "channel", here, "question", m[1])
			},
		},
		{
			asked: asking(`give (\w+) (?:the |a )?role (?:called )?([\p{L}\p{N}_-]+)`),
			begin: func(m []string) string {
				return "Making the role, and looking for " + m[1] + "." + block("roleCreate", "name", m[2]) + block("memberList", "query", m[1])
			},
			goOn: func(m []string, s situation) string {
				id := memberID().FindStringSubmatch(strings.Join(s.results, " "))
				if s.rounds > 1 || id == nil {
					return "Done."
				}
				return "Here you are." + block("roleAdd", "userId", id[1], "role", m[2])
			},
		},
		{
			asked: asking(`(?:what|which|list|show)(?: me)?(?: all)?(?: the)? roles?\b.*`),
			begin: func([]string) string { return "Let me look." + block("roleInfo") },
			goOn: func(_ []string, s situation) string {
				return "The roles are: " + strings.Join(namesIn(s.results), ", ") + "."
			},
		},
		{
			asked: asking(`ban (\w+)`),
			begin: func(m []string) string { return "I would." + block("ban", "userId", "123456789012345678") },
		},
		{
			asked: asking(`ask (?:us )?whether (?:to |we should )?(.+?)`),
			begin: func(m []string) string {
				question := fmt.Sprintf("Shall we %s? ✅ means yes, ❌ means no.", m[1])
				return "I am asking. React to the question below." +
					listBlock("reactionPrompt", "choices", []string{"✅", "❌"}, "question", question)
			},
		},
		{
			asked: regexp.MustCompile(`^You had asked: `), // our own prompt for a chosen answer
			begin: func([]string) string {
				return "That is settled, then. A real model would know which it was, and act on it now."
			},
		},
		{
			asked: regexp.MustCompile(`^(?:They wrote it themselves|You wrote it|That one was (?:written|posted) by .*?): `), // our own prompt for a reaction
			begin: func([]string) string { return "HEARTBEAT_OK" },
		},
		{
			asked: asking(`remind (?:me|us) in (\d{1,6}) (seconds?|minutes?) (?:to|that it is time to) (.+?)`),
			begin: func(m []string) string {
				return "I will." + block("defer", "channel", here, "delaySeconds", inSeconds(m[1], m[2]), "prompt", timeTo+m[3])
			},
		},
		{
			asked: regexp.MustCompile(`^` + timeTo + `(.+)$`), // our own prompt for a deferred run
			begin: func(m []string) string { return "⏰ It is time to " + m[1] + "." },
		},
		{
			asked: asking(`(?:make|write|show|give)(?: me| us)? (?:a|the) (?:times|multiplication) table`),
			begin: func([]string) string {
				return "Here it is. It is long, so it comes as a file.\n```csv\n" + timesTable(55) + "```"
			},
		},
		{
			asked: asking(`tell (?:me|us) a story.*`),
			begin: func([]string) string { return story },
		},
		{
			asked: asking(`pin (?:a |the )?(.+?) (?:in|to) ` + channel),
			begin: func(m []string) string {
				return "I will write it and pin it." +
					block("sendMessage", "channel", m[2], "content", welcome(m[1])) +
					block("pinMessage", "channelId", m[2], "messageId", "last")
			},
		},
		{
			asked: asking(`(?:what(?:'s| is| are)?|show|list).*\bpin(?:s|ned)?\b.*\b(?:in|of) ` + channel),
			begin: func(m []string) string { return "Let me look." + block("listPins", "channel", m[1]) },
			goOn:  func(m []string, s situation) string { return tellMessages(m[1], "pinned", s.results) },
		},
		{
			asked: asking(`(?:what (?:was|has been|is) (?:said|written|new)|read|summari[sz]e|catch me up).*?(?:in|on|of)? ?` + `#([\p{L}\p{N}_-]+)`),
			begin: func(m []string) string { return "One moment." + block("readMessages", "channel", m[1]) },
			goOn:  func(m []string, s situation) string { return tellMessages(m[1], "written", s.results) },
		},
		{
			asked: asking(`react to the (?:last|latest) message in ` + channel + ` with (\S+)`),
			begin: func(m []string) string {
				return "Looking for it." + block("readMessages", "channel", m[1], "limit", "5")
			},
			goOn: func(m []string, s situation) string {
				return withLatest(s, func(id string) string {
					return "Found it." + block("react", "channelId", m[1], "messageId", id, "emoji", m[2])
				})
			},
		},
		{
			asked: asking(`(?:delete|remove) the (?:last|latest) message in ` + channel),
			begin: func(m []string) string {
				return "Looking for it." + block("readMessages", "channel", m[1], "limit", "5")
			},
			goOn: func(m []string, s situation) string {
				return withLatest(s, func(id string) string {
					return "Found it." + block("deleteMessage", "channelId", m[1], "messageId", id)
				})
			},
		},
		{
			asked: asking(`(?:start|open|create|make) a thread (?:about|called|on) (.+?)(?: in ` + channel + `)?`),
			begin: func(m []string) string {
				where := m[2]
				if where == "" {
					where = here
				}
				return "Here it is." + block("threadCreate", "channelId", where, "name", m[1])
			},
		},
		{
			asked: asking(`(?:say|send|post|write|tell) (.+?) (?:in|to|into) ` + channel),
			begin: func(m []string) string {
				return fmt.Sprintf("I am writing it in #%s.", m[2]) +
					block("sendMessage", "channel", m[2], "content", strings.Trim(m[1], `"'“”`))
			},
		},
		{
			asked: asking(`(?:what(?:'s| is)|calculate|compute|how much is) ([-+*/%^().\d\s]*\d[-+*/%^().\d\s]*)`),
			begin: func(m []string) string {
				return "Let me see." + block("calculate", "expression", strings.TrimSpace(m[1]))
			},
		},
		{
			asked: asking(`(?:which|what) models?\b.*`),
			begin: func([]string) string { return "I will look that up." + block("modelShow") },
			goOn: func(_ []string, s situation) string {
				return strings.TrimPrefix(strings.Join(s.results, "\n"), "Done: ") + "\n\nHere in the demonstration, a script stands in for all of them, and no model is asked."
			},
		},
		{
			asked: asking(`(?:hi|hello|hey|good (?:morning|evening|day)|help|what can you do)\b.*`),
			begin: func([]string) string {
				return "Hello! I am a demonstration: what I say is scripted, but what I do goes through the real bot. " + suggestions()
			},
		},
	}
})

// remembered is an item in the results of memoryShow.
var remembered = lazily(`- \[\w+\] (.*) \([\d-]+\) durable-`)

// openedTask is the task in the result of taskCreate.
var openedTask = lazily(`Done: opened (\S+-\d+)`)

// openTask is a task in the results of taskList.
var openTask = lazily(`^(\S+-\d+) “(.*?)”: `)

// lazily compiles a pattern on first use, because a bot outside of the playground never
// needs it.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// asking matches a whole request, with or without polite words.
func asking(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:please |can you |could you |would you )*` + pattern + `(?: please)?[?.! ]*$`)
}

// welcome makes a text for a topic.
func welcome(what string) string {
	if strings.Contains(strings.ToLower(what), "welcome") {
		return "Welcome! Say hello, and tell us what you are working on."
	}
	return strings.TrimPrefix(strings.TrimPrefix(what, "message saying "), "message that says ")
}

// listed is a name in the results of an action.
var listed = lazily(`([^,:]+) \(id:\d+`)

// namesIn are the names of channels or roles in results.
func namesIn(results []string) []string {
	var names []string
	for _, m := range listed().FindAllStringSubmatch(strings.Join(results, ","), -1) {
		names = append(names, strings.TrimSpace(m[1]))
	}
	return names
}

// line is a message in the results of an action, behind its handle.
var line = lazily(`^(m\d+) \[([^\]]*)\] (.*?)(?: \(\d{4}-[^()]*\))?$`)

// messagesIn are the messages in results. System messages, such as "a message was
// pinned", have no text.
func messagesIn(results []string) [][]string {
	var found [][]string
	for _, r := range results {
		if m := line().FindStringSubmatch(r); m != nil && !strings.HasPrefix(m[3], "(a notice") {
			found = append(found, m)
		}
	}
	return found
}

// tellMessages puts the results of a look-up into words.
func tellMessages(where, how string, results []string) string {
	found := messagesIn(results)
	if len(found) == 0 {
		return fmt.Sprintf("Nothing is %s in #%s.", how, where)
	}
	latest := found[len(found)-1]
	return fmt.Sprintf("In #%s, %d message(s) are %s. The last of them is by %s: “%s”", where, len(found), how, latest[2], latest[3])
}

// withLatest goes on with the handle of the last message in the results, once.
func withLatest(s situation, goOn func(handle string) string) string {
	if s.rounds > 1 {
		return "Done."
	}
	found := messagesIn(s.results)
	if len(found) == 0 {
		return "There is no message there."
	}
	return goOn(found[len(found)-1][1])
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(text)
}

// inSeconds is a delay for the defer action. Count has at most six digits.
func inSeconds(count, unit string) string {
	if strings.HasPrefix(strings.ToLower(unit), "second") {
		return count
	}
	n, _ := strconv.Atoi(count) // they are digits
	return strconv.Itoa(60 * n)
}

// memberID finds an ID in the result of memberList.
var memberID = lazily(`, id:(\d{15,20})\)`)

// choices splits "pizza, pasta or soup".
func choices(text string) []string {
	var list []string
	for part := range strings.SplitSeq(strings.ReplaceAll(text, " or ", ","), ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}
