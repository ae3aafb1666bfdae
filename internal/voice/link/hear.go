package link

import (
	"errors"
	"maps"
	"time"

	"discoclaw/internal/voice/dave"
)

const (
	maxStreams = 1024             // of one session
	maxHeld    = 100              // frames of a stream before it is known whose it is
	strange    = 10 * time.Second // after which a stream without an owner is forgotten if nothing comes
)

// A stream is what comes with one SSRC.
type stream struct {
	user uint64  // 0 until it is known
	held []Frame // meanwhile
	last time.Time
	jitter
}

// take takes a datagram.
func (m *media) take(p []byte, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.aead == nil {
		return
	}
	h, payload, ok := openPacket(m.aead, p)
	if !ok {
		return // no sound, or not from the server
	}
	s := m.stream(h.ssrc, now)
	if s == nil {
		return
	}
	s.last = now
	f := Frame{User: s.user, SSRC: h.ssrc, Sequence: h.sequence, Timestamp: h.timestamp, Opus: payload}
	if s.user != 0 {
		m.open(s, f, now)
		return
	}
	if len(s.held) == maxHeld {
		s.held = append(s.held[:0], s.held[1:]...)
	}
	s.held = append(s.held, f)
}

// stream returns the stream of an SSRC, a new one if need be; or nil if there are too many.
func (m *media) stream(ssrc uint32, now time.Time) *stream {
	if s := m.streams[ssrc]; s != nil {
		return s
	}
	maps.DeleteFunc(m.streams, func(_ uint32, s *stream) bool { return s.user == 0 && now.Sub(s.last) > strange })
	if len(m.streams) >= maxStreams {
		return nil
	}
	s := &stream{last: now}
	m.streams[ssrc] = s
	return s
}

// open decrypts a frame whose speaker is known.
func (m *media) open(s *stream, f Frame, now time.Time) {
	opus, err := m.dave.Open(s.user, f.Opus)
	switch {
	case errors.Is(err, dave.ErrReplayed):
		return
	case err != nil, len(opus) == 0:
		m.call.tally.add(&m.call.tally.Unopened, 1)
		return
	}
	f.User, f.Opus = s.user, opus
	s.put(f, now)
}

// introduce takes whose an SSRC is (op 5), and opens what has come from there before. A user has one stream.
func (m *media) introduce(user uint64, ssrc uint32, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.streams[ssrc]; s != nil && s.user == user {
		return
	} else if s != nil && s.user != 0 {
		m.drop(ssrc, now)
	}
	m.dropAll(user, now)
	s := m.stream(ssrc, now)
	if s == nil {
		return
	}
	s.user = user
	for _, f := range s.held {
		m.open(s, f, now)
	}
	s.held = nil
	if m.aead != nil {
		_ = m.conn.SetReadDeadline(now) // who reads there has to look when the next frame is due
	}
}

// forget takes that a user has gone (op 13).
func (m *media) forget(user uint64, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropAll(user, now)
}

func (m *media) dropAll(user uint64, now time.Time) {
	for ssrc, s := range m.streams {
		if s.user == user {
			m.drop(ssrc, now)
		}
	}
}

// drop forgets a stream after passing on what waits.
func (m *media) drop(ssrc uint32, now time.Time) {
	m.pass(m.streams[ssrc], now.Add(patience))
	delete(m.streams, ssrc)
}

// pass passes on what has waited long enough.
func (m *media) pass(s *stream, now time.Time) {
	for {
		f, lost, ok := s.take(now)
		if !ok {
			return
		}
		m.call.tally.add(&m.call.tally.Lost, lost)
		m.call.hear(f)
	}
}

// passAll passes on what has waited long enough, and sets when to look again, at the latest at a time.
func (m *media) passAll(now, latest time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.streams {
		m.pass(s, now)
		if due, some := s.due(); some && due.Before(latest) {
			latest = due
		}
	}
	return m.conn.SetReadDeadline(latest)
}
