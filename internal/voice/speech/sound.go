package speech

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http/httptrace"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/voice/pcm"
	"discoclaw/internal/voice/spoken"
)

// How long a server may take in a call, where people wait for it.
const (
	connectWait = 5 * time.Second
	firstWait   = 5 * time.Second  // from the connection to the first sound
	idleWait    = 10 * time.Second // for more of it
)

// A Sound is a text that is being spoken, for one goroutine. It has to be closed.
type Sound struct {
	open func(text string) (io.ReadCloser, *pcm.Reader, error)
	fail func(error) error
	stop context.CancelFunc
	rest []string // what is to be spoken next
	body io.Closer
	pcm  *pcm.Reader // of the body; nil at the end
}

// Sound has a text spoken, of any length, and returns when the first sound is there. It goes on only as long as ctx does. The error,
// also that of Read, is a *Failure unless ctx ended. An empty text asks no server, and is silent.
func (s *Service) Sound(ctx context.Context, text string) (*Sound, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	out := &Sound{
		open: func(text string) (io.ReadCloser, *pcm.Reader, error) { return s.open(ctx, cancel, text) },
		stop: func() { cancel(context.Canceled) },
		fail: func(err error) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return s.failure(err)
		},
		rest: spoken.Pieces(text, MaxText), // none of the servers takes less
	}
	if err := out.next(); err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}

// Read reads samples at pcm.Rate, of one channel: what there is, and at least one. At the end of the text the error is io.EOF.
func (s *Sound) Read(samples []int16) (n int, err error) {
	for s.pcm != nil {
		n, err := s.pcm.Read(samples)
		switch {
		case n > 0 || err == nil:
			return n, nil
		case !errors.Is(err, io.EOF):
			return 0, s.fail(err)
		}
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	return 0, io.EOF
}

// Close ends the request, if it goes on.
func (s *Sound) Close() {
	s.stop()
	if s.body != nil {
		_ = s.body.Close() // nothing is written there
		s.body, s.pcm = nil, nil
	}
}

// next asks for the next part of the text, if there is one.
func (s *Sound) next() (err error) {
	if s.body != nil {
		_ = s.body.Close() // it has been read to the end
		s.body, s.pcm = nil, nil
	}
	if len(s.rest) == 0 {
		return nil
	}
	text := s.rest[0]
	s.rest = s.rest[1:]
	if s.body, s.pcm, err = s.open(text); err != nil {
		return s.fail(err)
	}
	return nil
}

// open asks for a text and waits for its first sound. late ends the request.
func (s *Service) open(ctx context.Context, late context.CancelCauseFunc, text string) (io.ReadCloser, *pcm.Reader, error) {
	limit := time.AfterFunc(connectWait, func() {
		late(&Failure{What: "the server for speech took too long; try again a little later", Remedy: "check " + s.settings().server})
	})
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { limit.Reset(firstWait) }})
	body, rate, err := s.vendor.sound(traced, text)
	if err != nil {
		limit.Stop()
		return nil, nil, err
	}
	from := bufio.NewReader(body)
	head, err := from.Peek(4)
	limit.Stop()
	switch {
	case err != nil && !errors.Is(err, io.EOF):
	case len(head) == 0, notSamples(head):
		err = s.odd()
	default:
		return body, pcm.NewReader(patient{from, limit}, rate, 1), nil
	}
	_ = body.Close() // the first error is the one to tell
	return nil, nil, err
}

// notSamples recognises a file or a page, which would be a loud noise. A server may ignore which format was asked for.
func notSamples(head []byte) bool {
	begins := []string{"ID3", "\xff\xfa", "\xff\xfb", "\xff\xf2", "\xff\xf3", "OggS", "RIFF", "fLaC", "<", "{\""}
	return slices.ContainsFunc(begins, func(begin string) bool { return strings.HasPrefix(string(head), begin) })
}

// patient limits how long is waited for each part, but not how long until it is asked for.
type patient struct {
	*bufio.Reader
	limit *time.Timer
}

func (p patient) Read(b []byte) (int, error) {
	p.limit.Reset(idleWait)
	defer p.limit.Stop()
	return p.Reader.Read(b)
}
