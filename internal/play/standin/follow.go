package standin

import (
	"fmt"
	"slices"
	"strings"
)

// A topic is something that was just spoken about.
type topic struct {
	name string // as requests name it: #ops, task 7, the event "Party"
	who  bool   // a person
}

// topics are what was spoken about before, the latest first. Of a list, the first item is also the topic.
func (s situation) topics() (list []topic) {
	var listed []topic // of several, of which none was meant more than the others
	for i, r := range slices.Backward(s.earlier) {
		if len(s.earlier)-i > 14 {
			break
		}
		if of := s.topicsOf(r); r.mine && len(r.deeds()) == 0 && len(s.items(r)) > 1 {
			listed = append(listed, of...)
		} else {
			list = append(list, of...)
		}
	}
	if !slices.ContainsFunc(list, func(t topic) bool { return !t.who }) {
		list = append(listed, list...)
	}
	if id := postOf().FindStringSubmatch(s.where); s.forum == "tasks" && id != nil {
		list = append(list, topic{name: "task " + id[1]})
	} else if _, name, ok := strings.Cut(s.where, " "); ok && s.forum == "crons" {
		list = append(list, topic{name: fmt.Sprintf("the job %q", name)})
	}
	return list
}

// postOf is the number of a task in the name of its post.
var postOf = lazily(`\[0*(\d+)\]`)

// named are how requests name what an action was about: {x} is its field x.
var namedBy = onDemand(func() map[string][]string {
	return map[string][]string{
		"channelCreate": {"#{name}"}, "channelDelete": {"#{channelId}"}, "channelEdit": {"#{name}", "#{channelId}"}, "channelMove": {"#{channelId}"}, "channelPermissions": {"#{channelId}"},
		"categoryCreate": {"the category {name}"}, "roleCreate": {"the role {name}"}, "roleAdd": {"the role {role}"}, "roleRemove": {"the role {role}"},
		"roleEdit":    {"the role {role}"},
		"eventCreate": {`the event "{name}"`}, "eventEdit": {`the event "{name}"`, `the event "{eventId}"`}, "cronCreate": {`the job "{name}"`},
		"cronUpdate": {`the job "{cronId}"`}, "cronPause": {`the job "{cronId}"`}, "cronResume": {`the job "{cronId}"`}, "remind": {`the reminder "{text}"`},
		"poll": {"the poll"}, "threadCreate": {`the thread "{name}"`}, "sendMessage": {"the last message in #{channel}"}, "taskUpdate": {"task {taskId}"}, "taskClose": {"task {taskId}"},
		"memoryRemember": {`the memory "{text}"`}, "pinMessage": {"{messageId}"}, "unpinMessage": {"{messageId}"}, "react": {"{messageId}"}, "planApprove": {"plan {planId}"}, "planRun": {"plan {planId}"}, "forgeCreate": {"plan"},
		"taskCreate": {"task {title}"},
	}
})

var (
	didOne     = lazily(`\b([a-z]+(?:[A-Z]\w+)?)\{`)
	itemLine   = lazily(`(?m)^ *- (.*)$`)
	boldName   = lazily(`\*\*(.+?)\*\*`)
	itemHead   = lazily(`^(.*?)(?: \((?:reminder|ws-)|, \d{4}-|, <t:|: | \(ws-|$)`)
	planItem   = lazily(`(?m)^\W*plan-0*(\d+)\W* “`)
	reminderID = lazily(`\(reminder (\d+),`)
	hasTask    = lazily(`\((\w+-\d+)`)
	numbered   = lazily(`(?i)\b(task|plan|reminder) (?:no\.? |number |#)?(\d+)\b`)
)

