package config

import (
	"testing"
	"time"
)

func TestTheTimeZoneOfTheMachineHasAName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ local, path, want string }{
		{"Europe/Berlin", "/usr/share/zoneinfo/Asia/Tokyo", "Europe/Berlin"},
		{"Local", "/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"},
		{"Local", "/var/db/timezone/zoneinfo/America/Argentina/Salta", "America/Argentina/Salta"},
		{"/usr/share/zoneinfo/Asia/Tokyo", "", "Asia/Tokyo"}, // as in TZ=:/usr/share/zoneinfo/Asia/Tokyo
		{"UTC", "", "UTC"},
		{"Local", "/usr/share/zoneinfo/Nowhere", "Local"},
		{"Local", "", "Local"},
	} {
		if got := named(time.FixedZone(tt.local, 3600), tt.path).String(); got != tt.want {
			t.Errorf("%s, %s: %s, want %s", tt.local, tt.path, got, tt.want)
		}
	}
	for _, c := range []Chat{{Timezone: "Asia/Tokyo"}, {Timezone: "Local"}, {}} {
		if got := c.ZoneName(); got == "" || got == "Local" || c.Timezone == "Asia/Tokyo" && got != c.Timezone {
			t.Errorf("%q is called %q", c.Timezone, got)
		}
	}
}
