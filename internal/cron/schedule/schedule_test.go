package schedule_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/cron/schedule"
)

// now is a Thursday.
var now = time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)

func TestEnglishFormsBecomeExpressions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want, words string }{
		{"every minute", "* * * * *", "every minute"},
		{"every 15 minutes", "*/15 * * * *", "every 15 minutes"},
		{"Every  Five Mins", "*/5 * * * *", "every 5 minutes"},
		{"every half hour", "*/30 * * * *", "every 30 minutes"},
		{"hourly", "0 * * * *", "every hour"},
		{"each hour", "0 * * * *", "every hour"},
		{"every 60 minutes", "0 * * * *", "every hour"},
		{"every 120 minutes", "0 */2 * * *", "every 2 hours"},
		{"every 2 hours", "0 */2 * * *", "every 2 hours"},
		{"every 15 minutes on weekdays", "*/15 * * * 1-5", "every 15 minutes on weekdays"},

		{"every day at 7", "0 7 * * *", "every day at 7:00"},
		{"daily at 7:30", "30 7 * * *", "every day at 7:30"},
		{"daily 7:30", "30 7 * * *", "every day at 7:30"},
		{"at 7 pm", "0 19 * * *", "every day at 19:00"},
		{"7pm every day", "0 19 * * *", "every day at 19:00"},
		{"AT 7 P.M.", "0 19 * * *", "every day at 19:00"},
		{"at 12 am", "0 0 * * *", "every day at 0:00"},
		{"at 12 pm", "0 12 * * *", "every day at 12:00"},
		{"at noon", "0 12 * * *", "every day at 12:00"},
		{"midnight", "0 0 * * *", "every day at 0:00"},
		{"every day at 7 o'clock", "0 7 * * *", "every day at 7:00"},
		{"every day at 7 o’clock.", "0 7 * * *", "every day at 7:00"},
		{"at 7 and 19", "0 7,19 * * *", "every day at 7:00 and 19:00"},
		{"at 7, noon and at 19:00 every day", "0 7,12,19 * * *", "every day at 7:00, 12:00 and 19:00"},
		{"at 7:00, 7:30, 8:00 and 8:30", "0,30 7,8 * * *", "every day at 7:00, 7:30, 8:00 and 8:30"},

		{"weekdays at 7", "0 7 * * 1-5", "on weekdays at 7:00"},
		{"at 7 on weekdays", "0 7 * * 1-5", "on weekdays at 7:00"},
		{"every weekday at 7", "0 7 * * 1-5", "on weekdays at 7:00"},
		{"Monday-Friday at 9", "0 9 * * 1-5", "on weekdays at 9:00"},
		{"on the weekend at 10", "0 10 * * 0,6", "on weekends at 10:00"},
		{"weekends at noon", "0 12 * * 0,6", "on weekends at 12:00"},
		{"every monday and thursday at 18:00", "0 18 * * 1,4", "every Monday and Thursday at 18:00"},
		{"mondays at 9am", "0 9 * * 1", "every Monday at 9:00"},
		{"mon, wed and fri at 9", "0 9 * * 1,3,5", "at 9:00 every Monday, Wednesday and Friday"},
		{"friday to monday at 9", "0 9 * * 0,1,5,6", "at 9:00 every Sunday, Monday, Friday and Saturday"},
		{"weekly on tues & thurs at 9", "0 9 * * 2,4", "every Tuesday and Thursday at 9:00"},
		{"every week on Sunday, at 9", "0 9 * * 0", "every Sunday at 9:00"},

		{"monthly on the 1st at 9", "0 9 1 * *", "on the 1st of every month at 9:00"},
		{"every month on the 1st at 9", "0 9 1 * *", "on the 1st of every month at 9:00"},
		{"on the 15th of every month at 9", "0 9 15 * *", "on the 15th of every month at 9:00"},
		{"1st and 15th of the month at 9", "0 9 1,15 * *", "on the 1st and 15th of every month at 9:00"},
		{"on the 31st of every month at 9", "0 9 31 * *", "at 9:00 on the 31st of every month, if there is one"},
		{"first day of the month at 9", "0 9 1 * *", "on the 1st of every month at 9:00"},
		{"on the last day of every month at 23:59", "59 23 L * *", "on the last day of every month at 23:59"},

		{"first monday of the month at 9", "0 9 * * 1#1", "on the first Monday of the month at 9:00"},
		{"monthly on the 2nd tuesday at 9", "0 9 * * 2#2", "on the second Tuesday of the month at 9:00"},
		{"last friday of every month at 17:00", "0 17 * * 5L", "on the last Friday of the month at 17:00"},
		{"every fifth sunday of the month at 8", "0 8 * * 0#5", "at 8:00 on the fifth Sunday of the month, if there is one"},
		{"the last friday and the third and first monday of the month at 9", "0 9 * * 1#1,1#3,5L", "on the first and third Monday and the last Friday of the month at 9:00"},
	} {
		s := parsed(t, tt.in)
		if s.String() != tt.want || s.Words(time.Time{}) != tt.words {
			t.Errorf("%q is %q, %q; want %q, %q", tt.in, s, s.Words(time.Time{}), tt.want, tt.words)
		}
		if again, err := schedule.Parse(s.Words(time.Time{}), now); err != nil || again != s {
			t.Errorf("the words for %q, %q, are %q, %v", s, s.Words(time.Time{}), again, err)
		}
	}
}

