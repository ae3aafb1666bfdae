package discord

import (
	"sync"
	"time"
)

// describeWait is how long a session waits for the servers that Discord has announced. Those with
// an outage are marked as unavailable, as a rule; but Discord has been seen to send nothing at
// all.
const describeWait = 20 * time.Second

// A guildWait is the timeout for servers that are not described. Its callback runs between events,
// so it has a lock for both.
type guildWait struct {
	turn    chan struct{} // the lock
	over    chan struct{} // closed by end
	waiting sync.WaitGroup
	session int // counts sessions; guarded by turn
}

func newGuildWait() *guildWait {
	return &guildWait{turn: make(chan struct{}, 1), over: make(chan struct{})}
}

// alone runs do with the lock.
func (r *guildWait) alone(do func()) {
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	do()
}

// begin runs do after describeWait, unless another session has begun by then. It must be called
// with the lock.
func (r *guildWait) begin(do func()) {
	r.session++
	mine := r.session
	r.waiting.Go(func() {
		timer := time.NewTimer(describeWait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.over:
			return
		}
		r.alone(func() {
			if r.session == mine {
				do()
			}
		})
	})
}

// end stops the timer.
func (r *guildWait) end() {
	close(r.over)
	r.waiting.Wait()
}
