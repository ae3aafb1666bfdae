// Package speechtest is a server that speaks texts, for tests only. It speaks OpenAI's language, and refuses what OpenAI refuses.
//
// [New] starts one that is reached in memory, so that it works inside a test bubble.
package speechtest

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"slices"
	"sync"
	"testing"

	"discoclaw/internal/memnet"
)

// Key is the only one that is accepted.
const Key = "correct horse battery staple"

// URL is the address of a server, for the settings. It is that of this machine, where plain http will do.
const URL = "http://127.0.0.1/speech/v1"

// MP3 is what it answers with.
const MP3 = "ID3 a voice"

// A Server speaks. It is safe for concurrent use.
type Server struct {
	HTTP *http.Client // reaches it

	mu      sync.Mutex
	waiting []http.HandlerFunc
	asked   []Asked
}

// Asked is a request that was well-formed.
type Asked struct {
	Model  string `json:"model"`
	Voice  string `json:"voice"`
	Text   string `json:"input"`
	Format string `json:"response_format"`
}

// New starts a server, which ends with the test.
func New(t testing.TB) *Server {
	network := memnet.New()
	s := &Server{HTTP: network.HTTPClient()}
	h := &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = h.Serve(network) // always ErrServerClosed
	}()
	t.Cleanup(func() {
		s.HTTP.CloseIdleConnections()
		_ = h.Close() // our listener closes without a fault
		<-served
	})
	return s
}

// Next adds answers, each for one request.
func (s *Server) Next(answers ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, answers...)
}

// Asked returns the requests so far.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in Asked
	switch err := json.NewDecoder(r.Body).Decode(&in); {
	case err != nil || r.Method != http.MethodPost || r.URL.Path != "/speech/v1/audio/speech":
		Answer(http.StatusNotFound, `{"error":{"message":"Not found."}}`)(w, r)
		return
	case r.Header.Get("Authorization") != "Bearer "+Key:
		Answer(http.StatusUnauthorized, `{"error":{"message":"Incorrect API key provided: `+r.Header.Get("Authorization")+`"}}`)(w, r)
		return
	case in.Text == "" || in.Model == "" || in.Voice == "" || len(in.Text) > 4096:
		Answer(http.StatusBadRequest, `{"error":{"message":"Invalid input."}}`)(w, r)
		return
	}
	answer := Answer(http.StatusOK, MP3)
	s.mu.Lock()
	s.asked = append(s.asked, in)
	if len(s.waiting) > 0 {
		answer, s.waiting = s.waiting[0], s.waiting[1:]
	}
	s.mu.Unlock()
	answer(w, r)
}

// Answer answers with a body.
func Answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Hang answers nothing until the client leaves.
func Hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
