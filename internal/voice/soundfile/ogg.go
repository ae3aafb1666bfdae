package soundfile

import (
	"bytes"
	"encoding/binary"
	"io"
	"time"

	"discoclaw/internal/voice/opus"
)

// openOgg takes the packets of the first stream of a file; see RFC 3533 and RFC 7845.
func openOgg(data []byte) (*File, error) {
	all := packets(data)
	if len(all) < 2 || len(all[0]) < 19 || !bytes.HasPrefix(all[0], []byte("OpusHead")) {
		return nil, ErrFormat
	}
	if family := all[0][18]; family != 0 { // more than two channels
		return nil, ErrFormat
	}
	coder, err := opus.NewDecoder()
	if err != nil {
		return nil, err
	}
	s := &stream{coder: coder, packets: all[2:], skip: int(binary.LittleEndian.Uint16(all[0][10:]))}
	var length time.Duration
	for _, p := range s.packets {
		length += lasting(p)
	}
	return &File{length, s.read}, nil
}

const pageHeader = 27

// packets are those of the stream that begins first. What is no page ends it.
func packets(data []byte) (all [][]byte) {
	var serial uint32
	var open []byte // a packet that goes on
	for first := true; len(data) >= pageHeader && bytes.HasPrefix(data, []byte("OggS")); first = false {
		of, segments := binary.LittleEndian.Uint32(data[14:]), int(data[26])
		if first {
			serial = of
		}
		if len(data) < pageHeader+segments {
			break
		}
		sizes := data[pageHeader : pageHeader+segments]
		data = data[pageHeader+segments:]
		for _, size := range sizes {
			if len(data) < int(size) {
				return all
			}
			if of == serial {
				open = append(open, data[:size]...)
				if size < 255 { // its last part
					all = append(all, open)
					open = nil
				}
			}
			data = data[size:]
		}
	}
	return all
}

// lasting is how long the sound of a packet is; see RFC 6716, section 3.1.
func lasting(packet []byte) time.Duration {
	if len(packet) == 0 {
		return 0
	}
	of := func(longest time.Duration) time.Duration { return longest >> (3 - packet[0]>>3&3) }
	var frame time.Duration
	switch config := packet[0] >> 3; {
	case config >= 16:
		frame = of(20 * time.Millisecond)
	case config >= 12:
		frame = 10 * time.Millisecond << (config & 1)
	case config&3 == 3:
		frame = 60 * time.Millisecond
	default:
		frame = of(80 * time.Millisecond)
	}
	switch packet[0] & 3 {
	case 0:
		return frame
	case 3:
		if len(packet) > 1 {
			return frame * time.Duration(packet[1]&0x3f)
		}
	}
	return 2 * frame
}

// A stream decodes packets.
type stream struct {
	coder   *opus.Decoder
	packets [][]byte
	skip    int // samples that are not to be heard
	mono    []int16
}

func (s *stream) read(samples []int16) (int, error) {
	for len(s.mono) == 0 {
		if len(s.packets) == 0 {
			return 0, io.EOF
		}
		packet := s.packets[0]
		s.packets = s.packets[1:]
		if len(packet) == 0 {
			continue // a decoder would take it for a lost one
		}
		stereo, err := s.coder.Decode(packet)
		if err != nil {
			return 0, ErrDamaged
		}
		s.mono = s.mono[:0]
		for i := 0; i+1 < len(stereo); i += 2 {
			s.mono = append(s.mono, int16((int(stereo[i])+int(stereo[i+1]))/2))
		}
		skipped := min(s.skip, len(s.mono))
		s.mono, s.skip = s.mono[skipped:], s.skip-skipped
	}
	n := copy(samples, s.mono)
	s.mono = s.mono[n:]
	return n, nil
}
