// Package pure is the coder of package opus in Go alone. It is a package of its own so that programs with the coder in C come without it.
package pure

import (
	"slices"

	"github.com/thesyncim/gopus"
)

// An Encoder is opus.Encoder without its checks.
type Encoder struct {
	coder *gopus.Encoder
	frame [1275]byte // the most for 20 ms (RFC 6716, section 3.4)
}

// NewEncoder returns an Encoder for a stream of 64 kbit/s.
func NewEncoder() (*Encoder, error) {
	coder, err := gopus.NewEncoder(gopus.EncoderConfig{SampleRate: 48000, Channels: 2, Application: gopus.ApplicationAudio})
	if err != nil {
		return nil, err
	}
	return &Encoder{coder: coder}, coder.SetBitrate(64000)
}

// Encode encodes 20 ms.
func (e *Encoder) Encode(pcm []int16) ([]byte, error) {
	n, err := e.coder.EncodeInt16(pcm, e.frame[:])
	if err != nil {
		return nil, err
	}
	return slices.Clone(e.frame[:n]), nil
}

// A Decoder is opus.Decoder without its checks.
type Decoder struct {
	coder *gopus.Decoder
	pcm   [2 * 5760]int16 // 120 ms
}

// NewDecoder returns a Decoder for a new stream.
func NewDecoder() (*Decoder, error) {
	coder, err := gopus.NewDecoder(gopus.DefaultDecoderConfig(48000, 2))
	if err != nil {
		return nil, err
	}
	return &Decoder{coder: coder}, nil
}

// Decode decodes a frame. If there is none, it invents as much sound as it has room for: 20 ms.
func (d *Decoder) Decode(frame []byte) ([]int16, error) {
	room := d.pcm[:]
	if len(frame) == 0 {
		room = room[:2*960]
	}
	n, err := d.coder.DecodeInt16(frame, room)
	if err != nil {
		return nil, err
	}
	return slices.Clone(room[:2*n]), nil
}
