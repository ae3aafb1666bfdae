//go:build cgo && (amd64 || 386)

package opus

import (
	"errors"

	"layeh.com/gopus"
)

const (
	bitrate = 64000
	longest = 1275 // bytes that a frame of 20 ms can have at most (RFC 6716, section 3.4)
)

type native struct{ *gopus.Encoder }

func newEncoder() (encoder, error) {
	e, err := gopus.NewEncoder(Rate, Channels, gopus.Audio)
	if err != nil {
		return nil, err
	}
	e.SetBitrate(bitrate)
	return native{e}, nil
}

func (n native) Encode(pcm []int16) ([]byte, error) {
	return n.Encoder.Encode(pcm, len(pcm)/Channels, longest)
}

type nativeDecoder struct{ *gopus.Decoder }

func newDecoder() (decoder, error) {
	d, err := gopus.NewDecoder(Rate, Channels)
	if err != nil {
		return nil, err
	}
	return nativeDecoder{d}, nil
}

// Decode tries with room for 20 ms first, which nearly all frames have, since the room is allocated anew each time.
// A frame that does not fit leaves the decoder as it was.
func (n nativeDecoder) Decode(frame []byte) ([]int16, error) {
	pcm, err := n.Decoder.Decode(frame, Samples/Channels, false)
	if errors.Is(err, gopus.ErrSmallBuffer) {
		return n.Decoder.Decode(frame, maxSamples/Channels, false)
	}
	return pcm, err
}
