package standin

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A thing is an event, a job, a reminder or a task, which people speak of by some of its words.
type thing struct {
	kind, id, name, when, end string
	waits                     bool // it is on a card
}

// thingWords are a thing in a request. Its kind may stand before or behind its words.
const thingWords = `(?:(?:the|my|our|that|this|your|ada's|mia's) )?(?:(?P<kind>event|meeting|jobs?|reminders?|task) )?(?:called |named |about |of |for |to )?` +
	`"?(?P<name>[^"#]+?)"?(?: (?P<kind2>event|jobs?|reminder|task)(?: thing)?| thing| posts?| schedule)?`

// thingShapes are what can be done to all of them. They come behind the shapes that know their objects better.
func thingShapes() []shape {
	one := func(verb string, patterns ...string) shape {
		return shape{
			asked: wordings(patterns...), fits: func(s situation, m match) bool { return s.mayBeThing(m) },
			begin: func(s situation, m match) string {
				if made := s.justMade(verb, m); made.waits && s.waits() {
					return waitsFirst
				} else if made.kind != "" {
					return s.onThing(verb, m)
				}
				return lookFor(verb, m)
			},
			goOn: func(s situation, m match) string {
				if s.justMade(verb, m).kind != "" {
					return nothingToAdd
				}
				return s.onThing(verb, m)
			},
		}
	}
	return []shape{
		one("when", `(?:move|shift|push|postpone|delay|reschedule|bring forward|change|switch) `+thingWords+`(?: (?:back|time|date))?(?: (?:to|for|until|till|on|at|by|from))* `+
			`(?:{often}|{when}|{clock})`,
			`(?:make|move|push|start|shift|bring|put|postpone|delay) `+thingWords+`(?: back| forward)?(?: by)? (?P<shift>`+countWords+` `+unitWords+`)(?: (?P<how>later|earlier|sooner))?`,
			`(?:make|set|put) (?:the )?(?P<kind>event|job|reminder|task) "(?P<name>[^"]+)" (?:(?:to|for|on|at|run|every) )*(?:{often}|{when}|{clock})`),
		one("rename", `(?:rename|call|name|change the name of|retitle) (?:the |my )?(?P<kind>event|job|task) "?(?P<name>[^"]+?)"? (?:to |as |into )"?(?P<new>[^"]+?)"?`,
			`(?:rename|call|name) (?:the )?(?P<kind>event|job|task) "(?P<name>[^"]+)" "?(?P<new>[^"]+?)"?`),
		one("where", `(?:the )?(?P<kind>event) "(?P<name>[^"]+)" is (?:at|in|on) (?P<new>.+)`, `(?:change|set|move) the (?:place|location|venue) of `+thingWords+` to (?P<new>.+)`),
		one("pause", `(?:pause|suspend|halt|stop|hold|turn off|switch off|disable|silence) `+thingWords+`(?: (?:until|till|for) .*)?`,
			`(?:turn|switch) `+thingWords+` off`),
		one("resume", `(?:resume|continue|unpause|restart|reactivate|turn on|switch on|enable|turn back on|switch back on) `+thingWords,
			`(?:turn|switch|put) `+thingWords+` (?:back )?on`),
		one("run", `(?:run|trigger|fire|start) `+thingWords),
		one("cancel", `(?:cancel|call off|abort|stop reminding (?:me|us) (?:of|about|to)|{delete}|scrap|kill) `+thingWords),
	}
}

const waitsFirst = "That waits for the card above: choose *Approve* first, then say it again."

// lookFor are the look-ups for a thing. Events may be the words of strangers, so that what is changed after reading them waits for
// approval: they are read only if they may be meant.
func lookFor(verb string, m match) string {
	kind := m["kind"] + m["kind2"]
	text := ""
	if kind == "" || strings.HasPrefix(kind, "job") {
		text += act("cronList")
	}
	if strings.HasPrefix(kind, "reminder") || kind == "" && (verb == "cancel" || verb == "when") {
		text += act("remindList")
	}
	if kind == "event" || kind == "meeting" || kind == "" && doing()[verb+" event"][0] != "" {
		text += act("eventList")
	}
	return cmp.Or(text, act("cronList"))
}

// justMade is a thing that the script itself made in this conversation, so that it need not be looked up.
func (s situation) justMade(verb string, m match) (best thing) {
	name, found := m["name"], thing{}
	for _, r := range s.earlier {
		for _, d := range r.deeds() {
			of := func(field string) string { text, _ := d.fields[field].(string); return text }
			stamp := func(field string) string {
				start := strings.Replace(of(field), "T", " ", 1)
				return start[:min(len(start), len("2006-01-02 15:04"))]
			}
			switch {
			case d.kind == "eventCreate" && of("name") == name:
				found = thing{kind: "event", id: name, name: name, when: stamp("startTime")}
			case d.kind == "eventEdit" && found.kind == "event" && of("eventId") == found.id && stamp("startTime") != "":
				found.when = stamp("startTime")
			case d.kind == "cronUpdate" && found.kind == "job" && of("cronId") == found.id && of("schedule") != "":
				found.when = of("schedule")
			case d.kind == "cronCreate" && of("name") == name:
				found = thing{kind: "job", id: name, name: name, when: of("schedule")}
			case d.kind == "remind" && of("text") == name && d.made > 0:
				found = thing{kind: "reminder", id: strconv.Itoa(d.made), name: name, when: stamp("at")}
			}
			found.waits = found.waits || d.waits && strings.HasSuffix(d.kind, "Create")
			if said := m["kind"] + m["kind2"]; doing()[verb+" "+found.kind][0] != "" && (said == "" || strings.HasPrefix(said, found.kind)) {
				best = found
			}
		}
	}
	return best
}

