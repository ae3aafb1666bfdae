// Package transcribetest has servers that understand the speech of package tones, for tests only: [Deepgram], and [OpenAI] for all that
// speak its language. They refuse what the vendors refuse.
//
// Both are reached in memory, so that they work inside a test bubble.
package transcribetest

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"slices"
	"sync"
	"testing"

	"discoclaw/internal/memnet"
	"discoclaw/internal/voice/tones"
)

// Key is the only one that is accepted.
const Key = "correct horse battery staple"

// The addresses of the servers, for the settings. They are on this machine, where plain http will do.
const (
	DeepgramURL = "http://127.0.0.1/deepgram/v1"
	OpenAIURL   = "http://127.0.0.1/stt/v1"
)

// requests are what both servers have.
type requests struct {
	HTTP *http.Client // reaches it

	mu      sync.Mutex
	waiting []http.HandlerFunc
	heard   []string
	samples int
	asked   int
	now     int
	most    int
}

// start starts a server, which ends with the test.
func start(t testing.TB, r *requests, h http.Handler) {
	network := memnet.New()
	r.HTTP = network.HTTPClient()
	server := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(network) // always ErrServerClosed
	}()
	t.Cleanup(func() {
		r.HTTP.CloseIdleConnections()
		_ = server.Close() // our listener closes without a fault
		<-served
	})
}

// Next adds answers, each for one request that is well-formed.
func (r *requests) Next(answers ...http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, answers...)
}

// Heard returns what was understood so far: the text of each recording, and of each stream's utterances.
func (r *requests) Heard() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.heard)
}

// Samples is how much sound has come.
func (r *requests) Samples() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.samples
}

// Asked is how many requests have come, streams included.
func (r *requests) Asked() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// Now is how many are being served, and Most how many were at once.
func (r *requests) Now() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *requests) Most() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.most
}

// begin counts a request, until end is called. other is what is to answer it, if that is not the server itself.
func (r *requests) begin() (other http.HandlerFunc, end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	r.now++
	r.most = max(r.most, r.now)
	if len(r.waiting) > 0 {
		other, r.waiting = r.waiting[0], r.waiting[1:]
	}
	return other, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.now--
	}
}

func (r *requests) take(samples int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.samples += samples
}

func (r *requests) understand(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = append(r.heard, text)
}

// Answer answers with a body.
func Answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Hang answers nothing until the client leaves.
func Hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// An OpenAI is a server that transcribes recordings. It is safe for concurrent use.
type OpenAI struct{ requests }

// NewOpenAI starts one.
func NewOpenAI(t testing.TB) *OpenAI {
	s := &OpenAI{}
	start(t, &s.requests, s)
	return s
}

func (s *OpenAI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/stt/v1/audio/transcriptions" {
		Answer(http.StatusNotFound, `{"error":{"message":"Not found."}}`)(w, r)
		return
	}
	file, _, err := r.FormFile("file")
	var data []byte
	if err == nil {
		data, err = io.ReadAll(file)
	}
	pcm, rate, notWAV := readWAV(data)
	switch {
	case r.Header.Get("Authorization") != "Bearer "+Key:
		Answer(http.StatusUnauthorized, `{"error":{"message":"Incorrect API key provided: `+r.Header.Get("Authorization")+`"}}`)(w, r)
		return
	case err != nil || r.FormValue("model") == "" || len(data) > 25<<20:
		Answer(http.StatusBadRequest, `{"error":{"message":"Invalid input."}}`)(w, r)
		return
	}
	other, end := s.begin()
	defer end()
	s.take(len(pcm))
	switch {
	case other != nil:
		other(w, r)
	case notWAV != nil:
		Answer(http.StatusBadRequest, `{"error":{"message":"Invalid file format."}}`)(w, r)
	default:
		text := tones.Understand(pcm, rate)
		s.understand(text)
		body, _ := json.Marshal(map[string]string{"text": text})
		Answer(http.StatusOK, string(body))(w, r)
	}
}

// readWAV reads the sound of a file.
func readWAV(data []byte) (pcm []int16, rate int, err error) {
	const header = 44
	le := binary.LittleEndian
	if len(data) < header || string(data[:4]) != "RIFF" || string(data[8:16]) != "WAVEfmt " || string(data[36:40]) != "data" {
		return nil, 0, errors.New("this is no WAV")
	}
	for _, is := range []bool{
		le.Uint32(data[4:]) == uint32(len(data)-8), le.Uint32(data[16:]) == 16, le.Uint32(data[40:]) == uint32(len(data)-header),
		le.Uint16(data[20:]) == 1, le.Uint16(data[22:]) == 1, // PCM, mono
		le.Uint32(data[28:]) == 2*le.Uint32(data[24:]), le.Uint16(data[32:]) == 2, le.Uint16(data[34:]) == 16,
	} {
		if !is {
			return nil, 0, errors.New("its header is wrong")
		}
	}
	if rate = int(le.Uint32(data[24:])); rate != 16000 && rate != 48000 {
		return nil, 0, errors.New("its rate is wrong")
	}
	return samples(data[header:]), rate, nil
}

func samples(data []byte) []int16 {
	pcm := make([]int16, len(data)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return pcm
}
