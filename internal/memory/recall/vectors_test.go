package recall_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"discoclaw/internal/memnet"
	"discoclaw/internal/memory/recall"
)

// subjects are the words of each dimension of the vectors of a library.
var subjects = [][]string{{"wombat", "marsupial"}, {"lunch", "pizza"}, {"server", "machine"}, {"number"}}

// A library is a server for embeddings.
type library struct {
	mu      sync.Mutex
	batches []int                                             // texts of each request
	bodies  []map[string]any                                  // of each request
	before  func(n int, w http.ResponseWriter) (handled bool) // called for the nth request; may be nil
}

func (l *library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer sk-hush" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	texts := body["input"].([]any)
	l.mu.Lock()
	l.batches, l.bodies = append(l.batches, len(texts)), append(l.bodies, body)
	n, before := len(l.batches), l.before
	l.mu.Unlock()
	if before != nil && before(n, w) {
		return
	}
	type item struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	var data []item
	for i, text := range texts {
		v := make([]float64, len(subjects))
		for j, words := range subjects {
			if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(text.(string)), w) }) {
				v[j] = 1
			}
		}
		data = append(data, item{i, v})
	}
	slices.Reverse(data) // a server may answer in any order
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

// withLibrary gives an engine an embedder. Its server ends with the test.
func withLibrary(l *library) func(*testing.T, *recall.Options) {
	return func(t *testing.T, o *recall.Options) {
		listener := memnet.New()
		server := &http.Server{Handler: l}
		go func() { _ = server.Serve(listener) }() // ends with Close
		t.Cleanup(func() { _ = server.Close() })
		o.Embedder = &recall.Embedder{URL: "http://embeddings/v1/", Key: "sk-hush", Model: "toy", Dimensions: len(subjects), Shorten: true, HTTP: listener.HTTPClient()}
		o.Embedder.HTTP.Transport.(*http.Transport).DisableKeepAlives = true
	}
}

func TestMeaningsAreFound(t *testing.T) {
	l := &library{}
	onServer(t, func(t *testing.T, s *server) {
		s.MustSay("bob", "#ops", "Our wombat dug a hole.")
		s.MustSay("bob", "#ops", "Pizza today?") // in the same request
		s.settle()
		m := s.say("ada", "#staff", "The other wombat is ill.")
		s.requires(s.asks("bob", "marsupials")[:1], "Our wombat dug a hole.")
		if got := s.asks("ada", "marsupials"); !slices.Contains(got, "The other wombat is ill.") {
			t.Errorf("ada finds %q", got)
		}
		if got := s.asks("bob", "marsupials"); slices.Contains(got, "The other wombat is ill.") {
			t.Errorf("bob finds %q", got)
		}
		if got := s.rows(); got != "3 3 0 3" {
			t.Errorf("rows: %s", got)
		}
		s.must(s.DeleteAs("ada", m.ID))
		s.settle()
		if got := s.rows(); got != "2 2 0 2" {
			t.Errorf("rows: %s", got)
		}
		if l.bodies[0]["dimensions"] != float64(len(subjects)) || l.bodies[0]["model"] != "toy" {
			t.Errorf("asked for %v", l.bodies[0])
		}
	}, withLibrary(l))
}

// TestASlowServerForEmbeddingsDelaysLittle: after three seconds, words alone count.
func TestASlowServerForEmbeddingsDelaysLittle(t *testing.T) {
	l := &library{}
	onServer(t, func(t *testing.T, s *server) {
		s.say("bob", "#ops", "Our wombat dug a hole.")
		l.mu.Lock()
		l.before = func(int, http.ResponseWriter) bool {
			time.Sleep(time.Minute)
			return false
		}
		l.mu.Unlock()
		began := time.Now()
		s.requires(s.asks("ada", "which wombat?"), "Our wombat dug a hole.")
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it took %v", took)
		}
		time.Sleep(2 * time.Minute) // the server ends its work
	}, withLibrary(l))
}

