// Package opus turns sound into the frames that Discord carries, and back. Sound is 48,000 samples a second for each of two
// channels, interleaved: left, right, left.
//
// Where cgo is on, on processors for which the module layeh.com/gopus brings the C library, that is the coder. Everywhere else, also in
// releases, it is the one in package pure.
package opus

import (
	"errors"
	"fmt"
)

const (
	Rate     = 48000                // samples a second, of each channel
	Channels = 2                    // left and right
	Samples  = Rate / 50 * Channels // in the 20 ms of one frame that is encoded

	maxSamples = 6 * Samples // in the 120 ms that one frame can have at most
	maxBytes   = 1500        // of a frame that is decoded: no packet of Discord's is longer
)

// An Encoder turns sound into frames, one after another. It is for one goroutine at a time, and has up to 0.3 MB.
type Encoder struct{ coder encoder }

type encoder interface {
	Encode(pcm []int16) (frame []byte, err error)
}

// NewEncoder returns an Encoder for a stream of 64 kbit/s.
func NewEncoder() (*Encoder, error) {
	coder, err := newEncoder()
	return &Encoder{coder}, err
}

// Encode encodes the next 20 ms, which are as many samples as [Samples] says.
func (e *Encoder) Encode(pcm []int16) (frame []byte, err error) {
	if len(pcm) != Samples { // a coder in C would read past the end
		return nil, fmt.Errorf("encode %d samples: a frame has %d", len(pcm), Samples)
	}
	return e.coder.Encode(pcm)
}

// A Decoder turns the frames of one speaker into sound, one after another. It is for one goroutine at a time, and has up to 0.5 MB.
type Decoder struct{ coder decoder }

type decoder interface {
	Decode(frame []byte) (pcm []int16, err error)
}

// NewDecoder returns a Decoder for a new stream.
func NewDecoder() (*Decoder, error) {
	coder, err := newDecoder()
	return &Decoder{coder}, err
}

// Decode decodes the next frame, which anybody may have made. There are at most 120 ms in one. For a frame that was lost, which
// is nil or empty, it invents 20 ms that go on with what was heard before.
func (d *Decoder) Decode(frame []byte) (pcm []int16, err error) {
	if len(frame) > maxBytes {
		return nil, fmt.Errorf("decode a frame of %d bytes: there are at most %d in one", len(frame), maxBytes)
	}
	// No frame is known that gets a coder to panic. Should there be one, it costs its speaker what it says, and not the bot its life.
	defer func() {
		if recover() != nil {
			pcm, err = nil, errBroken
		}
	}()
	return d.coder.Decode(frame)
}

var errBroken = errors.New("the coder cannot go on with this frame")