func (s situation) topicsOf(r remark) (list []topic) {
	if !r.mine && r.by != s.who {
		return nil // others speak of other things
	}
	if !r.mine {
		return s.mentioned(r.text)
	}
	for _, d := range slices.Backward(r.deeds()) {
		for _, form := range namedBy()[d.kind] {
			if name := s.filled(form, d.fields); name != "" {
				list = append(list, topic{name: name})
				break
			}
		}
		for _, name := range []string{"userId", "assignee"} {
			if who, ok := d.fields[name].(string); ok {
				list = append(list, topic{name: who, who: true})
			}
		}
	}
	if strings.Contains(r.text, "(open until") {
		list = append(list, topic{name: "the poll"})
	}
	if m := wroteIt().FindStringSubmatch(r.text); m != nil {
		list = append(list, topic{name: strings.ToLower(m[1]), who: true})
	}
	if m := taskNamed().FindStringSubmatch(r.text); m != nil {
		list = append(list, topic{name: "task " + m[1]})
	}
	for _, item := range s.items(r) {
		list = append(list, topic{name: item})
	}
	return list
}

// filled is a form with its fields; it is empty if one is missing.
func (s situation) filled(form string, fields map[string]any) string {
	for name, value := range fields {
		text, _ := value.(string)
		if name == "title" { // a task is known by its number
			if t, ok := s.club.task(text); ok {
				text = t.id
			}
		}
		form = strings.ReplaceAll(form, "{"+name+"}", strings.TrimPrefix(text, "#"))
	}
	if strings.Contains(form, "{") || strings.HasSuffix(form, "#") {
		return ""
	}
	return form
}

// items are the things of a list that the script wrote.
func (s situation) items(r remark) (list []string) {
	kinds := map[string]string{"Coming up": "event", "Scheduled": "job", "Still to come": "reminder", "Still open": "task", "What I remember": "memory"}
	head, _, _ := strings.Cut(r.text, ":")
	head, _, _ = strings.Cut(head, ",")
	kind := kinds[strings.TrimSuffix(strings.TrimSpace(head), " about you")]
	for _, m := range planItem().FindAllStringSubmatch(r.text, -1) {
		list = append(list, "plan "+m[1])
	}
	for _, m := range itemLine().FindAllStringSubmatch(r.text, -1) {
		name := itemHead().FindStringSubmatch(m[1])[1]
		switch {
		case kind == "task":
			if id := hasTask().FindStringSubmatch(m[1]); id != nil {
				list = append(list, "task "+id[1])
			}
		case kind == "reminder": // several may have the same words
			if id := reminderID().FindStringSubmatch(m[1]); id != nil {
				list = append(list, "reminder "+id[1])
			}
		case kind == "memory": // the latest stands last
			list = slices.Insert(list, 0, fmt.Sprintf("the %s %q", kind, name))
		case kind != "":
			list = append(list, fmt.Sprintf("the %s %q", kind, name))
		}
	}
	if m := boldName().FindStringSubmatch(r.text); m != nil && strings.Contains(r.text, " is an event ") {
		list = append(list, fmt.Sprintf("the event %q", m[1]))
	}
	return list
}

// mentioned are the channels, people, tasks and plans that somebody spoke of.
func (s situation) mentioned(text string) (list []topic) {
	for _, m := range whoIs().FindAllStringSubmatch(text, -1) {
		if name := m[1] + m[2]; mayBeName(name) && !strings.EqualFold(name, "me") && (!strings.HasPrefix(m[0], "about") || s.club.hasPerson(name) || strings.HasPrefix(text, "tell me")) {
			list = append(list, topic{name: name, who: true})
		}
	}
	for _, m := range numbered().FindAllStringSubmatch(text, -1) {
		list = append(list, topic{name: strings.ToLower(m[1]) + " " + m[2]})
	}
	if strings.Contains(strings.ToLower(text), "plan") && len(s.club.plans) > 0 && len(list) == 0 {
		list = append(list, topic{name: "plan " + strings.TrimLeft(strings.TrimPrefix(s.club.plans[0], "plan-"), "0")})
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.?!:;\"'", r) }) {
		switch {
		case s.club.hasPerson(w) && !strings.EqualFold(w, s.who):
			list = append(list, topic{name: person(w), who: true})
		case strings.HasPrefix(w, "#"), s.club.hasChannel(w) && (strings.Contains(strings.ToLower(text), "channel") || firstVerb().MatchString(plain(text))):
			list = append(list, topic{name: "#" + strings.TrimPrefix(w, "#")})
		}
	}
	return list
}

