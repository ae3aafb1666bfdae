package standin

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Words about times, as parts of patterns.
const (
	clockWords = `(?:noon|midnight|\d{1,2}(?:[:.]\d\d)?(?: ?(?:am|pm|o'clock))?)`
	dayWords   = `(?:mon|tues|wednes|thurs|fri|satur|sun)days?`
	monthWords = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?` +
		`|nov(?:ember)?|dec(?:ember)?)`
	partWords  = `(?:morning|noon|afternoon|evening|night)`
	countWords = `(?:\d{1,6}|an?|half an?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|a couple of|a few)`
	unitWords  = `(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?)`
	dayBefore  = `(?:(?:on|by|until|for) )?`
	nth        = `\d{1,2}(?:st|nd|rd|th)?`
	dateWords  = `(?:(?:on |at )?(?:christmas|new year)(?:(?:'s)? eve)?|today|tonight|tomorrow(?: ` + partWords + `)?|this ` + partWords + `|(?:this|next|on the|at the|the) weekend|next (?:week|month)|` +
		`(?:(?:on|next|this|by|until|for) )?` + dayWords + `(?: ` + partWords + `)?|` +
		dayBefore + `(?:the )?` + nth + `(?: of)? ` + monthWords + `(?: \d{4})?|` +
		dayBefore + monthWords + ` ` + nth + `(?:,? \d{4})?|` +
		dayBefore + `\d{4}-\d\d-\d\d)`
	whenWords = `(?:in ` + countWords + ` ` + unitWords + `|` +
		dateWords + `(?:,? (?:at|from|around|by)? ?` + clockWords + `)?|` +
		`(?:at|by|around) ` + clockWords + `(?:,? ` + dateWords + `)?)`

	intervalWords = `(?:every|each) (?:\d+ )?(?:minutes?|hours?)|hourly`
	moreDays      = `(?:(?:,| and|, and) ` + dayWords + `)*`
	daysWords     = `(?:every|each) (?:single )?(?:other )?(?:day|weekday|weekend|week|month|` + partWords + `|` + dayWords + moreDays + `)(?: (?:in the |at )?` + partWords + `)?|` +
		`daily|weekly|monthly|(?:on )?weekdays|(?:on |at )?weekends|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days` + moreDays + `|` +
		`on the ` + nth + ` of (?:every|each|the) month|(?:on )?(?:the )?(?:first|last) ` + dayWords + ` of (?:every|each|the) month`
	oftenWords = `(?:` + intervalWords + `|(?:at ` + clockWords + `,? )?(?:` + daysWords + `)(?:,? (?:at )?` + clockWords + `)?)`
)

// usual is the hour of something for which only the day is said.
const usual = 9

// hours of the parts of a day.
var hours = onDemand(func() map[string]int {
	return map[string]int{"morning": usual, "noon": 12, "midnight": 0, "afternoon": 15, "evening": 18, "tonight": 20, "night": 21}
})

var (
	inWords     = lazily(`(?i)^in (` + countWords + `) (` + unitWords + `)$`)
	anyClock    = lazily(`(?i)(?:^|[ ,])(?:at|from|around|by)? ?(` + clockWords + `)$`)
	firstClock  = lazily(`(?i)^(?:at|by|around) (` + clockWords + `)\b`)
	bareHour    = lazily(`(?i)^(?:(?:at|by|around) )?\d{1,2}$`)
	dayNamed    = lazily(`(?i)\b(mon|tues|wednes|thurs|fri|satur|sun)day`)
	dateNamed   = lazily(`(?i)\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? (` + monthWords + `)(?: (\d{4}))?`)
	monthNamed  = lazily(`(?i)\b(` + monthWords + `) (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?`)
	dateWritten = lazily(`\b(\d{4}-\d\d-\d\d)\b`)
)

// A moment is a time that somebody named: so long from now, or a date and a time of day.
type moment struct {
	in time.Duration // 0 for a date
	at time.Time
}

// parseWhen reads what whenWords match.
func parseWhen(text string, now time.Time) (moment, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if m := inWords().FindStringSubmatch(text); m != nil {
		d := time.Duration(count(m[1]) * float64(unit(m[2])))
		return moment{in: d, at: now.Add(d)}, d > 0
	}
	day, dated := date(text, now)
	hour, minute, told := timeOfDay(text)
	if !dated && !told {
		return moment{}, false
	}
	if !told {
		hour = usual
	}
	at := time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, now.Location())
	if !dated && !at.After(now) && bareHour().MatchString(text) && at.Hour() < 12 {
		at = at.Add(12 * time.Hour) // "at 8", said at noon
	}
	if !dated && !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return moment{at: at}, true
}

// fields are those of the action remind.
func (m moment) fields() []any {
	if m.in > 0 {
		return []any{"in", short(m.in)}
	}
	return []any{"at", m.stamp()}
}

// stamp is the time in the form that actions take.
func (m moment) stamp() string { return m.at.Format("2006-01-02T15:04-07:00") }

// short is a duration such as 90s, 20m or 3d.
func short(d time.Duration) string {
	switch {
	case d%(24*time.Hour) == 0:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}

var numbers = onDemand(func() map[string]float64 {
	return map[string]float64{"a": 1, "an": 1, "half a": 0.5, "half an": 0.5, "one": 1, "two": 2, "a couple of": 2, "three": 3,
		"a few": 3,
		"four":  4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30}
})

func count(text string) float64 {
	if n, err := strconv.Atoi(text); err == nil {
		return float64(n)
	}
	return numbers()[text]
}

func unit(text string) time.Duration {
	switch text[0] {
	case 's':
		return time.Second
	case 'm':
		return time.Minute
	case 'h':
		return time.Hour
	case 'd':
		return 24 * time.Hour
	}
	return 7 * 24 * time.Hour
}

// date finds the day that a text names.
func date(text string, now time.Time) (time.Time, bool) {
	if m := dateWritten().FindStringSubmatch(text); m != nil {
		if day, err := time.ParseInLocation(time.DateOnly, m[1], now.Location()); err == nil {
			return day, true
		}
	}
	if m := dateNamed().FindStringSubmatch(text); m != nil {
		return ofMonth(m[1], m[2], m[3], now), true
	}
	if m := monthNamed().FindStringSubmatch(text); m != nil {
		return ofMonth(m[2], m[1], m[3], now), true
	}
	if m := dayNamed().FindStringSubmatch(text); m != nil {
		for n := 1; n <= 7; n++ {
			if day := now.AddDate(0, 0, n); strings.HasPrefix(strings.ToLower(day.Weekday().String()), m[1]) {
				return day, true
			}
		}
	}
	if day, ok := feast(text, now); ok {
		return day, true
	}
	switch {
	case strings.Contains(text, "tomorrow"):
		return now.AddDate(0, 0, 1), true
	case strings.Contains(text, "weekend"):
		return now.AddDate(0, 0, int((time.Saturday-now.Weekday()+7)%7)), true
	case strings.Contains(text, "next month"):
		return time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, now.Location()), true
	case strings.Contains(text, "next week"):
		return now.AddDate(0, 0, 7), true
	case strings.Contains(text, "today"), strings.Contains(text, "tonight"), strings.HasPrefix(text, "this "):
		return now, true
	}
	return now, false
}

// ofMonth is the next such date, unless the year is told.
func ofMonth(day, month, year string, now time.Time) time.Time {
	d, _ := strconv.Atoi(day) // they are digits
	y, err := strconv.Atoi(year)
	at := time.Date(max(y, now.Year()), monthOf(month), d, 0, 0, 0, 0, now.Location())
	if err != nil && at.AddDate(0, 0, 1).Before(now) {
		at = at.AddDate(1, 0, 0)
	}
	return at
}

func monthOf(name string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(m.String()[:3], name[:3]) {
			return m
		}
	}
	return time.January
}

