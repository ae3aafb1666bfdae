package gateway

import (
	"math/rand/v2"
	"time"
)

// helloWait is how long a server may take to say HELLO.
const helloWait = 15 * time.Second

// A heart keeps the time of one connection. Until HELLO it waits for that; then it
// tells when heartbeats are due and notices when one was not acknowledged.
type heart struct {
	timer    *time.Timer
	interval time.Duration // 0 until HELLO
	waiting  bool          // a heartbeat is not acknowledged yet
}

func newHeart() heart { return heart{timer: time.NewTimer(helloWait)} }

// start begins the beating. The first beat comes at a random moment within the
// interval, so that clients which connected together do not beat together.
func (h *heart) start(interval time.Duration) {
	h.interval = interval
	h.timer.Reset(rand.N(interval))
}

// due is called whenever the timer runs out. It returns an error if what was
// waited for did not come; otherwise a heartbeat must be sent now.
//
// A heartbeat that Discord asked for in between is not waited for: its
// acknowledgement may be under way when the timer runs out.
func (h *heart) due() error {
	switch {
	case h.interval == 0:
		return errNoHello
	case h.waiting:
		return errNoACK
	}
	h.waiting = true
	h.timer.Reset(h.interval)
	return nil
}

func (h *heart) acknowledged() { h.waiting = false }
