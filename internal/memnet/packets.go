package memnet

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// maxQueued is how many packets wait for a reader; further ones are lost, as with UDP.
const maxQueued = 1024

// Packets is a socket for datagrams that its own Dial reaches. A write never waits. It is safe for concurrent use.
type Packets struct {
	*mailbox
	at *net.UDPAddr

	mu      sync.Mutex
	clients map[int]*mailbox // by port
	last    int
}

var _ net.PacketConn = (*Packets)(nil)

// NewPackets returns an open socket. Its address is one of those for documentation.
func NewPackets() *Packets {
	return &Packets{mailbox: newMailbox(), at: &net.UDPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 50000}, clients: map[int]*mailbox{}, last: 40000}
}

// Dial returns a connection whose packets go to the socket, and that gets those which the socket sends to its address.
func (p *Packets) Dial(_ context.Context, address string) (net.Conn, error) {
	if address != p.at.String() {
		return nil, fmt.Errorf("dial in memory: nothing is at %s", address)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	c := &packetConn{mailbox: newMailbox(), server: p, at: &net.UDPAddr{IP: net.IPv4(198, 51, 100, 1), Port: p.last}}
	p.clients[p.last] = c.mailbox
	return c, nil
}

// ReadFrom waits for the next packet.
func (p *Packets) ReadFrom(b []byte) (int, net.Addr, error) { return p.take(b) }

// WriteTo sends a packet. One to nobody is lost.
func (p *Packets) WriteTo(b []byte, to net.Addr) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if client := p.clients[to.(*net.UDPAddr).Port]; client != nil {
		client.put(b, p.at)
	}
	return len(b), nil
}

// LocalAddr is the address that Dial takes.
func (p *Packets) LocalAddr() net.Addr { return p.at }

// SetWriteDeadline does nothing: no write waits.
func (*Packets) SetWriteDeadline(time.Time) error { return nil }

// A packetConn is a client of Packets.
type packetConn struct {
	*mailbox
	server *Packets
	at     *net.UDPAddr
}

func (c *packetConn) Read(b []byte) (int, error) {
	n, _, err := c.take(b)
	return n, err
}

func (c *packetConn) Write(b []byte) (int, error) {
	if c.isClosed() {
		return 0, net.ErrClosed
	}
	c.server.put(b, c.at)
	return len(b), nil
}

func (c *packetConn) Close() error {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	delete(c.server.clients, c.at.Port)
	return c.mailbox.Close()
}

func (c *packetConn) LocalAddr() net.Addr              { return c.at }
func (c *packetConn) RemoteAddr() net.Addr             { return c.server.at }
func (*packetConn) SetWriteDeadline(t time.Time) error { return nil }

// A mailbox has the packets that wait for a reader.
type mailbox struct {
	mu       sync.Mutex
	changed  *sync.Cond
	queue    []letter
	closed   bool
	deadline time.Time
	alarm    *time.Timer // wakes readers at the deadline
}

type letter struct {
	data []byte
	from *net.UDPAddr
}

func newMailbox() *mailbox {
	m := &mailbox{}
	m.changed = sync.NewCond(&m.mu)
	return m
}

func (m *mailbox) put(data []byte, from *net.UDPAddr) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed && len(m.queue) < maxQueued {
		m.queue = append(m.queue, letter{append([]byte(nil), data...), from})
		m.changed.Broadcast()
	}
}

func (m *mailbox) take(b []byte) (int, net.Addr, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		switch {
		case m.closed:
			return 0, nil, fmt.Errorf("read in memory: %w", net.ErrClosed)
		case !m.deadline.IsZero() && !time.Now().Before(m.deadline):
			return 0, nil, os.ErrDeadlineExceeded
		case len(m.queue) > 0:
			first := m.queue[0]
			m.queue = m.queue[1:]
			return copy(b, first.data), first.from, nil
		}
		m.changed.Wait()
	}
}

// SetReadDeadline ends reads at a time, or never.
func (m *mailbox) SetReadDeadline(t time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.alarm != nil {
		m.alarm.Stop()
	}
	m.deadline, m.alarm = t, nil
	if !t.IsZero() {
		m.alarm = time.AfterFunc(time.Until(t), m.wake)
	}
	m.changed.Broadcast()
	return nil
}

// SetDeadline is SetReadDeadline, since no write waits.
func (m *mailbox) SetDeadline(t time.Time) error { return m.SetReadDeadline(t) }

func (m *mailbox) wake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed.Broadcast()
}

func (m *mailbox) isClosed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

// Close ends all reads.
func (m *mailbox) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.changed.Broadcast()
	return nil
}
