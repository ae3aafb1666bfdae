package fakegateway

// A Fault is something that a gateway may do to a connection at any time.
type Fault struct {
	apply func(s *Server, c *conn) // with the Server's mutex held
}

// Reconnect asks the client to reconnect and resume (op 7).
func Reconnect() Fault {
	return Fault{func(_ *Server, c *conn) { c.send(control(opReconnect, nil)) }}
}

// InvalidSession tells the client that its session is invalid (op 9). If it is not
// resumable, it is gone. Otherwise it can be resumed, over the same connection or another.
func InvalidSession(resumable bool) Fault {
	return Fault{func(s *Server, c *conn) {
		if !resumable {
			s.forget(c)
		} else if c.session != nil {
			c.session.conn, c.session = nil, nil
		}
		c.send(control(opInvalidSession, resumable))
	}}
}

// CloseCode closes the websocket with a code, after everything that was sent
// before. The session stays.
func CloseCode(code int) Fault {
	return Fault{func(_ *Server, c *conn) { c.close(code) }}
}

// Drop ends the connection at once, without a close frame: the client reads its end
// (FIN). What was not written yet stays unsent; the session stays.
func Drop() Fault {
	return Fault{func(_ *Server, c *conn) { c.drop() }}
}

// Reset is Drop for a connection that breaks: the client's read fails with ECONNRESET
// (RST). That takes a connection with a SetLinger method, as those of TCP and of memnet
// have; on any other, it panics.
func Reset() Fault {
	return Fault{func(_ *Server, c *conn) {
		_ = c.net.(interface{ SetLinger(sec int) error }).SetLinger(0) // it only fails on one that is over
		c.drop()
	}}
}

// Silence does nothing. As an answer to IDENTIFY or RESUME, it leaves the client without one,
// though heartbeats are acknowledged.
func Silence() Fault { return Fault{func(*Server, *conn) {}} }

// RequestHeartbeat asks the client for a heartbeat (op 1).
func RequestHeartbeat() Fault {
	return Fault{func(_ *Server, c *conn) { c.send(control(opHeartbeat, nil)) }}
}

// Inject applies f to every open connection.
func (s *Server) Inject(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		f.apply(s, c)
	}
}

// AnswerNext gives these answers to the next IDENTIFYs and RESUMEs instead of the
// regular ones, one each, in order. It appends to the prepared ones.
func (s *Server) AnswerNext(answers ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, answers...)
}

// StopACKs leaves heartbeats without an answer while on.
func (s *Server) StopACKs(on bool) { s.set(&s.deaf, on) }

// WithholdHello gives new connections no HELLO while on.
func (s *Server) WithholdHello(on bool) { s.set(&s.silent, on) }

// Refuse answers new connections with HTTP 503 while on. Open ones stay.
func (s *Server) Refuse(on bool) { s.set(&s.refusing, on) }

func (s *Server) set(flag *bool, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*flag = on
}

// ForgetSessions ends every session, as Discord does some minutes after a client
// has disconnected. A connected client still gets events; its next RESUME is refused.
func (s *Server) ForgetSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, sess := range s.sessions {
		sess.ended = true
		if sess.conn == nil {
			delete(s.sessions, id)
		}
	}
}