func TestWordsOfExpressions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"0 7 * * mon-fri", "on weekdays at 7:00"},
		{"0 7 * * SAT-SUN", "on weekends at 7:00"},
		{"0 7 * * 0-0", "every Sunday at 7:00"},
		{"0 7 * * 7", "every Sunday at 7:00"},
		{"0 7 * * 0-7", "every day at 7:00"},
		{"0,30 * * * *", "every 30 minutes"},
		{"5 * * * *", "at minute 5 of every hour"},
		{"*/7 * * * *", "at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour"},
		{"30 */6 * * *", "every day at minute 30 of hours 0, 6, 12 and 18"},
		{"0 0,12 * * *", "every day at 0:00 and 12:00"},
		{"0 */12 * * *", "every 12 hours"},
		{"0 9-17 * * 1-5", "every hour from 9:00 to 17:00 on weekdays"},
		{"*/15 9-17 * * *", "every 15 minutes from 9:00 to 17:45"},
		{"5,10 8-11,20 * * *", "every day at minutes 5 and 10 of hours 8 to 11 and 20"},
		{"0 9 1-7 * *", "on the 1st to 7th of every month at 9:00"},
		{"0 6 11 2 *", "on the 11th of February at 6:00"},
		{"0 6 29 2 *", "at 6:00 on the 29th of February, if there is one"},
		{"0 6 31 1,12 *", "on the 31st of January and December at 6:00"},
		{"0 7 * 3-6 *", "every day in March to June at 7:00"},
		{"0 7 * 6 MON", "every Monday in June at 7:00"},
		{"0 7 * * MON,5L", "at 7:00 every Monday, and also on the last Friday of the month"},
		{"0 0 13 * 5", "at 0:00 on the 13th of every month, and also every Friday"},
		{"0 0 */10 * 5", "at 0:00 every Friday, but only on the 1st, 11th, 21st and 31st of every month, if there is one"},
		{"0 0 1-31 * 5", "every day at 0:00"}, // either is enough
	} {
		if got := parsed(t, tt.in).Words(time.Time{}); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.in, got, tt.want)
		}
	}
	if got := (schedule.Schedule{}).Words(time.Time{}); got != "never" {
		t.Errorf("the zero schedule is %q", got)
	}
}

