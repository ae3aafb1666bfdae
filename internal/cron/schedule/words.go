package schedule

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// Words describes the schedule in English, such as "at 07:00 on weekdays". What Parse understands of it, if it does, is
// the same schedule.
func (s Schedule) Words() string {
	switch {
	case s.Once():
		return s.onceWords()
	case s.month == 0:
		return "never"
	}
	clock, days := s.clockWords(), s.dayWords()
	if days == "every day" && strings.Contains(clock, "every") {
		return clock
	}
	return clock + " " + days
}

// fewClocks is how many times of day are listed.
const fewClocks = 6

func (s Schedule) clockWords() string {
	minute, hour := interval(s.minute, 60), interval(s.hour, 24)
	hours := runs(s.hour)
	low, high := hours[0].low, hours[len(hours)-1].high
	firstMinute, lastMinute := bits.TrailingZeros64(s.minute), bits.Len64(s.minute)-1
	span := fmt.Sprintf("from %02d:%02d to %02d:%02d", low, firstMinute, high, lastMinute)
	switch oneMinute := firstMinute == lastMinute; {
	case s.hour == allHours && minute > 0:
		return intervalWords(minute)
	case s.hour == allHours:
		return s.minuteWords() + " of every hour"
	case s.realTime && minute == 60 && hour > 0:
		return intervalWords(60 * hour)
	case !s.realTime && bits.OnesCount64(s.minute)*bits.OnesCount64(s.hour) <= fewClocks:
		return "at " + s.clocks()
	case len(hours) == 1 && oneMinute:
		return "every hour " + span
	case len(hours) == 1 && minute > 0:
		return intervalWords(minute) + " " + span
	}
	return s.minuteWords() + " of " + counted("hour", s.hour)
}

// interval is the distance of numbers that go through all of a cycle evenly, from 0 on, or 0.
func interval(set uint64, length int) int {
	step := length
	if rest := set &^ 1; rest != 0 {
		step = bits.TrailingZeros64(rest)
	}
	var even uint64
	for n := 0; n < length; n += step {
		even |= 1 << n
	}
	if set != even || length%step != 0 {
		return 0
	}
	return step
}

func (s Schedule) minuteWords() string { return "at " + counted("minute", s.minute) }

// counted is a set with its noun, such as "minutes 5 and 10 to 20".
func counted(noun string, set uint64) string {
	if bits.OnesCount64(set) > 1 {
		noun += "s"
	}
	return noun + " " + listed(set, strconv.Itoa)
}

func (s Schedule) clocks() string {
	var list []string
	for hour := range 24 {
		for minute := range 60 {
			if s.hour>>hour&1 == 1 && s.minute>>minute&1 == 1 {
				list = append(list, fmt.Sprintf("%02d:%02d", hour, minute))
			}
		}
	}
	return chat.And(list)
}

// listed names the numbers of a set, those in a row by their ends.
func listed(set uint64, name func(int) string) string {
	var list []string
	for _, run := range runs(set) {
		if run.high-run.low > 1 {
			list = append(list, name(run.low)+" to "+name(run.high))
			continue
		}
		for n := run.low; n <= run.high; n++ {
			list = append(list, name(n))
		}
	}
	return chat.And(list)
}

func (s Schedule) dayWords() string {
	everyDate, everyWeekday := s.everyDate(), s.everyWeekday()
	switch {
	case everyDate && everyWeekday:
		return "every day" + s.inMonths()
	case everyDate:
		return s.weekdayWords()
	case everyWeekday:
		return s.dateWords()
	case s.eitherDay:
		return s.dateWords() + ", and also " + s.weekdayWords()
	}
	return s.weekdayWords() + ", but only " + s.dateWords()
}

// allMonths has the months from January on.
const allMonths = 1<<13 - 2

func monthName(n int) string { return time.Month(n).String() }

func (s Schedule) inMonths() string {
	if s.month == allMonths {
		return ""
	}
	return " in " + listed(s.month, monthName)
}

// ofMonths says of which months the days before are, and that not each of those need have them.
func (s Schedule) ofMonths(all string, rare bool) string {
	text := " of " + all
	if s.month != allMonths {
		text = " of " + listed(s.month, monthName)
	}
	if rare {
		text += ", if there is one"
	}
	return text
}

// dateWords are the days of the month.
func (s Schedule) dateWords() string {
	var list []string
	if s.day != 0 {
		list = append(list, listed(s.day, ordinal))
	}
	if s.lastDay {
		list = append(list, "last day")
	}
	return "on the " + chat.And(list) + s.ofMonths("every month", bits.Len64(s.day)-1 > s.shortestMonth())
}

// shortestMonth is how many days each of the months has at least.
func (s Schedule) shortestMonth() int {
	shortest := 31
	for month := 1; month <= 12; month++ {
		if s.month>>month&1 == 1 {
			shortest = min(shortest, time.Date(2001, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day())
		}
	}
	return shortest
}

func ordinal(n int) string {
	suffix := "th"
	if n/10 != 1 && n%10 >= 1 && n%10 <= 3 {
		suffix = []string{"st", "nd", "rd"}[n%10-1]
	}
	return strconv.Itoa(n) + suffix
}

// weekdayWords are the weekdays, those that come each week and those counted within a month.
func (s Schedule) weekdayWords() string {
	const workdays, weekend = 0b0111110, 0b1000001
	var weekly uint64
	var monthly []string
	rare := false
	for day, weeks := range s.weekday {
		if weeks == everyWeek {
			weekly |= 1 << day
			weeks = 0
		}
		var places []string
		for n := 1; n <= 5; n++ {
			if weeks>>(7*(n-1))&1 == 1 {
				places = append(places, placeWords[n])
				rare = rare || n == 5
			}
		}
		if s.lastWeekday>>day&1 == 1 {
			places = append(places, placeWords[0])
		}
		if places != nil {
			monthly = append(monthly, "the "+chat.And(places)+" "+time.Weekday(day).String())
		}
	}
	var list []string
	switch weekly {
	case 0:
	case workdays:
		list = append(list, "on weekdays"+s.inMonths())
	case weekend:
		list = append(list, "on weekends"+s.inMonths())
	default:
		list = append(list, "every "+listed(weekly, func(n int) string { return time.Weekday(n).String() })+s.inMonths())
	}
	if monthly != nil {
		list = append(list, "on "+chat.And(monthly)+s.ofMonths("the month", rare))
	}
	return strings.Join(list, ", and also ")
}
