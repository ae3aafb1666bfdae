package standin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// taskShapes are requests about tasks.
func taskShapes() []shape {
	const task = `(?:task |the task |issue |number |no\. ?|#)*(?P<id>(?:ws-)?\d+)`
	const which = `(?:the )?(?:task )?(?:called |named |about )?"?(?P<title>[^"]+?)"?(?: task)?`
	return []shape{
		{
			asked: wordings(`what(?:'s| is| are)?(?: still)? (?:open|to do|left(?: to do)?|on (?:the|my|our) (?:to-?do )?list|pending`+
				`|outstanding)(?: (?:here|today|now|tasks?|for (?P<mine>me)))?`,
				`{show}(?: still)?(?: open| outstanding| pending)? (?:tasks?|to-?dos?|task list|to-?do list)(?: (?:are|is|that are|do we have|do I `+
					`have|still|have we got|left))*(?: (?:open|there|left|to do|outstanding))?`,
				`(?:what do (?:I|we) (?:have|need) to do|what should (?:I|we) (?:do|work on)(?: next)?|(?:post|share) {the}(?:open )?tasks?)(?: here)?`,
				`what (?:does|is|has) {who} (?:have to do|working on|got to do)`, `{show} {who}(?:'s|s') (?:open )?tasks`),
			begin: func(s situation, m match) string { return act("taskList", "assignee", s.mine(person(m["who"]))) },
			goOn: func(s situation, m match) string {
				if len(tellTasks(s.results)) < 20 && m["who"] != "" {
					return "No open task is for " + map[bool]string{true: "you", false: person(m["who"])}[m["who"] == "me"] + "."
				}
				return tellTasks(s.results)
			},
		},
		{
			asked: wordings(`(?:post|send|share|list|put|show) {the}(?:list of )?(?:all )?(?:open )?tasks (?:in|to|into) {channel}`),
			begin: func(situation, match) string { return act("taskList") },
			goOn: func(s situation, m match) string {
				return posting(m["channel"]) + act("sendMessage", "channel", m["channel"], "content", tellTasks(s.results))
			},
		},
		{
			asked: wordings(`(?:close|finish|complete|resolve|check off|tick off) `+task+`(?:,? (?:because|since|as) (?P<reason>.+?))?`,
				task+` is (?:done|finished|complete|closed|solved)`, `(?:mark|set) `+task+` (?:as |to )?(?:done|finished|complete|closed)`),
			begin: func(_ situation, m match) string { return act("taskClose", "taskId", m["id"], "reason", m["reason"]) },
		},
		{
			asked: wordings(`(?:make|set|mark|change|raise) (?:the priority of )?`+task+`(?:'s priority)? (?:(?:as|to|very|really|more|a|an) )*(?P<how>urgent|important|high|higher|top|low|lower|normal)(?: priority)?(?: one)?`, task+` (?:is|should be) (?:very |really |pretty |quite |kind of )?(?P<how>urgent|important)`),
			begin: func(_ situation, m match) string {
				return act("taskUpdate", "taskId", m["id"], "priority", priorities()[strings.ToLower(m["how"])])
			},
		},
		{
			asked: wordings(`assign `+task+` to {who}`, `(?:give|hand) `+task+` to {who}`, `{who} (?:takes|will do|does|gets) `+task, task+` is for {who}`,
				`let {who} (?:do|take) `+task),
			begin: func(s situation, m match) string {
				return act("taskUpdate", "taskId", m["id"], "assignee", s.mine(m["who"]))
			},
		},
		{
			asked: wordings(`(?:`+task+`|(?:set|change|make|move) the (?:due date|deadline) (?:of|for) `+strings.Replace(task, "<id>", "<of>",
				1)+`)(?: is)?(?: due)?(?: to| by)? {when}`,
				`(?:make|set) `+task+` (?:due )?{when}`),
			begin: func(s situation, m match) string {
				at, ok := parseWhen(m["when"], s.now)
				if !ok {
					return "I didn't get the date. When is it due?"
				}
				return act("taskUpdate", "taskId", m["id"]+m["of"], "due", at.stamp())
			},
		},
		{
			asked: wordings(`(?:reopen|re-open|open|unclose|restore) `+task+`(?: again)?`, task+` is(?: not|n't) (?:done|finished)(?: yet)?`),
			begin: func(_ situation, m match) string { return act("taskUpdate", "taskId", m["id"], "status", "open") },
		},
		{
			asked: wordings(`(?:start|begin|work on|I'm working on|I am working on) `+task, task+` is in progress`),
			begin: func(_ situation, m match) string {
				return act("taskUpdate", "taskId", m["id"], "status", "in_progress")
			},
		},
		{
			asked: wordings(`(?:{make}|put|note|jot down)? ?{a}(?P<urgent>urgent )?(?:task|to-?do)(?: item)?(?::| to| called| that we| for us to| about|,| -)? {text}`, `(?:{make}|put)? ?{a}(?:task|to-?do)(?: item)? for {text}`, `(?:to-?do|task): {text}`,
				`(?:put|add) {text} (?:on|to) (?:the|my|our) (?:to-?do |task )?list`, `note (?:down )?that (?:we|I) (?:have|need) to {text}`),
			fits: func(_ situation, m match) bool {
				return !noTask().MatchString(m["text"]) && !strings.HasPrefix(m[""], "the ")
			},
			begin: makeTask,
			goOn: func(s situation, _ match) string {
				task := openedTask().FindStringSubmatch(s.all())
				if task == nil {
					return nothingToAdd
				}
				return act("taskClose", "taskId", task[1])
			},
		},
		{
			asked: wordings(`(?:show|describe|what(?:'s| is))(?: me)? `+task, `tell me about task (?P<id>\d+)`,
				`(?:who|when|is|what|how|why|whose)(?:'s| is)?\b.* task `+task+`(?: .*)?`,
				`(?:who|when|is|what|how|why|whose|show|tell)\b.* (?P<id>ws-\d+)\b.*`),
			begin: func(_ situation, m match) string { return act("taskShow", "taskId", m["id"]) },
			goOn:  func(s situation, _ match) string { return firstLines(s.results, mostLines) },
		},
		{
			asked: wordings(`(?:close|finish|complete|resolve|check off|tick off) `+which,
				`(?:the )?task "?(?P<title>[^"]+?)"? is (?:done|finished|complete)`),
			begin: func(situation, match) string { return act("taskList") },
			goOn: func(s situation, m match) string {
				return s.onTask(m["title"], func(id string) string { return act("taskClose", "taskId", id) })
			},
		},
		{
			asked: wordings(`assign (?:the )?task (?:called |named |about )?"?(?P<title>[^"]+?)"? to {who}`,
				`assign (?:the )?"?(?P<title>[^"]+?)"? task to {who}`),
			begin: func(situation, match) string { return act("taskList") },
			goOn: func(s situation, m match) string {
				return s.onTask(m["title"], func(id string) string { return act("taskUpdate", "taskId", id, "assignee", s.mine(m["who"])) })
			},
		},
	}
}