var (
	whoIs      = lazily(`(?i)^(?:and )?who(?:'s| is) @?([\p{L}\p{N}_-]+)\??$|\b(?:did|by|from|remind|ask|tell|about) @?([\p{L}\p{N}_-]+)`)
	ellipsis   = lazily(`(?i)^(?:due|urgent|important|high|low|private|public|hidden|read[- ]only|` + colorWords + `|in|under|for|by|on|voice|with|assigned)\b`)
	noObject   = lazily(`(?i)^(mark|close|delete|cancel|rename|pause|resume|move|assign|pin|finish|reopen|approve|run|remove)(?: ((?:as|to|into|on|at|for|by|until)\b.*))?$`)
	inItAtEnd  = lazily(`(?i) (?:in|to|into|on) (?:it|that|there)$| there$`)
	sayThere   = lazily(`(?i)^(?:say|write|post) (?:in it|there|in there|into it),?(?: that)? (.+)$`)
	wroteIt    = lazily(`^(?:The latest by )?(\w+)(?: wrote about it)?:\n`)
	ofItsKind  = lazily(`\b(?:that|this) (?:channel|role|task|event|job|reminder|poll|thread|plan|category)\b|\bthe (?:channel|role|task|event|job|reminder|poll|thread|plan|category)$`)
	itsPart    = lazily(`(?i)\b(?:the|its) (due date|deadline|name|topic|colou?r|priority|title|place|location|venue)( to\b| is\b|$)`)
	taskNamed  = lazily(`(?:^task |\()(ws-\d+)\b`)
	itWord     = lazily(`(?i)\b(?:that one|this one|the thing|it|that|this|them|those)\b`)
	whoWord    = lazily(`(?i)\b(?:him|her|he|she|his)\b`)
	hisWord    = lazily(`(?i)\b(?:his|her|their) ((?:last |latest )?(?:messages?|posts?|comments?|questions?|answers?|tasks?|roles?|nick(?:name)?)\b)`)
	itsWord    = lazily(`(?i)\bits\b`)
	thereWord  = lazily(`(?i)\b(?:in there|in it|over there|there)\b`)
	nthWord    = lazily(`(?i)\b(?:the )?(first|second|third|fourth|last|1st|2nd|3rd|only) (?:one|task|job|event|reminder|plan|of them|item)?\b ?|\b(?:the )?(first|second|third|last)$`)
	onlyWhen   = lazily(`(?i)^(?:(?:and|no|only|just|not|make (?:it|that)|I meant|I mean|better|for|to|due|by|until) )*(` + oftenWords + `|` + whenWords + `|` + clockWords + `)$`)
	thatClause = lazily(`(?i)\b(?:that|this|those) \pL`)
	addTopic   = lazily(`(?i)^(?:add|give it|set|with) (?:a |the )?(?:topic|description)(?: to it)?(?::| of| saying)? (.+)$`)
	forOne     = lazily(`(?i)^for (@?[\pL\pN._-]+)$`)
	theRole    = lazily(`(?i)^(?:make|colou?r|paint|turn) the role (` + colorWords + `)$`)
	offIt      = lazily(`(?i)^(?:turn|switch) (?:it|that|this)(?: back)? off(?: .*)?$|^(?:stop|disable|end|lift|remove|undo) (?:it|that|this)$`)
	itIs       = lazily(`(?i)^(?:it|that|this)(?: one)?(?:'s| is) `)
	callIt     = lazily(`(?i)^(?:(?:call|name|title|rename) (?:it|that|this|them)(?: to| as)?|rename to|make the name) (.+)$`)
	noPronoun  = lazily(`(?i)^(?:remember|forget (?:all|everything)|remind|tell|say|post|announce|write|keep|is|are|was|what's|what is|how|why|I (?:am|have|had|was|want|need|like|love|hate|prefer|think|know)|my|undo|take (?:it|that) back|revert|read|let|ask|who wrote|who said)\b`)
	ordinals   = onDemand(func() map[string]int {
		return map[string]int{"first": 0, "1st": 0, "only": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3}
	})
)

