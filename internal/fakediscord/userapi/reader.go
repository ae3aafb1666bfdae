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
	// queueLength is how many events a reader may lag behind. A growing answer of the bot
	// is one or two events a second.
	queueLength = 512
	// maxReaders is more tabs than a browser has open.
	maxReaders = 64
	// writeTime is the timeout of writing one event.
	writeTime = 10 * time.Second
	// endTime is the timeout of the last writes when a stream ends.
	endTime = time.Second
)

// news is queued for readers: an event of the world, or one that was published.
type news struct {
	fakediscord.Event
	published bool
}

// A reader is one stream. Its goroutine is the one that serves the request; others only
// put news into the queue, and never block.
type reader struct {
	queue chan news
	ended chan struct{}

	mu      sync.Mutex
	control *http.ResponseController
	over    bool
}

// offer adds news to the queue. If that is full, the stream ends, since it would miss an
// event.
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

// end makes the reader's goroutine return, even from a blocked write.
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

// extend sets the deadline of the next write, unless the stream has ended.
func (r *reader) extend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.deadline(writeTime)
	}
}

func (r *reader) deadline(d time.Duration) {
	// A connection without deadlines never hangs, as in tests.
	_ = r.control.SetWriteDeadline(time.Now().Add(d))
}

// join adds a reader, unless the Handler is closed or has too many.
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

// publish sends an event from outside the world.
func (h *Handler) publish(event string, data any) {
	n := news{Event: fakediscord.Event{Name: event, Data: encode(data)}, published: true}
	var place struct {
		Channel chat.ChannelID `json:"channel"`
	}
	if json.Unmarshal(n.Data, &place) == nil { // without a channel, it is for all
		n.Channel = place.Channel
	}
	h.tell(n)
}
