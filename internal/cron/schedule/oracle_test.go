package schedule_test

import (
	"archive/zip"
	"fmt"
	"io"
	"math/bits"
	"os"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"discoclaw/internal/cron/schedule"
	"discoclaw/internal/test/skip"
)

// zoneFile is the variable that names an archive of all time zones, for TestAllZonesMinuteByMinute.
const zoneFile = "DISCOCLAW_CRON_ORACLE"

// A reading is what a clock on the wall and the calendar beside it show.
type reading struct {
	month, day, hour, minute int
	weekday                  time.Weekday
	last                     bool // day of the month
	lastOfWeekday            bool // no more of this weekday in the month
	date                     string
}

func readingOf(local int64) reading {
	c := time.Unix(local, 0).UTC()
	return reading{
		month: int(c.Month()), day: c.Day(), hour: c.Hour(), minute: c.Minute(), weekday: c.Weekday(),
		last: c.AddDate(0, 0, 1).Day() == 1, lastOfWeekday: c.AddDate(0, 0, 7).Month() != c.Month(),
		date: c.Format(time.DateOnly),
	}
}

// oracles are expressions, and the same said in Go, by hand. The first one fires each minute.
var oracles = []struct {
	expression string
	realTime   bool
	names      func(c reading) bool
}{
	{"* * * * *", true, func(c reading) bool { return true }},
	{"*/15 * * * *", true, func(c reading) bool { return c.minute%15 == 0 }},
	{"0 * * * *", true, func(c reading) bool { return c.minute == 0 }},
	{"15,45 * * * *", true, func(c reading) bool { return c.minute == 15 || c.minute == 45 }},
	{"20 0-23 * * *", true, func(c reading) bool { return c.minute == 20 }},
	{"0 */2 * * *", true, func(c reading) bool { return c.minute == 0 && c.hour%2 == 0 }},
	{"30 1-23/2 * * 0", true, func(c reading) bool { return c.minute == 30 && c.hour%2 == 1 && c.weekday == time.Sunday }},
	{"10 2/6 * * *", true, func(c reading) bool { return c.minute == 10 && c.hour%6 == 2 }},
	{"0 7 * * *", false, func(c reading) bool { return c.hour == 7 && c.minute == 0 }},
	{"0 0 * * *", false, func(c reading) bool { return c.hour == 0 && c.minute == 0 }},
	{"15 0 * * *", false, func(c reading) bool { return c.hour == 0 && c.minute == 15 }},
	{"30 1 * * *", false, func(c reading) bool { return c.hour == 1 && c.minute == 30 }},
	{"0 2 * * *", false, func(c reading) bool { return c.hour == 2 && c.minute == 0 }},
	{"30 2 * * *", false, func(c reading) bool { return c.hour == 2 && c.minute == 30 }},
	{"0 3 * * *", false, func(c reading) bool { return c.hour == 3 && c.minute == 0 }},
	{"45 23 * * *", false, func(c reading) bool { return c.hour == 23 && c.minute == 45 }},
	{"0,30 1-3 * * *", false, func(c reading) bool { return c.hour >= 1 && c.hour <= 3 && c.minute%30 == 0 }},
	{"*/10 0-3,23 * * SUN,6", false, func(c reading) bool {
		return (c.hour <= 3 || c.hour == 23) && c.minute%10 == 0 && (c.weekday == time.Sunday || c.weekday == time.Saturday)
	}},
	{"* 2 * * *", false, func(c reading) bool { return c.hour == 2 }},
	{"0 9 * * MON-FRI", false, func(c reading) bool {
		return c.hour == 9 && c.minute == 0 && c.weekday != time.Sunday && c.weekday != time.Saturday
	}},
	{"0 18 * * 5-7", false, func(c reading) bool {
		return c.hour == 18 && c.minute == 0 && (c.weekday == time.Sunday || c.weekday >= time.Friday)
	}},
	{"0 9 1,15 * *", false, func(c reading) bool { return c.hour == 9 && c.minute == 0 && (c.day == 1 || c.day == 15) }},
	{"0 0 L * *", false, func(c reading) bool { return c.hour == 0 && c.minute == 0 && c.last }},
	{"30 2 * * 0L", false, func(c reading) bool {
		return c.hour == 2 && c.minute == 30 && c.weekday == time.Sunday && c.lastOfWeekday
	}},
	{"30 2 * 3 SUN#2", false, func(c reading) bool {
		return c.hour == 2 && c.minute == 30 && c.month == 3 && c.weekday == time.Sunday && c.day > 7 && c.day <= 14
	}},
	{"*/30 * * * 0#1,FRIL", true, func(c reading) bool {
		return c.minute%30 == 0 && (c.weekday == time.Sunday && c.day <= 7 || c.weekday == time.Friday && c.lastOfWeekday)
	}},
	{"0 0 13 * 5", false, func(c reading) bool { return c.hour == 0 && c.minute == 0 && (c.day == 13 || c.weekday == time.Friday) }},
	{"0 9 */2 * MON", false, func(c reading) bool {
		return c.hour == 9 && c.minute == 0 && c.day%2 == 1 && c.weekday == time.Monday
	}},
	{"0 12 29 2 *", false, func(c reading) bool { return c.hour == 12 && c.minute == 0 && c.day == 29 && c.month == 2 }},
	{"0 0 * FEB 1#5", false, func(c reading) bool {
		return c.hour == 0 && c.minute == 0 && c.day == 29 && c.month == 2 && c.weekday == time.Monday
	}},
	{"0 12 30 12 *", false, func(c reading) bool { return c.hour == 12 && c.minute == 0 && c.day == 30 && c.month == 12 }},
	{"10 4 20-31 3,10 *", false, func(c reading) bool {
		return c.hour == 4 && c.minute == 10 && c.day >= 20 && (c.month == 3 || c.month == 10)
	}},

	{"0 9 * * TUE every 2 weeks from 2008-01-08", false, func(c reading) bool {
		return c.hour == 9 && c.minute == 0 && c.weekday == time.Tuesday && fortnights[c.date]
	}},
	{"30 2 * * * every 3 days from 2008-01-02 skip 2009-03-29,2014-10-26,2026-03-29,2026-10-25,2031-11-02", false, func(c reading) bool {
		return c.hour == 2 && c.minute == 30 && thirdDays[c.date] &&
			!slices.Contains([]string{"2009-03-29", "2014-10-26", "2026-03-29", "2026-10-25", "2031-11-02"}, c.date)
	}},
	{"15 0 1,L * * every 2 months from 2008-02-01", false, func(c reading) bool {
		return c.hour == 0 && c.minute == 15 && (c.day == 1 || c.last) && c.month%2 == 0
	}},
	{"*/20 * * * * every 2 days from 2012-03-01 until 2030-10-27", true, func(c reading) bool {
		return c.minute%20 == 0 && c.date <= "2030-10-27" && secondDays[c.date]
	}},
	{"0 */6 * * 0,3 every 2 weeks from 2008-01-09 skip 2011-12-30,2015-03-29,2027-10-31", true, func(c reading) bool {
		return c.minute == 0 && c.hour%6 == 0 && (c.weekday == time.Sunday || c.weekday == time.Wednesday) && fortnights[c.date] &&
			!slices.Contains([]string{"2011-12-30", "2015-03-29", "2027-10-31"}, c.date)
	}},
	{"0 0 * * * from 2009-10-25 until 2032-03-28", false, func(c reading) bool {
		return c.hour == 0 && c.minute == 0 && c.date >= "2009-10-25" && c.date <= "2032-03-28"
	}},
}

