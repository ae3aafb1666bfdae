package transcribe_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/voice/tones"
	"discoclaw/internal/voice/transcribe"
)

// frame is how much sound is written at a time.
const frame = 20 * time.Millisecond

// A speaker writes to a stream, and notes what is understood.
type speaker struct {
	t      testing.TB
	rate   int
	stream transcribe.Stream
	began  time.Time
	log    strings.Builder

	mu      sync.Mutex
	interim []string
	final   []transcribe.Result
	over    chan struct{}
}

func open(t testing.TB, o transcribe.Options, client *http.Client) *speaker {
	t.Helper()
	s := &speaker{t: t, began: time.Now(), over: make(chan struct{})}
	o.Key, o.HTTP, o.Log = key, client, slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	service := transcribe.New(o)
	s.rate = service.Rate()
	var err error
	if s.stream, err = service.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.over)
		for r := range s.stream.Results() {
			s.mu.Lock()
			if r.Final {
				s.final = append(s.final, r)
			} else {
				s.interim = append(s.interim, r.Text)
			}
			s.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = s.stream.Close() // requireOver looks at the error
		<-s.over
	})
	return s
}

// write writes sound as it is spoken.
func (s *speaker) write(pcm []int16) {
	for part := range slices.Chunk(pcm, s.rate/50) {
		at := time.Now()
		s.stream.Write(part)
		if took := time.Since(at); took > 0 {
			s.t.Errorf("Write blocked for %v", took)
		}
		time.Sleep(frame)
	}
}

// say says a text, and a little silence, as clients send it before a pause.
func (s *speaker) say(text string) {
	pcm := tones.Say(text)
	step := 48000 / s.rate
	var taken []int16
	for i := 0; i < len(pcm); i += step {
		taken = append(taken, pcm[i])
	}
	s.write(taken)
	s.silence(100 * time.Millisecond)
}

func (s *speaker) silence(d time.Duration) { s.write(make([]int16, int(d.Seconds()*float64(s.rate)))) }

// requireUnderstood fails unless these utterances were understood since the last call.
func (s *speaker) requireUnderstood(want ...string) {
	s.t.Helper()
	synctest.Wait()
	if got := s.texts(); !slices.Equal(got, want) {
		s.t.Errorf("understood %q\nwant %q\n%s", got, want, &s.log)
	}
}

func (s *speaker) texts() (texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.final {
		texts = append(texts, r.Text)
	}
	s.final = nil
	return texts
}

// requireOver fails unless the stream is over, for a reason.
func (s *speaker) requireOver(want string) {
	s.t.Helper()
	synctest.Wait()
	select {
	case <-s.over:
	default:
		s.t.Errorf("the stream is not over after %v", time.Since(s.began))
	}
	if got := fmt.Sprint(s.stream.Close()); got != want {
		s.t.Errorf("the error is %q, want %q", got, want)
	}
	if strings.Contains(s.log.String(), key) {
		s.t.Errorf("the key is in the log: %s", &s.log)
	}
}
