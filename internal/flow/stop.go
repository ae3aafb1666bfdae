package flow

import (
	"maps"
	"sync"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/turn"
)

// stopPrefix begins the ID of a button that stops a turn. The rest is the ID of the
// work.
const stopPrefix = "stop:"

// venue is where a work's answers go, with the means to stop it.
func (f *Flows) venue(o actions.Origin, work string) turn.Venue {
	return f.Server.Venue(reply.Options{
		Place: o.Place, Turn: o.Turn, Stop: stopPrefix + work,
		Opened: func(m chat.MessageID) { f.answers.add(m, work) },
	})
}

// StopAll ends every turn that runs, whatever began it, and says how many these were.
// What waits for its turn goes on waiting.
func (f *Flows) StopAll() int { return f.convo.CancelAll(turn.ErrStopped) }

// stop ends what the stop sign on a message is meant to end, and says how many turns
// these were.
func (f *Flows) stop(m chat.MessageID) int {
	if !f.Reactions.StopOne {
		return f.StopAll()
	}
	if work, ok := f.answers.work(m); ok && f.convo.Cancel(work, turn.ErrStopped) {
		return 1
	}
	return 0
}

// answers knows which messages are being written, and by what work. Its zero value
// knows of none.
type answers struct {
	mu sync.Mutex
	by map[chat.MessageID]string
}

func (a *answers) add(m chat.MessageID, work string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by == nil {
		a.by = map[chat.MessageID]string{}
	}
	a.by[m] = work
}

func (a *answers) work(m chat.MessageID) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	work, ok := a.by[m]
	return work, ok
}

// over forgets the messages of a work.
func (a *answers) over(work string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.by, func(_ chat.MessageID, w string) bool { return w == work })
}
