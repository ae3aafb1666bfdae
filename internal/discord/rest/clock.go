package rest

import (
	"net/http"
	"sync/atomic"
	"time"
)

// agree is how far two clocks may differ and count as the same. Discord sends whole seconds,
// and the network takes a while.
const agree = 10 * time.Second

// A clock follows Discord's. IDs and timestamps are by that, and the clock of this machine may be
// wrong by hours: then a message of a moment ago would look too old to be answered, and a post
// would not be searched for where it is. Only the offset differs, so durations can be measured by
// any clock.
type clock struct {
	ahead atomic.Int64 // by how many nanoseconds Discord's clock is ahead of this machine's
}

// learn takes the time from a response. Only a successful one is certainly Discord's; any other
// may come from a proxy, with a clock of its own.
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

// Now returns Discord's time, as of its latest response.
func (c *Client) Now() time.Time { return c.clock.now() }