// The days that count, found by going from one to the next.
var (
	fortnights = stepped("2008-01-07", 14, 7)
	thirdDays  = stepped("2008-01-02", 3, 1)
	secondDays = stepped("2012-03-01", 2, 1)
)

// stepped has so many days from one on, and again after a number of days, and so on.
func stepped(first string, days, length int) map[string]bool {
	set := map[string]bool{}
	for at, _ := time.Parse(time.DateOnly, first); at.Year() < 2040; at = at.AddDate(0, 0, days) {
		for day := range length {
			set[at.AddDate(0, 0, day).Format(time.DateOnly)] = true
		}
	}
	return set
}

// realTime has a bit for each of the oracles whose hours follow real time.
func realTime() (set uint64) {
	for i, o := range oracles {
		if o.realTime {
			set |= 1 << i
		}
	}
	return set
}

// named has a bit for each of the oracles that name a reading.
func named(local int64) (set uint64) {
	c := readingOf(local)
	for i, o := range oracles {
		if o.names(c) {
			set |= 1 << i
		}
	}
	return set
}

// walk goes from minute to minute and tells which of the oracles fire. It follows the package comment word by word, and
// knows nothing of the package. Offsets must be whole minutes, as they are everywhere since 1972.
func walk(zone *time.Location, from, to int64, named func(local int64) uint64, fire func(moment int64, set uint64)) {
	shows := func(moment int64) int64 {
		_, offset := time.Unix(moment, 0).In(zone).Zone()
		if offset%60 != 0 {
			panic(fmt.Sprintf("%v is %d seconds ahead", zone, offset))
		}
		return moment + int64(offset)
	}
	latest := shows(from - 60)
	for moment := from - 2*24*60*60; moment < from; moment += 60 {
		latest = max(latest, shows(moment))
	}
	realTime := realTime()
	for moment := from; moment < to; moment += 60 {
		local := shows(moment)
		fires := named(local) & realTime
		for ; latest < local; latest += 60 { // each reading is reached once
			fires |= named(latest+60) &^ realTime
		}
		if fires != 0 {
			fire(moment, fires)
		}
	}
}

