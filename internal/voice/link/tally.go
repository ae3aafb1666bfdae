package link

import "sync"

// lossWindow is about how many frames Loss looks back.
const lossWindow = 250

// A tally counts the frames of a call.
type tally struct {
	mu sync.Mutex
	Counts
	loss float64
}

// add counts n frames by one of the Counts.
func (t *tally) add(to *int64, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*to += int64(n)
	for range min(n, 10*lossWindow) {
		switch to {
		case &t.Heard, &t.Unread:
			t.loss -= t.loss / lossWindow
		case &t.Lost:
			t.loss += (1 - t.loss) / lossWindow
		}
	}
}

func (t *tally) now() (Counts, float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Counts, t.loss
}
