package fakevoice

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"discoclaw/internal/voice/dave"
)

// slack is how far a client may be behind the Server before that is a mistake.
const slack = 2 * time.Second

// A session is a client's stay in a call. It outlives its connection. The Server's mutex guards it.
type session struct {
	Ticket
	server *Server
	call   *call
	ssrc   uint32
	conn   *conn       // nil while the client is not connected
	expiry *time.Timer // ends the session unless the client comes back
	over   bool

	sequence int // of the last message
	kept     []sent
	acked    int

	address  net.Addr // nil before the discovery
	mode     string
	aead     cipher.AEAD // nil before the client has selected a mode
	counter  uint32      // of packets to the client
	nonces   map[uint32]bool
	last     uint16         // sequence of the last packet from the client
	sent     int            // packets from the client
	heard    map[uint64]int // packets to the client, by who speaks
	speaking int            // flags of the last op 5; -1 before it

	knowsSender bool   // it was sent the external sender
	keyPackage  []byte // the newest; nil before there is one
}

type sent struct {
	message
	sequence int
	at       time.Time
}

func (x *session) tell(op int, data any) { x.send(message{op: op, text: data}) }

func (x *session) tellBinary(op int, payload []byte) { x.send(message{op: op, binary: payload}) }

// send numbers a message, keeps it, and sends it if the client is connected.
func (x *session) send(m message) {
	f := &x.server.faults
	if x.over {
		return
	}
	if f.held[m.op] {
		f.waiting = append(f.waiting, heldMessage{x, m})
		return
	}
	if at := (spoilt{x.User, m.op}); f.spoilt[at] > 0 && m.binary != nil {
		f.spoilt[at]--
		m.binary = slices.Clone(m.binary)
		m.binary[len(m.binary)-1] ^= 1
	}
	x.sequence++
	x.kept = append(x.kept, sent{m, x.sequence, time.Now()})
	x.server.o.Trace(fmt.Sprintf("-> user %d op %d %v, %d bytes", x.User, m.op, m.text, len(m.binary)))
	if x.conn != nil {
		kind, data := m.encoded(x.sequence)
		x.conn.push(frame{kind: kind, data: data})
	}
}

// close closes the connection with a code. Only a crash leaves a session that can be resumed.
func (x *session) close(code int) {
	if x.conn != nil {
		x.conn.push(frame{code: code})
	}
	if code != closeCrashed {
		x.end()
	}
}

// lose waits for a while for a client that is no longer connected.
func (x *session) lose() {
	x.conn = nil
	x.expiry = time.AfterFunc(x.server.o.Resumable, func() {
		x.server.locked(func() {
			if x.conn == nil {
				x.end()
			}
		})
	})
}

// end takes the client out of the call.
func (x *session) end() {
	if x.over {
		return
	}
	x.over = true
	delete(x.server.sessions, x.ssrc)
	if x.expiry != nil {
		x.expiry.Stop()
	}
	x.call.leave(x)
}

// An opening is the data of an IDENTIFY or a RESUME.
type opening struct {
	Guild   string `json:"server_id"`
	User    string `json:"user_id"`
	Session string `json:"session_id"`
	Token   string `json:"token"`
	DAVE    int    `json:"max_dave_protocol_version"`
	ACK     *int   `json:"seq_ack"`
}

func (c *conn) receiveText(op int, data json.RawMessage) {
	switch {
	case op == opHeartbeat:
		c.heartbeat(data)
	case op == opIdentify || op == opResume:
		var o opening
		switch {
		case c.session != nil:
			c.refuse(closeAlreadyThere, "identified twice")
		case json.Unmarshal(data, &o) != nil:
			c.refuse(closeDecodeError, "opened with %s", data)
		case op == opIdentify:
			c.identify(o)
		default:
			c.resume(o)
		}
	case c.session == nil:
		c.refuse(closeNotAuthenticated, "sent op %d before it identified", op)
	case op == opSelect:
		c.session.choose(data)
	case op == opSpeaking:
		c.session.speak(data)
	case op == dave.OpTransitionReady || op == dave.OpInvalid:
		var d struct {
			ID *uint16 `json:"transition_id"`
		}
		if json.Unmarshal(data, &d) != nil || d.ID == nil {
			c.refuse(closeDecodeError, "sent op %d with %s", op, data)
		} else if op == dave.OpInvalid {
			c.session.call.invalid(c.session, *d.ID)
		} else {
			c.session.call.ready(c.session, *d.ID)
		}
	case op != opVideo && op != opFlags && op != opVersion:
		c.refuse(closeUnknownOpcode, "sent op %d", op)
	}
}

func (c *conn) receiveBinary(op int, payload []byte) {
	switch {
	case c.session == nil:
		c.refuse(closeNotAuthenticated, "sent the binary op %d before it identified", op)
	case op == dave.OpKeyPackage:
		c.session.call.offer(c.session, payload)
	case op == dave.OpCommitWelcome:
		c.session.call.commit(c.session, payload)
	default:
		c.refuse(closeUnknownOpcode, "sent the binary op %d", op)
	}
}

func (c *conn) heartbeat(data json.RawMessage) {
	c.overdue.Reset(c.server.o.Heartbeat * 3 / 2)
	var beat struct {
		T   json.RawMessage `json:"t"`
		ACK *int            `json:"seq_ack"`
	}
	if json.Unmarshal(data, &beat) != nil || beat.ACK == nil || len(beat.T) == 0 {
		c.server.complain("%s: sent the heartbeat %s", c.who(), data)
	} else if c.session != nil {
		least := c.session.acked
		for _, m := range c.session.kept {
			if time.Since(m.at) > slack {
				least = m.sequence
			}
		}
		c.session.acknowledge(*beat.ACK, least)
	}
	if !c.server.faults.deaf {
		c.say(opHeartbeatACK, map[string]any{"t": beat.T})
	}
}