func parsedOracles(t testing.TB) []schedule.Schedule {
	t.Helper()
	var list []schedule.Schedule
	for _, o := range oracles {
		list = append(list, parsed(t, o.expression))
	}
	return list
}

func parsed(t testing.TB, text string) schedule.Schedule {
	t.Helper()
	s, err := schedule.Parse(text, now)
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return s
}

// decades are ten years with much change and the ten years from the year on in which this was written.
var decades = [][2]int64{
	{time.Date(2008, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2018, 1, 1, 0, 0, 0, 0, time.UTC).Unix()},
	{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC).Unix()},
}

// TestAroundTransitionsEachMinute compares the 36 hours before and after every change of some zones' clocks with the
// walker, and from each minute near it.
func TestAroundTransitionsEachMinute(t *testing.T) {
	skip.UnderRace(t, "schedules are values, and each zone has one goroutine")
	t.Parallel()
	for _, name := range []string{
		"Australia/Lord_Howe",                                             // half an hour
		"America/Sao_Paulo", "Asia/Beirut", "America/Havana", "Asia/Gaza", // gaps and folds at midnight
		"Europe/Dublin", "Europe/Berlin", "America/New_York", "Africa/Cairo", // an hour, at different times
		"Africa/Casablanca", "Pacific/Chatham", "Antarctica/Troll", // Ramadan, 45 minutes ahead, two hours
		"Pacific/Apia", "America/Caracas", "America/St_Johns", "Asia/Pyongyang", // a day that never was, for good by half an hour, a minute past midnight
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone := location(t, name)
			changes := 0
			for i, decade := range decades {
				if i > 0 {
					decade[1] = decade[0] + 3*366*24*60*60 // its later years are like these
				}
				for _, change := range transitions(zone, decade) {
					changes++
					compareAround(t, zone, change)
				}
			}
			if changes == 0 {
				t.Error("the clocks of this zone never change")
			}
		})
	}
}

