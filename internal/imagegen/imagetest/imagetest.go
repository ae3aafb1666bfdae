// Package imagetest is a server that makes pictures, for tests only. It speaks the languages of OpenAI and of Google, and
// refuses what they refuse.
//
// [New] starts one that is reached in memory, so that it works inside a test bubble.
package imagetest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"discoclaw/internal/memnet"
)

// Key is the only one that is accepted.
const Key = "correct horse battery staple"

// The addresses of a server, for the settings.
const (
	OpenAI = "http://pictures.test/v1"
	Gemini = "http://pictures.test"
)

// A Server makes pictures. It is safe for concurrent use.
type Server struct {
	HTTP *http.Client // reaches it

	mu      sync.Mutex
	waiting []Answer
	asked   []Asked
	active  int
	most    int
}

// An Answer responds to one request.
type Answer func(http.ResponseWriter, *http.Request)

// Asked is a request that was well-formed.
type Asked struct {
	Path string
	Body map[string]any
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

// Next adds answers, each for one request, instead of pictures.
func (s *Server) Next(answers ...Answer) {
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

// Most returns how many requests there were at the same time.
func (s *Server) Most() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		Fail(http.StatusBadRequest, `{"error":{"message":"We could not parse the JSON body of your request.","type":"invalid_request_error"}}`)(w, r)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, Asked{r.URL.Path, body})
	s.active++
	s.most = max(s.most, s.active)
	answer := draw(body)
	if len(s.waiting) > 0 {
		answer, s.waiting = s.waiting[0], s.waiting[1:]
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.active--
		s.mu.Unlock()
	}()
	answer(w, r)
}

// draw answers with a picture, or as the vendors refuse.
func draw(body map[string]any) Answer {
	return func(w http.ResponseWriter, r *http.Request) {
		openai := r.URL.Path == "/v1/images/generations"
		switch refused := complaint(r, body, openai); {
		case refused != nil:
			refused(w, r)
		case openai:
			Send(OpenAIBody(PNG(8, 8)))(w, r)
		case strings.HasSuffix(r.URL.Path, ":predict"):
			Send(ImagenBody(PNG(8, 8)))(w, r)
		default:
			Send(GeminiBody(PNG(8, 8)))(w, r)
		}
	}
}

// complaint returns the refusal of a request that the vendors would refuse; nil for all others.
func complaint(r *http.Request, body map[string]any, openai bool) Answer {
	model, _ := body["model"].(string)
	switch key := r.Header.Get("Authorization"); {
	case openai && key != "Bearer "+Key:
		return Fail(http.StatusUnauthorized, fmt.Sprintf(`{"error":{"message":"Incorrect API key provided: %s.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, strings.TrimPrefix(key, "Bearer ")))
	case !openai && r.Header.Get("X-Goog-Api-Key") != Key:
		return Fail(http.StatusBadRequest, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`)
	case openai && strings.HasPrefix(model, "gpt-image") && body["response_format"] != nil:
		return Fail(http.StatusBadRequest, `{"error":{"message":"Unknown parameter: 'response_format'.","type":"invalid_request_error","param":"response_format","code":"unknown_parameter"}}`)
	case !openai && body["instances"] == nil && body["contents"] == nil:
		return Fail(http.StatusBadRequest, `{"error":{"code":400,"message":"Invalid JSON payload received.","status":"INVALID_ARGUMENT"}}`)
	case !openai && !strings.HasPrefix(r.URL.Path, "/v1beta/models/"), openai && (body["prompt"] == nil || body["n"] != 1.0):
		return Fail(http.StatusNotFound, `{"error":{"message":"Not found."}}`)
	}
	return nil
}

// Fail answers with an error.
func Fail(status int, body string) Answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Send answers with a body.
func Send(body string) Answer { return Fail(http.StatusOK, body) }

// Hang answers nothing until the client leaves.
func Hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// Die breaks the connection.
func Die(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// OpenAIBody is OpenAI's answer with a picture, of 1000 tokens.
func OpenAIBody(data []byte) string {
	return fmt.Sprintf(`{"created":1780000000,"data":[{"b64_json":%q}],"usage":{"input_tokens":20,"output_tokens":1000,"total_tokens":1020}}`, base64.StdEncoding.EncodeToString(data))
}

// GeminiBody is Gemini's answer with a picture, which follows a text and a draft.
func GeminiBody(data []byte) string {
	return fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":"Here it is."},{"thought":true,"inlineData":{"mimeType":"image/png","data":"ZHJhZnQ="}},{"inlineData":{"mimeType":"image/png","data":%q}}],"role":"model"},"finishReason":"STOP"}]}`, base64.StdEncoding.EncodeToString(data))
}

// ImagenBody is Imagen's answer with a picture.
func ImagenBody(data []byte) string {
	return fmt.Sprintf(`{"predictions":[{"mimeType":"image/png","bytesBase64Encoded":%q}]}`, base64.StdEncoding.EncodeToString(data))
}

// PNG returns a picture.
func PNG(width, height int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// JPEG returns a picture.
func JPEG(width, height int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}
