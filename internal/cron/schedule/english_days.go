package schedule

import (
	"fmt"
	"slices"
	"strings"
)

// readDays reads on which days, such as "on weekdays".
func (e *english) readDays() (bool, error) {
	start := e.at
	monthly := e.accept("monthly") || e.accept("every", "month") || e.accept("each", "month")
	weekly := !monthly && (e.accept("weekly") || e.accept("every", "week") || e.accept("each", "week"))
	on := e.accept("on")
	every := e.one("every", "each")
	e.accept("the")
	day, weekday, ok := "*", "*", true
	switch {
	case weekly:
		weekday, ok = e.weekdays()
	case monthly:
		day, weekday, ok = e.datesOfMonth(true)
	case every && e.accept("day"), !on && !every && e.accept("daily"):
	case e.one("weekday", "weekdays"):
		weekday = "1-5"
	case e.one("weekend", "weekends"):
		weekday = "0,6"
	default:
		if weekday, ok = e.weekdays(); !ok {
			day, weekday, ok = e.datesOfMonth(e.limits.unit == byMonth)
		}
	}
	if !ok || e.day != "" {
		e.at = start
		return false, nil
	}
	e.day, e.weekday = day, weekday
	return true, nil
}

var weekdayWords = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// dayName reads a weekday, in the plural too, or the beginning of one, such as "tues".
func (e *english) dayName() (int, bool) {
	word := strings.TrimSuffix(e.next(), "s")
	i := slices.IndexFunc(weekdayWords, func(name string) bool { return len(word) >= 3 && strings.HasPrefix(name, word) })
	if i < 0 {
		return 0, false
	}
	e.at++
	return i, true
}

// weekdays reads a list of weekdays, such as "Monday, Wednesday to Friday and Sunday".
func (e *english) weekdays() (string, bool) {
	var set uint64
	found := e.list(func() bool {
		day, ok := e.dayName()
		last := day
		if ok && e.one("to", "through") {
			last, ok = e.dayName()
		}
		if !ok {
			return false
		}
		for set |= 1 << day; day != last; set |= 1 << day {
			day = (day + 1) % 7
		}
		return true
	})
	return numbers(set), found
}

// placeWords are positions in a month. The last one is 0.
var placeWords = []string{"last", "first", "second", "third", "fourth", "fifth"}

// place reads a position in a month, such as "15th" or "last".
func (e *english) place() (int, bool) {
	word := e.next()
	n := slices.Index(placeWords, word)
	if n < 0 && len(word) > 2 && slices.Contains([]string{"st", "nd", "rd", "th"}, word[len(word)-2:]) {
		if n, _ = digits(word[:len(word)-2], 2); n == 0 || n > 31 {
			return 0, false
		}
	}
	if n < 0 {
		return 0, false
	}
	e.at++
	return n, true
}

// places reads a list such as "1st and 15th", as a set.
func (e *english) places() (set uint64, found bool) {
	found = e.list(func() bool {
		e.accept("the")
		n, ok := e.place()
		if ok {
			set |= 1 << n
		}
		return ok
	})
	return set, found
}

// A monthly has days of the month, and for each weekday which of them in the month; bit 0 is the last one.
type monthly struct {
	days     uint64
	weekdays [7]uint64
}

// datesOfMonth reads days of the month, or weekdays counted within it. Unless that is known, the text must say that it
// speaks of months: "every second Monday" may be every other one.
func (e *english) datesOfMonth(known bool) (day, weekday string, ok bool) {
	var m monthly
	e.list(func() bool {
		set, found := e.places()
		if name, named := e.dayName(); named {
			m.weekdays[name] |= set
		} else {
			if set&1 == 1 && !e.accept("day") {
				return false
			}
			e.accept("day")
			m.days |= set
		}
		return found
	})
	if !e.ofMonth() && !known {
		return "", "", false
	}
	return m.fields()
}

// fields are the day of the month and the day of the week. Only one of them can be said, as either would be enough.
func (m monthly) fields() (day, weekday string, ok bool) {
	var weekdays []string
	for name, places := range m.weekdays {
		if places > 1<<6 {
			return "", "", false
		}
		for n := 1; n <= 5; n++ {
			if places>>n&1 == 1 {
				weekdays = append(weekdays, fmt.Sprintf("%d#%d", name, n))
			}
		}
		if places&1 == 1 {
			weekdays = append(weekdays, fmt.Sprintf("%dL", name))
		}
	}
	var days []string
	if m.days>>1 != 0 {
		days = append(days, numbers(m.days>>1<<1))
	}
	if m.days&1 == 1 {
		days = append(days, "L")
	}
	switch {
	case len(days) > 0 && len(weekdays) == 0:
		return strings.Join(days, ","), "*", true
	case len(days) == 0 && len(weekdays) > 0:
		return "*", strings.Join(weekdays, ","), true
	}
	return "", "", false
}

// ofMonth reads that the days before are those of a month.
func (e *english) ofMonth() bool {
	if !e.accept("of") || !e.one("the", "every", "each") || !e.accept("month") {
		return false
	}
	start := e.at
	if e.accept(","); !e.accept("if", "there", "is", "one") {
		e.at = start
	}
	return true
}