// followed are whole requests that a text may be short for, the likeliest first.
func (s situation) followed(text string) (list []string) {
	asks := strings.HasSuffix(strings.TrimSpace(text), "?")
	text = strings.TrimPrefix(plain(text), "and ")
	if len(s.earlier) == 0 || len(text) > 200 {
		return nil
	}
	if sameElsewhere().MatchString(text) {
		return nil
	}
	if rest, ok := strings.CutPrefix(strings.ToLower(text), "start "); ok && slices.ContainsFunc(s.earlier, remark.paused) {
		text = "resume " + rest
	}
	if place := s.slowed(); place != "" && offIt().MatchString(text) {
		return []string{"turn off slowmode in #" + place}
	}
	if m := nthWord().FindStringSubmatchIndex(text); m != nil {
		if item, ok := s.nth(strings.Trim(text[m[0]:m[1]], " ")); ok {
			return []string{strings.TrimSpace(text[:m[0]] + item + " " + text[m[1]:])}
		}
	}
	if named := s.pointed(text); named != text {
		return []string{named}
	}
	if asks && onlyWhen().MatchString(text) { // "and tomorrow?" moves nothing
		return nil
	}
	var wholes []string
	for _, t := range s.topics() {
		list = append(list, t.in(text)...)
	}
	for _, half := range list[:min(len(list), 4)] { // "let him write there" points twice
		for _, t := range s.topics() {
			if whoWord().MatchString(text) && strings.HasPrefix(t.name, "#") && thereWord().MatchString(half) {
				wholes = append(wholes, thereWord().ReplaceAllString(half, "in "+t.name))
			}
		}
	}
	return append(wholes, list...)
}

// slowed is the channel whose slow mode was changed last, if nothing else was since.
func (s situation) slowed() string {
	for _, r := range slices.Backward(s.earlier) {
		if did := r.deeds(); len(did) > 0 {
			last := did[len(did)-1]
			place, _ := last.fields["channelId"].(string)
			return map[bool]string{true: place}[last.fields["slowmode"] != nil]
		}
	}
	return ""
}

// elliptic are whole requests of which a text says only what is to be different.
func (s situation) elliptic(whole string) (list []string) {
	text := strings.TrimPrefix(plain(whole), "and ")
	if len(s.earlier) == 0 || len(strings.Fields(text)) > 6 {
		return nil
	}
	verb := noObject().FindStringSubmatch(text)
	for _, t := range s.topics() {
		if !t.who && verb != nil {
			list = append(list, strings.TrimSpace(verb[1]+" "+t.name+" "+verb[2]))
		}
		if m := forOne().FindStringSubmatch(text); m != nil && strings.HasPrefix(t.name, "task ") {
			list = append(list, "assign "+t.name+" to "+m[1])
		}
		if !t.who && ellipsis().MatchString(text) && !(forOne().MatchString(text) && strings.HasPrefix(t.name, "#")) {
			list = append(list, t.name+" "+text, "make "+t.name+" "+text) // "due on Monday", "urgent"
		}
	}
	return list
}

