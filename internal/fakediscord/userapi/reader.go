package userapi

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

const (
	// queueLength is how far a reader may fall behind. An answer of the bot that is
	// shown while it grows is one or two events a second.
	queueLength = 512
	// maxReaders is more tabs than anybody has open.
	maxReaders = 64
	// writeTime is how long one event may take to leave.
	writeTime = 10 * time.Second
	// endTime is how long the rest may take to leave when a stream ends.
	endTime = time.Second
)

// news is something to tell readers: an event of the world, or one that was
// published.
type news struct {
	fakediscord.Event
	published bool
}

// A reader is somebody who listens. Its goroutine is the one that serves the
// request; others only put news into the queue, and never wait.
type reader struct {
	queue chan news
	ended chan struct{}

	mu      sync.Mutex
	control *http.ResponseController
	over    bool
}

// offer adds news to the queue. A reader without room for it would miss something,
// so its stream ends.
func (r *reader) offer(n news) {
	select {
	case <-r.ended:
		return
	default:
	}
	select {
	case r.queue <- n:
	default:
		r.end()
	}
}

// end makes the reader's goroutine return, even if it hangs in a write.
func (r *reader) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	r.over = true
	close(r.ended)
	r.deadline(endTime)
}

// extend gives the next write its time, unless the stream is over.
func (r *reader) extend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.deadline(writeTime)
	}
}

func (r *reader) deadline(d time.Duration) {
	// A connection that knows no deadlines is one that never hangs, as in tests.
	_ = r.control.SetWriteDeadline(time.Now().Add(d))
}

// join adds a reader, unless it is too late or there are too many.
func (h *Handler) join(w http.ResponseWriter) (*reader, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, refusal{http.StatusServiceUnavailable, "the playground is closing"}
	case len(h.readers) >= maxReaders:
		return nil, refusal{http.StatusTooManyRequests, "too many pages listen already; close some"}
	}
	r := &reader{
		queue: make(chan news, queueLength), ended: make(chan struct{}),
		control: http.NewResponseController(w),
	}
	h.readers[r] = true
	h.streams.Add(1)
	return r, nil
}

func (h *Handler) leave(r *reader) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.readers, r)
	h.streams.Done()
}

// tell gives news to all readers.
func (h *Handler) tell(n news) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for r := range h.readers {
		r.offer(n)
	}
}

// publish tells an event of somebody else's.
func (h *Handler) publish(event string, data any) {
	n := news{Event: fakediscord.Event{Name: event, Data: encode(data)}, published: true}
	var place struct {
		Channel chat.ChannelID `json:"channel"`
	}
	if json.Unmarshal(n.Data, &place) == nil { // else it has no place, and is for all
		n.Channel = place.Channel
	}
	h.tell(n)
}
