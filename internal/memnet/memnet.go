// Package memnet is a network that exists only in memory: a Listener that
// servers accept from, and the clients that reach it. A server and its clients
// can so live inside one test bubble with fake time, where a real socket would
// hold the clock.
package memnet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// A Listener accepts the connections that its own Dial and HTTPClient make. Both
// ends of a connection are a Conn: a write waits until the other side reads. A
// Listener is safe for concurrent use.
type Listener struct {
	// Before is called before every read and write, at either end. It is set before the
	// first Dial, or left as it is.
	Before func()

	waiting chan net.Conn
	closed  chan struct{}
	close   func()
}

var _ net.Listener = (*Listener)(nil)

// New returns an open Listener.
func New() *Listener {
	l := &Listener{Before: func() {}, waiting: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

// Accept waits for the next Dial. After Close it returns net.ErrClosed.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.waiting:
		return c, nil
	case <-l.closed:
		return nil, fmt.Errorf("accept in memory: %w", net.ErrClosed)
	}
}

// Close refuses what is not accepted yet and everything later. Connections that
// were accepted stay open.
func (l *Listener) Close() error {
	l.close()
	return nil
}

// Addr returns an address that means nothing outside this Listener.
func (l *Listener) Addr() net.Addr { return address{} }

// Dial connects to the Listener. It waits until the connection is accepted, ctx
// ends or the Listener is closed.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	client, server := pipe(l.Before)
	select {
	case l.waiting <- server:
		return client, nil
	case <-l.closed:
		return nil, fmt.Errorf("dial in memory: %w", net.ErrClosed)
	case <-ctx.Done():
		return nil, fmt.Errorf("dial in memory: %w", ctx.Err())
	}
}

// HTTPClient returns a new client whose requests all go to the Listener, in plain
// HTTP, whatever host and scheme their address names. It keeps idle connections,
// like any client; they end with CloseIdleConnections or with the server.
func (l *Listener) HTTPClient() *http.Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) }
	return &http.Client{Transport: &http.Transport{DialContext: dial, DialTLSContext: dial}}
}

type address struct{}

func (address) Network() string { return "memory" }
func (address) String() string  { return "memory" }

// A Conn is one end of a connection. Closing it ends the connection as TCP does: the
// other end reads io.EOF. After SetLinger(0), closing resets it instead.
type Conn struct {
	net.Conn
	abrupt atomic.Bool  // Close resets the connection
	reset  *atomic.Bool // either end has done so
	before func()       // see Listener
}

// pipe returns the two ends of a connection.
func pipe(before func()) (client, server *Conn) {
	a, b := net.Pipe()
	reset := new(atomic.Bool)
	return &Conn{Conn: a, reset: reset, before: before}, &Conn{Conn: b, reset: reset, before: before}
}

// SetLinger says how Close ends the connection, as that of a net.TCPConn does: 0 resets
// it. There is nothing to wait for in memory, so all other values are the same.
func (c *Conn) SetLinger(seconds int) error {
	c.abrupt.Store(seconds == 0)
	return nil
}

// Close ends the connection.
func (c *Conn) Close() error {
	if c.abrupt.Load() {
		c.reset.Store(true)
	}
	return c.Conn.Close()
}

// Read fails with ECONNRESET when the other end has reset the connection.
func (c *Conn) Read(b []byte) (int, error) {
	c.before()
	n, err := c.Conn.Read(b)
	if errors.Is(err, io.EOF) && c.reset.Load() {
		err = broken("read")
	}
	return n, err
}

// Write fails with ECONNRESET when the other end has reset the connection.
func (c *Conn) Write(b []byte) (int, error) {
	c.before()
	n, err := c.Conn.Write(b)
	if errors.Is(err, io.ErrClosedPipe) && c.reset.Load() {
		err = broken("write")
	}
	return n, err
}

// broken is the error of the net package for a connection that was reset.
func broken(op string) error {
	return &net.OpError{Op: op, Net: address{}.Network(), Addr: address{}, Err: os.NewSyscallError(op, syscall.ECONNRESET)}
}
