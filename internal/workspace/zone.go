package workspace

import (
	"os"
	"strings"
	"time"
)

// systemZone is the time zone of this system, by its name where that is known.
func systemZone() string {
	if name := time.Local.String(); name != "Local" && name != "" {
		return name
	}
	if target, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(target, "zoneinfo/"); ok {
			return name
		}
	}
	return time.Now().Format("UTC-07:00")
}
