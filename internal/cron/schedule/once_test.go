package schedule_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"discoclaw/internal/cron/schedule"
)

func TestADateAndTimeIsReadInManyForms(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2026-11-21 12:00":                "2026-11-21 12:00",
		"2026-11-21T12:00":                "2026-11-21 12:00",
		"2026-11-21t12:00:00":             "2026-11-21 12:00",
		"once 2026-11-21 12:00":           "2026-11-21 12:00",
		"Once: 2026-11-21 12:00":          "2026-11-21 12:00",
		"once on 2026-11-21 at 12:00":     "2026-11-21 12:00",
		"once, on 2026-1-2, 9:05":         "2026-01-02 09:05",
		"2026-11-21T12:00+01:00":          "2026-11-21 12:00+01:00",
		"once 2026-11-21 12:00:00 -03:30": "2026-11-21 12:00-03:30",
		"2026-11-21T12:00Z":               "2026-11-21 12:00Z",
		"2028-02-29 00:00":                "2028-02-29 00:00",
	} {
		s := parsed(t, in)
		if s.String() != want || !s.Once() || s != parsed(t, s.String()) {
			t.Errorf("%q is %q, want %q", in, s, want)
		}
		if s.Cadence() != schedule.Single {
			t.Errorf("%q is %s", in, s.Cadence())
		}
	}
	if s := parsed(t, "0 7 * * *"); s.Once() {
		t.Errorf("%q fires once", s)
	}
}

func TestADateAndTimeInWords(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2026-11-21 12:00":       "once, on Saturday 21 November 2026 at 12:00",
		"2026-11-01 07:05-03:30": "once, on Sunday 1 November 2026 at 07:05 -03:30",
	} {
		if got := parsed(t, in).Words(time.Time{}); got != want {
			t.Errorf("%q is %q in words, want %q", in, got, want)
		}
	}
}

// TestAnOffsetBecomesLocalTime: the clock of the job's time zone is what people read, as long as it says which moment is meant.
func TestAnOffsetBecomesLocalTime(t *testing.T) {
	t.Parallel()
	berlin := location(t, "Europe/Berlin")
	for in, want := range map[string]string{
		"2026-11-21T12:00+05:45": "2026-11-21 07:15",
		"2026-11-21T23:30Z":      "2026-11-22 00:30",
		"2026-10-25T02:30+02:00": "2026-10-25 02:30",       // the first one of two
		"2026-10-25T01:30Z":      "2026-10-25 01:30Z",      // the second one, which local time alone does not name
		"2026-10-25T02:30+01:00": "2026-10-25 02:30+01:00", // likewise
		"2026-03-29T02:30+01:00": "2026-03-29 03:30",       // a reading that no clock there shows
		"2026-11-21 12:00":       "2026-11-21 12:00",
		"0 7 * * *":              "0 7 * * *",
	} {
		s := parsed(t, in)
		local := s.In(berlin)
		if local.String() != want {
			t.Errorf("%q is %q in Berlin, want %q", in, local, want)
		}
		if after := (time.Time{}); !local.Next(after, berlin).Equal(s.Next(after, berlin)) {
			t.Errorf("%q fires at %s, and %q at %s", s, s.Next(after, berlin), local, local.Next(after, berlin))
		}
	}
}

// TestOnceFiresLikeTheSameTimeOfAYearlySchedule: also where clocks are put forward and back, and neither before nor a second time.
func TestOnceFiresLikeTheSameTimeOfAYearlySchedule(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"Europe/Berlin", "Australia/Lord_Howe", "Asia/Beirut", "Africa/Casablanca", "Pacific/Apia", "UTC"} {
		zone := location(t, name)
		changes := append(transitions(zone, decades[0]), transitions(zone, decades[1])...)
		for range 2000 {
			near := decades[0][0] + r.Int64N(decades[1][1]-decades[0][0])
			if len(changes) > 0 && r.IntN(2) == 0 {
				near = changes[r.IntN(len(changes))] + r.Int64N(6*60*60) - 3*60*60
			}
			clock := time.Unix(near, 0).In(zone)
			if r.IntN(2) == 0 { // a reading, which no clock need show
				clock = time.Unix(near+int64(r.IntN(14*60*60)), 0).UTC()
			}
			yearly := parsed(t, clock.Format("4 15 2 1 *"))
			requireOnce(t, parsed(t, clock.Format("2006-01-02 15:04")), yearly.Next(clock.AddDate(0, 0, -5), zone), zone)

			moment := time.Unix(near-near%60, 0).In(zone)
			exact := parsed(t, moment.In(time.FixedZone("", 60*(r.IntN(24*60)-12*60))).Format("2006-01-02T15:04Z07:00"))
			requireOnce(t, exact, moment, zone)
			requireOnce(t, exact.In(zone), moment, zone)
		}
	}
}

func requireOnce(t *testing.T, s schedule.Schedule, want time.Time, zone *time.Location) {
	t.Helper()
	for _, before := range []time.Duration{1, time.Second, time.Hour, 3 * 365 * 24 * time.Hour} {
		if got := s.Upcoming(want.Add(-before), zone, 3); len(got) != 1 || !got[0].Equal(want) {
			t.Fatalf("%q in %s: %s before, it fires at %v, want %s", s, zone, before, got, want)
		}
	}
	for _, after := range []time.Duration{0, 1, time.Hour, 365 * 24 * time.Hour} {
		if got := s.Next(want.Add(after), zone); !got.IsZero() {
			t.Fatalf("%q in %s fires again at %s", s, zone, got)
		}
	}
	for _, most := range []int{1, 24} {
		if got, more := s.Missed(want.Add(-1), want, zone, most); len(got) != 1 || more {
			t.Fatalf("%q in %s: missed %v and more: %t", s, zone, got, more)
		}
	}
	if got, more := s.Missed(want, want.AddDate(1, 0, 0), zone, 1); len(got) > 0 || more {
		t.Fatalf("%q in %s: missed %v and more: %t", s, zone, got, more)
	}
}
