package discord

import (
	"sync"
	"time"
)

// describeWait is how long a session waits for the servers that Discord has announced.
// Of those that are out of order it says so, as a rule; but it has been seen to say
// nothing at all.
const describeWait = 20 * time.Second

// A guildWait ends the wait for servers that are not described. What it does then comes in
// between events, so it has one thing done at a time.
type guildWait struct {
	turn    chan struct{} // held by who does something
	over    chan struct{} // closed when nothing is waited for any more
	waiting sync.WaitGroup
	session int // counts sessions; only read and changed alone
}

func newGuildWait() *guildWait {
	return &guildWait{turn: make(chan struct{}, 1), over: make(chan struct{})}
}

// alone does something while nothing else is done.
func (r *guildWait) alone(do func()) {
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	do()
}

// begin has something done when the session that begins has had time enough, unless another
// has begun by then. It must be called alone.
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

// end stops waiting.
func (r *guildWait) end() {
	close(r.over)
	r.waiting.Wait()
}
