package schedule

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// A Schedule says when a job fires. Parse makes it; the zero Schedule never fires. Two schedules of the same
// expression are equal.
type Schedule struct {
	text   string // the expression, in capitals and with single spaces, and its limits
	minute uint64 // bit 7 is minute 7, and so on
	hour   uint64
	day    uint64 // of the month
	month  uint64

	// weekday has for each weekday, from Sunday on, its occurrences in a month: bit 0 for the first one, bit 7
	// for the second one, and so on. Shifted to the first such day, that is a set of days of the month.
	weekday     [7]uint64
	lastWeekday uint64 // the weekdays of which the last one in a month counts
	lastDay     bool   // the last day of a month counts
	eitherDay   bool   // a day of which one of the day fields speaks is enough

	realTime bool // the hours have an asterisk or a step; see the package comment

	once  single // what it has instead of fields
	delay int64  // likewise, the seconds from one time to the next; 0 for none

	limits limits
}

// String returns the expression of five fields with its limits, or a date and time such as 2027-05-01 18:00.
func (s Schedule) String() string { return s.text }

// MaxText is how long the text of a schedule may be.
const MaxText = 500

// Parse reads a cron expression, an English form, or a date and time. Dates without a year, and "next week", are seen from now, in the
// time zone of the job; what String returned is read the same at any time, also at the zero one. The error is for the person who wrote
// the text: it says what is wrong and what to write instead.
func Parse(text string, now time.Time) (Schedule, error) {
	words := strings.Fields(text)
	switch {
	case len(words) == 0:
		return Schedule{}, fmt.Errorf("the schedule is empty; %s", formsHelp())
	case len(text) > MaxText:
		return Schedule{}, fmt.Errorf("the schedule is too long; %s", formsHelp())
	}
	if s, ok, err := parseOnce(strings.Join(words, " ")); ok {
		return s, err
	}
	e := newEnglish(text, now)
	var s Schedule
	var err error
	switch fields := fieldsOf(words); {
	case words[0][0] == '@':
		if s, err = parseDescriptor(strings.Join(words[:fields], " ")); err == nil {
			e = newEnglish(strings.Join(words[fields:], " "), now)
			err = e.readLimits(s.delay > 0)
		}
	case fields == len(words) && isExpression(words):
		return parseExpression(words)
	case isExpression(words[:fields]):
		if s, err = parseExpression(words[:fields]); err == nil {
			e = newEnglish(strings.Join(words[fields:], " "), now)
			err = e.readLimits(false)
		}
	default:
		var expression string
		if expression, err = e.read(); err == nil {
			s, err = parseExpression(strings.Fields(expression))
		}
	}
	if err != nil {
		return Schedule{}, err
	}
	return s.limited(e.limits, now)
}

// fieldsOf is how many words there are before those of limits, for what begins with five fields or an @, and else all.
func fieldsOf(words []string) int {
	limit := func(word string) bool {
		return slices.Contains([]string{"every", "from", "until", "skip", "except", "but", "not"}, strings.ToLower(word))
	}
	i := slices.IndexFunc(words, limit)
	if i == 5 || i > 0 && words[0][0] == '@' {
		return i
	}
	return len(words)
}

// isExpression tells an attempt at a cron expression from English. Numbers may begin both ("7 pm every day").
func isExpression(words []string) bool {
	if strings.ContainsAny(strings.Join(words, ""), "*=") {
		return true
	}
	if strings.Trim(words[0], "0123456789,-/") != "" {
		return false
	}
	for _, word := range words[1:] {
		for item := range strings.FieldsFuncSeq(strings.ToUpper(word), func(r rune) bool { return strings.ContainsRune("0123456789,-/#", r) }) {
			if item != "L" && !slices.Contains(monthNames, item) && !slices.Contains(weekdayNames, strings.TrimSuffix(item, "L")) {
				return false
			}
		}
	}
	return true
}

// A field is one of the five, with the numbers that it takes.
type field struct {
	name     string
	min, max int
	names    []string // for the numbers from min on
}

var (
	monthNames   = []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}
	weekdayNames = []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}

	minuteField  = field{name: "minute (the first field)", max: 59}
	hourField    = field{name: "hour (the second field)", max: 23}
	dayField     = field{name: "day of the month (the third field)", min: 1, max: 31}
	monthField   = field{name: "month (the fourth field)", min: 1, max: 12, names: monthNames}
	weekdayField = field{name: "day of the week (the fifth field)", max: 6, names: weekdayNames}
)

const (
	allHours = 1<<24 - 1
	allDays  = 1<<32 - 2
	// everyWeek has all occurrences of a weekday in a month.
	everyWeek = 1 | 1<<7 | 1<<14 | 1<<21 | 1<<28
)

func parseExpression(words []string) (Schedule, error) {
	if err := checkShape(words); err != nil {
		return Schedule{}, err
	}
	s := Schedule{text: strings.ToUpper(strings.Join(words, " "))}
	fields := strings.Split(s.text, " ")
	errs := [...]error{
		minuteField.parseInto(&s.minute, fields[0]),
		hourField.parseInto(&s.hour, fields[1]),
		s.parseDays(fields[2]),
		monthField.parseInto(&s.month, fields[3]),
		s.parseWeekdays(fields[4]),
	}
	for _, err := range errs {
		if err != nil {
			return Schedule{}, err
		}
	}
	s.realTime = strings.ContainsAny(fields[1], "*/") || s.hour == allHours
	s.eitherDay = fields[2][0] != '*' && fields[4][0] != '*'
	if s.eitherDay && (s.everyDate() || s.everyWeekday()) { // then it is every day
		s.setAllDays()
	}
	if _, ok := s.firstReading(0, cycle); !ok {
		return Schedule{}, errNever(s.text)
	}
	return s, nil
}

