package soundfile

import (
	"bytes"
	"encoding/binary"
	"time"

	"discoclaw/internal/voice/pcm"
)

const (
	formatPCM        = 1
	formatExtensible = 0xfffe // with the format that it extends 24 bytes later
)

// openWAV goes through the chunks of a file until the one with samples.
func openWAV(data []byte) (*File, error) {
	var format, channels, bits, rate int
	for data = data[12:]; len(data) >= 8; {
		name, size := string(data[:4]), int(min(binary.LittleEndian.Uint32(data[4:]), 1<<30))
		chunk := data[8:]
		// Who writes a file while it is recorded does not know the size yet.
		if size > len(chunk) {
			size = len(chunk)
		}
		chunk = chunk[:size]
		switch {
		case name == "fmt " && size >= 16:
			format, channels = int(binary.LittleEndian.Uint16(chunk)), int(binary.LittleEndian.Uint16(chunk[2:]))
			rate, bits = int(binary.LittleEndian.Uint32(chunk[4:])), int(binary.LittleEndian.Uint16(chunk[14:]))
			if format == formatExtensible && size >= 26 {
				format = int(binary.LittleEndian.Uint16(chunk[24:]))
			}
		case name == "data":
			if format != formatPCM || bits != 16 || channels < 1 || channels > 2 || rate < 8000 || rate > 48000 {
				return nil, ErrFormat
			}
			length := time.Duration(size/(2*channels)) * time.Second / time.Duration(rate)
			return &File{length, pcm.NewReader(bytes.NewReader(chunk), rate, channels).Read}, nil
		}
		data = data[min(8+size+size%2, len(data)):]
	}
	return nil, ErrDamaged
}
