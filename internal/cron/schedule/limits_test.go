package schedule_test

import (
	"slices"
	"testing"
	"time"

	"discoclaw/internal/cron/schedule"
)

// TestLimitsOfASchedule: every text is read back as the same schedule, and so are its words where they are one of the forms.
func TestLimitsOfASchedule(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want, words string }{
		{"every second Tuesday at 9 from 2 December", "0 9 * * 2 every 2 weeks from 2026-12-08", "every second Tuesday at 9:00, from 8 December"},
		{"every second Tuesday at 9 from 2 December every 2 weeks from 2026-12-02 until 1 march until 2027-03-01", "0 9 * * 2 every 2 weeks from 2026-12-08 until 2027-03-01", "every second Tuesday at 9:00, from 8 December, until 1 March"},
		{"every other tuesday at 9", "0 9 * * 2 every 2 weeks from 2026-11-24", "every second Tuesday at 9:00, from 24 November"},
		{"at 9 on every 2nd tuesday, starting on December 2nd 2027", "0 9 * * 2 every 2 weeks from 2027-12-07", "every second Tuesday at 9:00, from 7 December 2027"},
		{"every second Monday of the month at 9", "0 9 * * 1#2", "on the second Monday of the month at 9:00"},
		{"every second day of the month at 9", "0 9 2 * *", "on the 2nd of every month at 9:00"},
		{"every 2 weeks on Tuesday at 9", "0 9 * * 2 every 2 weeks from 2026-11-24", "every second Tuesday at 9:00, from 24 November"},
		{"every 3 weeks on monday and friday at 9", "0 9 * * 1,5 every 3 weeks from 2026-11-20", "every 3 weeks on Monday and Friday at 9:00, from 20 November"},
		{"every two weeks on weekdays at 9", "0 9 * * 1-5 every 2 weeks from 2026-11-20", "every second week on weekdays at 9:00, from 20 November"},
		{"every 3 days at 13", "0 13 * * * every 3 days from 2026-11-19", "every 3 days at 13:00"},
		{"every other day at 11", "0 11 * * * every 2 days from 2026-11-20", "every second day at 11:00, from 20 November"},
		{"every second month on the 1st at 9", "0 9 1 * * every 2 months from 2026-12-01", "every second month on the 1st at 9:00, from 1 December"},
		{"every 3 months on the last Friday at 9", "0 9 * * 5L every 3 months from 2026-11-27", "every 3 months on the last Friday at 9:00, from 27 November"},
		{"every 15 minutes on weekdays from December on", "*/15 * * * 1-5 from 2026-12-01", "every 15 minutes on weekdays, from 1 December"},
		{"from December on Tuesdays at 9", "0 9 * * 2 from 2026-12-01", "every Tuesday at 9:00, from 1 December"},
		{"daily at 9 from tomorrow's date 2026-11-20 until 1 March", "", ""},
		{"daily at 9 from 2026-11-20 until 1 March", "0 9 * * * from 2026-11-20 until 2027-03-01", "every day at 9:00, from 20 November, until 1 March"},
		{"weekdays at 9 but not on 24 and 31 December", "0 9 * * 1-5 skip 2026-12-24,2026-12-31", "on weekdays at 9:00, not on 24 and 31 December"},
		{"weekdays at 9 except 2026-12-24", "0 9 * * 1-5 skip 2026-12-24", "on weekdays at 9:00, not on 24 December"},
		{"weekdays at 9, not on 23-27 december, 31 december and 1 january", "0 9 * * 1-5 skip 2026-12-23,2026-12-24,2026-12-25,2026-12-26,2026-12-27,2026-12-31,2027-01-01", "on weekdays at 9:00, not on 23 to 27 and 31 December and 1 January"},
		{"weekdays at 9 except 24 December 2027", "0 9 * * 1-5 skip 2027-12-24", "on weekdays at 9:00, not on 24 December 2027"},
		{"tuesdays at 9 but not next week", "0 9 * * 2 skip 2026-11-23,2026-11-24,2026-11-25,2026-11-26,2026-11-27,2026-11-28,2026-11-29", "every Tuesday at 9:00, next week is left out"},
		{"0 9 * * TUE every 2 weeks from 2026-12-01 until 2027-03-01 skip 2026-12-31,2026-12-24", "0 9 * * TUE every 2 weeks from 2026-12-01 until 2027-03-01 skip 2026-12-24,2026-12-31", "every second Tuesday at 9:00, from 1 December, until 1 March, not on 24 and 31 December"},
		{"0 9 * * tue EVERY 1 week from 2026-12-01", "", ""},
		{"0 9 1 1,7 2 not on 24 december", "0 9 1 1,7 2 skip 2026-12-24", "at 9:00 on the 1st of January and July, and also every Tuesday in January and July, not on 24 December"},
		{"0 9 * * * every 2 weeks", "0 9 * * * every 2 weeks from 2026-11-20", "at 9:00 every day, but only every second week, from 20 November"},
		{"0 9 * 6 MON every 2 weeks from 2027-06-01", "0 9 * 6 MON every 2 weeks from 2027-06-07", "at 9:00 every Monday in June, but only every second week, from 7 June"},
		{"0 9 * * * from 2026-11-01 until 2026-11-10 skip 2026-11-05", "0 9 * * * from 2026-11-01 until 2026-11-10 skip 2026-11-05", "every day at 9:00, until 10 November 2026"},
		{"daily at 9 skip 29 february", "0 9 * * * skip 2028-02-29", "every day at 9:00, not on 29 February"},
		{"@hourly", "0 * * * *", "every hour"},
		{"@Daily not on 24 december", "0 0 * * * skip 2026-12-24", "every day at 0:00, not on 24 December"},
		{"@weekly", "0 0 * * 0", "every Sunday at 0:00"},
		{"@yearly", "0 0 1 1 *", "on the 1st of January at 0:00"},
		{"@annually", "0 0 1 1 *", "on the 1st of January at 0:00"},
		{"@every 90m", "@every 90m from 2026-11-19 13:30", "every 90 minutes, from 19 November at 13:30"},
		{"@every 1h30m from 2026-12-01 at 9", "@every 90m from 2026-12-01 09:00", "every 90 minutes, from 1 December at 9:00"},
		{"@every 36h from 2026-12-01T09:30 until 1 march skip 2026-12-25", "@every 2160m from 2026-12-01 09:30 until 2027-03-01 skip 2026-12-25", "every 36 hours, from 1 December at 9:30, until 1 March, not on 25 December"},
	} {
		s, err := schedule.Parse(tt.in, now)
		if tt.want == "" {
			if err == nil {
				t.Errorf("%q is %q", tt.in, s)
			}
			continue
		}
		if err != nil || s.String() != tt.want || s.Words(now) != tt.words {
			t.Errorf("%q is %q, %q, %v; want %q, %q", tt.in, s, s.Words(now), err, tt.want, tt.words)
		}
		if again, err := schedule.Parse(s.String(), time.Time{}); err != nil || again != s {
			t.Errorf("%q is %q, %v when it is read back", s, again, err)
		}
		for _, seen := range []time.Time{now, {}} {
			again, err := schedule.Parse(s.Words(seen), now)
			if err == nil && !slices.Equal(again.Upcoming(now, time.UTC, 50), s.Upcoming(now, time.UTC, 50)) {
				t.Errorf("the words for %q, %q, are %q", s, s.Words(seen), again)
			}
		}
	}
}

