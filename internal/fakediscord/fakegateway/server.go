// Package fakegateway is the server side of Discord's gateway: it says HELLO, lets
// clients IDENTIFY and RESUME, acknowledges heartbeats, and sends every session
// the events of its intents, numbered and kept for replay. It knows nothing about
// guilds or messages; the content of READY and the events come from its owner.
//
// It also misbehaves on demand, in the ways of the real gateway: see Fault,
// Server.Inject and Server.AnswerNext.
//
// Nothing here waits while holding a lock, so a Server works inside a test bubble
// with fake time.
package fakegateway

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// discordHeartbeat is the interval that Discord's HELLO names.
const discordHeartbeat = 41250 * time.Millisecond

// Options are the callbacks and settings of a Server. The zero value accepts every
// client with an empty READY.
type Options struct {
	// Identify answers an IDENTIFY: the data of READY (session_id,
	// resume_gateway_url and v are added) and the events that follow it, or a
	// close code, such as 4004 for a wrong token. It may be called by several
	// connections at once, and never with a lock of the Server held.
	Identify func(Identify) (ready map[string]any, after []Event, closeCode int)

	// Presence and VoiceState get the commands of clients. They may be called by several
	// connections at once, and never with a lock of the Server held. They may be nil.
	Presence   func(Presence)
	VoiceState func(VoiceState)

	// Members and Sounds answer requests of clients with events for the session that asks. They
	// are called as Presence is.
	Members func(MembersRequest) []Event
	Sounds  func(guilds []string, of Shard) []Event

	// Ended is called when a client has closed its session, without a lock of the Server.
	// It may be nil.
	Ended func(Shard)

	// Unbuilt is called for a connection that Discord would take and the Server cannot serve. It gets HTTP 501. It may be nil.
	Unbuilt func(what string)

	// URL is the server's URL, for resume_gateway_url. Nil leaves it empty.
	URL func() string

	// Heartbeat is the interval that HELLO names; 0 means Discord's 41.25 s.
	Heartbeat time.Duration

	// Strict closes a connection with 4009, and ends its session, when no
	// heartbeat came for one and a half intervals.
	Strict bool
}

// An Identify is the data of an IDENTIFY.
type Identify struct {
	Token      string            `json:"token"`
	Intents    int               `json:"intents"`
	Properties map[string]string `json:"properties"`
	Presence   *Presence         `json:"presence"` // may be nil
	Shard      *Shard            `json:"shard"`    // nil means all guilds
	Compress   bool              `json:"compress"`
	Large      int               `json:"large_threshold"` // 0 means the default
}

// OfShard is the shard that the session is for.
func (i Identify) OfShard() Shard {
	if i.Shard == nil {
		return Shard{}
	}
	return *i.Shard
}

// A Presence is the presence that a client requests.
type Presence struct {
	Status     string     `json:"status"`
	Activities []Activity `json:"activities"`
	Game       *Activity  `json:"game"` // what clients sent before there were Activities
	Since      *int64     `json:"since"`
	AFK        bool       `json:"afk"`
}

// An Activity is the activity in a Presence.
type Activity struct {
	Name  string `json:"name"`
	Type  int    `json:"type"`
	State string `json:"state"`
}

// A VoiceState is the voice channel that a client requests. A nil Channel means none. Clients write the IDs as strings or as
// numbers, and json.Number takes both.
type VoiceState struct {
	Guild   json.Number  `json:"guild_id"`
	Channel *json.Number `json:"channel_id"`
	Mute    bool         `json:"self_mute"`
	Deaf    bool         `json:"self_deaf"`
}

// An Event is the content of a dispatch. Data must be encodable as JSON.
type Event struct {
	Name  string
	Data  any
	Guild string // whose event it is, for shards; empty if it belongs to none

	// Bare, if it is not nil, is sent instead of Data to sessions without the intents in Needs.
	Needs int
	Bare  any
}

// Counts count what a Server has seen since it was made.
type Counts struct {
	Connections int // websockets opened, refused ones included
	Identifies  int
	Resumes     int
	Heartbeats  int
	Commands    int // presences, voice states and requests of sessions
}

// A Server is a gateway. It is safe for concurrent use.
type Server struct {
	o       Options
	serving sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	open     map[*conn]struct{}
	sessions map[string]*session
	made     int                    // sessions so far, for their IDs
	starts   map[string][]time.Time // of sessions within the last day, by token
	answers  []Fault
	counts   Counts
	deaf     bool // heartbeats get no ACK
	silent   bool // connections get no HELLO
	refusing bool // connections get HTTP 503
}

// New returns a Server without connections.
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
	if o.Members == nil {
		o.Members = func(MembersRequest) []Event { return nil }
	}
	if o.Sounds == nil {
		o.Sounds = func([]string, Shard) []Event { return nil }
	}
	if o.Ended == nil {
		o.Ended = func(Shard) {}
	}
	if o.Unbuilt == nil {
		o.Unbuilt = func(string) {}
	}
	if o.URL == nil {
		o.URL = func() string { return "" }
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = discordHeartbeat
	}
	return &Server{o: o, open: map[*conn]struct{}{}, sessions: map[string]*session{}, starts: map[string][]time.Time{}}
}

// ServeHTTP upgrades the request to a websocket and serves it until it ends.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "the gateway refuses connections", http.StatusServiceUnavailable)
		return
	}
	defer s.serving.Done()
	query := r.URL.Query()
	newPacker, known := packers[query.Get("compress")]
	if encoding := query.Get("encoding"); !known || encoding != "" && encoding != "json" {
		what := "a gateway with the encoding " + encoding + " and the compression " + query.Get("compress")
		s.o.Unbuilt(what)
		http.Error(w, "THE FAKE DISCORD CANNOT DO THIS: "+what+" is not built", http.StatusNotImplemented)
		return
	}

	taken := &takenOver{ResponseWriter: w}
	ws, err := websocket.Accept(taken, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer ws.CloseNow()
	// The request's context ends with the hijack.
	ctx, drop := context.WithCancel(context.WithoutCancel(r.Context()))
	defer drop()
	c := &conn{ws: ws, net: taken.conn, drop: drop, wake: make(chan struct{}, 1), version: query.Get("v"), packer: newPacker()}
	c.overdue = time.AfterFunc(s.heartbeatTimeout(), func() { s.timeOut(c) })
	defer c.overdue.Stop()
	s.serve(ctx, c)
}

// A takenOver keeps the hijacked connection of a websocket, which does not expose it.
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

// enter counts a request, unless connections are refused.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.refusing {
		return false
	}
	s.serving.Add(1)
	return true
}

// Dispatch sends an event to every session of its guild's shard with one of the bits in
// intent (0: to all of them), and keeps it for disconnected ones.
func (s *Server) Dispatch(intent int, e Event) {
	full, bare := encode(e.Data), encode(e.Bare)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sess := range s.sessions {
		data := full
		if e.Bare != nil && sess.intents&e.Needs == 0 {
			data = bare
		}
		if (intent == 0 || sess.intents&intent != 0) && sess.shard.Has(e.Guild) {
			sess.dispatch(e.Name, data)
		}
	}
}

// Counts returns the counts so far.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Sessions returns the number of sessions, connected or resumable.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// Close drops all connections, refuses new ones and waits until no goroutine of the
// Server runs any more.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for c := range s.open {
		c.drop()
	}
	s.mu.Unlock()
	s.serving.Wait()
}