func TestEmbeddingIsTriedAgain(t *testing.T) {
	l := &library{before: func(n int, w http.ResponseWriter) bool {
		if n <= 2 {
			w.WriteHeader([]int{http.StatusTooManyRequests, http.StatusBadGateway}[n-1])
		}
		return n <= 2
	}}
	onServer(t, func(t *testing.T, s *server) {
		for i := range 250 {
			s.MustSay("bob", "#ops", fmt.Sprint("number ", i))
		}
		s.settle()
		s.settle()
		if got := s.rows(); got != "250 250 0 250" || slices.Max(l.batches) > 100 {
			t.Errorf("rows: %s, batches: %v", got, l.batches)
		}
	}, withLibrary(l))
}

// TestWhatTheServerRefusesIsFoundByItsWords, and does not hold up the rest.
func TestWhatTheServerRefusesIsFoundByItsWords(t *testing.T) {
	l := &library{before: func(n int, w http.ResponseWriter) bool {
		if n == 1 {
			w.WriteHeader(http.StatusBadRequest)
		}
		return n == 1
	}}
	onServer(t, func(t *testing.T, s *server) {
		s.say("bob", "#ops", "wombat one")
		s.say("bob", "#ops", "wombat two")
		if got := s.rows(); got != "2 1 0 2" {
			t.Errorf("rows: %s", got)
		}
		if got := s.asks("ada", "wombat"); len(got) != 2 {
			t.Errorf("found %q", got)
		}
	}, withLibrary(l))
}

// TestVectorsOfOtherLengthsAreRefused: they would be compared with nonsense.
func TestVectorsOfOtherLengthsAreRefused(t *testing.T) {
	l := &library{}
	var log bytes.Buffer
	onServer(t, func(t *testing.T, s *server) {
		s.say("bob", "#ops", "wombat one")
		if got := s.rows(); got != "1 0 0 1" {
			t.Errorf("rows: %s", got)
		}
		s.requires(s.asks("ada", "wombat"), "wombat one")
		if text := log.String(); !strings.Contains(text, "returned 4 dimensions instead of 8") || strings.Contains(text, "hush") {
			t.Errorf("logged: %s", text)
		}
	}, withLibrary(l), func(_ *testing.T, o *recall.Options) {
		o.Embedder.Dimensions = 8
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
}

// TestTheKeyStaysOutOfTheLog, even if the server repeats it.
func TestTheKeyStaysOutOfTheLog(t *testing.T) {
	l := &library{before: func(_ int, w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte("the key sk-hush is wrong"))
		return true
	}}
	var log bytes.Buffer
	onServer(t, func(t *testing.T, s *server) {
		s.say("bob", "#ops", "wombat one")
		s.requires(s.asks("ada", "wombat"), "wombat one")
		if text := log.String(); !strings.Contains(text, "status 401") || strings.Contains(text, "hush") {
			t.Errorf("logged: %s", text)
		}
	}, withLibrary(l), func(_ *testing.T, o *recall.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
}

// TestAnotherModelStartsAnew: vectors of two models are never compared.
func TestAnotherModelStartsAnew(t *testing.T) {
	l := &library{}
	onServer(t, func(t *testing.T, s *server) {
		s.say("bob", "#ops", "Our wombat dug a hole.")
		s.say("bob", "#ops", "Lunch is served.")
		o := s.engine.Options
		e := *o.Embedder
		e.Model, o.Embedder = "other", &e
		other := recall.New(o)
		s.engine = other
		s.requires(s.asks("ada", "marsupials")) // those of the old model do not count
		done := make(chan struct{})
		ctx, stop := context.WithCancel(context.Background())
		go func() {
			defer close(done)
			other.Run(ctx)
		}()
		s.settle()
		s.requires(s.asks("ada", "marsupials")[:1], "Our wombat dug a hole.")
		if l.bodies[len(l.bodies)-1]["model"] != "other" || s.rows() != "2 2 0 2" {
			t.Errorf("asked %v, rows: %s", l.bodies[len(l.bodies)-1], s.rows())
		}
		stop()
		<-done
	}, withLibrary(l))
}
