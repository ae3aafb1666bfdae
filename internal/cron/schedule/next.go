package schedule

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// Readings of the clock on the wall are counted in seconds, as if it hung in Greenwich.

const (
	minuteSeconds = 60
	daySeconds    = 24 * 60 * 60
	// cycle is after how long the calendar repeats itself, weekdays included: 400 years. What does not come
	// within it never comes.
	cycle = 146097 * daySeconds
	// turn is more than clocks have ever been put forward or back, and more than they are ahead of or behind UTC.
	turn = 26 * 60 * 60
)

// Next returns the first time after a moment at which the schedule fires, in the given time zone. For a schedule of Parse
// it is zero only if that fires once, or until a date, and not after the moment.
func (s Schedule) Next(after time.Time, in *time.Location) time.Time {
	if s.Once() {
		if at := s.moment(in); at.After(after) {
			return at
		}
		return time.Time{}
	}
	switch {
	case s.delay > 0:
		return s.nextDelayed(after.Unix(), in)
	case s.realTime:
		return s.nextShown(max(after.Unix()+1, s.limits.begin-turn), in)
	}
	from := reached(after.Unix(), in) + 1
	reading, ok := s.firstReading(from, from+cycle)
	if !ok {
		return time.Time{}
	}
	return firstMoment(reading, in)
}

// nextShown returns the first moment from start on at which the clock shows a reading that the fields name.
func (s Schedule) nextShown(start int64, in *time.Location) time.Time {
	limit := start + cycle
	if s.limits.end != 0 {
		limit = min(limit, s.limits.end+turn)
	}
	for from := start; from < limit; {
		offset, _, end := period(from, in)
		if reading, ok := s.firstReading(from+offset, min(end, limit)+offset); ok {
			return time.Unix(reading-offset, 0).In(in)
		}
		from = end
	}
	return time.Time{}
}

// period returns how far the clock is ahead of UTC at a moment, and since when and until when at least.
func period(moment int64, in *time.Location) (offset, start, end int64) {
	at := time.Unix(moment, 0).In(in)
	_, ahead := at.Zone()
	start, end = math.MinInt64, math.MaxInt64
	since, until := at.ZoneBounds()
	if !since.IsZero() {
		start = since.Unix()
	}
	if !until.IsZero() {
		end = until.Unix()
	}
	if end <= moment {
		// Where a rule and not a table says when clocks change, ZoneBounds has every year end after 365 days (tzset
		// in Go 1.26), and so on 31 December of a leap year returns an end that has passed. That day is all of it.
		end = moment - moment%daySeconds + daySeconds
	}
	return int64(ahead), start, end
}

// reached returns the latest reading that the clock has shown up to a moment. After it was put back, that is one from
// before.
func reached(moment int64, in *time.Location) int64 {
	offset, start, _ := period(moment, in)
	latest := moment + offset
	for start > moment-turn {
		changed := start
		offset, start, _ = period(changed-1, in)
		latest = max(latest, changed-1+offset)
	}
	return latest
}

// firstMoment returns the first moment at which the clock shows a reading or a later one.
func firstMoment(reading int64, in *time.Location) time.Time {
	from := reading - turn
	for {
		offset, start, end := period(from, in)
		if moment := reading - offset; moment < end {
			return time.Unix(max(moment, start), 0).In(in) // before start: in a gap
		}
		from = end
	}
}

// firstReading returns the first reading that the fields name and the limits leave, from one on and before another.
func (s Schedule) firstReading(from, until int64) (int64, bool) {
	if s.limits.begin != 0 {
		from = max(from, s.limits.begin)
	}
	if s.limits.end != 0 {
		until = min(until, s.limits.end)
	}
	from += minuteSeconds - 1
	year, month, day := time.Unix(from, 0).UTC().Date()
	clock := int((from%daySeconds+daySeconds)%daySeconds) / minuteSeconds
	for s.month != 0 {
		if s.month>>month&1 == 1 {
			first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
			if reading, ok := s.firstInMonth(first, day, clock); ok || first.Unix() >= until {
				return reading, reading < until && ok
			}
		}
		day, clock = 1, 0
		if month++; month > time.December {
			year, month = year+1, time.January
		}
	}
	return 0, false
}

// firstInMonth returns the first reading in a month that the fields name, from a day and a time of day on.
func (s Schedule) firstInMonth(first time.Time, day, clock int) (int64, bool) {
	for dates := s.dates(first) >> day << day; dates != 0; dates &= dates - 1 {
		date := bits.TrailingZeros64(dates)
		if date > day {
			clock = 0
		}
		if clock, ok := s.firstClock(clock); ok {
			return first.Unix() + int64(date-1)*daySeconds + int64(clock)*minuteSeconds, true
		}
	}
	return 0, false
}

// firstClock returns the first time of a day, in minutes, from one on.
func (s Schedule) firstClock(from int) (int, bool) {
	hour, minute := from/60, from%60
	if rest := s.minute >> minute; s.hour>>hour&1 == 1 && rest != 0 {
		return from + bits.TrailingZeros64(rest), true
	}
	hours := s.hour >> (hour + 1) << (hour + 1)
	return bits.TrailingZeros64(hours)*60 + bits.TrailingZeros64(s.minute), hours != 0
}

// dates returns the days that the day fields name and the limits leave in the month that begins with first.
func (s Schedule) dates(first time.Time) uint64 {
	length := 32 - first.AddDate(0, 0, 31).Day() // the 32nd is the 1st of the next month, or the 4th
	byDate := s.day
	if s.lastDay {
		byDate |= 1 << length
	}
	var byWeekday uint64
	for i, weeks := range s.weekday {
		date := 1 + (i-int(first.Weekday())+7)%7
		byWeekday |= weeks << date
		if s.lastWeekday>>i&1 == 1 {
			byWeekday |= 1 << (date + (length-date)/7*7)
		}
	}
	dates := byDate & byWeekday
	if s.eitherDay {
		dates = byDate | byWeekday
	}
	return s.limits.kept(dates&(1<<(length+1)-1), first)
}

// Upcoming returns the next n times after a moment.
func (s Schedule) Upcoming(after time.Time, in *time.Location, n int) []time.Time {
	var times []time.Time
	for range n {
		if after = s.Next(after, in); after.IsZero() {
			break
		}
		times = append(times, after)
	}
	return times
}

// Missed returns the times after a moment and up to another, the earliest first: the latest ones, if there are more
// than most. Its work depends on most and hardly on how many there were.
func (s Schedule) Missed(since, until time.Time, in *time.Location, most int) (times []time.Time, more bool) {
	times = s.Upcoming(since, in, most+1)
	if i := slices.IndexFunc(times, until.Before); i >= 0 {
		return times[:i], false
	}
	if len(times) <= most {
		return times, false
	}
	for i := most; i > 0; i-- {
		until = s.latest(since, until, in)
		times[i] = until
		until = until.Add(-1)
	}
	return times[1:], true
}

// latest returns the last time up to a moment, of which at least one is after since. It bisects: from a moment before
// that time, Next does not leave the span, and from a moment after it, it does.
func (s Schedule) latest(since, until time.Time, in *time.Location) time.Time {
	for before, after := since, until; ; {
		middle := before.Add(after.Sub(before) / 2)
		if middle.Unix() == before.Unix() || middle.Unix() == after.Unix() {
			return s.Next(before, in)
		}
		if next := s.Next(middle, in); next.IsZero() || next.After(until) {
			after = middle
		} else {
			before = middle
		}
	}
}