func TestRefusalsNameARemedy(t *testing.T) {
	t.Parallel()
	const forms = `write it like one of these: every 15 minutes;`
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", " ", forms},
		{"too long", strings.Repeat("1,", 300) + " * * * *", "too long"},
		{"six fields", "0 0 7 * * *", "leave out the field for seconds"},
		{"four fields", "0 7 * *", "five fields"},
		{"an unknown nickname", "@often", "write @daily or @every 90m"},
		{"seconds", "@every 30s", "whole minutes"},
		{"half minutes", "@every 90s", "whole minutes"},
		{"a nickname without its time", "@every", "write @daily or @every 90m"},
		{"a time zone", "TZ=Europe/Berlin 0 7 * * *", "give the time zone of the job"},
		{"minute too large", "60 * * * *", `the minute (the first field) is 0 to 59, or * for any, and not "60"`},
		{"hour too large", "0 24 * * *", "is 0 to 23"},
		{"day 0", "0 0 0 * *", "is 1 to 31"},
		{"month 13", "0 0 1 13 *", "is 1 to 12, or JAN to DEC"},
		{"weekday 8", "0 0 * * 8", "is 0 to 6, or SUN to SAT"},
		{"negative", "-1 * * * *", `and not "-1"`},
		{"signed", "+1 * * * *", `and not "+1"`},
		{"a signed step", "*/+5 * * * *", "such as in */2"},
		{"empty item", "0 0 1,, * *", `and not ""`},
		{"a question mark", "0 0 ? * 1", "write * instead of ?"},
		{"a name of the wrong field", "0 0 * MON *", `and not "MON"`},
		{"backwards", "0 22-2 * * *", "such as 22-23,0-2"},
		{"step 0", "*/0 * * * *", "such as in */2"},
		{"a step past the end", "*/90 * * * *", "so a step of 90 is too long"},
		{"sixth weekday", "0 0 * * 1#6", "write 1#2 for the second Monday"},
		{"weekday of nothing", "0 0 * * L", "1L for the last one"},
		{"both", "0 0 * * 1L#1", "1L for the last one"},
		{"a counted range", "0 0 * * 1-5#1", "count one weekday"},
		{"a date that never comes", "0 0 31 2 *", "would never fire"},
		{"another", "0 0 30,31 2 *", "would never fire"},
		{"and another", "0 0 31 4,6,9,11 *", "would never fire"},

		{"an interval that is not even", "every 7 minutes", `the nearest that do are "every 6 minutes" and "every 10 minutes"; @every 7m runs`},
		{"over an hour", "every 90 minutes", `the nearest that do are "every hour" and "every 2 hours"`},
		{"hours that are not even", "every 5 hours", `the nearest that do are "every 4 hours" and "every 6 hours"`},
		{"a whole day", "every 24 hours", "every 12 hours is the longest"},
		{"no time at all", "every 0 minutes", "shortest"},
		{"first, of what", "first monday at 9", forms},
		{"no time", "every monday", "does not say at what time"},
		{"no day", "monthly at 9", forms},
		{"am or pm", "at 7 and 9 pm", "am or pm"},
		{"different minutes", "at 7:00 and 19:30", "make a job for each"},
		{"two times", "at 7 on monday at 9", forms},
		{"two intervals", "every hour every 5 minutes", forms},
		{"a time and an interval", "every hour at 7", forms},
		{"two lists of days", "weekdays and weekends at 9", forms},
		{"dates and weekdays", "on the 1st and the last friday and the 15th of the month at 9", forms},
		{"business days", "last weekday of the month at 9", forms},
		{"no such hour", "at 25", forms},
		{"no such half", "at 13 pm", forms},
		{"half a minute", "at 7:5", forms},
		{"no such day of the month", "on the 32nd of the month at 9", forms},
		{"more than a schedule", "every weekday at 7, check the weather", forms},
		{"a bare number", "mondays 9", forms},
		{"a date without a time", "2026-11-21", "does not say at what time"},
		{"a date that does not exist", "once 2026-02-29 12:00", "not a date and a time that exist"},
		{"seconds of a date", "2026-11-21 12:00:30", "not a date and a time that exist"},
		{"a date and a zone", "2026-11-21 12:00 Europe/Berlin", "in the time zone of the job"},
		{"weeks without a day", "every 2 weeks at 9", "does not say on which days"},
		{"months without a day", "every second month at 9", "does not say on which days"},
		{"days without a time", "every 3 days", "does not say at what time"},
		{"two intervals of days", "every 3 days every second tuesday at 9", forms},
		{"no such date", "daily at 9 from 31 february", `after "from"; write dates like`},
		{"a date that is none", "daily at 9 until soon", "soon\" after \"until\""},
		{"dates of no month", "daily at 9 not on 24 and 31", "write dates like 2026-12-24 or 24 December"},
		{"a date far away", "daily at 9 from 3026-12-01", `after "from"; write dates like`},
		{"two beginnings", "daily at 9 from 1 December from 2 December", forms},
		{"two dates to begin", "daily at 9 from 1 and 2 December", forms},
		{"an end before the beginning", "0 9 * * * from 2026-12-02 until 2026-12-01", "the last date, 2026-12-01, is before the first, 2026-12-02"},
		{"all dates left out", "0 9 * * * from 2026-12-01 until 2026-12-02 skip 2026-12-01,2026-12-02", "would never fire"},
		{"a limit of a time", "2026-11-21 12:00 skip 2026-11-21", "not a date and a time that exist"},
		{"fields and a weekday", "0 9 * * * every second tuesday", "every 2 weeks from 2026-12-01"},
		{"fields and a time", "0 9 * * * from 2026-12-01 09:00", "every 2 weeks from 2026-12-01"},
		{"too many dates", "0 9 * * * not on 1 to 31 December", "30 dates at most"},
		{"two ways to count", "@every 90m every 2 days", "leave out every 2 days"},
		{"once, but when", "once on saturday at noon", forms},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := schedule.Parse(tt.in, now)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse(%q) = %q, %v; want an error with %q", tt.in, s, err, tt.want)
			}
			if s != (schedule.Schedule{}) {
				t.Errorf("Parse(%q) returns a schedule with its error", tt.in)
			}
		})
	}
}