// vague are words for things that name none.
var vague = wordsOf("it that this them those these all everything something thing one the a talking being me us him her")

// isVague reports whether words name nothing: "about it".
func isVague(text string) bool {
	text = strings.ToLower(text)
	return slices.Contains(vague(), strings.TrimPrefix(strings.TrimPrefix(text, "that "), "about "))
}

func (s situation) mayBeThing(m match) bool {
	if slices.Contains([]string{"to", "at", "on", "for", "by"}, m["name"]) { // "move the meeting to 8pm"
		m["name"], m["kind"] = m["kind"], ""
	}
	first, _, _ := strings.Cut(strings.ToLower(m["name"]), ",")
	first = politeAfter().ReplaceAllString(first, "")
	if m["kind"] == "" && s.isSomebody(m["name"]) || m["kind"] == "" && otherThing().MatchString(m["name"]) {
		return false
	}
	return !slices.Contains(vague(), first) && (!s.club.hasChannel(m["name"]) || m["when"]+m["clock"] != "") && len(strings.Fields(m["name"])) < 7
}

// otherThing is in words for what is no event, job, reminder or task.
var otherThing = lazily(`(?i)\b(?:messages?|channels?|roles?|threads?|polls?|votes?|members?|servers?|nicknames?|pins?|posts|everyone|everybody|people|that I|you)\b`)

// doing is the action for a verb and a kind of thing, and the field that names it.
var doing = onDemand(func() map[string][2]string {
	return map[string][2]string{
		"cancel event": {"eventDelete", "eventId"}, "cancel job": {"cronDelete", "cronId"}, "cancel reminder": {"remindCancel", "id"},
		"cancel task": {"taskClose", "taskId"}, "pause job": {"cronPause", "cronId"}, "resume job": {"cronResume", "cronId"},
		"run job": {"cronTrigger", "cronId"}, "rename event": {"eventEdit", "eventId"}, "rename job": {"cronUpdate", "cronId"},
		"rename task": {"taskUpdate", "taskId"}, "when event": {"eventEdit", "eventId"}, "where event": {"eventEdit", "eventId"}, "when job": {"cronUpdate", "cronId"},
		"when task": {"taskUpdate", "taskId"}, "when reminder": {"remindCancel", "id"},
	}
})

// onThing does what a verb says to the thing that the words fit best.
func (s situation) onThing(verb string, m match) string {
	kind := strings.TrimSuffix(strings.ToLower(cmp.Or(m["kind"], m["kind2"])), "s")
	if kind == "meeting" {
		kind = ""
	}
	best, most := s.justMade(verb, m), 0
	if best.kind != "" {
		most = 1000
	}
	for _, t := range s.things() {
		n := nearness(m["name"], t.name)
		if t.id == m["name"] {
			n = 1000
		}
		if (n > most || n == most && n > 0 && t.kind == "event") && (kind == "" || kind == t.kind) && doing()[verb+" "+t.kind][0] != "" {
			best, most = t, n
		}
	}
	if wholeID().MatchString(m["name"]) && most == 0 && doing()[verb+" task"][0] != "" { // it need not be open
		best, most = thing{kind: "task", id: m["name"]}, 1
	}
	if most == 0 && s.waits() {
		return waitsFirst
	}
	if most == 0 {
		return fmt.Sprintf("I don't see %s called %s. “What is scheduled?” lists the jobs, “what events are there?” the events.", map[string]string{"": "an event, job or reminder", "event": "an event", "job": "a job", "reminder": "a reminder", "task": "an open task"}[kind], quoted(m["name"]))
	}
	do := doing()[verb+" "+best.kind]
	fields := []any{do[1], best.id}
	switch verb {
	case "rename":
		fields = append(fields, map[bool]string{true: "title", false: "name"}[best.kind == "task"], m["new"])
	case "where":
		fields = append(fields, "location", m["new"])
	case "when":
		return s.atAnotherTime(best, m, do[0], fields)
	}
	return act(do[0], fields...)
}

