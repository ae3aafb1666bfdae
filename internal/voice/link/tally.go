package link

import "sync"

// lossWindow is about how many frames Loss looks back.
const lossWindow = 250

// A tally counts the frames of a call.
type tally struct {
	mu     sync.Mutex
	counts Counts
	loss   float64
}

func (t *tally) sent() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Sent++
}

func (t *tally) unopened() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Unopened++
}

// heard counts a frame that was there to pass on.
func (t *tally) heard(read bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.loss -= t.loss / lossWindow
	if read {
		t.counts.Heard++
	} else {
		t.counts.Unread++
	}
}

func (t *tally) missed(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Lost += int64(n)
	for range min(n, lossWindow) {
		t.loss += (1 - t.loss) / lossWindow
	}
}

func (t *tally) now() (Counts, float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts, t.loss
}
