// Package wire reads the MLS messages of voice calls (RFC 9420), and nothing else: the one cipher suite, the few kinds of message and the
// extensions that calls use, each in its one form, to the last byte. What it refuses must not reach a library that reads more.
package wire

import (
	"encoding/binary"
	"errors"
)

// ErrMalformed is what every reader here fails with: whoever sent the message knows what is wrong with it.
var ErrMalformed = errors.New("malformed MLS message")

// A reader takes fields from the front of a message. Once one is wrong, all that follow are empty, and only end has to be asked.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		r.require(false)
		return nil
	}
	field := r.rest[:n:n]
	r.rest = r.rest[n:]
	return field
}

// require is false from the first condition on that does not hold.
func (r *reader) require(ok bool) bool {
	if !ok {
		r.bad, r.rest = true, nil
	}
	return !r.bad
}

// number is one of n bytes, the highest first.
func (r *reader) number(n int) (v uint64) {
	for _, b := range r.take(n) {
		v = v<<8 | uint64(b)
	}
	return v
}

// vector is a field whose length comes first, in the shortest of its forms.
func (r *reader) vector() []byte {
	first := r.number(1)
	n := int(first & 0x3f)
	switch first >> 6 {
	case 1:
		n = n<<8 | int(r.number(1))
		r.require(n > 0x3f)
	case 2:
		n = n<<24 | int(r.number(3))
		r.require(n > 0x3fff)
	case 3:
		r.require(false)
	}
	if r.bad {
		return nil
	}
	return r.take(n)
}

// fixed is a vector of a length that is known.
func (r *reader) fixed(n int) []byte {
	v := r.vector()
	r.require(len(v) == n)
	return v
}

// each reads a vector of entries, of which there may be so many.
func (r *reader) each(most int, entry func(*reader)) {
	inner := reader{rest: r.vector()}
	for n := 0; len(inner.rest) > 0; n++ {
		if inner.require(n < most); inner.bad {
			break
		}
		entry(&inner)
	}
	r.require(!inner.bad)
}

func (r *reader) end() error {
	if r.bad || len(r.rest) > 0 {
		return ErrMalformed
	}
	return nil
}

// AppendVector appends a field with its length.
func AppendVector(dst, field []byte) []byte {
	switch n := len(field); {
	case n <= 0x3f:
		dst = append(dst, byte(n))
	case n <= 0x3fff:
		dst = binary.BigEndian.AppendUint16(dst, 0x4000|uint16(n))
	default:
		dst = binary.BigEndian.AppendUint32(dst, 0x80000000|uint32(n))
	}
	return append(dst, field...)
}
