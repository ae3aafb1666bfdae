// Package pcm reads raw sound of any rate as the sound of calls: 48,000 samples a second of one channel.
package pcm

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// Rate is how many samples a second are read from a Reader.
const Rate = 48000

// A Reader reads samples of 16 bits, little-endian, from bytes. Where the parts of a stream end makes no difference to it, so a part may
// end within a sample; what is left of one at the very end is dropped.
type Reader struct {
	from     *bufio.Reader
	rate     int
	channels int

	before, after int // the samples between which the next one to be read is
	at            int // how far it is from the first of them, in parts of which there are Rate between the two
	ended         bool
}

// NewReader returns a Reader of sound that has so many samples a second of so many channels. Both are positive.
func NewReader(from io.Reader, rate, channels int) *Reader {
	return &Reader{from: bufio.NewReader(from), rate: rate, channels: channels, at: 2 * Rate}
}

// Read reads what there is without waiting for more, and at least one sample. The last samples may come with io.EOF or before it.
func (r *Reader) Read(samples []int16) (n int, err error) {
	for n < len(samples) {
		for r.at >= Rate {
			if n > 0 && r.from.Buffered() < 2*r.channels && !r.ended {
				return n, nil
			}
			if err := r.step(); err != nil {
				return n, err
			}
		}
		samples[n] = int16(r.before + (r.after-r.before)*r.at/Rate)
		n++
		r.at += r.rate
	}
	return n, nil
}

// step goes on to the next sample of the stream. The last one is there twice, since there is none to go to from it.
func (r *Reader) step() error {
	next, err := r.next()
	if errors.Is(err, io.EOF) && !r.ended && r.at < 2*Rate {
		r.ended = true
		next, err = r.after, nil
	}
	if err != nil {
		return err
	}
	r.before, r.after = r.after, next
	r.at -= Rate
	return nil
}

// next is the mean of the channels.
func (r *Reader) next() (int, error) {
	if r.ended {
		return 0, io.EOF
	}
	size := 2 * r.channels
	all, err := r.from.Peek(size)
	if err != nil {
		return 0, err
	}
	sum := 0
	for i := 0; i < size; i += 2 {
		sum += int(int16(binary.LittleEndian.Uint16(all[i:])))
	}
	_, err = r.from.Discard(size)
	return sum / r.channels, err
}