// TestListedFormsAreUnderstood: a refusal must not recommend what is refused.
func TestListedFormsAreUnderstood(t *testing.T) {
	t.Parallel()
	_, err := schedule.Parse("whenever", now)
	_, list, ok := strings.Cut(err.Error(), "one of these: ")
	if !ok {
		t.Fatalf("the refusal lists no forms: %v", err)
	}
	for form := range strings.SplitSeq(list, "; ") {
		if _, err := schedule.Parse(form, now); err != nil {
			t.Errorf("the form %q: %v", form, err)
		}
	}
}

func TestClocksThatArePutForwardAndBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, zone, expression, after string
		want                          []string
	}{
		{"a gap", "Europe/Berlin", "30 2 * * *", "2026-03-28T12:00+01:00", []string{"2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00"}},
		{"two times in a gap, and its end", "Europe/Berlin", "15,45 2,3 * * *", "2026-03-28T12:00+01:00",
			[]string{"2026-03-29T03:00+02:00", "2026-03-29T03:15+02:00", "2026-03-29T03:45+02:00"}},
		{"the end of a gap is a time too", "Europe/Berlin", "0 2,3 * * *", "2026-03-29T00:00+01:00", []string{"2026-03-29T03:00+02:00", "2026-03-30T02:00+02:00"}},
		{"a fold", "Europe/Berlin", "30 2 * * *", "2026-10-24T12:00+02:00", []string{"2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"}},
		{"from within a fold", "Europe/Berlin", "30 2 * * *", "2026-10-25T02:10+01:00", []string{"2026-10-26T02:30+01:00"}},
		{"hourly in a gap", "Europe/Berlin", "30 * * * *", "2026-03-29T00:45+01:00", []string{"2026-03-29T01:30+01:00", "2026-03-29T03:30+02:00"}},
		{"hourly in a fold", "Europe/Berlin", "30 * * * *", "2026-10-25T01:45+02:00", []string{"2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00", "2026-10-25T03:30+01:00"}},
		{"half an hour forward", "Australia/Lord_Howe", "0,15 * * * *", "2026-10-04T01:10+10:30", []string{"2026-10-04T01:15+10:30", "2026-10-04T03:00+11:00"}},
		{"half an hour back", "Australia/Lord_Howe", "45 * * * *", "2026-04-05T00:50+11:00", []string{"2026-04-05T01:45+11:00", "2026-04-05T01:45+10:30", "2026-04-05T02:45+10:30"}},
		{"a day without a midnight", "Asia/Beirut", "0 0 * * *", "2026-03-28T12:00+02:00", []string{"2026-03-29T01:00+03:00", "2026-03-30T00:00+03:00"}},
		{"a day that never was", "Pacific/Apia", "0 9 * * *", "2011-12-29T08:00-10:00", []string{"2011-12-29T09:00-10:00", "2011-12-31T00:00+14:00", "2011-12-31T09:00+14:00"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			zone := location(t, tt.zone)
			const layout = "2006-01-02T15:04Z07:00"
			after, err := time.Parse(layout, tt.after)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, at := range parsed(t, tt.expression).Upcoming(after, zone, len(tt.want)) {
				got = append(got, at.Format(layout))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q fires at %v, want %v", tt.expression, got, tt.want)
			}
		})
	}
}

