// Package fakevoice is a voice server of Discord: the voice gateway (a websocket, version 8), the server that forwards the packets of a
// call, and its part in end-to-end encryption (DAVE), in which it proposes who joins and leaves a call's group and chooses whose commit
// counts.
//
// A test makes a Server with New, serves it as an http.Handler at the endpoint that clients are told, and says with Admit who may come.
// Datagrams travel in memory, so that all of it works inside a bubble with fake time, or over a real socket, for clients in other
// programs. Who is in a call, how far its encryption is, and how many packets went to whom can be looked at any time.
//
// It also misbehaves on demand: see Server.SetLine for bad networks and the methods in fault.go for the gateway. What a client does wrong
// is written down; see Server.Complaints. A server that breaks down and is replaced is two of them.
package fakevoice

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/memnet"
	"discoclaw/internal/voice/dave/davetest"
)

// discordHeartbeat is the interval that Discord's HELLO names.
const discordHeartbeat = 13750 * time.Millisecond

// Options are the settings of a Server. With the zero value it works in memory, as Discord does.
type Options struct {
	// Packets carries the datagrams; the Server closes it. Nil means in memory, where clients use Server.DialUDP.
	Packets net.PacketConn

	// Plain makes calls begin without end-to-end encryption, as on stages.
	Plain bool

	// Modes are the transport encryptions on offer; nil means both that Discord has.
	Modes []string

	// Heartbeat is the interval that HELLO names; 0 means Discord's 13.75 s.
	Heartbeat time.Duration

	// Resumable is how long a session waits for its client to resume; 0 means a minute.
	Resumable time.Duration

	// SenderFirst sends the external sender before the session description and not after it. Both orders occur.
	SenderFirst bool

	// Seed is that of all faults that depend on chance.
	Seed uint64

	// Trace gets a line for each message of the gateway, with a lock of the Server held. It may be nil.
	Trace func(string)
}

// A Ticket lets a user into a channel: the token of VOICE_SERVER_UPDATE and the session of VOICE_STATE_UPDATE.
type Ticket struct {
	Guild, Channel, User uint64
	Session, Token       string
}

// A Server is a voice server. It is safe for concurrent use.
type Server struct {
	o       Options
	sender  *davetest.Sender
	serving sync.WaitGroup

	mu         sync.Mutex
	closed     bool
	changed    chan struct{} // closed and replaced whenever something changes
	tickets    []Ticket
	open       map[*conn]struct{}
	sessions   map[uint32]*session // by SSRC
	lastSSRC   uint32
	calls      map[uint64]*call // by channel
	complaints []string
	faults     faults
}

// New returns a Server without calls.
func New(o Options) *Server {
	if o.Packets == nil {
		o.Packets = memnet.NewPackets()
	}
	if o.Modes == nil {
		o.Modes = []string{GCM, XChaCha}
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = discordHeartbeat
	}
	if o.Resumable == 0 {
		o.Resumable = time.Minute
	}
	if o.Trace == nil {
		o.Trace = func(string) {}
	}
	s := &Server{
		o: o, sender: davetest.NewSender(), changed: make(chan struct{}), open: map[*conn]struct{}{},
		sessions: map[uint32]*session{}, lastSSRC: 1000, calls: map[uint64]*call{}, faults: newFaults(),
	}
	s.serving.Go(s.receivePackets)
	return s
}

// Close drops all connections, refuses new ones and waits until no goroutine of the Server runs any more.
func (s *Server) Close() {
	s.locked(func() {
		s.closed = true
		for c := range s.open {
			c.drop()
		}
		for _, x := range s.sessions {
			x.end()
		}
		_ = s.o.Packets.Close()
	})
	s.serving.Wait()
}

// DialUDP reaches the Server's datagrams in memory.
func (s *Server) DialUDP(ctx context.Context, address string) (net.Conn, error) {
	inMemory, ok := s.o.Packets.(*memnet.Packets)
	if !ok {
		return nil, fmt.Errorf("dial %s: the datagrams of this voice server travel over a socket", address)
	}
	return inMemory.Dial(ctx, address)
}

// Admit lets a user into a channel. Earlier tickets of the user on the same server are void; a connection to another channel is closed
// with 4014, as it is for a user who was moved.
func (s *Server) Admit(t Ticket) {
	s.locked(func() {
		s.withdraw(t.Guild, t.User)
		s.tickets = append(s.tickets, t)
		for _, x := range s.sessions {
			if x.Guild == t.Guild && x.User == t.User && x.Channel != t.Channel {
				x.close(closeDisconnected)
			}
		}
	})
}

// Expel voids the tickets of a user on a server, and closes their connection with 4014, as for one who was disconnected or has left.
func (s *Server) Expel(guild, user uint64) {
	s.locked(func() {
		s.withdraw(guild, user)
		for _, x := range s.sessions {
			if x.Guild == guild && x.User == user {
				x.close(closeDisconnected)
			}
		}
	})
}

func (s *Server) withdraw(guild, user uint64) {
	s.tickets = slices.DeleteFunc(s.tickets, func(t Ticket) bool { return t.Guild == guild && t.User == user })
}

// locked runs f with the Server locked, and tells those who wait that something may have changed.
func (s *Server) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}
