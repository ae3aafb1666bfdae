package config

import (
	"os"
	"strings"
	"sync"
	"time"
)

// Zone is the time zone in which the bot thinks. It is [time.Local] only if the name of the machine's is not known.
func (c Chat) Zone() *time.Location {
	if zone, err := time.LoadLocation(c.Timezone); err == nil && c.Timezone != "" && zone != time.Local {
		return zone
	}
	return systemZone()
}

// ZoneName is what people and models are told of it.
func (c Chat) ZoneName() string {
	if zone := c.Zone(); zone != time.Local || zone.String() != "Local" {
		return zone.String()
	}
	return time.Now().Format("UTC-07:00")
}

var systemZone = sync.OnceValue(func() *time.Location {
	link, _ := os.Readlink("/etc/localtime") // is a copy on some machines
	return named(time.Local, link)
})

// named returns a local time zone by the name that it has itself or in a path, since what is stored of it must mean the same
// elsewhere.
func named(local *time.Location, path string) *time.Location {
	for _, name := range []string{local.String(), path} {
		if _, after, ok := strings.Cut(name, "zoneinfo/"); ok {
			name = after
		}
		if zone, err := time.LoadLocation(name); err == nil && name != "" && zone != time.Local {
			return zone
		}
	}
	return local
}