// acknowledge forgets what a client has, and complains about numbers that cannot be right.
func (x *session) acknowledge(ack, least int) {
	if x.sequence > 0 && (ack < least || ack > x.sequence) {
		x.server.complain("user %d: acknowledged the sequence %d, between %d and %d", x.User, ack, least, x.sequence)
	}
	x.acked = max(x.acked, min(ack, x.sequence))
	x.kept = slices.DeleteFunc(x.kept, func(m sent) bool { return m.sequence <= x.acked })
}

func (c *conn) identify(o opening) {
	s := c.server
	at := slices.IndexFunc(s.tickets, func(t Ticket) bool {
		return strconv.FormatUint(t.Guild, 10) == o.Guild && strconv.FormatUint(t.User, 10) == o.User && t.Session == o.Session
	})
	switch {
	case at < 0:
		c.refuse(closeInvalidSession, "identified as user %s of server %s in a session that is not known", o.User, o.Guild)
		return
	case s.tickets[at].Token != o.Token:
		c.refuse(closeWrongToken, "identified as user %s with a wrong token", o.User)
		return
	case o.DAVE < 1 && !s.o.Plain:
		c.refuse(closeEncryption, "user %s cannot encrypt", o.User)
		return
	}
	t := s.tickets[at]
	for _, old := range s.sessions {
		if old.Guild == t.Guild && old.User == t.User {
			old.close(closeDisconnected)
		}
	}
	s.lastSSRC++
	x := &session{
		Ticket: t, server: s, call: s.call(t.Channel), ssrc: s.lastSSRC, conn: c,
		nonces: map[uint32]bool{}, heard: map[uint64]int{}, speaking: -1,
	}
	s.sessions[x.ssrc], c.session = x, x
	x.call.sessions = append(x.call.sessions, x)
	voice := s.o.Packets.LocalAddr().(*net.UDPAddr)
	x.tell(opReady, map[string]any{
		"ssrc": x.ssrc, "ip": voice.IP.String(), "port": voice.Port, "modes": s.o.Modes, "experiments": []string{}, "streams": []any{},
	})
}

func (c *conn) resume(o opening) {
	for _, x := range c.server.sessions {
		if x.Session != o.Session || x.Token != o.Token || strconv.FormatUint(x.Guild, 10) != o.Guild {
			continue
		}
		if o.ACK == nil {
			c.server.complain("user %d: resumed without a sequence", x.User)
			o.ACK = &x.acked
		}
		x.acknowledge(*o.ACK, x.acked)
		if x.conn != nil {
			x.conn.session = nil
			x.conn.drop()
		}
		if x.expiry != nil {
			x.expiry.Stop()
		}
		x.conn, c.session = c, x
		c.say(opResumed, nil)
		for i, m := range x.kept {
			x.kept[i].at = time.Now()
			kind, data := m.encoded(m.sequence)
			c.push(frame{kind: kind, data: data})
		}
		return
	}
	c.push(frame{code: closeInvalidSession}) // which is no mistake: the session has ended
}

// choose takes op 1, and describes the session.
func (x *session) choose(data json.RawMessage) {
	var d struct {
		Protocol string `json:"protocol"`
		Data     struct {
			Address string `json:"address"`
			Port    int    `json:"port"`
			Mode    string `json:"mode"`
		} `json:"data"`
	}
	switch {
	case json.Unmarshal(data, &d) != nil || d.Protocol != "udp":
		x.conn.refuse(closeWrongProtocol, "selected %s", data)
		return
	case !slices.Contains(x.server.o.Modes, d.Data.Mode):
		x.conn.refuse(closeWrongMode, "selected the mode %q", d.Data.Mode)
		return
	case x.address == nil || x.address.String() != net.JoinHostPort(d.Data.Address, strconv.Itoa(d.Data.Port)):
		x.server.complain("user %d: selected the address %s:%d, but is at %v", x.User, d.Data.Address, d.Data.Port, x.address)
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // which never fails
	first := x.aead == nil
	x.mode, x.aead, x.counter, x.nonces = d.Data.Mode, newAEAD(d.Data.Mode, key), 0, map[uint32]bool{}
	numbers := make([]int, len(key))
	for i, b := range key {
		numbers[i] = int(b)
	}
	x.call.describe(x, first, map[string]any{
		"mode": x.mode, "secret_key": numbers, "dave_protocol_version": x.call.version,
		"audio_codec": "opus", "video_codec": "H264", "media_session_id": "fake",
	})
}

// speak takes op 5, and tells the others which SSRC is whose.
func (x *session) speak(data json.RawMessage) {
	var d struct {
		Speaking *int   `json:"speaking"`
		SSRC     uint32 `json:"ssrc"`
	}
	if json.Unmarshal(data, &d) != nil || d.Speaking == nil || d.SSRC != x.ssrc {
		x.server.complain("user %d: sent op 5 with %s, though its SSRC is %d", x.User, data, x.ssrc)
		return
	}
	x.speaking = *d.Speaking
	for _, other := range x.call.sessions {
		if other != x && other.aead != nil {
			other.tell(opSpeaking, x.speech())
		}
	}
}

func (x *session) speech() any {
	return map[string]any{"user_id": strconv.FormatUint(x.User, 10), "ssrc": x.ssrc, "speaking": x.speaking}
}
