package link

import "math/rand/v2"

// A voice is what the bot says in one session. The media's mutex guards it.
type voice struct {
	announced bool   // the others know that the bot speaks, and with which SSRC
	counter   uint32 // of packets
	sequence  uint16
	timestamp uint32
	frame     []byte // these two are memory to use again
	packet    []byte
}

func newVoice() voice { return voice{sequence: uint16(rand.Uint32()), timestamp: rand.Uint32()} }

// announce takes whether the others know that the bot speaks.
func (m *media) announce(known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.announced = known
}

func (m *media) send(opus []byte) error {
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