func (s *Schedule) setAllDays() {
	s.day, s.lastDay, s.lastWeekday, s.eitherDay = allDays, false, 0, false
	for i := range s.weekday {
		s.weekday[i] = everyWeek
	}
}

func (s *Schedule) everyDate() bool { return s.day == allDays }

func (s *Schedule) everyWeekday() bool {
	for _, weeks := range s.weekday {
		if weeks != everyWeek {
			return false
		}
	}
	return true
}

// checkShape refuses what other programs also take.
func checkShape(words []string) error {
	first := strings.ToLower(words[0])
	switch {
	case strings.Contains(first, "="):
		return errors.New("a schedule has no time zone in it; leave it out here, and give the time zone of the job instead")
	case len(words) == 6:
		return errors.New("the schedule has six fields, and there are five: minute, hour, day of the month, month, day of the week; jobs start at full minutes, so leave out the field for seconds, which is usually the first one")
	case len(words) != 5:
		return fmt.Errorf("a cron expression has five fields, such as \"0 7 * * 1-5\" (minute, hour, day of the month, month, day of the week), and this one has %d; or %s", len(words), formsHelp())
	}
	return nil
}

func clipped(text string) string { return strconv.Quote(chat.Clip(chat.OneLine(text), 60)) }

func (s *Schedule) parseDays(text string) error {
	for item := range strings.SplitSeq(text, ",") {
		if item == "L" {
			s.lastDay = true
		} else if err := dayField.parseInto(&s.day, item); err != nil {
			return err
		}
	}
	return nil
}

func (s *Schedule) parseWeekdays(text string) error {
	for item := range strings.SplitSeq(text, ",") {
		name, nth, counted := strings.Cut(item, "#")
		name, last := strings.CutSuffix(name, "L")
		weeks := uint64(everyWeek)
		if counted || item == "L" {
			n, _ := digits(nth, 1)
			if n < 1 || n > 5 || last {
				return fmt.Errorf("%s is not a weekday of a month; write 1#2 for the second Monday of a month (1 to 5 after the #), and 1L for the last one", clipped(item))
			}
			weeks = 1 << (7 * (n - 1))
		}
		days, err := weekdayField.parse(name)
		if err != nil {
			return err
		}
		if (counted || last) && bits.OnesCount64(days) != 1 {
			return fmt.Errorf("%s: # and L count one weekday; write several with commas, such as 1#1,3#1", clipped(item))
		}
		for day := range s.weekday {
			switch {
			case days>>day&1 == 0:
			case last:
				s.lastWeekday |= 1 << day
			default:
				s.weekday[day] |= weeks
			}
		}
	}
	return nil
}

// parseInto adds the numbers of a list to a set.
func (f field) parseInto(set *uint64, list string) error {
	for item := range strings.SplitSeq(list, ",") {
		numbers, err := f.parse(item)
		if err != nil {
			return err
		}
		*set |= numbers
	}
	return nil
}

// parse reads an item of a field: *, a number or a range, each with or without a step.
func (f field) parse(item string) (uint64, error) {
	span, stepText, stepped := strings.Cut(item, "/")
	low, high, err := f.span(span, stepped)
	if err != nil {
		return 0, err
	}
	step := 1
	if stepped {
		if step, _ = digits(stepText, 4); step < 1 {
			return 0, fmt.Errorf("%s: after the / of the %s comes a number, such as in */2", clipped(item), f.name)
		}
		if step > f.max-f.min {
			return 0, fmt.Errorf("%s: the %s ends at %d and begins anew, so a step of %d is too long; %s", clipped(item), f.name, f.max, step, formsHelp())
		}
	}
	var set uint64
	for n := low; n <= high; n += step {
		if n == 7 && f.isWeekday() {
			set |= 1 // Sunday is 0 and 7
		} else {
			set |= 1 << n
		}
	}
	return set, nil
}

func (f field) isWeekday() bool { return f.max == weekdayField.max }

// span reads * or a number or a range. With a step, a number alone is the beginning of a range.
func (f field) span(text string, stepped bool) (low, high int, err error) {
	if text == "*" {
		return f.min, f.max, nil
	}
	from, to, isRange := strings.Cut(text, "-")
	low, known := f.number(from)
	high = low
	switch {
	case isRange:
		var ok bool
		high, ok = f.number(to)
		known = known && ok
		if high == 0 && low > 0 && f.isWeekday() {
			high = 7 // Friday to Sunday
		}
	case stepped:
		high = max(low, f.max)
	}
	switch {
	case text == "?":
		err = fmt.Errorf("write * instead of ? for any %s", f.name)
	case !known:
		err = fmt.Errorf("the %s is %s, and not %s; or %s", f.name, f.takes(), clipped(text), formsHelp())
	case low > high:
		err = fmt.Errorf("%s: the range of the %s runs backwards; write it as two, such as %s-%d,%d-%s", clipped(text), f.name, from, f.max, f.min, to)
	}
	return low, high, err
}

func (f field) number(text string) (int, bool) {
	if i := slices.Index(f.names, text); i >= 0 {
		return f.min + i, true
	}
	n, ok := digits(text, 2)
	return n, ok && n >= f.min && (n <= f.max || n == 7 && f.isWeekday())
}

// takes says which numbers and names the field takes.
func (f field) takes() string {
	text := fmt.Sprintf("%d to %d", f.min, f.max)
	if f.names != nil {
		text += fmt.Sprintf(", or %s to %s", f.names[0], f.names[len(f.names)-1])
	}
	return text + ", or * for any"
}