var priorities = onDemand(func() map[string]int {
	return map[string]int{"urgent": 0, "top": 0, "important": 1, "high": 1, "higher": 1, "normal": 2, "low": 3, "lower": 3}
})

var (
	urgently    = lazily(`(?i),? (?:it(?:'s| is) |and |very |kind of |kinda |really |pretty |this is |make it )*(?:urgent(?:ly)?|important|asap|high priority)$`)
	closeIt     = lazily(`(?i),? and (?:then )?close it(?: again)?$`)
	forPerson   = lazily(`(?i),? (?:for|assigned to|(?:and )?assign(?: it)? to|(?:and )?give it to) (<@!?\d+>|@[\p{L}\p{N}._-]+|me|[\p{L}]+)$`)
	dueOn       = lazily(`(?i),? (?:due (?:by |on )?|by |until |before |till )(` + whenWords + `)$`)
	personFirst = lazily(`(?i)^(?:for )?(<@!?\d+>|@?[\p{L}._-]+)(?:, |: | to )(.+)$`)
	noTask      = lazily(`(?i)^(?:\d+|ws-\d+)\b|^(?:list|about)$`)
	openedTask  = lazily(`Done: opened .*\((\S+-\d+)\)`)
	taskLine    = lazily(`^(\S+-\d+) “(.*?)”: (.*)$`)
)

// brackets around a person or a date are as good as a comma.
var brackets = strings.NewReplacer(" (for ", ", assigned to ", " (", ", ", ")", "")