func location(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// transitions finds the hours after which a zone's clocks have changed.
func transitions(zone *time.Location, span [2]int64) []int64 {
	var list []int64
	_, before := time.Unix(span[0], 0).In(zone).Zone()
	for moment := span[0]; moment < span[1]; moment += 60 * 60 {
		if _, now := time.Unix(moment, 0).In(zone).Zone(); now != before {
			list, before = append(list, moment), now
		}
	}
	return list
}

func compareAround(t *testing.T, zone *time.Location, change int64) {
	t.Helper()
	const around, near = 36 * 60 * 60, 150 * 60
	from, to := change-around, change+around
	fires := make([][]time.Time, len(oracles))
	walk(zone, from, to, named, func(moment int64, set uint64) {
		for i := range oracles {
			if set>>i&1 == 1 {
				fires[i] = append(fires[i], time.Unix(moment, 0).In(zone))
			}
		}
	})
	for i, s := range parsedOracles(t) {
		for moment := change - near; moment < change+near; moment += 60 {
			compareNext(t, s, time.Unix(moment, moment/60%2*30e9-1), zone, fires[i])
		}
		compareMissed(t, s, time.Unix(from-1, 0), time.Unix(to-1, 0), zone, fires[i])
		if t.Failed() {
			t.FailNow()
		}
	}
}

// compareNext compares Next from a moment with the times at which the walker fired. If there are none left, compareMissed
// sees whether there should be.
func compareNext(t *testing.T, s schedule.Schedule, after time.Time, zone *time.Location, fires []time.Time) {
	i := sort.Search(len(fires), func(i int) bool { return fires[i].After(after) })
	if got := s.Next(after, zone); i < len(fires) && !got.Equal(fires[i]) {
		t.Errorf("%s after %s: fires at %s, and the walker at %s", s, after.In(zone), got, fires[i])
	}
}

func compareMissed(t *testing.T, s schedule.Schedule, since, until time.Time, zone *time.Location, fires []time.Time) {
	t.Helper()
	for _, most := range []int{3, len(fires)} {
		want := fires[max(0, len(fires)-most):]
		got, more := s.Missed(since, until, zone, most)
		if !slices.EqualFunc(got, want, time.Time.Equal) || more != (most < len(fires)) {
			t.Errorf("%s: missed of %d are %v and more: %t, want %v", s, len(fires), got, more, want)
		}
	}
}

// TestAllZonesMinuteByMinute compares ten years of every time zone with the walker, twice. "make cron-oracle" runs it.
func TestAllZonesMinuteByMinute(t *testing.T) {
	file := os.Getenv(zoneFile)
	if file == "" {
		t.Skip("takes minutes; make cron-oracle runs it")
	}
	zones := allZones(t, file)
	for _, decade := range decades {
		t.Run(time.Unix(decade[0], 0).UTC().Format("2006"), func(t *testing.T) {
			var minutes, compared atomic.Int64
			distinct := byBehaviour(zones, decade)
			readings := readingTable(decade)
			t.Logf("%d names of zones, %d different", len(zones), len(distinct))
			jobs := make(chan *time.Location)
			var workers sync.WaitGroup
			for range runtime.GOMAXPROCS(0) {
				workers.Go(func() {
					for zone := range jobs {
						minutes.Add((decade[1] - decade[0]) / 60)
						compared.Add(follow(t, zone, decade, readings))
					}
				})
			}
			for _, zone := range distinct {
				jobs <- zone
			}
			close(jobs)
			workers.Wait()
			t.Logf("%d expressions, %d million minutes, %d million times compared", len(oracles), minutes.Load()/1e6, compared.Load()/1e6)
		})
	}
}

// follow has every schedule go from one time to the next, beside the walker. The first one, which fires each minute, is
// asked every seventh time, as it would take longer than all others together.
func follow(t *testing.T, zone *time.Location, span [2]int64, readings func(int64) uint64) (compared int64) {
	schedules := parsedOracles(t)
	next := make([]time.Time, len(schedules))
	for i, s := range schedules {
		next[i] = s.Next(time.Unix(span[0]-1, 0), zone)
	}
	failures := 0
	walk(zone, span[0], span[1], readings, func(moment int64, set uint64) {
		if moment/60%7 > 0 {
			set &^= 1
		} else {
			next[0] = schedules[0].Next(time.Unix(moment-1, 0), zone)
		}
		for ; set != 0 && failures < 10; set &= set - 1 {
			i := bits.TrailingZeros64(set)
			compared++
			if next[i].Unix() != moment {
				failures++
				t.Errorf("%s in %s: fires at %s, and the walker at %s", schedules[i], zone, next[i], time.Unix(moment, 0).In(zone))
			}
			next[i] = schedules[i].Next(time.Unix(moment, 0), zone)
		}
	})
	for i, at := range next[1:] {
		if at.Unix() < span[1] && !at.IsZero() {
			t.Errorf("%s in %s: fires at %s, and the walker does not", schedules[i+1], zone, at)
		}
	}
	return compared
}

// TestDelays compares the times of @every with those found by adding the delay, again and again, from the first minute at which the clock
// shows its beginning or a later time. "make cron-oracle" does so in every time zone.
func TestDelays(t *testing.T) {
	zones := []*time.Location{}
	for _, name := range []string{"Europe/Berlin", "America/Sao_Paulo", "Pacific/Apia", "Australia/Lord_Howe", "America/Havana"} {
		zones = append(zones, location(t, name))
	}
	if file := os.Getenv(zoneFile); file != "" {
		zones = allZones(t, file)
	}
	compared := 0
	for _, zone := range zones {
		for _, decade := range decades {
			for _, minutes := range []int64{1, 90, 2160, 30 * 24 * 60} {
				compared += compareDelay(t, zone, decade, minutes*60)
			}
		}
	}
	t.Logf("%d zones, %d times compared", len(zones), compared)
}

func compareDelay(t *testing.T, zone *time.Location, span [2]int64, delay int64) (compared int) {
	begin := time.Unix(span[0], 0).UTC().AddDate(1, 2, 28).Add(2*time.Hour + 30*time.Minute)
	until := begin.AddDate(0, 0, int(2+400*delay/(24*60*60))).Format(time.DateOnly)
	skip := []string{begin.AddDate(0, 0, 1).Format(time.DateOnly), begin.AddDate(0, 0, int(40*delay/(24*60*60))).Format(time.DateOnly)}
	s := parsed(t, fmt.Sprintf("@every %dm from %s until %s skip %s", delay/60, begin.Format("2006-01-02 15:04"), until, strings.Join(skip, ",")))
	moment := time.Unix(begin.Unix()-30*60*60, 0).In(zone)
	for moment.Format(time.DateTime) < begin.Format(time.DateTime) {
		moment = moment.Add(time.Minute)
	}
	next := s.Next(time.Unix(span[0], 0), zone)
	for ; moment.Format(time.DateOnly) <= until; moment = moment.Add(time.Duration(delay) * time.Second) {
		if slices.Contains(skip, moment.Format(time.DateOnly)) {
			continue
		}
		compared++
		if !next.Equal(moment) {
			t.Errorf("%s in %s: fires at %s, want %s", s, zone, next, moment)
			return compared
		}
		next = s.Next(next, zone)
	}
	if !next.IsZero() {
		t.Errorf("%s in %s: fires at %s, after its end", s, zone, next)
	}
	return compared
}

// readingTable knows beforehand which of the oracles name a reading.
func readingTable(span [2]int64) func(local int64) uint64 {
	const margin = 3 * 24 * 60 * 60
	from := span[0] - margin
	table := make([]uint64, (span[1]+margin-from)/60)
	for i := range table {
		table[i] = named(from + int64(i)*60)
	}
	return func(local int64) uint64 { return table[(local-from)/60] }
}

func allZones(t *testing.T, file string) []*time.Location {
	t.Helper()
	archive, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var zones []*time.Location
	for _, entry := range archive.File {
		if strings.HasSuffix(entry.Name, "/") {
			continue
		}
		content, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		zone, err := time.LoadLocationFromTZData(entry.Name, data)
		if err != nil {
			t.Fatal(err)
		}
		zones = append(zones, zone)
	}
	return zones
}

// byBehaviour leaves one of those zones whose clocks agree in every quarter of an hour of a span.
func byBehaviour(zones []*time.Location, span [2]int64) []*time.Location {
	seen := map[string]bool{}
	var distinct []*time.Location
	for _, zone := range zones {
		var offsets strings.Builder
		before := -1
		for moment := span[0] - 2*24*60*60; moment < span[1]; moment += 15 * 60 {
			if _, offset := time.Unix(moment, 0).In(zone).Zone(); offset != before {
				fmt.Fprintln(&offsets, moment, offset)
				before = offset
			}
		}
		if !seen[offsets.String()] {
			seen[offsets.String()] = true
			distinct = append(distinct, zone)
		}
	}
	return distinct
}
