package transcribe

import (
	"encoding/binary"
	"math"
	"slices"
	"time"
)

// The lengths of sound, in samples at batchRate.
const (
	window    = batchRate / 50     // in which there is voice, or not
	before    = 3 * batchRate / 10 // that is kept of what precedes the first voice, which begins softly
	after     = 2 * batchRate / 10 // and of what follows the last one
	endPause  = 7 * batchRate / 10 // without voice, after which an utterance is over
	longest   = 60 * batchRate     // in one batch: 1.9 MB
	leastWord = 3 * batchRate / 10 // of voice; less is a cough, or a key
)

// A cutter cuts sound into utterances, by its energy alone, which is the same in all languages.
type cutter struct {
	sound  []int16 // from a little before the utterance on
	at     int     // where that begins in all that was written
	seen   int     // how much of it was looked at
	first  int     // where its first voice begins
	last   int     // where its last voice ends
	voiced int     // how much voice is in it
	quiet  int     // where its last window without voice begins
	floor  float64 // the energy of noise
	ready  []batch
}

// A batch is an utterance, and where its voice begins and ends in all that was written.
type batch struct {
	sound    []int16
	from, to int
}

// write takes the next sound.
func (c *cutter) write(pcm []int16) {
	c.sound = append(c.sound, pcm...)
	for len(c.sound)-c.seen >= window {
		w := c.sound[c.seen : c.seen+window]
		if c.hears(w) {
			if c.voiced == 0 {
				c.first = c.seen
			}
			c.voiced += window
			c.last = c.seen + window
		} else {
			c.quiet = c.seen
		}
		c.seen += window
		switch {
		case c.voiced == 0:
			c.drop(c.seen - before)
		case c.seen-c.last >= endPause:
			c.end()
		case c.seen >= longest && c.quiet > longest/2:
			c.cut(c.quiet)
		case c.seen >= longest:
			c.cut(c.seen)
		}
	}
}

const (
	silence = 30    // the least energy of noise (root mean square), which is 61 dB below the loudest sound
	over    = 3     // how much louder than noise voice is
	rise    = 1.005 // of the noise with each window: a third in a second. Speech has softer moments more often
)

// hears reports whether there is voice in a window. Noise is the least that was heard lately.
func (c *cutter) hears(w []int16) bool {
	sum := 0.0
	for _, v := range w {
		sum += float64(v) * float64(v)
	}
	energy := math.Sqrt(sum / float64(len(w)))
	c.floor = max(silence, min(energy, c.floor*rise))
	return energy > over*c.floor
}

// end ends the utterance.
func (c *cutter) end() {
	if c.voiced > 0 {
		c.cut(min(c.last+after, c.seen))
	}
}

// cut makes a batch of what is before a place, unless it is too little. What follows it begins the next utterance.
func (c *cutter) cut(n int) {
	if c.voiced >= leastWord {
		c.ready = append(c.ready, batch{slices.Clone(c.sound[:n]), c.at + c.first, c.at + min(c.last, n)})
	}
	c.drop(n)
	c.voiced, c.first = max(0, c.last), 0
}

// drop drops what is before a place.
func (c *cutter) drop(n int) {
	if n <= 0 {
		return
	}
	c.sound = slices.Delete(c.sound, 0, n)
	c.at += n
	c.seen, c.last, c.quiet = c.seen-n, c.last-n, c.quiet-n
}

// take returns the batches that are complete.
func (c *cutter) take() []batch {
	ready := c.ready
	c.ready = nil
	return ready
}

const headerBytes = 44

// wav is the batch as a file.
func (b batch) wav() []byte {
	const bytes = 2 // of a sample
	data := make([]byte, 0, headerBytes+bytes*len(b.sound))
	le := binary.LittleEndian
	data = append(data, "RIFF"...)
	data = le.AppendUint32(data, uint32(headerBytes-8+bytes*len(b.sound)))
	data = append(data, "WAVEfmt "...)
	data = le.AppendUint32(data, 16) // bytes of the format
	data = le.AppendUint16(data, 1)  // PCM
	data = le.AppendUint16(data, 1)  // channel
	data = le.AppendUint32(data, batchRate)
	data = le.AppendUint32(data, batchRate*bytes)
	data = le.AppendUint16(data, bytes)
	data = le.AppendUint16(data, 8*bytes)
	data = append(data, "data"...)
	data = le.AppendUint32(data, uint32(bytes*len(b.sound)))
	for _, v := range b.sound {
		data = le.AppendUint16(data, uint16(v))
	}
	return data
}

// length is how long so many samples last.
func length(samples, rate int) time.Duration {
	return time.Duration(samples) * time.Second / time.Duration(rate)
}
