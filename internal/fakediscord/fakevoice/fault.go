package fakevoice

import (
	"math/rand/v2"
	"time"
)

// A Direction is that of packets between a client and the Server.
type Direction int

// Up is from the client to the Server.
const (
	Up Direction = iota
	Down
)

// A Line is how well packets of one client get through in one direction. The zero value loses none. Shares are between 0 and 1.
type Line struct {
	Loss      float64       // share of packets that are lost
	Duplicate float64       // share of packets that come twice
	Reorder   float64       // share of packets that come 30 ms late, and so after the next one
	Delay     time.Duration // of all packets
	Jitter    time.Duration // further delay by chance, between none and this
	Burst     float64       // share of packets with which a time begins in which everything is lost
	BurstFor  time.Duration // how long that lasts
}

// late is the delay of a packet that comes after the next one, which is sent 20 ms after it.
const late = 30 * time.Millisecond

// A line is a Line in use.
type line struct {
	Line
	chance *rand.Rand
	silent time.Time // until then, everything is lost
}

// lineEnd names a line.
type lineEnd struct {
	user uint64
	Direction
}

// faults are those of a Server.
type faults struct {
	lines    map[lineEnd]*line
	refusing bool           // connections get HTTP 503
	deaf     bool           // heartbeats get no answer
	held     map[int]bool   // opcodes whose messages are held
	waiting  []heldMessage  // in their order
	spoilt   map[spoilt]int // how many are to be spoilt
}

type heldMessage struct {
	to *session
	message
}

type spoilt struct {
	user uint64
	op   int
}

func newFaults() faults {
	return faults{lines: map[lineEnd]*line{}, held: map[int]bool{}, spoilt: map[spoilt]int{}}
}

// SetLine says from now on how well a client's packets get through. The same Seed gives the same faults.
func (s *Server) SetLine(user uint64, d Direction, l Line) {
	s.locked(func() { s.line(user, d).Line = l })
}

// Silence loses all of a client's packets, both ways, for a time.
func (s *Server) Silence(user uint64, d time.Duration) {
	s.locked(func() {
		s.line(user, Up).silent, s.line(user, Down).silent = time.Now().Add(d), time.Now().Add(d)
	})
}

func (s *Server) line(user uint64, d Direction) *line {
	at := lineEnd{user, d}
	if s.faults.lines[at] == nil {
		s.faults.lines[at] = &line{chance: rand.New(rand.NewPCG(s.o.Seed, user<<1|uint64(d)))}
	}
	return s.faults.lines[at]
}

// arrivals are the delays with which a packet comes: none if it is lost, two if it comes twice.
func (l *line) arrivals(now time.Time) (delays []time.Duration) {
	if l.chance.Float64() < l.Burst {
		l.silent = now.Add(l.BurstFor)
	}
	if now.Before(l.silent) || l.chance.Float64() < l.Loss {
		return nil
	}
	delays = append(delays, l.delay())
	if l.chance.Float64() < l.Duplicate {
		delays = append(delays, l.delay())
	}
	return delays
}

func (l *line) delay() time.Duration {
	d := l.Delay
	if l.Jitter > 0 {
		d += time.Duration(l.chance.Int64N(int64(l.Jitter)))
	}
	if l.chance.Float64() < l.Reorder {
		d += late
	}
	return d
}

// carry has a packet come over a line, with the Server locked.
func (s *Server) carry(user uint64, d Direction, come func()) {
	for _, delay := range s.line(user, d).arrivals(time.Now()) {
		if delay == 0 {
			come()
			continue
		}
		time.AfterFunc(delay, func() {
			s.locked(func() {
				if !s.closed {
					come()
				}
			})
		})
	}
}

// Refuse answers new connections with HTTP 503 while on. Open ones stay.
func (s *Server) Refuse(on bool) { s.locked(func() { s.faults.refusing = on }) }

// StopACKs leaves heartbeats without an answer while on.
func (s *Server) StopACKs(on bool) { s.locked(func() { s.faults.deaf = on }) }

// Cut ends a user's connection at once, without a close frame. The session waits to be resumed, or is gone.
func (s *Server) Cut(user uint64, resumable bool) {
	s.with(user, func(x *session) {
		if x.conn != nil {
			x.conn.drop()
			x.lose()
		}
		if !resumable {
			x.end()
		}
	})
}

// CloseCode closes a user's connection with a code, after everything that was sent before. With 4015 the session can be resumed.
func (s *Server) CloseCode(user uint64, code int) { s.with(user, func(x *session) { x.close(code) }) }

// Tell sends a user's client any JSON message.
func (s *Server) Tell(user uint64, op int, data any) {
	s.with(user, func(x *session) { x.tell(op, data) })
}

// TellBinary sends a user's client any binary message.
func (s *Server) TellBinary(user uint64, op int, payload []byte) {
	s.with(user, func(x *session) { x.tellBinary(op, payload) })
}

// Hold keeps all messages with an opcode back until Release, as with 22 for transitions or 5 for who speaks with which SSRC.
func (s *Server) Hold(op int) { s.locked(func() { s.faults.held[op] = true }) }

// Release sends what Hold has kept back, and no longer does so.
func (s *Server) Release(op int) {
	s.locked(func() {
		delete(s.faults.held, op)
		waiting := s.faults.waiting
		s.faults.waiting = nil
		for _, m := range waiting {
			m.to.send(m.message)
		}
	})
}

// SpoilNext alters the next binary message with an opcode to a user: a commit (29) or a welcome (30) that cannot be used.
func (s *Server) SpoilNext(user uint64, op int) {
	s.locked(func() { s.faults.spoilt[spoilt{user, op}]++ })
}

// with runs f on a user's session, if there is one.
func (s *Server) with(user uint64, f func(*session)) {
	s.locked(func() {
		if x := s.session(user); x != nil {
			f(x)
		}
	})
}

// PreferCommits has the commits of one user win in a channel, whenever the user can commit. 0 takes whichever comes first.
func (s *Server) PreferCommits(channel, user uint64) {
	s.locked(func() { s.call(channel).preferred = user })
}

// Immediate has the transitions of a channel that commits begin be in force at once (with the id 0) while on.
func (s *Server) Immediate(channel uint64, on bool) {
	s.locked(func() { s.call(channel).immediate = on })
}

// Downgrade ends the end-to-end encryption of a channel's call.
func (s *Server) Downgrade(channel uint64) { s.locked(func() { s.call(channel).downgrade() }) }

// Upgrade begins it again.
func (s *Server) Upgrade(channel uint64) { s.locked(func() { s.call(channel).upgrade() }) }