// TestTheLastDayOfALeapYear: there, time.Time.ZoneBounds returns an end that has passed.
func TestTheLastDayOfALeapYear(t *testing.T) {
	t.Parallel()
	zone := location(t, "Europe/Berlin")
	after := time.Date(2040, 12, 31, 7, 0, 0, 0, zone) // tables end in 2037
	for expression, want := range map[string]time.Time{"0 9 * * *": after.Add(2 * time.Hour), "0 * * * *": after.Add(time.Hour), "0 6 * * *": after.Add(23 * time.Hour)} {
		if got := parsed(t, expression).Next(after, zone); !got.Equal(want) {
			t.Errorf("%q fires at %s, want %s", expression, got, want)
		}
	}
}

func TestRareDaysAreFound(t *testing.T) {
	t.Parallel()
	after := time.Date(2072, 3, 1, 0, 0, 0, 0, time.UTC)
	if got := parsed(t, "0 0 * 2 MON#5").Next(after, time.UTC); got.Format(time.DateOnly) != "2112-02-29" {
		t.Errorf("the next 29 February on a Monday is %s", got)
	}
	if got := (schedule.Schedule{}).Next(after, time.UTC); !got.IsZero() {
		t.Errorf("the zero schedule fires at %s", got)
	}
	if got := (schedule.Schedule{}).Upcoming(after, time.UTC, 3); len(got) > 0 {
		t.Errorf("the zero schedule fires at %s", got)
	}
}

func TestMissedAreTheLatest(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 1, 1, 7, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, expression string
		away             time.Duration
		want             []string
		more             bool
	}{
		{"nothing", "0 7 * * *", 23 * time.Hour, nil, false},
		{"the last moment counts", "0 7 * * *", 24 * time.Hour, []string{"01-02 07:00"}, false},
		{"a few", "0 7 * * *", 3*24*time.Hour + time.Minute, []string{"01-02 07:00", "01-03 07:00", "01-04 07:00"}, false},
		{"one too many", "0 7 * * *", 4*24*time.Hour + time.Second, []string{"01-03 07:00", "01-04 07:00", "01-05 07:00"}, true},
		{"a year of minutes", "* * * * *", 365 * 24 * time.Hour, []string{"01-01 06:58", "01-01 06:59", "01-01 07:00"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			times, more := parsed(t, tt.expression).Missed(since, since.Add(tt.away), time.UTC, 3)
			var got []string
			for _, at := range times {
				got = append(got, at.Format("01-02 15:04"))
			}
			if !slices.Equal(got, tt.want) || more != tt.more {
				t.Errorf("missed %v and more: %t, want %v and %t", got, more, tt.want, tt.more)
			}
		})
	}
}

