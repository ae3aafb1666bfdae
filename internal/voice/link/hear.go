package link

import (
	"crypto/cipher"
	"errors"
	"maps"
	"net"
	"sync"
	"time"

	"discoclaw/internal/voice/dave"
)

const (
	maxStreams = 1024             // of one session
	maxHeld    = 100              // frames of a stream before it is known whose it is
	strange    = 10 * time.Second // after which a stream without an owner is forgotten if nothing comes
)

// Ears open what comes in during one session and pass it on in order. The goroutine that reads UDP and the one that reads the gateway
// share them.
type ears struct {
	dave *dave.Controller
	call *Call

	mu      sync.Mutex
	conn    net.Conn
	aead    cipher.AEAD // nil until the server has told the key
	streams map[uint32]*stream
}

// A stream is what comes with one SSRC.
type stream struct {
	user uint64  // 0 until it is known
	held []Frame // meanwhile
	last time.Time
	jitter
}

func newEars(c *Call, d *dave.Controller) *ears {
	return &ears{dave: d, call: c, streams: map[uint32]*stream{}}
}

func (e *ears) key(conn net.Conn, aead cipher.AEAD) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.conn, e.aead = conn, aead
}

// take takes a datagram.
func (e *ears) take(p []byte, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.aead == nil {
		return
	}
	h, payload, ok := openPacket(e.aead, p)
	if !ok {
		return // no sound, or not from the server
	}
	s := e.stream(h.ssrc, now)
	if s == nil {
		return
	}
	s.last = now
	f := Frame{User: s.user, SSRC: h.ssrc, Sequence: h.sequence, Timestamp: h.timestamp, Opus: payload}
	if s.user != 0 {
		e.open(s, f, now)
		return
	}
	if len(s.held) == maxHeld {
		s.held = append(s.held[:0], s.held[1:]...)
	}
	s.held = append(s.held, f)
}

// stream returns the stream of an SSRC, a new one if need be; or nil if there are too many.
func (e *ears) stream(ssrc uint32, now time.Time) *stream {
	if s := e.streams[ssrc]; s != nil {
		return s
	}
	maps.DeleteFunc(e.streams, func(_ uint32, s *stream) bool { return s.user == 0 && now.Sub(s.last) > strange })
	if len(e.streams) >= maxStreams {
		return nil
	}
	s := &stream{last: now}
	e.streams[ssrc] = s
	return s
}

// open decrypts a frame whose speaker is known.
func (e *ears) open(s *stream, f Frame, now time.Time) {
	opus, err := e.dave.Open(s.user, f.Opus)
	switch {
	case errors.Is(err, dave.ErrReplayed):
		return
	case err != nil, len(opus) == 0:
		e.call.tally.unopened()
		return
	}
	f.User, f.Opus = s.user, opus
	s.put(f, now)
}

// introduce takes whose an SSRC is (op 5), and opens what has come from there before. A user has one stream.
func (e *ears) introduce(user uint64, ssrc uint32, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.streams[ssrc]; s != nil && s.user == user {
		return
	} else if s != nil && s.user != 0 {
		e.drop(ssrc, now)
	}
	e.dropAll(user, now)
	s := e.stream(ssrc, now)
	if s == nil {
		return
	}
	s.user = user
	for _, f := range s.held {
		e.open(s, f, now)
	}
	s.held = nil
	if e.conn != nil {
		_ = e.conn.SetReadDeadline(now) // who reads there has to look when the next frame is due
	}
}

// forget takes that a user has gone (op 13).
func (e *ears) forget(user uint64, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dropAll(user, now)
}

func (e *ears) dropAll(user uint64, now time.Time) {
	for ssrc, s := range e.streams {
		if s.user == user {
			e.drop(ssrc, now)
		}
	}
}

// drop forgets a stream after passing on what waits.
func (e *ears) drop(ssrc uint32, now time.Time) {
	e.pass(e.streams[ssrc], now.Add(patience))
	delete(e.streams, ssrc)
}

// pass passes on what has waited long enough.
func (e *ears) pass(s *stream, now time.Time) {
	for {
		f, lost, ok := s.take(now)
		if !ok {
			return
		}
		e.call.tally.missed(lost)
		e.call.hear(f)
	}
}

// passAll passes on what has waited long enough, and sets when to look again, at the latest at a time.
func (e *ears) passAll(conn net.Conn, now, latest time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.streams {
		e.pass(s, now)
		if due, some := s.due(); some && due.Before(latest) {
			latest = due
		}
	}
	return conn.SetReadDeadline(latest)
}
