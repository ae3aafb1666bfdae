package doc

import (
	"strconv"
	"strings"
	"time"
)

const minHeartbeat = time.Second

// ParseHeartbeat reads how often a run shows that it is alive: 45s, 2m, a number of milliseconds, or off, which is 0. What
// it does not understand means the usual.
func ParseHeartbeat(text string, usual time.Duration) time.Duration {
	text = strings.ToLower(strings.Join(strings.Fields(text), ""))
	switch text {
	case "off", "none", "disable", "disabled", "false":
		return 0
	}
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		text += "ms"
	}
	every, err := time.ParseDuration(text)
	switch {
	case err != nil || every < 0:
		return usual
	case every == 0:
		return 0
	}
	return max(every, minHeartbeat)
}