func TestCadence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want schedule.Cadence
	}{
		{"0 7 * * 1-5", schedule.Weekly},
		{"0 7 1 1,7 *", schedule.Monthly},
		{"0 7 * 3-6 *", schedule.Daily},
		{"* * * 1,2,3 *", schedule.Frequent},
		{"0 7,19 * * *", schedule.Daily},
		{"0 6 11 2 *", schedule.Yearly},
		{"0,30 * * * *", schedule.Frequent},
		{"*/5 * * * *", schedule.Frequent},
		{"5 * * * *", schedule.Hourly},
		{"0 */6 * * *", schedule.Hourly},
		{"0 9-17 * * 1-5", schedule.Hourly},
		{"0 9 * * 1#1", schedule.Monthly},
		{"0 9 * * 5L", schedule.Monthly},
		{"0 9 L * *", schedule.Monthly},
		{"0 0 13 * 5", schedule.Weekly},
		{"2026-11-21 12:00", schedule.Single},
		{"@every 10m", schedule.Frequent},
		{"@every 90m", schedule.Hourly},
		{"@every 36h", schedule.Daily},
		{"@every 168h", schedule.Weekly},
		{"@every 720h", schedule.Monthly},
		{"every second tuesday at 9", schedule.Weekly},
	} {
		if got := parsed(t, tt.in).Cadence(); got != tt.want {
			t.Errorf("%q is %s, want %s", tt.in, got, tt.want)
		}
	}
	if got := (schedule.Schedule{}).Cadence(); got != schedule.Daily {
		t.Errorf("the zero schedule is %s", got)
	}
}

func TestThreadNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		cadence schedule.Cadence
		in      string
		want    string
	}{
		{"plain", schedule.Daily, "Weather", "🌅 Weather"},
		{"no emoji", schedule.Yearly, "📅 Birthday", "Birthday"},
		{"with a selector", schedule.Frequent, "Probe", "⏱\uFE0F Probe"},
		{"selector dropped", schedule.Hourly, "⏱ Probe", "🕐 Probe"},
		{"selector added", schedule.Hourly, "📅\uFE0F Probe", "🕐 Probe"},
		{"again and again", schedule.Weekly, "📅 📆  🌅 ⏱\uFE0F ⏱ Probe", "📅 Probe"},
		{"other emoji and their selectors stay", schedule.Weekly, "📅 ⚠\uFE0F Probe 📅", "📅 ⚠\uFE0F Probe 📅"},
		{"part of the name", schedule.Weekly, "📅Probe", "📅 📅Probe"},
		{"nothing else", schedule.Weekly, "📅", "📅"},
		{"long", schedule.Weekly, strings.Repeat("🔥", 60), "📅 " + strings.Repeat("🔥", 48) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := schedule.ThreadName(tt.cadence, tt.in)
			if got != tt.want || chat.Length(got) > 100 {
				t.Errorf("%q is %q (%d), want %q", tt.in, got, chat.Length(got), tt.want)
			}
			if again := schedule.ThreadName(tt.cadence, got); again != got {
				t.Errorf("%q becomes %q", got, again)
			}
		})
	}
}

