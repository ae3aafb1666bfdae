package flow

import (
	"slices"
	"sync"

	"discoclaw/internal/inbox"
)

// left is what an earlier process left and this one has not taken up yet, by turns. Its zero
// value has nothing.
type left struct {
	mu    sync.Mutex
	turns [][]inbox.Event
}

func (l *left) put(turns [][]inbox.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns = turns
}

// take takes out the turns that are to be had now, oldest first.
func (l *left) take(now func(inbox.Event) bool) (turns [][]inbox.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns = slices.DeleteFunc(l.turns, func(events []inbox.Event) bool {
		if now(events[0]) {
			turns = append(turns, events)
			return true
		}
		return false
	})
	return turns
}

// begun are those that had begun, which nobody else is to bring to an end.
func (l *left) begun() (turns []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, events := range l.turns {
		if e := events[0]; e.Begun {
			turns = append(turns, e.Turn)
		}
	}
	return turns
}
