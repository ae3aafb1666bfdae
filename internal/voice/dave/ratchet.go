package dave

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"

	"discoclaw/internal/voice/dave/wire"
)

// A ratchet is where one sender's keys of an epoch come from. A key is for 2^24 frames, which is a generation: whoever has it learns
// nothing about earlier ones.
type ratchet struct {
	secret     []byte
	generation uint32
}

func newRatchet(base []byte) ratchet { return ratchet{secret: base} }

func (r ratchet) key() cipher.AEAD {
	block, err := aes.NewCipher(r.keyBytes())
	if err != nil {
		panic(err) // the key's length is right
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // the block's length is right
	}
	return gcm
}

func (r ratchet) keyBytes() []byte { return expand(r.secret, "key", r.context(), 16) }

func (r ratchet) next() ratchet {
	return ratchet{secret: expand(r.secret, "secret", r.context(), sha256.Size), generation: r.generation + 1}
}

func (r ratchet) context() []byte { return binary.BigEndian.AppendUint32(nil, r.generation) }

// expand is ExpandWithLabel of MLS.
func expand(secret []byte, label string, context []byte, n int) []byte {
	info := binary.BigEndian.AppendUint16(nil, uint16(n))
	info = wire.AppendVector(wire.AppendVector(info, []byte("MLS 1.0 "+label)), context)
	key, err := hkdf.Expand(sha256.New, secret, string(info), n)
	if err != nil {
		panic(err) // n is small
	}
	return key
}
