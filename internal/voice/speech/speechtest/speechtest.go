// Package speechtest is a server that speaks texts, for tests only. It speaks the languages of OpenAI, Cartesia and Deepgram, and
// refuses what they refuse.
//
// [New] starts one that is reached in memory, so that it works inside a test bubble.
package speechtest

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"log"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"discoclaw/internal/memnet"
)

// Key is the only one that is accepted.
const Key = "correct horse battery staple"

// Addresses of a server, for the settings. They are of this machine, where plain http will do.
const (
	URL      = "http://127.0.0.1/speech/v1"
	Cartesia = "http://127.0.0.1/cartesia"
	Deepgram = "http://127.0.0.1/deepgram/v1"
)

// VoiceID is the only voice of Cartesia.
const VoiceID = "694f9389-aac1-45b6-b726-9d9369183238"

// MP3 is what it answers with.
const MP3 = "ID3 a voice"

// A Server speaks. It is safe for concurrent use.
type Server struct {
	HTTP *http.Client // reaches it
	// Voice has a text spoken in samples of one channel. It is set before the first text, or left as it is: each character is a tone of 60 ms.
	Voice func(text string, rate int) []int16

	mu      sync.Mutex
	waiting []http.HandlerFunc
	asked   []Asked
}

// Asked is a request that was well-formed.
type Asked struct {
	Model  string  `json:"model"`
	Voice  string  `json:"voice"`
	Text   string  `json:"input"`
	Format string  `json:"response_format"`
	Speed  float64 `json:"speed"`
}

// New starts a server, which ends with the test.
func New(t testing.TB) *Server {
	network := memnet.New()
	s := &Server{HTTP: network.HTTPClient(), Voice: Tones}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /speech/v1/audio/speech", s.openAI)
	mux.HandleFunc("POST /deepgram/v1/speak", s.deepgram)
	mux.HandleFunc("GET /cartesia/tts/websocket", s.cartesia)
	mux.HandleFunc("/", Answer(http.StatusNotFound, `{"error":{"message":"Not found."}}`))
	h := &http.Server{Handler: mux, ErrorLog: log.New(io.Discard, "", 0)}
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

// Next adds answers, each for one request with the right key. Those to Cartesia come before the websocket.
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

// Tones is what is spoken unless a test says otherwise.
func Tones(text string, rate int) []int16 {
	var all []int16
	for _, r := range text {
		pitch := 300 + 20*float64(r%100)
		for i := range rate * 60 / 1000 {
			all = append(all, int16(8000*math.Sin(2*math.Pi*pitch*float64(i)/float64(rate))))
		}
	}
	return all
}

func (s *Server) spoken(text string, rate int) (data []byte) {
	for _, sample := range s.Voice(text, rate) {
		data = binary.LittleEndian.AppendUint16(data, uint16(sample))
	}
	return data
}

// take notes a request, and returns the answer that a test has for it.
func (s *Server) take(in Asked) http.HandlerFunc {
	s.note(in)
	return s.next()
}

func (s *Server) note(in Asked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, in)
}

// next is the next answer that a test has, or nil.
func (s *Server) next() (answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) > 0 {
		answer, s.waiting = s.waiting[0], s.waiting[1:]
	}
	return answer
}

