// Package fakegateway is the server side of Discord's gateway: it says HELLO, lets
// clients IDENTIFY and RESUME, acknowledges heartbeats, and sends every session
// the events it asked for, numbered and kept for replay. It knows nothing about
// guilds or messages; what READY holds and which events happen is its owner's
// business.
//
// What makes it worth having is that it also misbehaves on demand, in the ways the
// real gateway does: see Fault, Server.Inject and Server.AnswerNext.
//
// Nothing here waits while holding a lock, so a Server works inside a test bubble
// with fake time.
package fakegateway

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// discordHeartbeat is the interval that Discord's HELLO names.
const discordHeartbeat = 41250 * time.Millisecond

// Options are what a Server needs from its owner. The zero value accepts every
// client with an empty READY.
type Options struct {
	// Identify answers an IDENTIFY: the data of READY (session_id,
	// resume_gateway_url and v are added) and the events that follow it, or a
	// close code, such as 4004 for a wrong token. It may be called by several
	// connections at once, and never with a lock of the Server held.
	Identify func(Identify) (ready map[string]any, after []Event, closeCode int)

	// Presence and VoiceState are told what a client of a session wants: to be shown
	// differently, to be in a voice channel or in none. They may be called by several
	// connections at once, and never with a lock of the Server held. Nil ignores it.
	Presence   func(Presence)
	VoiceState func(VoiceState)

	// Ended is told that a client gave its session up: it is no longer on Discord. It
	// is called without a lock of the Server. Nil ignores it.
	Ended func()

	// URL is where this server is reached, for resume_gateway_url. Nil leaves it
	// empty.
	URL func() string

	// Heartbeat is the interval that HELLO names; 0 means Discord's 41.25 s.
	Heartbeat time.Duration

	// Strict closes a connection with 4009, and ends its session, when no
	// heartbeat came for one and a half intervals.
	Strict bool
}

// An Identify is what a client said about itself.
type Identify struct {
	Token      string            `json:"token"`
	Intents    int               `json:"intents"`
	Properties map[string]string `json:"properties"`
	Presence   *Presence         `json:"presence"` // nil if it said nothing
}

// A Presence is how a client wants to be shown.
type Presence struct {
	Status     string     `json:"status"`
	Activities []Activity `json:"activities"`
	Since      *int64     `json:"since"`
	AFK        bool       `json:"afk"`
}

// An Activity is what a client shows itself doing.
type Activity struct {
	Name  string `json:"name"`
	Type  int    `json:"type"`
	State string `json:"state"`
}

// A VoiceState is where a client wants to be in voice. A nil Channel means nowhere.
type VoiceState struct {
	Guild   string  `json:"guild_id"`
	Channel *string `json:"channel_id"`
	Mute    bool    `json:"self_mute"`
	Deaf    bool    `json:"self_deaf"`
}

// An Event is something that happened, as it goes into a dispatch. Data must be
// encodable as JSON.
type Event struct {
	Name string
	Data any
}

// Counts are what a Server has seen since it was made.
type Counts struct {
	Connections int // websockets opened, whatever came of them
	Identifies  int
	Resumes     int
	Heartbeats  int
	Commands    int // presences and voice states of sessions
}

// A Server is a gateway. It is safe for concurrent use.
type Server struct {
	o       Options
	serving sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	open     map[*conn]struct{}
	sessions map[string]*session
	made     int // sessions so far, for their IDs
	answers  []Fault
	counts   Counts
	deaf     bool // heartbeats get no ACK
	silent   bool // connections get no HELLO
	refusing bool // connections get HTTP 503
}

// New returns a Server that waits for connections.
func New(o Options) *Server {
	if o.Identify == nil {
		o.Identify = func(Identify) (map[string]any, []Event, int) { return nil, nil, 0 }
	}
	if o.Presence == nil {
		o.Presence = func(Presence) {}
	}
	if o.VoiceState == nil {
		o.VoiceState = func(VoiceState) {}
	}
	if o.Ended == nil {
		o.Ended = func() {}
	}
	if o.URL == nil {
		o.URL = func() string { return "" }
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = discordHeartbeat
	}
	return &Server{o: o, open: map[*conn]struct{}{}, sessions: map[string]*session{}}
}

// ServeHTTP upgrades the request to a websocket and serves it until it ends.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "the gateway refuses connections", http.StatusServiceUnavailable)
		return
	}
	defer s.serving.Done()

	taken := &takenOver{ResponseWriter: w}
	ws, err := websocket.Accept(taken, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer ws.CloseNow()
	// The request's own context means nothing once the connection is taken over.
	ctx, drop := context.WithCancel(context.WithoutCancel(r.Context()))
	defer drop()
	c := &conn{ws: ws, net: taken.conn, drop: drop, wake: make(chan struct{}, 1)}
	c.overdue = time.AfterFunc(s.heartbeatTimeout(), func() { s.timeOut(c) })
	defer c.overdue.Stop()
	s.serve(ctx, c, r.URL.Query().Get("v"))
}

// A takenOver remembers which connection was taken over for a websocket, which does not
// tell.
type takenOver struct {
	http.ResponseWriter
	conn net.Conn
}

func (t *takenOver) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(t.ResponseWriter).Hijack()
	t.conn = c
	return c, rw, err
}

// heartbeatTimeout is how long a connection may stay without a heartbeat.
func (s *Server) heartbeatTimeout() time.Duration { return s.o.Heartbeat * 3 / 2 }

// enter counts a request in, unless none are taken.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.refusing {
		return false
	}
	s.serving.Add(1)
	return true
}

// Dispatch sends an event to every session that asked for one of the bits in
// intent (0: to all of them), and keeps it for those that are away.
func (s *Server) Dispatch(intent int, e Event) {
	data := encode(e.Data)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sess := range s.sessions {
		if intent == 0 || sess.intents&intent != 0 {
			sess.dispatch(e.Name, data)
		}
	}
}

// Counts returns what was seen so far.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Sessions returns how many sessions there are, whether connected or waiting to be
// resumed.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// Close ends all connections, without a goodbye, refuses new ones and waits until
// nothing of the Server runs any more.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for c := range s.open {
		c.drop()
	}
	s.mu.Unlock()
	s.serving.Wait()
}
