// Package transcribe turns speech into text, with OpenAI or a server that is compatible with it, or with Deepgram.
//
// A [Service] transcribes recordings, such as voice messages. It is also a [Recogniser]: it opens a [Stream] for each speaker of a call,
// which takes sound as it comes and returns what is understood.
package transcribe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	api "github.com/sashabaranov/go-openai"
)

// Options select the server and its model.
type Options struct {
	Deepgram bool         // the server is Deepgram; otherwise it speaks OpenAI's language
	BaseURL  string       // as in https://example.com/v1; may be empty for Deepgram
	Key      string       // empty for a server that wants none
	Model    string       // empty for Deepgram means DefaultModel
	Language string       // such as en; empty leaves it to the server, except for DefaultModel, which then understands all that it can
	HTTP     *http.Client // nil means a client with timeouts; redirects are never followed
	Log      *slog.Logger // nil means no log
}

const (
	// DeepgramURL is where Deepgram is.
	DeepgramURL = "https://api.deepgram.com/v1"
	// DefaultModel is Deepgram's model.
	DefaultModel = "nova-3"

	anyLanguage = "multi" // how Deepgram calls it; without, it understands only English
)

// A Service transcribes. It is safe for concurrent use.
type Service struct {
	o      Options
	http   *http.Client
	openai *api.Client
	places chan struct{}
}

// maxAtOnce is how many recordings are transcribed at a time. A batch of sound from a call is one.
const maxAtOnce = 2

// New returns a service. Nothing is sent before the first recording.
func New(o Options) *Service {
	if o.Deepgram {
		o.BaseURL = strings.TrimSuffix(cmp.Or(o.BaseURL, DeepgramURL), "/")
		if o.Model = cmp.Or(o.Model, DefaultModel); o.Model == DefaultModel {
			o.Language = cmp.Or(o.Language, anyLanguage)
		}
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	s := &Service{o: o, http: client(o.HTTP), places: make(chan struct{}, maxAtOnce)}
	config := api.DefaultConfig(o.Key)
	config.BaseURL, config.HTTPClient = o.BaseURL, s.http
	s.openai = api.NewClientWithConfig(config)
	return s
}

const connectWait = 5 * time.Second

// client returns a client that follows no redirects. Without one of its own, it has timeouts.
func client(own *http.Client) *http.Client {
	client := http.Client{Transport: &http.Transport{
		DialContext:         (&net.Dialer{Timeout: connectWait}).DialContext,
		TLSHandshakeTimeout: connectWait, IdleConnTimeout: time.Minute, Proxy: http.ProxyFromEnvironment,
	}}
	if own != nil {
		client = *own
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// Transcribe returns what is said in a recording. Its name ends with the format. An error never quotes the server,
// which may quote the key.
func (s *Service) Transcribe(ctx context.Context, name string, data []byte) (string, error) {
	text, err := s.transcribe(ctx, name, data)
	if err == nil && text == "" {
		err = errors.New("nothing was understood")
	}
	return text, err
}

// transcribe returns no text if nothing was understood.
func (s *Service) transcribe(ctx context.Context, name string, data []byte) (string, error) {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	ask := s.askOpenAI
	if s.o.Deepgram {
		ask = s.askDeepgram
	}
	text, err := ask(ctx, name, data)
	if err != nil && ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return strings.TrimSpace(text), err
}

// A failure is why a server did not do what it was asked for. The status is 0 if it did not answer, or not in its language.
type failure struct{ status int }

func (f failure) Error() string {
	switch {
	case f.status >= http.StatusInternalServerError:
		return fmt.Sprintf("the server for transcriptions failed (status %d)", f.status)
	case f.status >= http.StatusBadRequest:
		return fmt.Sprintf("the server for transcriptions refused it (status %d)", f.status)
	}
	return "the server for transcriptions could not be used"
}

// passing reports whether it may be different in a moment.
func (f failure) passing() bool {
	return f.status < http.StatusBadRequest || f.status >= http.StatusInternalServerError || f.status == http.StatusTooManyRequests
}