// TestWordsForLater have all dates with their years, since nobody knows when they are read.
func TestWordsForLater(t *testing.T) {
	t.Parallel()
	s := parsed(t, "0 9 * * 2 every 2 weeks from 2026-12-01 until 2027-03-01 skip 2026-12-24,2026-12-31,2027-01-01")
	const want = "every second Tuesday at 9:00, from 1 December 2026, until 1 March 2027, not on 24 and 31 December 2026 and 1 January 2027"
	if got := s.Words(time.Time{}); got != want {
		t.Errorf("%q", got)
	}
	if again := parsed(t, want); again != parsed(t, "0 9 * * 2 every 2 weeks from 2026-12-01 until 2027-03-01 skip 2026-12-24,2026-12-31,2027-01-01") {
		t.Errorf("read back as %q", again)
	}
}

func TestLimitsLeaveTimesOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"every second Tuesday at 9 from 2 December but not on 8 December", []string{"12-22 09:00", "01-05 09:00", "01-19 09:00"}},
		{"0 9 * * 1,5 every 2 weeks from 2026-11-27", []string{"11-27 09:00", "12-07 09:00", "12-11 09:00"}}, // weeks begin on Monday
		{"0 9 * * * every 3 days from 2026-12-30", []string{"12-30 09:00", "01-02 09:00", "01-05 09:00"}},
		{"0 9 31 * * every 2 months from 2026-11-01", []string{"12-31 09:00", "08-31 09:00", "10-31 09:00"}},
		{"0 9 * * * from 2026-11-30 until 2026-12-01", []string{"11-30 09:00", "12-01 09:00"}},
		{"0 */12 * * * from 2026-11-30 until 2026-12-01 skip 2026-12-01", []string{"11-30 00:00", "11-30 12:00"}},
		{"@every 36h from 2026-12-01 09:00 until 2026-12-07 skip 2026-12-02,2026-12-04", []string{"12-01 09:00", "12-05 21:00", "12-07 09:00"}},
		{"@every 90m from 2026-11-19 12:00", []string{"11-19 13:30", "11-19 15:00", "11-19 16:30"}},
		{"@every 20160m from 2026-11-20 09:00 skip 2026-11-20", []string{"12-04 09:00", "12-18 09:00", "01-01 09:00"}},
	} {
		var got []string
		for _, at := range parsed(t, tt.in).Upcoming(now, time.UTC, 3) {
			got = append(got, at.Format("01-02 15:04"))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q fires at %v, want %v", tt.in, got, tt.want)
		}
	}
}

