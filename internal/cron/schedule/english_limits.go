package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// readLimits reads limits alone, as they stand after five fields. If timed, the beginning may have a time of day.
func (e *english) readLimits(timed bool) error {
	e.timed = timed
	for e.at < len(e.words) {
		e.separator()
		rest := strings.Join(e.words[e.at:], " ")
		found, err := e.readEvery()
		if !found && err == nil {
			found, err = e.readLimit()
		}
		if err != nil {
			return err
		}
		if !found || e.weekday != "" {
			return fmt.Errorf("I do not understand %s after the times; something like this can stand there: \"every 2 weeks from 2026-12-01 until 2027-03-01 skip 2026-12-24,2026-12-31\"", clipped(rest))
		}
	}
	return nil
}

// readEvery reads which of the days, weeks or months count, such as "every 2 weeks" or "every second Tuesday".
func (e *english) readEvery() (bool, error) {
	start := e.at
	e.accept("on")
	if !e.one("every", "each") {
		e.at = start
		return false, nil
	}
	n, placed := e.place()
	if !placed && e.accept("other") {
		n, placed = 2, true
	} else if !placed {
		n, _ = e.number()
	}
	unit, weekday := "", ""
	switch {
	case e.one("day", "days"):
		unit = byDay
	case e.one("week", "weeks"):
		unit = byWeek
	case e.one("month", "months"):
		unit = byMonth
	case placed && e.day == "":
		if list, found := e.weekdays(); found {
			unit, weekday = byWeek, list
		}
	}
	if unit == "" || n < 2 || e.ofMonth() {
		e.at = start
		return false, nil
	}
	if e.limits.every > 0 && (e.limits.every != n || e.limits.unit != unit) { // models say the same twice, in two fields
		return false, e.notUnderstood()
	}
	e.limits.every, e.limits.unit = n, unit
	if weekday != "" {
		e.day, e.weekday = "*", weekday
	}
	return true, nil
}

// readLimit reads between which days, and on which not, such as "from 2 December" or "not on 24 and 31 December".
func (e *english) readLimit() (bool, error) {
	e.accept("but")
	limit := e.next()
	switch {
	case e.one("from", "starting"):
		e.accept("on")
		list, err := e.dates(limit, true)
		if err != nil {
			return false, err
		}
		before := cmp.Or(e.limits.begin, list[0])
		e.limits.begin = list[0]
		if start := e.at; e.accept("on") && !slices.Contains([]string{"", ",", "and", "at"}, e.next()) {
			e.at = start // it belongs to what follows, as in "from December on Tuesdays"
		}
		if e.timed {
			e.accept("at")
			minutes, _, _ := e.clock(true)
			e.limits.begin += int64(minutes) * minuteSeconds
		}
		return len(list) == 1 && before == list[0], nil
	case e.accept("until"):
		list, err := e.dates(limit, false)
		if err != nil {
			return false, err
		}
		before := cmp.Or(e.limits.end, list[0]+daySeconds)
		e.limits.end = list[0] + daySeconds
		return len(list) == 1 && before == e.limits.end, nil
	case e.one("skip", "except", "not"):
		e.accept("on")
		if !e.now.IsZero() && e.accept("next", "week") {
			return true, e.limits.leaveOut(nextWeek(e.now))
		}
		list, err := e.dates(limit, false)
		return err == nil, cmp.Or(err, e.limits.leaveOut(list))
	}
	return false, nil
}

// nextWeek are the days of the week after that of now.
func nextWeek(now time.Time) (list []int64) {
	monday := today(now).AddDate(0, 0, 7-(int(now.Weekday())+6)%7)
	for day := range 7 {
		list = append(list, monday.AddDate(0, 0, day).Unix())
	}
	return list
}

// today is the beginning of the day of now, as if its clock hung in Greenwich.
func today(now time.Time) time.Time {
	year, month, day := now.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// dates reads dates such as 2026-12-24, "24, 25 and 31 December" and "December 24". If open, a month alone is its first day.
func (e *english) dates(limit string, open bool) (list []int64, err error) {
	rest := strings.Join(e.words[e.at:], " ")
	ok := e.list(func() bool {
		if at, err := time.Parse("2006/1/2", e.next()); err == nil {
			e.at++
			list = append(list, at.Unix())
			return true
		}
		month, found := e.month()
		days := e.daysOfMonth()
		if open && found && days == 0 {
			days = 1 << 1
		} else if !found {
			e.accept("of")
			month, found = e.month()
		}
		if !found || days == 0 {
			return false
		}
		year, dated := digits(e.next(), 4)
		if dated = dated && year > 1000; dated {
			e.at++
		}
		for _, run := range runs(days) {
			for day := run.low; day <= run.high; day++ {
				at := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
				if !dated {
					at = nextDate(month, day, e.now)
				}
				if at.Day() != day {
					return false
				}
				list = append(list, at.Unix())
			}
		}
		return true
	})
	outside := func(at int64) bool { return at < dateOf(firstDay).Unix() || at > dateOf(lastDay).Unix() }
	if !ok || slices.ContainsFunc(list, outside) {
		return nil, fmt.Errorf("I do not understand %s after %q; write dates like 2026-12-24 or 24 December", clipped(rest), limit)
	}
	return list, nil
}

// nextDate is the next day of a month from now on, or zero if there is none or now is not known.
func nextDate(month time.Month, day int, now time.Time) time.Time {
	for year := now.Year(); !now.IsZero() && year <= now.Year()+8; year++ {
		if at := time.Date(year, month, day, 0, 0, 0, 0, time.UTC); at.Day() == day && !at.Before(today(now)) {
			return at
		}
	}
	return time.Time{}
}

// daysOfMonth reads days such as "24, 25 and 27 to 31", as a set.
func (e *english) daysOfMonth() (set uint64) {
	e.list(func() bool {
		first, ok := e.dayNumber()
		last := first
		if ok && e.one("to", "through") {
			last, ok = e.dayNumber()
		}
		for day := first; ok && day <= last; day++ {
			set |= 1 << day
		}
		return ok
	})
	return set
}

func (e *english) dayNumber() (int, bool) {
	e.accept("the")
	n, ok := digits(strings.TrimRight(e.next(), "stndrh"), 2)
	if ok = ok && n >= 1 && n <= 31; ok {
		e.at++
	}
	return n, ok
}

// month reads the name of a month, or the beginning of one, such as "dec".
func (e *english) month() (time.Month, bool) {
	for month := time.January; month <= time.December; month++ {
		if word := e.next(); len(word) >= 3 && strings.HasPrefix(strings.ToLower(month.String()), word) {
			e.at++
			return month, true
		}
	}
	return 0, false
}
