package gateway

import (
	"math/rand/v2"
	"time"
)

// helloWait is how long a server may take to send HELLO.
const helloWait = 15 * time.Second

// A heart is the timer of one connection. Until HELLO it is a timeout for that; then it fires
// when a heartbeat is due, and notices when one was not acknowledged.
type heart struct {
	timer    *time.Timer
	interval time.Duration // 0 until HELLO
	waiting  bool          // a heartbeat is not acknowledged yet
}

func newHeart() heart { return heart{timer: time.NewTimer(helloWait)} }

// start starts the heartbeats. The first comes at a random time within the interval (jitter), so
// that clients which connected together do not send them together.
func (h *heart) start(interval time.Duration) {
	h.interval = interval
	h.timer.Reset(rand.N(interval))
}

// due is called whenever the timer fires. It returns an error if HELLO or an acknowledgement is
// missing; otherwise a heartbeat must be sent now.
//
// The acknowledgement of a heartbeat that Discord asked for in between is not required: it
// may be in flight when the timer fires.
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
