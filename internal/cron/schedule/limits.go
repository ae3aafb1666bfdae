package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// limits leave some days of a schedule out. They count dates as a clock on the wall shows them.
type limits struct {
	every      int // 2 for every second one of the units, counted from the one with begin; 0 for all
	unit       string
	begin, end int64             // the first reading that counts, and the first one after them; 0 for none
	skip       [maxSkipped]int32 // numbers of days since 1970, in order; 0 after the last one
}

const (
	firstDay, lastDay = 30 * 365, 130 * 365 // which is about the years 2000 to 2099

	maxSkipped = 30
	byDay      = "days"
	byWeek     = "weeks"
	byMonth    = "months"
)

func (l *limits) skipped() []int32 {
	if i := slices.Index(l.skip[:], 0); i >= 0 {
		return l.skip[:i]
	}
	return l.skip[:]
}

func (l *limits) leaveOut(readings []int64) error {
	list := slices.Clone(l.skipped())
	for _, reading := range readings {
		list = append(list, dayOf(reading))
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) > maxSkipped {
		return fmt.Errorf("a schedule can leave out %d dates at most; pause the job meanwhile, or say until when it runs", maxSkipped)
	}
	copy(l.skip[:], list)
	return nil
}

func dayOf(reading int64) int32 { return int32(reading / daySeconds) }

func dateOf(day int32) time.Time { return time.Unix(int64(day)*daySeconds, 0).UTC() }

// text is what Parse reads back, with a space before each limit.
func (l *limits) text(begins string) string {
	text := ""
	if l.every > 0 {
		text += fmt.Sprintf(" every %d %s", l.every, l.unit)
	}
	if l.begin != 0 {
		text += " from " + time.Unix(l.begin, 0).UTC().Format(begins)
	}
	if l.end != 0 {
		text += " until " + dateOf(dayOf(l.end)-1).Format(time.DateOnly)
	}
	for i, day := range l.skipped() {
		text += map[bool]string{true: " skip ", false: ","}[i == 0] + dateOf(day).Format(time.DateOnly)
	}
	return text
}

// kept are those of some days of a month that are not left out. The month begins with first, and bit 1 is its 1st.
func (l *limits) kept(dates uint64, first time.Time) uint64 {
	begin := time.Unix(l.begin, 0).UTC()
	if l.unit == byMonth && ((first.Year()-begin.Year())*12+int(first.Month()-begin.Month()))%l.every != 0 {
		return 0
	}
	for day := int32(1); l.unit != "" && l.unit != byMonth && dates>>day != 0; day++ {
		count, from := dayOf(first.Unix())+day-1, dayOf(l.begin)
		if l.unit == byWeek { // from Monday; 1 January 1970 was a Thursday
			count, from = (count+3)/7, (from+3)/7
		}
		if (count-from)%int32(l.every) != 0 {
			dates &^= 1 << day
		}
	}
	for _, skipped := range l.skipped() {
		if day := skipped - dayOf(first.Unix()) + 1; day >= 1 && day <= 31 {
			dates &^= 1 << day
		}
	}
	return dates
}

// limited returns a schedule with limits. What is counted is counted from the first time after its beginning, or after now.
func (s Schedule) limited(l limits, now time.Time) (Schedule, error) {
	counts, begins := l.every > 0 || s.delay > 0, time.DateOnly
	switch {
	case s.delay > 0 && l.every > 0:
		return Schedule{}, fmt.Errorf("%s counts already; leave out every %d %s, or write five cron fields instead", s.text, l.every, l.unit)
	case counts && l.begin == 0 && now.IsZero():
		return Schedule{}, fmt.Errorf("%s does not say from when on it counts", clipped(s.text))
	case l.end != 0 && l.end <= l.begin:
		return Schedule{}, fmt.Errorf("the last date, %s, is before the first, %s; change one of them",
			dateOf(dayOf(l.end)-1).Format(time.DateOnly), dateOf(dayOf(l.begin)).Format(time.DateOnly))
	case s.delay > 0:
		begins = onceLayout
	}
	if counts {
		l.begin = s.firstCounted(l, now)
	}
	s.limits, s.text = l, s.text+l.text(begins)
	if l != (limits{}) && (counts && l.begin == 0 || s.Next(time.Unix(l.begin-turn, 0), time.UTC).IsZero()) {
		return Schedule{}, errNever(s.text)
	}
	return s, nil
}

func errNever(text string) error {
	return fmt.Errorf("the schedule %q would never fire, because there is no such date; change its days or dates", text)
}

// firstCounted is the reading from which on a schedule counts: the day of its first time, or that time. It is 0 if there is none.
func (s Schedule) firstCounted(l limits, now time.Time) int64 {
	_, ahead := now.Zone()
	from := now.Unix() + int64(ahead) + 1
	switch {
	case l.begin != 0 && s.delay > 0:
		return l.begin
	case s.delay > 0:
		return from - from%minuteSeconds + s.delay
	case l.begin != 0:
		from = l.begin
	}
	first, ok := s.firstReading(from, from+cycle) // also if that is left out
	if !ok {
		return 0
	}
	return first - first%daySeconds
}

// nextDelayed is Next for a schedule that fires again after a delay, whatever the clocks do meanwhile.
func (s Schedule) nextDelayed(after int64, in *time.Location) time.Time {
	first := firstMoment(s.limits.begin, in).Unix()
	for {
		at := first
		if after >= first {
			at += ((after-first)/s.delay + 1) * s.delay
		}
		offset, _, _ := period(at, in)
		switch reading := at + offset; {
		case s.limits.end != 0 && reading >= s.limits.end:
			return time.Time{}
		case !slices.Contains(s.limits.skipped(), dayOf(reading)):
			return time.Unix(at, 0).In(in)
		default:
			after = max(at, firstMoment(reading-reading%daySeconds+daySeconds, in).Unix()-1)
		}
	}
}

// parseDescriptor reads what begins with an @. Those with a name are short for five fields.
func parseDescriptor(text string) (Schedule, error) {
	known, err := cron.ParseStandard(strings.ToLower(text))
	switch known := known.(type) {
	case *cron.SpecSchedule:
		return parseExpression(strings.Fields(strings.Join([]string{
			written(known.Minute), written(known.Hour), written(known.Dom), written(known.Month), written(known.Dow),
		}, " ")))
	case cron.ConstantDelaySchedule:
		if known.Delay%time.Minute != 0 {
			return Schedule{}, errors.New("@every takes whole minutes, such as @every 90m or @every 36h")
		}
		return Schedule{delay: int64(known.Delay / time.Second), text: "@every " + strconv.Itoa(int(known.Delay/time.Minute)) + "m"}, nil
	}
	return Schedule{}, fmt.Errorf("%s is not a schedule here: %w; write @daily or @every 90m, or %s", clipped(text), err, formsHelp())
}

// written is a field as robfig/cron has read it: its highest bit stands for an asterisk.
func written(set uint64) string {
	if set>>63 == 1 {
		return "*"
	}
	return numbers(set)
}

// Limit returns what stored text of a schedule has for one of its limits, such as "from", and the text without it.
func Limit(text, limit string) (value, rest string) {
	words := strings.Fields(text)
	start := slices.Index(words, limit)
	if start < 0 {
		return "", text
	}
	end := start + 1
	for end < len(words) && !slices.Contains([]string{"every", "from", "until", "skip"}, words[end]) {
		end++
	}
	return strings.Join(words[start+1:end], " "), strings.Join(slices.Delete(words, start, end), " ")
}
