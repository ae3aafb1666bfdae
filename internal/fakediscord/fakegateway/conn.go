package fakegateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// The operations of gateway payloads, by Discord's documentation ("Gateway
// Opcodes").
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opPresence       = 3
	opVoiceState     = 4
	opResume         = 6
	opReconnect      = 7
	opRequestMembers = 8
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatACK   = 11
	opRequestSounds  = 31
)

// The close codes that a Server uses by itself.
const (
	closeUnknownOpcode     = 4001
	closeDecodeError       = 4002
	closeNotAuthenticated  = 4003
	closeWrongToken        = 4004
	closeAlreadyIdentified = 4005
	closeInvalidSequence   = 4007
	closeRateLimited       = 4008
	closeTimedOut          = 4009
	closeInvalidShard      = 4010
	closeWrongVersion      = 4012
)

// maxPayload is the size limit of a client's payload, by Discord's documentation
// ("Sending Events").
const maxPayload = 4096

// The rate limit of a client's payloads, by Discord's documentation ("Rate
// Limiting").
const (
	maxPayloads   = 120
	payloadWindow = time.Minute
)

// A payload is one message on the websocket.
type payload struct {
	Op       int             `json:"op"`
	Data     json.RawMessage `json:"d"`
	Sequence *int64          `json:"s"`
	Name     *string         `json:"t"`
}

// A frame is queued for the writer: a text, which may have to be compressed by itself, or a close code.
type frame struct {
	text    []byte
	deflate bool
	code    int
}

// A conn is one websocket. Its writer empties a queue, so that sending never blocks
// and keeps its order.
type conn struct {
	ws      *websocket.Conn
	net     net.Conn           // below it
	drop    context.CancelFunc // closes the connection without a close frame
	wake    chan struct{}      // tells the writer that the queue has something
	version string             // that the client asked for
	packer  packer             // the writer's own; nil without a transport compression
	overdue *time.Timer        // fires when heartbeats stop
	came    []time.Time        // times of its payloads within the window; the reader's own

	// Guarded by the Server's mutex.
	queue   []frame
	closing bool // a close frame was queued
	session *session
	claimed string // the ID of the session it identified or wants to resume
}

// send queues a text. The Server's mutex is held.
func (c *conn) send(text []byte) { c.push(frame{text: text}) }

// dispatch queues the text of an event. The Server's mutex is held.
func (c *conn) dispatch(text []byte, deflate bool) {
	c.push(frame{text: text, deflate: deflate && len(text) > smallPayload})
}

// close queues a close frame, after everything queued before. The Server's mutex
// is held.
func (c *conn) close(code int) {
	c.closing = true
	c.push(frame{code: code})
}

func (c *conn) push(f frame) {
	c.queue = append(c.queue, f)
	select {
	case c.wake <- struct{}{}:
	default: // the writer is awake already
	}
}

// serve runs a connection until it ends.
func (s *Server) serve(ctx context.Context, c *conn) {
	var writing sync.WaitGroup
	writing.Go(func() { s.write(ctx, c) })
	defer writing.Wait()
	defer c.drop()

	s.welcome(c)
	c.ws.SetReadLimit(1 << 20) // longer payloads get Discord's close code
	for {
		_, data, err := c.ws.Read(ctx)
		if err != nil {
			s.goodbye(c, websocket.CloseStatus(err))
			return
		}
		s.receive(c, data)
	}
}

func (s *Server) welcome(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Connections++
	s.open[c] = struct{}{}
	switch {
	case s.closed:
		c.drop()
	case c.version != "9" && c.version != "10":
		c.close(closeWrongVersion)
	case !s.silent:
		c.send(control(opHello, map[string]any{"heartbeat_interval": s.o.Heartbeat.Milliseconds()}))
	}
}

// goodbye removes a connection that has ended. A client that closes with 1000 or 1001
// ends its session; after any other end the session can be resumed.
func (s *Server) goodbye(c *conn, code websocket.StatusCode) {
	if shard, ended := s.part(c, code); ended {
		s.o.Ended(shard)
	}
}

// part is goodbye with the Server locked. It reports whether the session has ended.
func (s *Server) part(c *conn, code websocket.StatusCode) (of Shard, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
	if c.session == nil {
		return Shard{}, false
	}
	of = c.session.shard
	if c.session.conn == c {
		c.session.conn = nil
	}
	// Our own close frame comes back as an echo and says nothing about the client.
	gaveUp := !c.closing && (code == websocket.StatusNormalClosure || code == websocket.StatusGoingAway)
	if gaveUp || c.session.ended {
		s.forget(c)
		return of, true
	}
	return of, false
}

// write sends the queue, in order, until the connection ends.
func (s *Server) write(ctx context.Context, c *conn) {
	for {
		for _, f := range s.queued(c) {
			if f.code != 0 {
				_ = c.ws.Close(websocket.StatusCode(f.code), "") // the connection is over either way
				return
			}
			kind, data := c.encoded(f)
			if c.ws.Write(ctx, kind, data) != nil {
				return // the reader sees the same end
			}
		}
		select {
		case <-c.wake:
		case <-ctx.Done():
			return
		}
	}
}

// encoded is a text as it is sent. What is compressed is binary.
func (c *conn) encoded(f frame) (websocket.MessageType, []byte) {
	switch {
	case c.packer != nil:
		return websocket.MessageBinary, c.packer.pack(f.text)
	case f.deflate:
		return websocket.MessageBinary, deflated(f.text)
	}
	return websocket.MessageText, f.text
}

func (s *Server) queued(c *conn) []frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := c.queue
	c.queue = nil
	return q
}

// control returns the text of a payload that is no dispatch.
func control(op int, data any) []byte {
	return encode(payload{Op: op, Data: encode(data)})
}

// encode panics on data that is no JSON: a mistake in the program that uses the fake.
func encode(data any) json.RawMessage {
	text, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("fakegateway: data that cannot be sent: %v", err))
	}
	return text
}
