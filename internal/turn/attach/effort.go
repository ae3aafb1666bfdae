package attach

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
)

// What opening a picture may cost. A file of some kilobytes can claim millions of pixels, and a progressive
// JPEG can have each of them computed anew by every few bytes, so size and pixels alone say little.
const (
	maxPixels   = 50 << 20 // a larger picture is refused, whatever it costs
	maxUnpacked = 24 << 20 // pixels that are decoded; a larger picture is passed on unscaled
	// maxScans is how often a JPEG may go over its pixels. Ordinary encoders write up to 18 scans, for four colors.
	maxScans = 20
	// maxSamples is how many values are computed, some ten times those of the largest picture within maxMemory.
	maxSamples = 256 << 20
	// maxMemory is for the decoded picture. One that takes more is passed on unscaled.
	maxMemory = 128 << 20
)

// An effort is what decoding a picture takes, by its header and, for a JPEG, its segments.
type effort struct {
	width, height int
	scans         int // of a JPEG
	samples       int // values that are computed; those of a JPEG count once for each scan
	memory        int // bytes
}

var errBroken = errors.New("not as the format demands")

// measurePNG relies on the decoder to inflate no more than the pixels that the header states, and to skip what it
// does not know.
func measurePNG(data []byte) (effort, error) {
	if string(data[12:16]) != "IHDR" {
		return effort{}, errBroken
	}
	w, h := binary.BigEndian.Uint32(data[16:]), binary.BigEndian.Uint32(data[20:])
	if w > 1<<30 || h > 1<<30 {
		return effort{}, errBroken
	}
	depth, colors, interlaced := data[24], data[25], data[28] != 0
	bytes := 4
	switch {
	case colors == 3:
		bytes = 1
	case depth == 16:
		bytes = 8
	}
	if interlaced {
		bytes *= 2 // the picture and its passes
	}
	e := effort{width: int(w), height: int(h)}
	e.samples = e.width * e.height * bytes
	e.memory = e.samples
	return e, nil
}

// measureGIF counts the first frame, since the decoder stops there.
func measureGIF(data []byte) (effort, error) {
	e := effort{width: int(binary.LittleEndian.Uint16(data[6:])), height: int(binary.LittleEndian.Uint16(data[8:]))}
	e.samples = 2 * e.width * e.height // once more if it is interlaced
	e.memory = e.samples
	return e, nil
}

// measureWebP reads the size alone. WebP is never decoded here.
func measureWebP(data []byte) (effort, error) {
	if len(data) < 30 {
		return effort{}, errBroken
	}
	at := func(i int) int { return int(data[i]) }
	switch string(data[12:16]) {
	case "VP8X":
		return effort{width: 1 + at(24) + at(25)<<8 + at(26)<<16, height: 1 + at(27) + at(28)<<8 + at(29)<<16}, nil
	case "VP8L":
		bits := binary.LittleEndian.Uint32(data[21:])
		return effort{width: 1 + int(bits&0x3fff), height: 1 + int(bits>>14&0x3fff)}, nil
	case "VP8 ":
		return effort{width: (at(26) + at(27)<<8) & 0x3fff, height: (at(28) + at(29)<<8) & 0x3fff}, nil
	}
	return effort{}, errBroken
}

// pieces is how many bytes a decoder gets at a time. It cannot be interrupted, so that it may compute
// for as long as a piece lasts.
const pieces = 64

// A pieceReader reads data in pieces, until the context ends.
type pieceReader struct {
	ctx  context.Context
	data []byte
}

func (r *pieceReader) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), pieces)], r.data)
	r.data = r.data[n:]
	return n, nil
}
