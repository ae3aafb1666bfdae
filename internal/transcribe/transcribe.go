// Package transcribe turns recordings into text, with OpenAI or a server that is compatible with it.
package transcribe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"discoclaw/internal/voice/speech"
)

// Options select the server and its model.
type Options struct {
	BaseURL string // as in https://example.com/v1
	Key     string // empty for a server that wants none
	Model   string
	HTTP    *http.Client // nil means a client with timeouts; redirects are never followed
}

// A Service transcribes. It is safe for concurrent use.
type Service struct {
	client *api.Client
	model  string
	places chan struct{}
}

// maxAtOnce is how many recordings are transcribed at a time.
const maxAtOnce = 2

// New returns a service. Nothing is sent before the first recording.
func New(o Options) *Service {
	return &Service{client: speech.Client(o.BaseURL, o.Key, o.HTTP), model: o.Model, places: make(chan struct{}, maxAtOnce)}
}

// Transcribe returns what is said in a recording. Its name ends with the format. An error never quotes the server,
// which may quote the key.
func (s *Service) Transcribe(ctx context.Context, name string, data []byte) (string, error) {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	got, err := s.client.CreateTranscription(ctx, api.AudioRequest{Model: s.model, FilePath: name,
		Reader: bytes.NewReader(data), Format: api.AudioResponseFormatJSON})
	var refused *api.APIError
	var failed *api.RequestError
	switch {
	case err == nil && strings.TrimSpace(got.Text) == "":
		return "", errors.New("nothing was understood")
	case err == nil:
		return strings.TrimSpace(got.Text), nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.As(err, &refused):
		return "", fmt.Errorf("the server for transcriptions refused it (status %d)", refused.HTTPStatusCode)
	case errors.As(err, &failed):
		return "", fmt.Errorf("the server for transcriptions failed (status %d)", failed.HTTPStatusCode)
	}
	return "", errors.New("the server for transcriptions could not be used")
}
