package standin

import (
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// eventShapes are requests about events.
func eventShapes() []shape {
	const event = `(?:event|meeting|party|meetup|get-together|call)`
	return []shape{
		{
			asked: wordings(`(?:{make}|schedule|announce|organi[sz]e|plan|host|throw|hold|arrange|put) (?P<all>(?:.*\b)?`+eventWords+`\b.*)`, `(?:schedule|organi[sz]e|host|throw|hold|arrange) (?P<all>.+)`),
			fits: func(s situation, m match) bool {
				_, _, ok := eventIn(m["all"], s.now)
				return ok && !otherNoun().MatchString(m["all"])
			},
			begin: makeEvent,
		},
		{
			asked: wordings(`{show} (?:upcoming |planned |scheduled |next )*events?\b.*`,
				`(?:what(?:'s| is| do we have)|anything|is there anything) (?:happening|going on|on|up|coming up|planned|upcoming)(?: (?:{when}|this week|next week|soon|here|in the club|next))?`, `when(?:'s| is) the next `+event,
				`(?:is|are) there (?:any|an) events?\b.*`),
			begin: func(situation, match) string { return act("eventList") },
			goOn: func(s situation, _ match) string {
				items := s.comingUp()
				if len(items) == 0 {
					return "No events are planned."
				}
				if e, ok := s.event(subjects(s.asked)); ok && whenAsked().MatchString(s.asked) {
					return e
				}
				return listed("Coming up:", items)
			},
		},
	}
}

const eventWords = `(?:events?|party|meeting|meetup|get-together|bbq|barbecue|dinner|lunch|breakfast|brunch|workshop|training|trip|picnic|night|quiz|concert|call|` +
	`session|regatta|race|cruise|sail|walk|class|talk|evening|festival|cleanup|rehearsal)`

var (
	otherNoun = lazily(`(?i)^(?:(?:a|an|the|new|another|me|us) )*(?:polls?|tasks?|todos?|reminders?|channels?|threads?|roles?|plans?|jobs?|category|vote|messages?|posts?|summary)\b`)
	whenIn    = lazily(`(?i)(?:^|,? )(?:(?:on|for|at|from|starting|this coming) )*(` + whenWords + `)(?:$|[ ,.!])`)
	eventHead = lazily(`(?i)^(?:(?:an|a|the|new|another|our|for|of|on|called|named|titled|about|event:?)\b:? *)*(?:event:? (?:(?:for|of|called|named|titled|about) )?(?:the |a )?)?`)
	placeHead = lazily(`(?i)^(?:at|in) (.+?) (?:called|named|titled) (.+)$`)
	placeTail = lazily(`(?i)(?:^|,? )(?:at|in|@) ((?:the |a |my )?[\p{L}#][\p{L}\p{N} '_-]*)$`)
)

// eventIn reads an event whose parts stand in any order.
func eventIn(text string, now time.Time) (title string, at moment, ok bool) {
	var m []int
	for _, at := range whenIn().FindAllStringSubmatchIndex(text, -1) { // "Sunday breakfast, Sunday 10:00": the longest says most
		if m == nil || at[3]-at[2] > m[3]-m[2] {
			m = at
		}
	}
	if m == nil {
		return "", moment{}, false
	}
	at, ok = parseWhen(text[m[2]:m[3]], now)
	title = strings.TrimSpace(strings.TrimRight(text[:m[0]], ", ") + " " + strings.TrimLeft(text[m[3]:], ", "))
	title = strings.Trim(eventHead().ReplaceAllString(title, ""), ` ":,`)
	return title, at, ok && title != ""
}

func makeEvent(s situation, m match) string {
	title, at, _ := eventIn(m["all"], s.now)
	where := "to be announced"
	if p := placeTail().FindStringSubmatchIndex(title); p != nil && p[0] > 0 {
		where, title = title[p[2]:p[3]], title[:p[0]]
	} else if p := placeHead().FindStringSubmatch(title); p != nil {
		where, title = p[1], p[2]
	}
	if strings.HasPrefix(where, "#") {
		return act("eventCreate", "name", chat.Capital(unquoted(title)), "startTime", at.stamp(), "channelId", where[1:])
	}
	return act("eventCreate", "name", chat.Capital(unquoted(title)), "startTime", at.stamp(), "location", where)
}

// eventLine is one of the results of eventList.
var eventLine = lazily(`^(.*?) \(id:\d+\) — (\d{4}-\d\d-\d\d \d\d:\d\d)(?::\d\d UTC)?(?: to [^—]*)?(?: — (.*))?$`)

// comingUp are the events in results.
func (s situation) comingUp() (items []string) {
	for _, line := range s.results {
		if m := eventLine().FindStringSubmatch(strings.TrimPrefix(line, "Done: ")); m != nil {
			where, _, _ := strings.Cut(m[3], " — ")
			when := m[2]
			if at, err := time.Parse("2006-01-02 15:04", when); err == nil {
				when = at.Format("Monday, 2 January 2006, 15:04")
			}
			items = append(items, m[1]+", "+when+placed(where))
		}
	}
	return items
}

func placed(where string) string {
	if where == "" {
		return ""
	}
	return ", " + where
}
