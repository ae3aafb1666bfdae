package fakediscord

import (
	"strconv"
	"strings"
	"time"
)

// discordEpoch is where the time inside an ID starts, in Unix milliseconds.
// https://discord.com/developers/docs/reference#snowflakes
const discordEpoch = 1420070400000

// earliestID keeps IDs as long as Discord's when the clock is before Discord's epoch, as
// it is at the start of a test bubble.
const earliestID = 100_000_000_000_000_000

// A snowflakes generates IDs that rise with the clock. Two worlds with the same clock and
// the same order of calls have the same IDs.
type snowflakes struct{ last int64 }

func (s *snowflakes) next(now time.Time) string {
	id := max((now.UnixMilli()-discordEpoch)<<22, s.last+1, earliestID)
	s.last = id
	return strconv.FormatInt(id, 10)
}

// snowflakeTime is the time inside an ID.
func snowflakeTime(id string) time.Time {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(n>>22 + discordEpoch)
}

// idNumber is an ID that was checked before, as a number.
func idNumber(id string) int64 {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// compareIDs orders IDs by age. They are digits without leading zeros, so the
// shorter one is the smaller number.
func compareIDs(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
