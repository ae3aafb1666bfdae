package link

import (
	"crypto/cipher"
	"math/rand/v2"
	"net"
	"sync"

	"discoclaw/internal/voice/dave"
)

// A mouth sends what the bot says in one session.
type mouth struct {
	dave *dave.Controller
	ssrc uint32

	mu        sync.Mutex
	conn      net.Conn
	aead      cipher.AEAD // nil until the server has told the key
	counter   uint32      // of packets with this key
	announced bool        // the others know
	sequence  uint16
	timestamp uint32
	frame     []byte // these two are memory to use again
	packet    []byte
}

func newMouth(d *dave.Controller, ssrc uint32) *mouth {
	return &mouth{dave: d, ssrc: ssrc, sequence: uint16(rand.Uint32()), timestamp: rand.Uint32()}
}

// key begins to use a key. A counter may begin anew with it, and only then.
func (m *mouth) key(conn net.Conn, aead cipher.AEAD) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.conn, m.aead, m.counter = conn, aead, 0
}

// announce takes whether the others know that the bot speaks, and with which SSRC.
func (m *mouth) announce(known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.announced = known
}

func (m *mouth) send(opus []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.aead == nil || !m.announced {
		return ErrNotReady
	}
	var err error
	if m.frame, err = m.dave.Seal(m.frame[:0], opus); err != nil {
		return ErrNotReady
	}
	m.packet = appendPacket(m.packet[:0], m.aead, m.counter, header{m.sequence, m.timestamp, m.ssrc}, m.frame)
	m.counter++
	m.sequence++
	m.timestamp += frameTime
	_, err = m.conn.Write(m.packet)
	return err
}
