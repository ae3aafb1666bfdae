package rest

import (
	"net/http"
	"sync/atomic"
	"time"
)

// agree is how far two clocks may differ and count as the same. Discord tells whole
// seconds, and it takes a while to hear them.
const agree = 10 * time.Second

// A clock is Discord's. IDs and timestamps are by it, and the clock of this machine may
// be wrong by hours: then a message of a moment ago would look too old to be answered, and
// one that was sent would not be looked for where it is. It is not slower or faster, so
// what merely lasts for a while can be measured by any clock.
type clock struct {
	ahead atomic.Int64 // of this machine's clock, in nanoseconds
}

// learn takes the time from an answer. Only what did as it was asked is certainly
// Discord; anything else may come from something in between, with a clock of its own.
func (c *clock) learn(a answer) {
	date, err := http.ParseTime(a.header.Get("Date"))
	if err != nil || !a.ok() {
		return
	}
	ahead := time.Until(date)
	if ahead.Abs() < agree {
		ahead = 0
	}
	c.ahead.Store(int64(ahead))
}

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// Now is the time on Discord, as far as it has told, which it does with every answer.
func (c *Client) Now() time.Time { return c.clock.now() }