func (s *Server) openAI(w http.ResponseWriter, r *http.Request) {
	var in Asked
	if r.Header.Get("Authorization") != "Bearer "+Key {
		Answer(http.StatusUnauthorized, `{"error":{"message":"Incorrect API key provided: `+r.Header.Get("Authorization")+`"}}`)(w, r)
		return
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.Text == "" || in.Model == "" || in.Voice == "" || len(in.Text) > 4096 ||
		in.Speed != 0 && (in.Speed < 0.25 || in.Speed > 4) {
		Answer(http.StatusBadRequest, `{"error":{"message":"Invalid input."}}`)(w, r)
		return
	}
	if answer := s.take(in); answer != nil {
		answer(w, r)
		return
	}
	body := MP3
	if in.Format == "pcm" {
		body = string(s.spoken(in.Text, 24000))
	}
	Answer(http.StatusOK, body)(w, r)
}

func (s *Server) deepgram(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Text string `json:"text"`
	}
	q := r.URL.Query()
	speed, _ := strconv.ParseFloat(q.Get("speed"), 64)
	rate, _ := strconv.Atoi(q.Get("sample_rate"))
	raw := q.Get("encoding") == "linear16" && q.Get("container") == "none" && slices.Contains([]int{8000, 16000, 24000, 32000, 48000}, rate)
	if r.Header.Get("Authorization") != "Token "+Key {
		Answer(http.StatusUnauthorized, `{"err_code":"INVALID_AUTH","err_msg":"Invalid credentials: `+r.Header.Get("Authorization")+`"}`)(w, r)
		return
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.Text == "" || q.Get("model") == "" || !raw && (q.Get("encoding") != "mp3" || rate != 0) ||
		q.Has("speed") && (speed < 0.7 || speed > 1.5) {
		Answer(http.StatusBadRequest, `{"err_code":"Bad Request"}`)(w, r)
		return
	}
	if utf8.RuneCountInString(in.Text) > 2000 {
		Answer(http.StatusRequestEntityTooLarge, `{"err_code":"Bad Request","err_msg":"Input text exceeds maximum character limit of 2000."}`)(w, r)
		return
	}
	format := q.Get("encoding")
	if raw {
		format += " " + q.Get("sample_rate")
	}
	if answer := s.take(Asked{Model: q.Get("model"), Text: in.Text, Format: format, Speed: speed}); answer != nil {
		answer(w, r)
		return
	}
	body := MP3
	if raw {
		body = string(s.spoken(in.Text, rate))
	}
	Answer(http.StatusOK, body)(w, r)
}

// A request is what Cartesia is asked for.
type request struct {
	Context    string `json:"context_id"`
	Model      string `json:"model_id"`
	Transcript string `json:"transcript"`
	Voice      struct {
		Mode string `json:"mode"`
		ID   string `json:"id"`
	} `json:"voice"`
	Output struct {
		Container string `json:"container"`
		Encoding  string `json:"encoding"`
		Rate      int    `json:"sample_rate"`
	} `json:"output_format"`
	How struct {
		Speed float64 `json:"speed"`
	} `json:"generation_config"`
}

func (s *Server) cartesia(w http.ResponseWriter, r *http.Request) {
	if q := r.URL.Query(); r.Header.Get("X-API-Key") != Key || q.Has("api_key") {
		Answer(http.StatusUnauthorized, "Invalid API key: "+r.Header.Get("X-API-Key"))(w, r)
		return
	} else if q.Get("cartesia_version") == "" && r.Header.Get("Cartesia-Version") == "" {
		Answer(http.StatusBadRequest, "Cartesia-Version is missing")(w, r)
		return
	}
	if answer := s.next(); answer != nil {
		answer(w, r)
		return
	}
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.CloseNow() }() // the client is done
	for {
		var in request
		if wsjson.Read(r.Context(), ws, &in) != nil {
			return
		}
		if err := s.recite(r, ws, in); err != nil {
			return
		}
	}
}

// recite answers a request of a websocket, in parts that end within samples.
func (s *Server) recite(r *http.Request, ws *websocket.Conn, in request) error {
	out := map[string]any{"type": "error", "context_id": in.Context, "status_code": http.StatusBadRequest, "done": true, "error": "Invalid request: " + Key}
	rates := []int{8000, 16000, 22050, 24000, 44100, 48000}
	if in.Context == "" || in.Model == "" || in.Transcript == "" || in.Voice.Mode != "id" || in.Voice.ID != VoiceID || in.Output.Container != "raw" ||
		in.Output.Encoding != "pcm_s16le" || !slices.Contains(rates, in.Output.Rate) || in.How.Speed != 0 && (in.How.Speed < 0.6 || in.How.Speed > 1.5) {
		return wsjson.Write(r.Context(), ws, out)
	}
	s.note(Asked{Model: in.Model, Voice: in.Voice.ID, Text: in.Transcript, Format: in.Output.Encoding + " " + strconv.Itoa(in.Output.Rate), Speed: in.How.Speed})
	for part := range slices.Chunk(s.spoken(in.Transcript, in.Output.Rate), 4001) {
		if err := wsjson.Write(r.Context(), ws, map[string]any{"type": "chunk", "context_id": in.Context, "data": part, "status_code": 206, "done": false}); err != nil {
			return err
		}
	}
	return wsjson.Write(r.Context(), ws, map[string]any{"type": "done", "context_id": in.Context, "status_code": 200, "done": true})
}

// Answer answers with a body.
func Answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Messages answers a request to Cartesia with messages, and then nothing until the client leaves.
func Messages(all ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = ws.CloseNow() }() // the client is done
		if _, _, err := ws.Read(r.Context()); err != nil {
			return
		}
		for _, m := range all {
			if ws.Write(r.Context(), websocket.MessageText, []byte(m)) != nil {
				return
			}
		}
		_, _, _ = ws.Read(r.Context())
	}
}

// Hang answers nothing until the client leaves.
func Hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
