package fakevoice

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"net"
	"slices"
	"time"

	"golang.org/x/crypto/chacha20poly1305"

	"discoclaw/internal/voice/dave"
)

// The transport encryptions that Discord has.
const (
	GCM     = "aead_aes256_gcm_rtpsize"
	XChaCha = "aead_xchacha20_poly1305_rtpsize"
)

func newAEAD(mode string, key []byte) (aead cipher.AEAD) {
	switch mode {
	case GCM:
		block, _ := aes.NewCipher(key) // whose length is right
		aead, _ = cipher.NewGCM(block)
	case XChaCha:
		aead, _ = chacha20poly1305.NewX(key)
	}
	return aead
}

// The parts of a packet. https://discord.com/developers/docs/topics/voice-connections#transport-encryption-modes
const (
	headerSize    = 12
	counterSize   = 4
	discoverySize = 74
	keepAliveSize = 8
	rtpVersion    = 0x80
	rtpExtension  = 0x10
	opusPayload   = 0x78
)

// extension is the header of an RTP header extension with one word, as Discord adds it to what it forwards. The word itself is encrypted.
var extension = []byte{0xbe, 0xde, 0, 1}

// receivePackets takes the datagrams of all clients until the socket is closed.
func (s *Server) receivePackets() {
	buffer := make([]byte, 2048)
	for {
		n, from, err := s.o.Packets.ReadFrom(buffer)
		if err != nil {
			return
		}
		packet := bytes.Clone(buffer[:n])
		s.locked(func() { s.takePacket(packet, from) })
	}
}

// takePacket takes a datagram as it came to the client's end of its line.
func (s *Server) takePacket(packet []byte, from net.Addr) {
	switch {
	case len(packet) == discoverySize && packet[1] == 1:
		if x := s.sessions[binary.BigEndian.Uint32(packet[4:])]; x != nil {
			s.carry(x.User, Up, func() { x.discover(from) })
			return
		}
	case len(packet) == keepAliveSize:
		for _, x := range s.sessions {
			if x.address != nil && x.address.String() == from.String() {
				s.carry(x.User, Up, func() { x.deliver(packet) })
				return
			}
		}
		return // it may come late, from one who has gone
	case len(packet) > headerSize:
		if x := s.sessions[binary.BigEndian.Uint32(packet[8:])]; x != nil {
			if payload, ok := x.open(packet, from); ok {
				s.carry(x.User, Up, func() { x.forward(packet, payload) })
			}
			return
		}
		if binary.BigEndian.Uint32(packet[8:]) <= s.lastSSRC {
			return // one who has gone
		}
	}
	s.complain("a datagram of %d bytes that begins with % x", len(packet), packet[:min(len(packet), headerSize)])
}

// discover answers the question of a client for its address.
func (x *session) discover(from net.Addr) {
	x.address = from
	at := from.(*net.UDPAddr)
	answer := make([]byte, discoverySize)
	answer[1], answer[3] = 2, 70
	binary.BigEndian.PutUint32(answer[4:], x.ssrc)
	copy(answer[8:72], at.IP.String())
	binary.BigEndian.PutUint16(answer[72:], uint16(at.Port))
	x.deliver(answer)
}

// deliver sends the client a datagram over its line.
func (x *session) deliver(packet []byte) { x.deliverOf(0, packet) }

func (x *session) deliverOf(speaker uint64, packet []byte) {
	x.server.carry(x.User, Down, func() {
		if speaker != 0 {
			x.heard[speaker]++
		}
		_, _ = x.server.o.Packets.WriteTo(packet, x.address) // a packet may be lost
	})
}

// open decrypts a voice packet, and complains about all that is wrong with it.
func (x *session) open(packet []byte, from net.Addr) (payload []byte, ok bool) {
	s, sequence := x.server, binary.BigEndian.Uint16(packet[2:])
	switch {
	case packet[0] != rtpVersion || packet[1] != opusPayload:
		s.complain("user %d: sent a packet with the header % x", x.User, packet[:headerSize])
		return nil, false
	case x.aead == nil || x.address == nil || x.address.String() != from.String():
		s.complain("user %d: sent a packet before the session was described, or from another address", x.User)
		return nil, false
	case len(packet) < headerSize+x.aead.Overhead()+counterSize:
		s.complain("user %d: sent a packet of %d bytes", x.User, len(packet))
		return nil, false
	}
	end := len(packet) - counterSize
	nonce := make([]byte, x.aead.NonceSize())
	copy(nonce, packet[end:])
	payload, err := x.aead.Open(nil, nonce, packet[headerSize:end], packet[:headerSize])
	counter := binary.LittleEndian.Uint32(packet[end:])
	switch {
	case err != nil:
		s.complain("user %d: sent a packet that does not open with %s", x.User, x.mode)
		return nil, false
	case x.nonces[counter]:
		s.complain("user %d: sent two packets with the nonce %d", x.User, counter)
	case x.sent > 0 && sequence != x.last+1:
		s.complain("user %d: sent the packet %d after %d", x.User, sequence, x.last)
	case x.speaking < 0 && x.sent == 0:
		// What came over the websocket may be behind.
		time.AfterFunc(slack, func() {
			s.locked(func() {
				if x.speaking < 0 && !x.over {
					s.complain("user %d: sent packets without having said that it speaks", x.User)
				}
			})
		})
	}
	x.nonces[counter], x.last = true, sequence
	x.sent++
	if c := x.call; !c.encrypted.IsZero() && time.Since(c.encrypted) > slack && !encrypted(payload) {
		s.complain("user %d: sent a frame that is not encrypted, into a call that is", x.User)
	}
	return payload, true
}

// encrypted reports whether a frame looks as encrypted ones do, or is silence, which may be plain.
func encrypted(payload []byte) bool {
	return bytes.HasSuffix(payload, []byte{0xfa, 0xfa}) || bytes.Equal(payload, dave.Silence)
}

// forward sends what one client said to all others in the call.
func (x *session) forward(packet, payload []byte) {
	for _, to := range x.call.sessions {
		if to == x || to.aead == nil || to.address == nil {
			continue
		}
		to.counter++
		header := append(slices.Clone(packet[:headerSize]), extension...)
		header[0] |= rtpExtension
		nonce := make([]byte, to.aead.NonceSize())
		binary.LittleEndian.PutUint32(nonce, to.counter)
		sealed := to.aead.Seal(header, nonce, append([]byte{0x10, 0xff, 0, 0}, payload...), header)
		to.deliverOf(x.User, append(sealed, nonce[:counterSize]...))
	}
}
