package clock_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // for machines that have no zones

	"discoclaw/internal/chat"
	"discoclaw/internal/clock"
	"discoclaw/internal/store"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 19, 21, 22, 0, 0, tokyo)
	for text, want := range map[string]string{
		"2026-12-24T09:00+01:00": "2026-12-24T08:00:00Z", "2026-12-24t09:00:05z": "2026-12-24T09:00:05Z",
		"2026-12-24 09:00+01:00": "2026-12-24T08:00:00Z",
		"2026-12-24T09:00":       "2026-12-24T00:00:00Z", "2026-12-24 09:00:05": "2026-12-24T00:00:05Z", " 2026-12-24 09:00 ": "2026-12-24T00:00:00Z",
		"2026-12-24": "2026-12-24T00:00:00Z", "2026-11-19": "2026-11-19T14:59:00Z",
		"tomorrow": "", "2026-02-30T09:00Z": "", "2026-02-30": "", "": "",
	} {
		got, err := clock.Parse(text, now)
		if (err == nil) != (want != "") || err == nil && got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q is %v, %v; want %q", text, got, err, want)
		}
	}
	if got, err := clock.ParseEnd("2026-12-24", now); err != nil || got.UTC().Format(time.RFC3339) != "2026-12-24T14:59:59Z" {
		t.Errorf("the end of a day is %v, %v", got, err)
	}
}

func TestAZoneIsFoundByItsNameOrItsCity(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	zones := clock.New(db, time.UTC, nil)
	run := zones.Commands()[0].Run
	for name, want := range map[string]string{
		"Europe/Berlin": "Europe/Berlin", "europe/berlin": "Europe/Berlin", "tokyo": "Asia/Tokyo", "new york": "America/New_York", "utc": "UTC",
		"local": "", "../x": "", "nowhere": "", "ünbekannt": "",
	} {
		who := chat.UserID(name)
		reply, err := run(t.Context(), chat.Message{Author: chat.User{ID: who}}, name)
		set := zones.Of(t.Context(), who).String()
		if want == "" && (err == nil || set != "UTC") || want != "" && (set != want || !strings.HasPrefix(reply, "Your time zone is now ")) {
			t.Errorf("%s: %q, %v, and the zone is %s", name, reply, err, set)
		}
	}
}