// FuzzParse: whatever is accepted means the same when it is read back, from the expression and from the words.
func FuzzParse(f *testing.F) {
	for _, o := range oracles {
		f.Add(o.expression)
	}
	for _, text := range []string{
		"every 15 minutes", "at 7 pm", "weekdays at 7, 12 and 19", "mon, wed to fri at noon", "1st and 15th of every month at 9:30",
		"first and last friday of the month, at 17:00", "on the last day of every month at 8 o'clock", "0 0 31 2 *", "@daily", "TZ= * * * * *", "0 9 1#1 * *",
		"every second tuesday at 9 from 2 december until 1 march but not on 24 and 31 december", "every 3 months on the 1st at 9 except december 24",
		"0 9 * * 2 every 2 weeks from 2026-12-01 skip 2026-12-24,2026-12-31", "@every 90m from 2026-12-01 09:00", "daily at 9 but not next week",
		"2026-11-21 12:00", "once 2026-10-25T02:30+01:00", "once, on 2026-1-2 at 9:05Z", "2026-02-30 9:00",
	} {
		f.Add(text)
	}
	zone := location(f, "Europe/Berlin")
	after := time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC) // the clocks are put back that night
	f.Fuzz(func(t *testing.T, text string) {
		s, err := schedule.Parse(text, now)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes: %v", len(err.Error()), err)
			}
			return
		}
		if again, err := schedule.Parse(s.String(), now); err != nil || again != s {
			t.Errorf("%q is %q, which is %q, %v", text, s, again, err)
		}
		next := s.Next(after, zone)
		if over := next.IsZero() && (s.Once() || strings.Contains(s.String(), " until ")); !next.After(after) && !over {
			t.Errorf("%q fires at %s after %s", s, next, after)
		}
		requireSameInWords(t, s, after, zone)
		s.Missed(after, after.AddDate(1, 0, 0), zone, 2)
		s.Cadence()
	})
}

// requireSameInWords: words that Parse understands mean the schedule that they describe.
func requireSameInWords(t *testing.T, s schedule.Schedule, after time.Time, zone *time.Location) (understood bool) {
	t.Helper()
	again, err := schedule.Parse(s.Words(time.Time{}), now)
	if err == nil && !slices.Equal(s.Upcoming(after, zone, 50), again.Upcoming(after, zone, 50)) {
		t.Errorf("%q is %q in words, which are %q", s, s.Words(time.Time{}), again)
	}
	return err == nil
}

func BenchmarkNext(b *testing.B) {
	zone := location(b, "Europe/Berlin")
	after := time.Date(2026, 11, 16, 12, 0, 30, 0, time.UTC)
	for _, expression := range []string{"* * * * *", "*/15 * * * *", "0 * * * *", "0 7 * * *", "0 7 * * 1-5", "0 9 1 * *", "0 9 * * 1#1", "0 9 * * 5L", "0 6 11 2 *", "0 0 * 2 1#5", "0 * * 2 1#5"} {
		s := parsed(b, expression)
		b.Run(strings.ReplaceAll(expression, "/", "÷"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Next(after, zone)
			}
		})
	}
}

func BenchmarkMissed(b *testing.B) {
	zone := location(b, "Europe/Berlin")
	since := time.Date(2026, 11, 16, 12, 0, 30, 0, time.UTC)
	for _, expression := range []string{"* * * * *", "0 7 * * *"} {
		s := parsed(b, expression)
		b.Run(strings.ReplaceAll(expression, "/", "÷"), func(b *testing.B) {
			for b.Loop() {
				s.Missed(since, since.AddDate(1, 0, 0), zone, 10)
			}
		})
	}
}

// TestNextAllocatesNothing: a bot with ten thousand jobs asks often.
func TestNextAllocatesNothing(t *testing.T) {
	zone := location(t, "Europe/Berlin")
	after := time.Date(2026, 11, 16, 12, 0, 30, 0, time.UTC)
	for _, s := range parsedOracles(t) {
		if n := testing.AllocsPerRun(10, func() { s.Next(after, zone) }); n > 0 {
			t.Errorf("Next of %q allocates %v times", s, n)
		}
	}
}
