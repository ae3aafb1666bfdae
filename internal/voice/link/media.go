package link

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"discoclaw/internal/voice/dave"
)

const (
	discoverySize  = 74
	discoveryTries = 5
	discoveryPause = time.Second

	keepAlivePause = 5 * time.Second
	keepAliveSize  = 8

	// silentLimit is how long a server that answers keep-alive packets may be silent. Some never answer them.
	silentLimit = 3 * keepAlivePause

	maxDatagram = 2048 // more than a packet of sound can have
)

// Media is the UDP of one session. One goroutine finds out the bot's own address, and reads from then on.
type media struct {
	*mouth
	*ears
	conn net.Conn // once news has an address
	news chan news
	stop context.CancelFunc
	gone chan struct{}
}

// news is the bot's own address, or an error that ends the session's sound.
type news struct {
	address netip.AddrPort
	err     error
}

func (c *Call) newMedia(d *dave.Controller, r ready) *media {
	ctx, cancel := context.WithCancel(context.Background())
	m := &media{
		mouth: newMouth(d, r.SSRC), ears: newEars(c, d),
		news: make(chan news, 2), stop: cancel, gone: make(chan struct{}),
	}
	go func() {
		defer close(m.gone)
		m.news <- news{err: m.run(ctx, c.o.DialUDP, r.address())}
	}()
	return m
}

func (m *media) close() {
	m.stop()
	<-m.gone
}

func (m *media) run(ctx context.Context, dial func(context.Context, string) (net.Conn, error), address string) error {
	dialing, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	conn, err := dial(dialing, address)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUDPBlocked, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	own, err := discover(conn, m.ssrc)
	if err != nil {
		return err
	}
	m.conn = conn
	m.news <- news{address: own}
	return m.listen(conn)
}

// key begins to use a key for both directions.
func (m *media) key(d description) error {
	in, err := newAEAD(d.Mode, d.key())
	if err != nil {
		return err
	}
	m.mouth.key(m.conn, in)
	m.ears.key(m.conn, in)
	return nil
}

// discover asks the server from which address the bot's packets come.
func discover(conn net.Conn, ssrc uint32) (netip.AddrPort, error) {
	ask := make([]byte, discoverySize)
	binary.BigEndian.PutUint16(ask, 1)
	binary.BigEndian.PutUint16(ask[2:], discoverySize-4)
	binary.BigEndian.PutUint32(ask[4:], ssrc)
	buf := make([]byte, maxDatagram)
	for range discoveryTries {
		_, _ = conn.Write(ask) // if it is lost, the next one may not be
		if err := conn.SetReadDeadline(time.Now().Add(discoveryPause)); err != nil {
			return netip.AddrPort{}, err
		}
		for {
			n, err := conn.Read(buf)
			if errors.Is(err, net.ErrClosed) {
				return netip.AddrPort{}, err
			}
			if err != nil {
				break
			}
			if own, ok := discovered(buf[:n], ssrc); ok {
				return own, nil
			}
		}
	}
	return netip.AddrPort{}, ErrUDPBlocked
}

// discovered reads an answer to discover.
func discovered(p []byte, ssrc uint32) (netip.AddrPort, bool) {
	if len(p) != discoverySize || binary.BigEndian.Uint16(p) != 2 || binary.BigEndian.Uint32(p[4:]) != ssrc {
		return netip.AddrPort{}, false
	}
	text, _, _ := bytes.Cut(p[8:discoverySize-2], []byte{0})
	ip, err := netip.ParseAddr(string(text))
	return netip.AddrPortFrom(ip, binary.BigEndian.Uint16(p[discoverySize-2:])), err == nil
}

// listen reads until the connection is closed, keeps the way through firewalls open, and passes on what waits.
func (m *media) listen(conn net.Conn) error {
	buf := make([]byte, maxDatagram)
	beat, answered, heard := time.Now(), false, time.Now()
	var keepAlive [keepAliveSize]byte
	for {
		now := time.Now()
		if !now.Before(beat) {
			if answered && now.Sub(heard) > silentLimit {
				return errUDPSilent
			}
			_, _ = conn.Write(keepAlive[:]) // a lost one does no harm
			binary.LittleEndian.PutUint32(keepAlive[:], binary.LittleEndian.Uint32(keepAlive[:])+1)
			beat = now.Add(keepAlivePause)
		}
		if err := m.passAll(conn, now, beat); err != nil {
			return fmt.Errorf("%w: %w", errUDPSilent, err)
		}
		n, err := conn.Read(buf)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			continue
		case err != nil:
			return fmt.Errorf("%w: %w", errUDPSilent, err)
		}
		heard = time.Now()
		if n == keepAliveSize {
			answered = true
		} else {
			m.take(buf[:n], heard)
		}
	}
}
