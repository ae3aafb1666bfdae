package link

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

// The encryption between client and server: Discord's names, the better one first.
const (
	modeGCM     = "aead_aes256_gcm_rtpsize"
	modeXChaCha = "aead_xchacha20_poly1305_rtpsize"
)

var modes = []string{modeGCM, modeXChaCha}

const (
	keySize     = 32
	headerSize  = 12
	counterSize = 4
	voiceType   = 120 // RTP's payload type for Opus on Discord
	frameTime   = 960 // samples
)

func newAEAD(mode string, key []byte) (cipher.AEAD, error) {
	switch {
	case len(key) != keySize:
		return nil, fmt.Errorf("a key of %d bytes", len(key))
	case mode == modeXChaCha:
		return chacha20poly1305.NewX(key)
	case mode == modeGCM:
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		return cipher.NewGCM(block)
	}
	return nil, fmt.Errorf("unknown encryption %.40q", mode)
}

// A header is what an RTP packet says besides the sound.
type header struct {
	sequence  uint16
	timestamp uint32
	ssrc      uint32
}

// appendPacket appends an encrypted packet to dst, which has no bytes yet.
func appendPacket(dst []byte, aead cipher.AEAD, counter uint32, h header, payload []byte) []byte {
	dst = append(dst, 0x80, voiceType)
	dst = binary.BigEndian.AppendUint16(dst, h.sequence)
	dst = binary.BigEndian.AppendUint32(dst, h.timestamp)
	dst = binary.BigEndian.AppendUint32(dst, h.ssrc)
	var nonce [chacha20poly1305.NonceSizeX]byte
	binary.LittleEndian.PutUint32(nonce[:], counter)
	dst = aead.Seal(dst, nonce[:aead.NonceSize()], payload, dst)
	return append(dst, nonce[:counterSize]...)
}

// openPacket returns what an RTP packet with sound says, and its payload in new memory.
func openPacket(aead cipher.AEAD, p []byte) (h header, payload []byte, ok bool) {
	if len(p) < headerSize || p[0]>>6 != 2 || p[1]&0x7f != voiceType {
		return header{}, nil, false
	}
	h = header{binary.BigEndian.Uint16(p[2:]), binary.BigEndian.Uint32(p[4:]), binary.BigEndian.Uint32(p[8:])}
	padded, extended, plain := p[0]&0x20 != 0, p[0]&0x10 != 0, headerSize+4*int(p[0]&0x0f)
	extension := 0
	if extended {
		plain += 4
		if len(p) < plain {
			return header{}, nil, false
		}
		extension = 4 * int(binary.BigEndian.Uint16(p[plain-2:]))
	}
	if len(p) < plain+aead.Overhead()+counterSize {
		return header{}, nil, false
	}
	end := len(p) - counterSize
	var nonce [chacha20poly1305.NonceSizeX]byte
	copy(nonce[:], p[end:])
	payload, err := aead.Open(nil, nonce[:aead.NonceSize()], p[plain:end], p[:plain])
	if err != nil || len(payload) < extension {
		return header{}, nil, false
	}
	if payload = payload[extension:]; padded {
		if len(payload) == 0 || int(payload[len(payload)-1]) > len(payload) {
			return header{}, nil, false
		}
		payload = payload[:len(payload)-int(payload[len(payload)-1])]
	}
	return h, payload, true
}