// timeOfDay finds the time that a text names.
func timeOfDay(text string) (hour, minute int, told bool) {
	m := firstClock().FindStringSubmatch(text)
	if m == nil {
		m = anyClock().FindStringSubmatch(dateWritten().ReplaceAllString(monthNamed().ReplaceAllString(dateNamed().ReplaceAllString(text, "-"),
			"-"), "-"))
	}
	if m != nil {
		return readClock(m[1])
	}
	for _, part := range []string{"tonight", "afternoon", "morning", "evening", "noon", "night"} {
		if strings.Contains(text, part) {
			return hours()[part], 0, true
		}
	}
	return 0, 0, false
}

func readClock(text string) (hour, minute int, told bool) {
	if h, ok := hours()[text]; ok {
		return h, 0, true
	}
	digits := strings.TrimRight(strings.TrimSuffix(strings.ReplaceAll(text, ".", ":"), "o'clock"), " apm")
	h, m, _ := strings.Cut(digits, ":")
	hour, _ = strconv.Atoi(h)
	minute, _ = strconv.Atoi(m)
	switch {
	case strings.HasSuffix(text, "pm") && hour < 12, bareHour().MatchString(text) && 0 < hour && hour < 7:
		hour += 12
	case strings.HasSuffix(text, "am") && hour == 12:
		hour = 0
	}
	return hour, minute, hour < 24 && minute < 60
}

var (
	partOfDay  = lazily(`(?i)\b(?:every|each) (` + partWords + `)s?\b`)
	partBehind = lazily(`(?i)(\w+)(?: in the| at)? (` + partWords + `)\b`)
	hasClock   = lazily(`(?i)\b(?:noon|midnight|\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|o'clock)?)$|\bat ` + clockWords)
	interval   = lazily(`(?i)^(?:` + intervalWords + `)$`)
	monthly    = lazily(`(?i)^(?:every month|monthly)\b`)
	weekly     = lazily(`(?i)\b(?:every week|weekly)\b`)
)

// schedule is what oftenWords match in the words of the action cronCreate, which wants a time of day.
func schedule(often string) string {
	often = strings.ReplaceAll(strings.ToLower(often), "each", "every")
	if often == "hourly" {
		return "every hour"
	}
	if interval().MatchString(often) {
		return often
	}
	hour := usual
	often = strings.ReplaceAll(often, "single ", "")
	if m := partOfDay().FindStringSubmatch(often); m != nil {
		hour = hours()[m[1]]
		often = partOfDay().ReplaceAllString(often, "every day")
	} else if m := partBehind().FindStringSubmatch(often); m != nil {
		hour = hours()[m[2]]
		often = partBehind().ReplaceAllString(often, "$1")
	}
	often = weekly().ReplaceAllString(monthly().ReplaceAllString(often, "on the 1st of every month"), "every monday")
	often = strings.NewReplacer("of every month", "of the month",
		"on the first", "first", "on the last", "last", "at weekends", "weekends").Replace(often)
	if !hasClock().MatchString(often) {
		often += fmt.Sprintf(" at %d:00", hour)
	}
	return often
}
