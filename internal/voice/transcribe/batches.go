package transcribe

import (
	"context"
	"errors"
	"time"

	"discoclaw/internal/sleep"
)

const (
	batchWait  = 30 * time.Second // for the text of one batch
	maxWaiting = 8                // batches of a speaker
)

// batches is a Stream of a server that takes only whole recordings: each utterance becomes one.
type batches struct {
	s       *Service
	waiting chan batch
	results chan Result
	stop    context.CancelFunc
	done    chan struct{}
	err     error // why it is over; valid once done is closed

	cutter  cutter
	dropped bool // the last batch was
}

func (s *Service) openBatches(ctx context.Context) *batches {
	ctx, stop := context.WithCancel(ctx)
	b := &batches{s: s, waiting: make(chan batch, maxWaiting), results: make(chan Result, 1), stop: stop, done: make(chan struct{})}
	go b.run(ctx)
	return b
}

func (b *batches) Results() <-chan Result { return b.results }

func (b *batches) Close() error {
	b.stop()
	<-b.done
	return b.err
}

func (b *batches) Write(pcm []int16) {
	b.cutter.write(pcm)
	b.take()
}

func (b *batches) Pause() {
	b.cutter.end()
	b.take()
}

// take takes the batches that are complete.
func (b *batches) take() {
	for _, next := range b.cutter.take() {
		select {
		case b.waiting <- next:
			b.dropped = false
		default:
			if !b.dropped {
				b.s.o.Log.Warn("speech dropped: the server for transcriptions does not take it")
			}
			b.dropped = true
		}
	}
}

// run has one batch after the other transcribed.
func (b *batches) run(ctx context.Context) {
	defer close(b.done)
	defer close(b.results)
	defer b.stop()
	for {
		select {
		case <-ctx.Done():
			return
		case next := <-b.waiting:
			text, err := b.ask(ctx, next.wav())
			if err != nil && ctx.Err() == nil {
				b.err = err
				return
			}
			if text == "" {
				continue
			}
			select {
			case b.results <- Result{text, true, length(next.from, batchRate), length(next.to, batchRate)}:
			case <-ctx.Done():
			}
		}
	}
}

// ask asks the server again if it cannot be used for the moment.
func (b *batches) ask(ctx context.Context, wav []byte) (string, error) {
	for retries := 0; ; retries++ {
		asking, cancel := context.WithTimeoutCause(ctx, batchWait, errSlow)
		text, err := b.s.transcribe(asking, "speech.wav", wav)
		cancel()
		failed, ok := errors.AsType[failure](err)
		if !ok || !failed.passing() || retries == maxRetries {
			return text, err
		}
		sleep.For(ctx, firstPause<<retries)
	}
}

var errSlow = errors.New("the server for transcriptions took too long")