// TestMissedOfAScheduleThatHasEnded: the latest are found although none comes after them.
func TestMissedOfAScheduleThatHasEnded(t *testing.T) {
	t.Parallel()
	s := parsed(t, "0 9 * * * from 2026-11-20 until 2026-12-10 skip 2026-12-09")
	times, more := s.Missed(now, now.AddDate(1, 0, 0), time.UTC, 3)
	var got []string
	for _, at := range times {
		got = append(got, at.Format("01-02"))
	}
	if !slices.Equal(got, []string{"12-07", "12-08", "12-10"}) || !more {
		t.Errorf("missed %v and more: %t", got, more)
	}
}

func TestALimitOfAText(t *testing.T) {
	t.Parallel()
	const text = "0 9 * * 2 every 2 weeks from 2026-12-01 until 2027-03-01 skip 2026-12-24,2026-12-31"
	for _, tt := range []struct{ limit, value, rest string }{
		{"every", "2 weeks", "0 9 * * 2 from 2026-12-01 until 2027-03-01 skip 2026-12-24,2026-12-31"},
		{"from", "2026-12-01", "0 9 * * 2 every 2 weeks until 2027-03-01 skip 2026-12-24,2026-12-31"},
		{"skip", "2026-12-24,2026-12-31", "0 9 * * 2 every 2 weeks from 2026-12-01 until 2027-03-01"},
	} {
		if value, rest := schedule.Limit(text, tt.limit); value != tt.value || rest != tt.rest {
			t.Errorf("%s is %q, %q", tt.limit, value, rest)
		}
	}
	if value, rest := schedule.Limit("@every 90m", "every"); value != "" || rest != "@every 90m" {
		t.Errorf("every of @every is %q, %q", value, rest)
	}
}
