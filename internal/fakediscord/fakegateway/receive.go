package fakegateway

import (
	"encoding/json"
	"strings"
	"time"
)

// receive answers one payload of a client.
func (s *Server) receive(c *conn, text []byte) {
	var p payload
	switch {
	case !c.inTime():
		s.refuse(c, closeRateLimited)
		return
	case len(text) > maxPayload || json.Unmarshal(text, &p) != nil:
		s.refuse(c, closeDecodeError)
		return
	}
	switch p.Op {
	case opHeartbeat:
		s.heartbeat(c)
	case opIdentify:
		s.identify(c, p.Data)
	case opResume:
		s.resume(c, p.Data)
	case opPresence:
		command(s, c, p.Data, s.o.Presence)
	case opVoiceState:
		command(s, c, p.Data, s.o.VoiceState)
	case opRequestMembers:
		s.requestMembers(c, p.Data)
	case opRequestSounds:
		s.requestSounds(c, p.Data)
	default:
		s.refuse(c, closeUnknownOpcode)
	}
}

// refuse closes a connection with a code.
func (s *Server) refuse(c *conn, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.close(code)
}

// inTime counts a payload and reports whether the client keeps the rate limit.
func (c *conn) inTime() bool {
	now := time.Now()
	c.came = append(c.came, now)
	for now.Sub(c.came[0]) >= payloadWindow {
		c.came = c.came[1:]
	}
	return len(c.came) <= maxPayloads
}

// command passes a command of a session to its callback.
func command[T any](s *Server, c *conn, data json.RawMessage, tell func(T)) {
	var want T
	if json.Unmarshal(data, &want) != nil {
		s.refuse(c, closeDecodeError)
		return
	}
	if s.admit(c) {
		tell(want)
	}
}

// admit counts a command, and refuses it from a client without a session.
func (s *Server) admit(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.session == nil || c.session.starting {
		c.close(closeNotAuthenticated)
		return false
	}
	s.counts.Commands++
	return true
}

func (s *Server) heartbeat(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Heartbeats++
	c.overdue.Reset(s.heartbeatTimeout())
	if !s.deaf {
		c.send(control(opHeartbeatACK, nil))
	}
}

// timeOut ends a connection whose heartbeats have stopped.
func (s *Server) timeOut(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.o.Strict {
		s.forget(c)
		c.close(closeTimedOut)
	}
}

func (s *Server) identify(c *conn, data json.RawMessage) {
	var who Identify
	if json.Unmarshal(data, &who) != nil {
		s.refuse(c, closeDecodeError)
		return
	}
	if who.Shard != nil && !who.Shard.exists() {
		s.refuse(c, closeInvalidShard)
		return
	}
	who.Token = plainToken(who.Token)
	if !s.mayIdentify(c, who.Token) {
		return
	}
	sess := s.begin(c, who)
	ready, after, code := s.o.Identify(who)
	if code != 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.takeBackStart(who.Token)
		s.forget(c)
		c.close(code)
		return
	}
	s.ready(sess, c.version, ready, after)
}

// plainToken is a token without the prefix that it has in REST requests. Discord takes both.
func plainToken(token string) string { return strings.TrimPrefix(token, "Bot ") }

// mayIdentify counts an IDENTIFY, and answers it here if it is refused.
func (s *Server) mayIdentify(c *conn, token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Identifies++
	if c.session != nil {
		c.close(closeAlreadyIdentified)
		return false
	}
	if s.answer(c) {
		return false
	}
	if !s.spendStart(token) {
		InvalidSession(false).apply(s, c)
		return false
	}
	return true
}

func (s *Server) resume(c *conn, data json.RawMessage) {
	var want struct {
		Token     string `json:"token"`
		SessionID string `json:"session_id"`
		Sequence  int64  `json:"seq"`
	}
	if json.Unmarshal(data, &want) != nil {
		s.refuse(c, closeDecodeError)
		return
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Resumes++
	if c.session != nil {
		c.close(closeAlreadyIdentified)
		return
	}
	c.claimed = want.SessionID
	if s.answer(c) {
		return
	}
	sess := s.sessions[want.SessionID]
	switch {
	case sess == nil || sess.ended || sess.starting || !sess.remembers(want.Sequence):
		InvalidSession(false).apply(s, c)
	case sess.token != plainToken(want.Token):
		c.close(closeWrongToken)
	case want.Sequence > sess.last:
		c.close(closeInvalidSequence)
	default:
		sess.replay(c, want.Sequence)
	}
}

// answer gives the next prepared answer instead of the regular one, if there is one.
// The Server's mutex is held.
func (s *Server) answer(c *conn) bool {
	if len(s.answers) == 0 {
		return false
	}
	next := s.answers[0]
	s.answers = s.answers[1:]
	next.apply(s, c)
	return true
}
