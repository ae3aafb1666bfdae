//go:build cgo && (amd64 || 386)

package opus

import (
	"fmt"
	"testing"

	portable "github.com/thesyncim/gopus"
	"layeh.com/gopus"

	"discoclaw/internal/voice/opus/pure"
)

// coders opens the coders, which judge each other.
var coders = map[string]func() (encoder, decoder, error){
	"native": ofThisBuild,
	"pure": func() (encoder, decoder, error) {
		e, err := pure.NewEncoder()
		if err != nil {
			return nil, nil, err
		}
		d, err := pure.NewDecoder()
		return e, d, err
	},
}

// The modes of a frame, by its first byte (RFC 6716, section 3.1).
const (
	silk = iota
	hybrid
	celt
)

func modeOf(frame []byte) int {
	switch config := frame[0] >> 3; {
	case config < 12:
		return silk
	case config < 16:
		return hybrid
	}
	return celt
}

// judge has both coders decode frames. Sound may be two units apart. In hybrid frames it may be more: the libopus that gopus has, 1.1.2,
// is older than section 9 of RFC 8251, which changed what fills the upper bands. (libopus 1.3.1 hears such frames as pure does, one unit apart.)
// So it is in CELT frames with few bits, where pure is the one that is off, by what nobody hears.
func judge(t *testing.T, bitrate int, frames [][]byte) (modes map[int]bool) {
	t.Helper()
	_, native, _ := coders["native"]()
	_, other, _ := coders["pure"]()
	worst, share := apart(decode(t, native, frames...), decode(t, other, frames...))
	modes = map[int]bool{}
	for _, frame := range frames {
		modes[modeOf(frame)] = true
	}
	switch {
	case modes[hybrid] && share < 0.05, modes[celt] && bitrate < 32000 && share < 1e-4, worst <= 2:
	default:
		t.Errorf("in %d frames, the coders are %d units apart, a share of %f", len(frames), worst, share)
	}
	return modes
}

const enough = 12 // frames of 20 ms

// TestEveryFrameOfPureSoundsAlike: that encoder can be told what to make.
func TestEveryFrameOfPureSoundsAlike(t *testing.T) {
	kinds := map[byte]bool{} // by the first byte, without how many frames are in one
	sounds := func(mode portable.EncoderMode, band portable.Bandwidth, samples, channels int) {
		t.Run(fmt.Sprintf("mode %d band %d samples %d channels %d", mode, band, samples, channels), func(t *testing.T) {
			e, err := portable.NewEncoder(portable.EncoderConfig{SampleRate: Rate, Channels: Channels, Application: portable.ApplicationVoIP})
			for _, err := range []error{err, e.SetFrameSize(samples), e.SetMode(mode), e.SetBandwidth(band), e.SetForceChannels(channels), e.SetBitrate(40000)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			var frames [][]byte
			for pcm := speech(enough); len(pcm) >= samples*Channels; pcm = pcm[samples*Channels:] {
				frame, err := e.EncodeInt16Slice(pcm[:samples*Channels])
				if err != nil {
					t.Fatal(err)
				}
				kinds[frame[0]&^3] = true
				frames = append(frames, frame)
			}
			judge(t, 40000, frames)
		})
	}
	for channels := 1; channels <= 2; channels++ {
		for _, samples := range []int{480, 960, 1920, 2880} {
			for band := portable.BandwidthNarrowband; band <= portable.BandwidthWideband; band++ {
				sounds(portable.EncoderModeSILK, band, samples, channels)
			}
			for band := portable.BandwidthSuperwideband; band <= portable.BandwidthFullband; band++ {
				sounds(portable.EncoderModeHybrid, band, samples, channels)
			}
		}
		for _, samples := range []int{120, 240, 480, 960, 1920, 2880} {
			for _, band := range []portable.Bandwidth{portable.BandwidthNarrowband, portable.BandwidthWideband, portable.BandwidthSuperwideband, portable.BandwidthFullband} {
				sounds(portable.EncoderModeCELT, band, samples, channels)
			}
		}
	}
	if len(kinds) != 64 {
		t.Errorf("there were %d kinds of frames, in mono and stereo; there are 32 of each", len(kinds))
	}
}

// TestFramesOfNativeSoundAlike: that encoder chooses the mode by what it is for, by its rate and its bits.
func TestFramesOfNativeSoundAlike(t *testing.T) {
	seen := map[int]bool{}
	for _, of := range []struct {
		purpose       gopus.Application
		rate, bitrate int
	}{
		{gopus.Voip, 8000, 12000}, {gopus.Voip, 12000, 16000}, {gopus.Voip, 16000, 20000}, {gopus.Voip, 24000, 24000},
		{gopus.Voip, 48000, 24000}, {gopus.Audio, 48000, 32000}, {gopus.Audio, 48000, 64000}, {gopus.RestrictedLowDelay, 48000, 64000},
		{gopus.RestrictedLowDelay, 24000, 8000}, {gopus.RestrictedLowDelay, 48000, 8000},
	} {
		for channels := 1; channels <= 2; channels++ {
			for _, tenths := range []int{25, 50, 100, 200, 400, 600} { // of a millisecond
				t.Run(fmt.Sprint(of, channels, tenths), func(t *testing.T) {
					e, err := gopus.NewEncoder(of.rate, channels, of.purpose)
					if err != nil {
						t.Fatal(err)
					}
					e.SetBitrate(of.bitrate)
					var pcm []int16
					for i, v := range speech(enough) {
						if i/2%(Rate/of.rate) == 0 && i%2 < channels {
							pcm = append(pcm, v)
						}
					}
					samples := of.rate * tenths / 10000
					var frames [][]byte
					for ; len(pcm) >= samples*channels; pcm = pcm[samples*channels:] {
						frame, err := e.Encode(pcm[:samples*channels], samples, longest)
						if err != nil {
							t.Fatal(err)
						}
						frames = append(frames, frame)
					}
					for mode := range judge(t, of.bitrate, frames) {
						seen[mode] = true
					}
				})
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("there were only %d modes", len(seen))
	}
}

// TestBothConcealAlike one lost frame. What they do with more, the standard leaves open.
func TestBothConcealAlike(t *testing.T) {
	e, native, _ := coders["native"]()
	_, other, _ := coders["pure"]()
	frames := append(encode(t, e, speech(20)), nil)
	if worst, _ := apart(decode(t, native, frames...), decode(t, other, frames...)); worst > 2 {
		t.Errorf("they are %d units apart", worst)
	}
}
