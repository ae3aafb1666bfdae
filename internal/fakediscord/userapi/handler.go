package userapi

import (
	"net/http"
	"sync"
	"time"

	"discoclaw/internal/fakediscord"
)

// Options configure a Handler. The zero value works.
type Options struct {
	// Extra is called once by New, with a function that adds an event to all streams. Data
	// whose JSON has a field channel, with a channel's ID, goes only to members who see that
	// channel. publish never blocks, and may be called at any time from any goroutine; after
	// Close it does nothing.
	Extra func(publish func(event string, data any))

	// Shown returns what members see for a time of the world. Without it, they see that time. It
	// is called concurrently.
	Shown func(time.Time) time.Time
}

// A Handler serves the API for one world.
type Handler struct {
	world  *fakediscord.World
	shown  func(time.Time) time.Time
	routes []route

	mu      sync.Mutex
	readers map[*reader]bool
	closed  bool

	streams sync.WaitGroup
}

// New returns a Handler for w. Close it before w, and before shutting down the
// server that it is part of, which would wait for the streams of events.
func New(w *fakediscord.World, o Options) *Handler {
	if o.Shown == nil {
		o.Shown = func(t time.Time) time.Time { return t }
	}
	h := &Handler{world: w, shown: o.Shown, routes: routes(), readers: map[*reader]bool{}}
	w.Watch(func(e fakediscord.Event) { h.tell(news{Event: e}) })
	if o.Extra != nil {
		o.Extra(h.publish)
	}
	return h
}

// Close ends all streams of events, waits for them, and refuses new ones.
func (h *Handler) Close() {
	h.mu.Lock()
	h.closed = true
	for r := range h.readers {
		r.end()
	}
	h.mu.Unlock()
	h.streams.Wait()
}

// ServeHTTP answers one request; a stream of events, until it ends.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{Handler: h, w: w, r: r}
	if err := c.serve(); err != nil {
		c.refuse(err)
	}
}
