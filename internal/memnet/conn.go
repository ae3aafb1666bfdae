package memnet

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
)

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
