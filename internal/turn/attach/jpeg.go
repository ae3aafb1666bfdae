package attach

import "encoding/binary"

// Markers of a JPEG, which stand behind a byte of 0xff.
const (
	startOfFrame    = 0xc0 // with 1 more for extended, with 2 more for progressive
	startOfScan     = 0xda
	endOfImage      = 0xd9
	adobe           = 0xee
	firstRestart    = 0xd0
	lastRestart     = 0xd7
	progressiveness = 2
)

// maxComponents is how many the decoder knows; it stops at a frame or a scan with more.
const maxComponents = 4

// A frame is what the segments of a JPEG say about its pixels.
type frame struct {
	effort
	progressive, converted bool // converted into other colors once it is decoded
	across, down           int  // units of the first component
	parts                  []component
}

type component struct{ id, blocks byte } // blocks in each unit

// measureJPEG walks the segments as the decoder does, without decoding.
func measureJPEG(data []byte) (effort, error) {
	var f frame
	for rest := data[2:]; ; {
		marker, behind := nextMarker(rest)
		if marker == 0 || marker == endOfImage {
			break
		}
		if len(behind) < 2 {
			break
		}
		n := int(binary.BigEndian.Uint16(behind))
		if n < 2 || n > len(behind) {
			break // the decoder stops here, too
		}
		if err := f.segment(marker, behind[2:n]); err != nil {
			return effort{}, err
		}
		rest = behind[n:]
	}
	if f.width == 0 || f.height == 0 {
		return effort{}, errBroken
	}
	return f.total(), nil
}

// nextMarker skips pixels and fill bytes, and returns the next marker of a segment, or 0, and what is behind it.
func nextMarker(data []byte) (marker byte, behind []byte) {
	for i := 0; i+1 < len(data); i++ {
		next := data[i+1]
		if data[i] == 0xff && next != 0 && next != 0xff && (next < firstRestart || next > lastRestart) {
			return next, data[i+2:]
		}
	}
	return 0, nil
}

func (f *frame) segment(marker byte, data []byte) error {
	switch marker {
	case startOfFrame, startOfFrame + 1, startOfFrame + progressiveness:
		return f.start(marker == startOfFrame+progressiveness, data)
	case startOfScan:
		return f.scan(data)
	case adobe:
		f.converted = true // possibly
	}
	return nil
}

func (f *frame) start(progressive bool, data []byte) error {
	if len(data) < 6 || len(data) < 6+3*int(data[5]) || data[5] == 0 || data[5] > maxComponents || f.parts != nil {
		return errBroken
	}
	f.progressive = progressive
	f.height, f.width = int(binary.BigEndian.Uint16(data[1:])), int(binary.BigEndian.Uint16(data[3:]))
	for i := range int(data[5]) {
		part := data[6+3*i:]
		f.parts = append(f.parts, component{part[0], (part[1] >> 4) * (part[1] & 15)})
	}
	h, v := int(data[7]>>4), int(data[7]&15)
	if len(f.parts) == 1 {
		h, v, f.parts[0].blocks = 1, 1, 1 // whatever is stated
	}
	if h == 0 || v == 0 {
		return errBroken
	}
	f.across, f.down = (f.width+8*h-1)/(8*h), (f.height+8*v-1)/(8*v)
	f.converted = f.converted || len(f.parts) == 4 || string([]byte{f.parts[0].id, data[min(9, len(data)-1)]}) == "RG"
	return nil
}

// scan counts the values that a scan goes over, though most of them may take no bytes at all.
func (f *frame) scan(data []byte) error {
	if len(data) < 1 || len(data) < 1+2*int(data[0]) || data[0] > maxComponents || f.parts == nil {
		return errBroken
	}
	f.scans++
	for i := range int(data[0]) {
		for _, part := range f.parts {
			if part.id == data[1+2*i] {
				f.samples += f.values(part)
			}
		}
	}
	return nil
}

func (f *frame) values(part component) int { return 64 * f.across * f.down * int(part.blocks) }

// total adds what the decoder does after the scans, and what it keeps.
func (f *frame) total() effort {
	for _, part := range f.parts {
		f.memory += f.values(part)
	}
	if f.progressive {
		f.samples += f.memory
		f.memory *= 5 // a coefficient for each value, too
	}
	if f.converted {
		f.memory += 4 * f.width * f.height
	}
	return f.effort
}
