package dave

import (
	"crypto/cipher"
	"time"
)

const (
	// retention is how long old keys are kept: frames overtake each other, and others change keys when they learn of it.
	retention = 10 * time.Second
	// fastest is how many frames a second a sender may have sent since the epoch began.
	fastest = 170
	// mostAhead bounds how many generations are computed for one frame.
	mostAhead = 250
	// window is how far a frame may be behind the newest one.
	window = 1024
)

// An opener decrypts what one user says in one epoch.
type opener struct {
	began    time.Time
	ratchet  ratchet // of the newest generation
	key      cipher.AEAD
	oldKey   cipher.AEAD // of the generation before, until oldEnds
	oldEnds  time.Time
	highest  uint32 // nonce of a frame that opened
	seen     [window / 64]uint64
	anything bool // opened yet
}

func newOpener(base []byte, now time.Time) *opener {
	r := newRatchet(base)
	return &opener{began: now, ratchet: r, key: r.key()}
}

// open decrypts a frame. One that does not open changes nothing.
func (o *opener) open(s sealed, now time.Time) ([]byte, error) {
	if o.replayed(s.nonce) {
		return nil, ErrReplayed
	}
	generation := s.nonce >> 24
	if generation > 0 && uint64(generation) > uint64(now.Sub(o.began)/time.Second)*fastest>>24 {
		return nil, ErrUndecryptable
	}
	if generation+1 == o.ratchet.generation && o.oldKey != nil && now.Before(o.oldEnds) {
		if frame, ok := s.open(o.oldKey); ok {
			o.mark(s.nonce)
			return frame, nil
		}
		return nil, ErrUndecryptable
	}
	if generation < o.ratchet.generation || generation-o.ratchet.generation > mostAhead {
		return nil, ErrUndecryptable
	}
	r, key := o.ratchet, o.key
	for r.generation < generation {
		r = r.next()
	}
	if r.generation != o.ratchet.generation {
		key = r.key()
	}
	frame, ok := s.open(key)
	if !ok {
		return nil, ErrUndecryptable
	}
	if r.generation != o.ratchet.generation {
		o.oldKey, o.oldEnds = o.key, now.Add(retention)
		o.ratchet, o.key = r, key
	}
	o.mark(s.nonce)
	return frame, nil
}

// replayed reports whether a nonce was used before, or is so old that nobody knows.
func (o *opener) replayed(nonce uint32) bool {
	if !o.anything || nonce > o.highest {
		return false
	}
	return o.highest-nonce >= window || o.seen[nonce%window/64]&(1<<(nonce%64)) != 0
}

func (o *opener) mark(nonce uint32) {
	if !o.anything || nonce > o.highest {
		if o.anything && nonce-o.highest < window {
			for skipped := o.highest + 1; skipped != nonce; skipped++ {
				o.seen[skipped%window/64] &^= 1 << (skipped % 64)
			}
		} else {
			clear(o.seen[:])
		}
		o.highest, o.anything = nonce, true
	}
	o.seen[nonce%window/64] |= 1 << (nonce % 64)
}
