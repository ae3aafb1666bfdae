// Package soundfile reads the sound files that can be played into a call: Opus in Ogg, which Discord's voice messages are, and plain WAV.
//
// Files come from strangers. No file panics, and none takes more memory than it has bytes.
package soundfile

import (
	"bytes"
	"errors"
	"time"
)

// What is wrong with a file, in sentences for people.
var (
	ErrFormat  = errors.New("I can't play that file: it must be .ogg with Opus, as voice messages are, or .wav with 16 bits and one or two channels")
	ErrDamaged = errors.New("I can't play that file: it is damaged")
)

// A File is the sound of a file, for one goroutine.
type File struct {
	Length time.Duration
	read   func(samples []int16) (n int, err error)
}

// Open recognises a file by how it begins.
func Open(data []byte) (*File, error) {
	switch {
	case bytes.HasPrefix(data, []byte("OggS")):
		return openOgg(data)
	case bytes.HasPrefix(data, []byte("RIFF")) && len(data) >= 12 && string(data[8:12]) == "WAVE":
		return openWAV(data)
	}
	return nil, ErrFormat
}

// Read reads samples of one channel, at the rate of calls. At the end of the file the error is io.EOF.
func (f *File) Read(samples []int16) (n int, err error) { return f.read(samples) }
