package link

import (
	"bytes"
	"context"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
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
	call *Call
	dave *dave.Controller
	ssrc uint32
	conn net.Conn // once news has an address
	stop context.CancelFunc
	gone chan struct{}

	mu   sync.Mutex
	aead cipher.AEAD // nil until the server has told the key
	voice
	streams map[uint32]*stream // of the others, by SSRC
}

// news is the bot's own address, or an error that ends the session's sound.
type news struct {
	address netip.AddrPort
	err     error
}

// newMedia begins to find out the bot's address. What comes of it, and later what ends the sound, it tells the session.
func (c *Call) newMedia(s *session, r ready) *media {
	ctx, cancel := context.WithCancel(context.Background())
	m := &media{
		call: c, dave: s.dave, ssrc: r.SSRC, voice: newVoice(), streams: map[uint32]*stream{}, stop: cancel, gone: make(chan struct{}),
	}
	go func() {
		defer close(m.gone)
		s.news <- news{err: m.run(ctx, r.address(), s.news)}
	}()
	return m
}

func (m *media) close() {
	m.stop()
	<-m.gone
}

func (m *media) run(ctx context.Context, address string, found chan<- news) error {
	dialing, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	conn, err := m.call.o.DialUDP(dialing, address)
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
	found <- news{address: own}
	return m.listen()
}

// key begins to use a key. The counter goes on: should the key be the same as before, no number may be used again.
func (m *media) key(d description) error {
	aead, err := newAEAD(d.Mode, d.key())
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.aead = aead
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
func (m *media) listen() error {
	buf := make([]byte, maxDatagram)
	beat, answered, heard := time.Now(), false, time.Now()
	var keepAlive [keepAliveSize]byte
	for {
		now := time.Now()
		if !now.Before(beat) {
			if answered && now.Sub(heard) > silentLimit {
				return errUDPSilent
			}
			_, _ = m.conn.Write(keepAlive[:]) // a lost one does no harm
			binary.LittleEndian.PutUint32(keepAlive[:], binary.LittleEndian.Uint32(keepAlive[:])+1)
			beat = now.Add(keepAlivePause)
		}
		if err := m.passAll(now, beat); err != nil {
			return fmt.Errorf("%w: %w", errUDPSilent, err)
		}
		n, err := m.conn.Read(buf)
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
