package fakegateway

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// replayLimit is how many events a session keeps for a RESUME. A client that missed
// more has to IDENTIFY again, as with Discord.
const replayLimit = 10_000

// A session is started with IDENTIFY and resumed with RESUME. It is guarded by the
// Server's mutex.
type session struct {
	id      string
	token   string
	intents int
	shard   Shard
	deflate bool  // large payloads are compressed
	conn    *conn // nil while the client is disconnected
	ended   bool  // lasts as long as its connection and cannot be resumed

	// starting is set until READY is sent. Until then events wait in early, so that none is
	// lost between the state in READY and the events after it.
	starting bool
	early    []sent

	last int64  // the sequence of the newest event
	kept []sent // the newest events, for replay
}

// sent is an event of one session.
type sent struct {
	name     string
	data     json.RawMessage
	sequence int64
}

// text returns the event as a payload.
func (e sent) text() []byte {
	return encode(payload{Op: opDispatch, Data: e.data, Sequence: &e.sequence, Name: &e.name})
}

// dispatch numbers an event, keeps it and sends it if the client is connected.
func (s *session) dispatch(name string, data json.RawMessage) {
	if s.starting {
		s.early = append(s.early, sent{name: name, data: data})
		return
	}
	s.last++
	e := sent{name, data, s.last}
	s.kept = append(s.kept, e)
	if len(s.kept) > replayLimit {
		s.kept = slices.Delete(s.kept, 0, len(s.kept)-replayLimit)
	}
	if s.conn != nil {
		s.conn.dispatch(e.text(), s.deflate)
	}
}

// begin makes a session for an IDENTIFY. Its events wait until ready.
func (s *Server) begin(c *conn, who Identify) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	sess := &session{
		id: fmt.Sprintf("session-%d", s.made), token: who.Token, intents: who.Intents,
		shard: who.OfShard(), deflate: who.Compress && c.packer == nil, conn: c, starting: true,
	}
	s.sessions[sess.id] = sess
	c.session, c.claimed = sess, sess.id
	return sess
}

// ready sends READY, the events that belong to it, and those that waited.
func (s *Server) ready(sess *session, version string, ready map[string]any, after []Event) {
	data := maps.Clone(ready)
	if data == nil {
		data = map[string]any{}
	}
	data["v"] = json.Number(version)
	data["session_id"] = sess.id
	data["resume_gateway_url"] = s.o.URL()
	if sess.shard != (Shard{}) {
		data["shard"] = []int{sess.shard.Number, sess.shard.Count}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	sess.starting = false
	sess.dispatch("READY", encode(data))
	for _, e := range after {
		sess.dispatch(e.Name, encode(e.Data))
	}
	for _, e := range sess.early {
		sess.dispatch(e.name, e.data)
	}
	sess.early = nil
}

// remembers reports whether everything after a sequence can be replayed.
func (s *session) remembers(sequence int64) bool {
	return s.last-sequence <= int64(len(s.kept))
}

// replay gives the session a new connection and sends the events after a sequence, then
// RESUMED.
func (s *session) replay(c *conn, sequence int64) {
	if s.conn != nil {
		s.conn.drop()
	}
	s.conn, c.session = c, s
	for _, e := range s.kept {
		if e.sequence > sequence {
			c.dispatch(e.text(), s.deflate)
		}
	}
	s.dispatch("RESUMED", encode(map[string]any{}))
}

// forget ends the session that a connection has or wants to resume. The Server's mutex is
// held.
func (s *Server) forget(c *conn) {
	delete(s.sessions, c.claimed)
	c.session = nil
}