// makeTask reads what stands behind the title of a new task, in any order.
func makeTask(s situation, m match) string {
	title, fields, closing := strings.Trim(brackets.Replace(m["text"]), ", "), []any{}, false
	if m["urgent"] != "" {
		fields = append(fields, "priority", 0)
	}
	for again := true; again; {
		again = true
		switch {
		case closeIt().MatchString(title):
			title, closing = closeIt().ReplaceAllString(title, ""), true
		case urgently().MatchString(title):
			title, fields = urgently().ReplaceAllString(title, ""), append(fields, "priority", 0)
		case dueOn().MatchString(title):
			if at, ok := parseWhen(dueOn().FindStringSubmatch(title)[1], s.now); ok {
				fields = append(fields, "due", at.stamp())
			}
			title = dueOn().ReplaceAllString(title, "")
		case s.forSomebody(m, title):
			who := personFirst().FindStringSubmatch(title)
			title, fields = who[2], append(fields, "assignee", s.mine(who[1]))
		case s.isPerson(forPerson().FindStringSubmatch(title)):
			fields = append(fields, "assignee", s.mine(forPerson().FindStringSubmatch(title)[1]))
			title = forPerson().ReplaceAllString(title, "")
		default:
			again = false
		}
	}
	text := act("taskCreate", append([]any{"title", chat.Capital(unquoted(title))}, fields...)...)
	if closing {
		text += act("taskList") // brings its ID
	}
	return text
}

// forSomebody reports whether a title begins with whom the task is for: "for mia, order life jackets".
func (s situation) forSomebody(m match, title string) bool {
	who := personFirst().FindStringSubmatch(title)
	return who != nil && (s.club.hasPerson(who[1]) || strings.EqualFold(who[1], "me")) &&
		(strings.HasPrefix(strings.ToLower(title), "for ") || strings.Contains(m[""], " for "+title))
}

// isPerson tells "for @sam" and "for sam" from "for dinner": the bot knows who is there, the script does not, so that a plain name has to
// be one of those that it may have seen.
func (s situation) isPerson(m []string) bool {
	if m == nil {
		return false
	}
	return strings.HasPrefix(m[1], "@") || strings.HasPrefix(m[1], "<@") || strings.EqualFold(m[1], "me") ||
		strings.Contains(m[0], "assign") || strings.Contains(m[0], "give it") || s.club.hasPerson(m[1])
}

// mine is a person, where "me" is who asks.
func (s situation) mine(who string) string {
	if strings.EqualFold(who, "me") || strings.EqualFold(who, "myself") {
		return s.who
	}
	return person(who)
}

// onTask goes on with the ID of the task that a title is about.
func (s situation) onTask(title string, with func(id string) string) string {
	id, best := "", 0
	for _, line := range s.results {
		if m := taskLine().FindStringSubmatch(line); m != nil {
			if n := nearness(title, m[2]); n > best {
				id, best = m[1], n
			}
		}
	}
	if id == "" {
		return fmt.Sprintf("I don't see an open task like %s. “What is open?” lists them.", quoted(title))
	}
	return with(id)
}

// tellTasks puts the results of taskList into words.
func tellTasks(results []string) string {
	var items []string
	for _, m := range tasksIn(results) {
		item := fmt.Sprintf("%s (%s", m[2], m[1])
		for part := range strings.SplitSeq(m[3], ", ") {
			if strings.HasPrefix(part, "due ") || strings.HasPrefix(part, "for ") || strings.HasPrefix(part, "priority 0") {
				part = strings.Replace(part, "priority 0 (urgent)", "urgent", 1)
				item += ", " + part
			}
		}
		items = append(items, item+")")
	}
	if len(items) == 0 {
		return "Nothing is open."
	}
	return listed(fmt.Sprintf("Still open, %s:", chat.Counted(len(items), "task", "tasks")), items)
}

// tasksIn are the ID, the title and the rest of the tasks in results: the urgent ones first, then those that are due.
func tasksIn(results []string) (list [][]string) {
	for _, r := range results {
		if m := taskLine().FindStringSubmatch(r); m != nil {
			list = append(list, m)
		}
	}
	by := func(m []string) string {
		return cmp.Or(priorityIn().FindString(m[3]), "priority 2") + cmp.Or(dueIn().FindString(m[3]), "later") + m[1]
	}
	slices.SortStableFunc(list, func(a, b []string) int { return strings.Compare(by(a), by(b)) })
	return list
}

var priorityIn = lazily(`priority \d`)

// firstLines are the first results, without the word that begins them.
func firstLines(results []string, most int) string {
	return strings.TrimPrefix(strings.Join(results[:min(len(results), most)], "\n"), "Done: ")
}
