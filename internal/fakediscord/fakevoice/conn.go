package fakevoice

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// The opcodes of the voice gateway, but for those that the package dave names.
const (
	opIdentify     = 0
	opSelect       = 1
	opReady        = 2
	opHeartbeat    = 3
	opDescription  = 4
	opSpeaking     = 5
	opHeartbeatACK = 6
	opResume       = 7
	opHello        = 8
	opResumed      = 9
	opConnect      = 11
	opVideo        = 12
	opDisconnect   = 13
	opFlags        = 15
	opVersion      = 16
)

// The close codes that a Server uses by itself.
// https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice
const (
	closeUnknownOpcode    = 4001
	closeDecodeError      = 4002
	closeNotAuthenticated = 4003
	closeWrongToken       = 4004
	closeAlreadyThere     = 4005
	closeInvalidSession   = 4006
	closeTimedOut         = 4009
	closeWrongProtocol    = 4012
	closeDisconnected     = 4014
	closeCrashed          = 4015
	closeWrongMode        = 4016
	closeEncryption       = 4017
)

// A message is one of the Server's, without its sequence.
type message struct {
	op     int
	text   any    // of a JSON message
	binary []byte // of a binary one; nil for JSON
}

// encoded returns a message as it is sent. A negative sequence is none.
func (m message) encoded(sequence int) (websocket.MessageType, []byte) {
	if m.binary != nil {
		head := binary.BigEndian.AppendUint16(nil, uint16(sequence))
		return websocket.MessageBinary, append(append(head, byte(m.op)), m.binary...)
	}
	payload := map[string]any{"op": m.op, "d": m.text}
	if sequence >= 0 {
		payload["seq"] = sequence
	}
	text, err := json.Marshal(payload)
	if err != nil {
		panic(fmt.Sprintf("fakevoice: data that cannot be sent: %v", err))
	}
	return websocket.MessageText, text
}

// A frame is queued for the writer.
type frame struct {
	kind websocket.MessageType
	data []byte
	code int // of a close frame; 0 is none
}

// A conn is one websocket. Its writer empties a queue, so that sending never blocks and keeps its order. What can change is guarded by
// the Server's mutex.
type conn struct {
	server  *Server
	ws      *websocket.Conn
	drop    context.CancelFunc // closes the connection without a close frame
	wake    chan struct{}
	overdue *time.Timer // fires when heartbeats stop
	queue   []frame
	closing bool     // a close frame was queued
	session *session // nil before the client has identified
}

func (c *conn) push(f frame) {
	if c.closing {
		return
	}
	c.closing = f.code != 0
	c.queue = append(c.queue, f)
	select {
	case c.wake <- struct{}{}:
	default: // the writer is awake already
	}
}

// say sends a message that has no sequence and is not repeated.
func (c *conn) say(op int, data any) {
	c.server.o.Trace(fmt.Sprintf("-> op %d", op))
	kind, text := message{op: op, text: data}.encoded(-1)
	c.push(frame{kind: kind, data: text})
}

// refuse closes the connection because of a mistake of the client.
func (c *conn) refuse(code int, format string, args ...any) {
	c.server.complain("%s: %s", c.who(), fmt.Sprintf(format, args...))
	c.push(frame{code: code})
}

func (c *conn) who() string {
	if c.session == nil {
		return "somebody"
	}
	return fmt.Sprintf("user %d", c.session.User)
}

// ServeHTTP upgrades the request to a websocket and serves it until it ends.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	refused := s.closed || s.faults.refusing
	if !refused {
		s.serving.Add(1)
	}
	s.mu.Unlock()
	if refused {
		http.Error(w, "the voice server refuses connections", http.StatusServiceUnavailable)
		return
	}
	defer s.serving.Done()
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer ws.CloseNow()
	// The request's context ends with the hijack.
	ctx, drop := context.WithCancel(context.WithoutCancel(r.Context()))
	c := &conn{server: s, ws: ws, drop: drop, wake: make(chan struct{}, 1)}
	var writing sync.WaitGroup
	writing.Go(func() { c.write(ctx) })
	defer writing.Wait()
	defer drop()
	s.locked(func() { c.welcome(r.URL.Query().Get("v")) })
	c.read(ctx)
}

func (c *conn) welcome(version string) {
	s := c.server
	s.open[c] = struct{}{}
	c.overdue = time.AfterFunc(s.o.Heartbeat*3/2, func() {
		s.locked(func() {
			if !c.closing && s.alive(c) {
				c.refuse(closeTimedOut, "sent no heartbeat for one and a half intervals")
			}
		})
	})
	switch {
	case s.closed:
		c.drop()
	case version != "8":
		c.refuse(closeWrongProtocol, "asked for version %q of the voice gateway", version)
	default:
		c.say(opHello, map[string]any{"v": 8, "heartbeat_interval": float64(s.o.Heartbeat) / float64(time.Millisecond)})
	}
}

func (s *Server) alive(c *conn) bool {
	_, open := s.open[c]
	return open
}

// read receives until the connection ends. A client that closes it ends its session; after any other end the session can be resumed.
func (c *conn) read(ctx context.Context) {
	for {
		kind, data, err := c.ws.Read(ctx)
		if err != nil {
			c.server.locked(func() { c.over(websocket.CloseStatus(err)) })
			return
		}
		c.server.locked(func() {
			if !c.closing {
				c.receive(kind, data)
			}
		})
	}
}

func (c *conn) over(code websocket.StatusCode) {
	delete(c.server.open, c)
	c.overdue.Stop()
	x := c.session
	if x == nil || x.conn != c {
		return
	}
	x.lose()
	if !c.closing && (code == websocket.StatusNormalClosure || code == websocket.StatusGoingAway) {
		x.end()
	}
}

func (c *conn) write(ctx context.Context) {
	for {
		c.server.mu.Lock()
		queue := c.queue
		c.queue = nil
		c.server.mu.Unlock()
		for _, f := range queue {
			if f.code != 0 {
				_ = c.ws.Close(websocket.StatusCode(f.code), "") // the connection is over either way
				return
			}
			if c.ws.Write(ctx, f.kind, f.data) != nil {
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

// receive takes one message of a client.
func (c *conn) receive(kind websocket.MessageType, data []byte) {
	if kind == websocket.MessageBinary {
		if len(data) == 0 || bytes.HasPrefix(data, []byte("{")) {
			c.server.complain("%s: sent a binary message without an opcode, as JSON in it would be", c.who())
			return // as Discord ignores it
		}
		c.server.o.Trace(fmt.Sprintf("<- %s op %d, %d bytes", c.who(), data[0], len(data)-1))
		c.receiveBinary(int(data[0]), data[1:])
		return
	}
	var m struct {
		Op   *int            `json:"op"`
		Data json.RawMessage `json:"d"`
	}
	if json.Unmarshal(data, &m) != nil || m.Op == nil {
		c.refuse(closeDecodeError, "sent %.60q", data)
		return
	}
	c.server.o.Trace(fmt.Sprintf("<- %s op %d %s", c.who(), *m.Op, m.Data))
	c.receiveText(*m.Op, m.Data)
}