// in are the requests that a text is about the topic.
func (t topic) in(text string) (list []string) {
	if t.who {
		if m := hisWord().FindStringSubmatchIndex(text); m != nil {
			return []string{text[:m[0]] + t.name + "'s " + text[m[2]:]}
		}
		if whoWord().MatchString(text) {
			list = append(list, whoWord().ReplaceAllString(text, t.name))
		}
		return list
	}
	if t.name == "the poll" && (pinIt().MatchString(text) || strings.Contains(text, " to it")) {
		return nil // it is the last message
	}
	if m := addTopic().FindStringSubmatch(text); m != nil && strings.HasPrefix(t.name, "#") {
		return []string{"set the topic of " + t.name + " to " + m[1]}
	}
	if m := theRole().FindStringSubmatch(text); m != nil && strings.HasPrefix(t.name, "the role ") {
		return []string{"make " + t.name + " " + m[1]}
	}
	if strings.HasPrefix(t.name, "task ") && asksOnly().MatchString(text) && itWord().MatchString(text) {
		list = append(list, itWord().ReplaceAllString(text, t.name))
	}
	if m := itIs().FindStringIndex(text); m != nil {
		return []string{t.name + " is " + text[m[1]:]}
	}
	if m := callIt().FindStringSubmatch(text); m != nil && m[1] != "back" && m[1] != "off" {
		return []string{"rename " + t.name + " to " + m[1]}
	}
	if m := ofItsKind().FindStringIndex(text); m != nil {
		said := text[m[0]:m[1]]
		if strings.Contains(strings.Replace(t.name, "#", "channel", 1), said[strings.LastIndexByte(said, ' ')+1:]) {
			return []string{text[:m[0]] + t.name + text[m[1]:]}
		}
		return nil
	}
	if m := itsPart().FindStringSubmatchIndex(text); m != nil {
		list = append(list, text[:m[0]]+"the "+text[m[2]:m[3]]+" of "+t.name+text[m[3]:])
	}
	if m := sayThere().FindStringSubmatch(text); m != nil {
		list = append(list, "say "+m[1]+" in "+t.name)
	}
	if m := onlyWhen().FindStringSubmatch(text); m != nil {
		return []string{"move " + t.name + " to " + m[1]}
	}
	if strings.HasPrefix(t.name, "#") && itsWord().MatchString(text) {
		list = append(list, itsWord().ReplaceAllString(text, t.name+"'s"))
	}
	if strings.HasPrefix(t.name, "the category") && thereWord().MatchString(text) {
		list = append(list, thereWord().ReplaceAllString(text, "to "+t.name))
	}
	if strings.HasPrefix(t.name, "#") && thereWord().MatchString(text) {
		list = append(list, thereWord().ReplaceAllString(text, "in "+t.name))
	}
	if noPronoun().MatchString(text) && inItAtEnd().MatchString(text) {
		list = append(list, inItAtEnd().ReplaceAllString(text, " in "+t.name))
	}
	if at := itWord().FindStringIndex(text); at != nil && !noPronoun().MatchString(text) && !(strings.Contains(text, "#") && thatClause().MatchString(text)) {
		list = append(list, text[:at[0]]+t.name+text[at[1]:])
	}
	return list
}

// nth is what "the second one" means: in the latest list, or among what was made.
func (s situation) nth(text string) (string, bool) {
	noun := ofItsKind().FindString("the " + text[strings.LastIndexByte(text, ' ')+1:])
	fits := func(item string) bool {
		return noun == "" || strings.HasPrefix("the "+strings.TrimPrefix(item, "the "), noun)
	}
	var items []string
	for _, r := range slices.Backward(s.earlier) {
		if items = slices.DeleteFunc(s.items(r), func(item string) bool { return !fits(item) }); r.mine && len(items) > 0 {
			break
		}
	}
	if len(items) == 0 && noun != "" {
		for _, t := range s.topics() {
			if fits(t.name) && !slices.Contains(items, t.name) {
				items = slices.Insert(items, 0, t.name) // the first was made first
			}
		}
	}
	n, ok := len(items)-1, strings.Contains(strings.ToLower(text), "last")
	for word, i := range ordinals() {
		if strings.Contains(strings.ToLower(text), word) {
			n, ok = i, true
		}
	}
	if !ok || n < 0 || n >= len(items) {
		return "", false
	}
	return items[n], true
}
