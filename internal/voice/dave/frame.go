package dave

import (
	"bytes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
)

// What Seal and Open fail with.
var (
	ErrNotReady      = errors.New("there is no key to encrypt with yet")
	ErrPlain         = errors.New("the frame is not encrypted")
	ErrReplayed      = errors.New("the frame came before")
	ErrUndecryptable = errors.New("the frame cannot be decrypted")
)

// Silence is the Opus frame of 20 milliseconds of silence. It is never encrypted.
var Silence = []byte{0xf8, 0xff, 0xfe}

// After the ciphertext, and what was left plain of it, a frame has: tag, nonce, plain ranges, size of all this, marker.
const (
	tagSize    = 8
	markerSize = 2
	leastSize  = tagSize + 1 + markerSize
)

var marker = []byte{0xfa, 0xfa}

// A sealed is an encrypted frame, taken apart.
type sealed struct {
	media  []byte // ciphertext, and what was left plain of it
	tag    []byte
	nonce  uint32
	ranges []byte // of media that are plain: pairs of offset and length
}

// parseFrame reports whether a frame is encrypted.
func parseFrame(frame []byte) (s sealed, ok bool) {
	if len(frame) < leastSize || !bytes.HasSuffix(frame, marker) {
		return s, false
	}
	size := int(frame[len(frame)-markerSize-1])
	if size < leastSize || size > len(frame) {
		return s, false
	}
	footer := frame[len(frame)-size : len(frame)-markerSize-1]
	s.media, s.tag, footer = frame[:len(frame)-size], footer[:tagSize], footer[tagSize:]
	nonce, n := binary.Uvarint(footer)
	if n <= 0 {
		return s, false
	}
	s.nonce, s.ranges = uint32(nonce), footer[n:] // a longer one is cut, as others do
	end := uint64(0)
	for rest := s.ranges; len(rest) > 0; {
		offset, n := binary.Uvarint(rest)
		if n <= 0 {
			return s, false
		}
		length, m := binary.Uvarint(rest[n:])
		if m <= 0 || offset < end || offset > uint64(len(s.media)) || length > uint64(len(s.media))-offset {
			return s, false
		}
		end, rest = offset+length, rest[n+m:]
	}
	return s, true
}

// open returns the frame as it was before it was encrypted. A tag of 8 bytes is fewer than Go's GCM accepts; but sealing the ciphertext
// yields the plaintext, as GCM is counter mode, and sealing that yields the whole tag.
func (s sealed) open(key cipher.AEAD) ([]byte, bool) {
	plain, cipherText := s.split()
	var nonce [12]byte
	binary.LittleEndian.PutUint32(nonce[8:], s.nonce)
	text := key.Seal(nil, nonce[:], cipherText, nil)[:len(cipherText)]
	check := key.Seal(nil, nonce[:], text, plain)
	if subtle.ConstantTimeCompare(check[len(text):len(text)+tagSize], s.tag) != 1 {
		return nil, false
	}
	if len(plain) == 0 {
		return text, true
	}
	return s.join(plain, text), true
}

func (s sealed) split() (plain, cipherText []byte) {
	if len(s.ranges) == 0 {
		return nil, s.media
	}
	at := uint64(0)
	s.eachRange(func(offset, length uint64) {
		plain = append(plain, s.media[offset:offset+length]...)
		cipherText = append(cipherText, s.media[at:offset]...)
		at = offset + length
	})
	return plain, append(cipherText, s.media[at:]...)
}

func (s sealed) join(plain, text []byte) []byte {
	frame := make([]byte, 0, len(s.media))
	s.eachRange(func(offset, length uint64) {
		n := offset - uint64(len(frame))
		frame, text = append(frame, text[:n]...), text[n:]
		frame, plain = append(frame, plain[:length]...), plain[length:]
	})
	return append(frame, text...)
}

// eachRange is for ranges that parseFrame has checked.
func (s sealed) eachRange(do func(offset, length uint64)) {
	for rest := s.ranges; len(rest) > 0; {
		offset, n := binary.Uvarint(rest)
		length, m := binary.Uvarint(rest[n:])
		do(offset, length)
		rest = rest[n+m:]
	}
}

// A sealer encrypts what we say in one epoch.
type sealer struct {
	ratchet ratchet
	key     cipher.AEAD
	frames  uint32 // that were encrypted
	nonce   [12]byte
}

func newSealer(base []byte) *sealer {
	r := newRatchet(base)
	return &sealer{ratchet: r, key: r.key()}
}

// seal appends the encrypted frame. After 2^32 frames there are no nonces left; that is years after the epoch began.
func (s *sealer) seal(dst, opus []byte) ([]byte, error) {
	if s.frames+1 == 0 {
		return dst, ErrNotReady
	}
	s.frames++
	if generation := s.frames >> 24; generation != s.ratchet.generation {
		s.ratchet = s.ratchet.next()
		s.key = s.ratchet.key()
	}
	binary.LittleEndian.PutUint32(s.nonce[8:], s.frames)
	dst = s.key.Seal(dst, s.nonce[:], opus, nil)
	dst = dst[:len(dst)-s.key.Overhead()+tagSize]
	before := len(dst)
	dst = binary.AppendUvarint(dst, uint64(s.frames))
	return append(dst, byte(leastSize+len(dst)-before), marker[0], marker[1]), nil
}
