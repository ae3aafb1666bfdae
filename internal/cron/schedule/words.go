package schedule

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// Words describes the schedule in English, such as "on weekdays at 7:00, until 1 March". What Parse understands of it, if it does, is
// the same schedule. Seen from now, in the time zone of the job, dates of the next twelve months have no year, and what has passed is left
// out; the zero time is for what is read later.
func (s Schedule) Words(now time.Time) string {
	switch {
	case s.Once():
		return s.onceWords()
	case s.delay > 0:
		return intervalWords(int(s.delay/minuteSeconds)) + s.limitWords(now)
	case s.month == 0:
		return "never"
	}
	clock, days := s.clockWords(), s.countedWords()
	text := clock + " " + days
	switch {
	case days == "every day" && strings.Contains(clock, "every"):
		text = clock
	case strings.HasPrefix(clock, "at ") && !strings.Contains(days, ","):
		text = days + " " + clock
	}
	return text + s.limitWords(now)
}

// countedWords are the days of which, if not all do, every second one counts, or every third, …
func (s Schedule) countedWords() string {
	words := s.dayWords()
	if s.limits.every == 0 {
		return words
	}
	often := fmt.Sprintf("every %d %s", s.limits.every, s.limits.unit)
	if s.limits.every == 2 {
		often = "every second " + strings.TrimSuffix(s.limits.unit, "s")
	}
	list, weekly := strings.CutPrefix(words, "every ")
	dates, rest, monthly := strings.Cut(strings.Replace(words, " of the month", " of every month", 1), " of every month")
	switch s.limits.unit {
	case byDay:
		if words == "every day" {
			return often
		}
	case byWeek:
		switch {
		case s.month != allMonths || words == "every day" || strings.Contains(words, ", and also") || !weekly && !strings.HasPrefix(words, "on week"):
		case weekly && s.limits.every == 2 && !strings.Contains(list, " "):
			return "every second " + list
		case weekly:
			return often + " on " + list
		default:
			return often + " " + words
		}
	case byMonth:
		if monthly && !strings.Contains(words, ", and also") && !strings.Contains(words, ", but") {
			return often + " " + dates + rest
		}
	}
	return words + ", but only " + often
}

// limitWords say from when on, until when and on which days not, each after a comma.
func (s Schedule) limitWords(now time.Time) string {
	text, l := "", s.limits
	if begin := time.Unix(l.begin, 0).UTC(); l.begin != 0 && (now.IsZero() || begin.After(today(now))) {
		text += ", from " + datesInWords(now, dayOf(l.begin))
		if s.delay > 0 {
			text += fmt.Sprintf(" at %d:%02d", begin.Hour(), begin.Minute())
		}
	}
	if l.end != 0 {
		text += ", until " + datesInWords(now, dayOf(l.end)-1)
	}
	skipped, without := l.skipped(), ""
	if !now.IsZero() {
		skipped = slices.DeleteFunc(slices.Clone(skipped), func(day int32) bool { return day < dayOf(today(now).Unix()) })
		if week := nextWeek(now); s.leavesOut(week, now.Location()) {
			skipped = slices.DeleteFunc(skipped, func(day int32) bool { return slices.Contains(week, int64(day)*daySeconds) })
			without = ", next week is left out"
		}
	}
	if len(skipped) > 0 {
		text += ", not on " + datesInWords(now, skipped...)
	}
	return text + without
}

// leavesOut reports whether a schedule would fire on some days in a row, and does not because of what it leaves out.
func (s Schedule) leavesOut(list []int64, in *time.Location) bool {
	before, end := firstMoment(list[0], in).Add(-1), firstMoment(list[len(list)-1]+daySeconds, in)
	fires := func(s Schedule) bool {
		next := s.Next(before, in)
		return !next.IsZero() && next.Before(end)
	}
	all := s
	all.limits.skip = [maxSkipped]int32{}
	return fires(all) && !fires(s)
}

// datesInWords are dates in order, such as "24 to 26 and 31 December and 1 January 2028".
func datesInWords(now time.Time, list ...int32) string {
	var parts []string
	for len(list) > 0 {
		first := dateOf(list[0])
		set, sure := uint64(0), true
		for len(list) > 0 && dateOf(list[0]).Format("2006-01") == first.Format("2006-01") {
			at := dateOf(list[0])
			set |= 1 << at.Day()
			sure = sure && nextDate(at.Month(), at.Day(), now).Equal(at)
			list = list[1:]
		}
		part := listed(set, strconv.Itoa) + first.Format(" January")
		if !sure {
			part += first.Format(" 2006")
		}
		parts = append(parts, part)
	}
	return chat.And(parts)
}

// fewClocks is how many times of day are listed.
const fewClocks = 6

func (s Schedule) clockWords() string {
	minute, hour := interval(s.minute, 60), interval(s.hour, 24)
	hours := runs(s.hour)
	low, high := hours[0].low, hours[len(hours)-1].high
	firstMinute, lastMinute := bits.TrailingZeros64(s.minute), bits.Len64(s.minute)-1
	span := fmt.Sprintf("from %d:%02d to %d:%02d", low, firstMinute, high, lastMinute)
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
				list = append(list, fmt.Sprintf("%d:%02d", hour, minute))
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
