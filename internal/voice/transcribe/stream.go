package transcribe

import (
	"context"
	"time"
)

// A Recogniser understands speech while it is spoken. It is safe for concurrent use.
type Recogniser interface {
	Rate() int                                // samples a second of the sound that its streams take: 16,000 or 48,000
	Open(ctx context.Context) (Stream, error) // returns at once or within seconds; the stream ends with ctx at the latest
}

// A Stream is the speech of one person. Write, Pause and Close are for one goroutine at a time, and Results has to be received from.
type Stream interface {
	// Write takes the next sound: mono, at the Recogniser's rate. It never blocks.
	Write(pcm []int16)
	// Pause says that the speaker has fallen silent: what was said so far is complete. Speech may go on afterwards.
	Pause()
	// Results is closed when the stream is over.
	Results() <-chan Result
	// Close ends the stream, within seconds. The error is why it was over before that.
	Close() error
}

// A Result is what was understood of an utterance: all of it if it is Final, otherwise what there is so far. From and To are where
// the words begin and end in the sound that was written.
type Result struct {
	Text     string
	Final    bool
	From, To time.Duration
}

var _ Recogniser = (*Service)(nil)

// The rates of sound: Deepgram takes what calls have, so that nothing is lost; models for whole recordings work with less.
const (
	liveRate  = 48000
	batchRate = 16000
)

// Rate is what streams take.
func (s *Service) Rate() int {
	if s.o.Deepgram {
		return liveRate
	}
	return batchRate
}

// Open returns at once. What goes wrong later, Close tells.
func (s *Service) Open(ctx context.Context) (Stream, error) {
	if s.o.Deepgram {
		return s.openLive(ctx), nil
	}
	return s.openBatches(ctx), nil
}

// A server that cannot be used is tried again after these pauses: 500 ms, 1 s, 2 s.
const (
	maxRetries = 3
	firstPause = 500 * time.Millisecond
)