// atAnotherTime moves a thing. What is not said of the new time is as before.
func (s situation) atAnotherTime(t thing, m match, kind string, fields []any) string {
	if t.kind == "job" {
		return act(kind, append(fields, "schedule", rescheduled(t.when, m["often"], m["when"]+m["clock"]))...)
	}
	said := m["when"] + m["clock"] + strings.TrimPrefix(m["often"], "on ")
	was, err := time.Parse("2006-01-02 15:04", t.when)
	if err == nil && bareHour().MatchString(said) { // the same half of the day
		if hour, _, _ := readClock(lastWord(said)); was.Hour() >= 12 {
			said += "pm"
		} else if hour < 12 {
			said += "am"
		}
	}
	at, ok := parseWhen(said, s.now)
	_, dated := date(strings.ToLower(said), s.now)
	_, _, timed := timeOfDay(strings.ToLower(said))
	switch {
	case m["shift"] != "" && err == nil:
		n := inWords().FindStringSubmatch("in " + strings.ToLower(m["shift"]))
		by := time.Duration(count(n[1]) * float64(unit(n[2])))
		if strings.Contains("earlier sooner", strings.ToLower(m["how"])) && m["how"] != "" {
			by = -by
		}
		at = moment{at: was.Add(by)}
	case m["shift"] != "" && m["how"] == "":
		at, _ = parseWhen("in "+m["shift"], s.now) // it was in so many minutes, too
	case !ok:
		return "I didn't get the new time. When should it be?"
	case err == nil && at.in == 0 && !timed:
		at.at = time.Date(at.at.Year(), at.at.Month(), at.at.Day(), was.Hour(), was.Minute(), 0, 0, time.UTC)
	case err == nil && at.in == 0 && !dated:
		at.at = time.Date(was.Year(), was.Month(), was.Day(), at.at.Hour(), at.at.Minute(), 0, 0, time.UTC)
	}
	switch t.kind {
	case "event":
		long := time.Hour // as the bot makes them
		if end, noEnd := time.Parse("2006-01-02 15:04", t.end); noEnd == nil && err == nil {
			long = end.Sub(was)
		}
		return act(kind, append(fields, "startTime", at.stamp(), "endTime", moment{at: at.at.Add(long)}.stamp())...)
	case "task":
		return act(kind, append(fields, "due", at.stamp())...)
	}
	return act(kind, fields...) + act("remind", append([]any{"text", t.name}, at.fields()...)...)
}

// rescheduled is a schedule with another day or time.
func rescheduled(was, often, when string) string {
	clock := clockIn().FindString(was)
	switch {
	case often != "" && (hasClock().MatchString(often) || partOfDay().MatchString(often) || interval().MatchString(often) || clock == ""):
		return schedule(often)
	case often != "":
		return schedule(often + " at " + clock)
	case dayNamed().MatchString(when) && !clockIn().MatchString(when) && clock != "":
		return schedule("every " + dayNamed().FindString(when) + " at " + clock)
	case dayNamed().MatchString(when):
		return schedule("every " + strings.TrimPrefix(when, "on "))
	}
	days := everyIn().FindString(was)
	if days == "" {
		days = "every day"
	}
	hour, minute, _ := timeOfDay(strings.ToLower(when))
	return fmt.Sprintf("%s at %d:%02d", strings.ToLower(days), hour, minute)
}

var (
	clockIn = lazily(`\b\d{1,2}:\d\d\b|\b\d{1,2} ?[ap]m\b`)
	everyIn = lazily(`(?i)every [\p{L} ]+|on the \d+\w* of [\p{L} ]+`)
)

// things are the events, jobs and reminders in results, and the tasks in the prompt.
func (s situation) things() (list []thing) {
	for _, line := range s.results {
		line = strings.TrimPrefix(line, "Done: ")
		if m := jobLine().FindStringSubmatch(line); m != nil {
			list = append(list, thing{kind: "job", id: cmp.Or(m[2], m[1]), name: m[1], when: m[3]})
		} else if m := eventLine().FindStringSubmatch(line); m != nil {
			t := thing{kind: "event", id: m[1], name: m[1], when: m[2]}
			if end := endsAt().FindStringSubmatch(line); end != nil {
				t.end = end[1]
			}
			list = append(list, t)
		} else if m := reminderLine().FindStringSubmatch(line); m != nil {
			list = append(list, thing{kind: "reminder", id: m[1], name: m[3], when: s.stamped(m[2])})
		}
	}
	for _, t := range s.club.tasks {
		due, _, _ := strings.Cut(strings.TrimPrefix(dueDay().FindString(t.rest), "due "), " ")
		list = append(list, thing{kind: "task", id: t.id, name: t.title, when: due + fmt.Sprintf(" %02d:00", usual)})
	}
	return list
}

var wholeID = lazily(`^ws-\d+$`)

var dueDay = lazily(`due \d{4}-\d\d-\d\d`)

var endsAt = lazily(` to (\d{4}-\d\d-\d\d \d\d:\d\d)`)

// stamped reads a time as Discord writes it.
func (s situation) stamped(mark string) string {
	var seconds int64
	if _, err := fmt.Sscanf(mark, "<t:%d", &seconds); err != nil {
		return ""
	}
	return time.Unix(seconds, 0).In(s.now.Location()).Format("2006-01-02 15:04")
}
