// Package speech turns text into speech, with OpenAI or a server that is compatible with it.
package speech

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	api "github.com/sashabaranov/go-openai"
)

// Options select the server, its model and its voice.
type Options struct {
	BaseURL string // as in https://example.com/v1
	Key     string // empty for a server that wants none
	Model   string
	Voice   string
	HTTP    *http.Client // nil means a client with timeouts; redirects are never followed
}

// A Service speaks. It is safe for concurrent use.
type Service struct {
	Options
	client *api.Client
	places chan struct{}
}

const (
	// MaxText is how many characters are spoken at a time.
	MaxText = 2000
	// MaxTime is the longest time for that.
	MaxTime = 90 * time.Second

	maxAtOnce = 2
	maxBytes  = 25 << 20
)

// New returns a service. Nothing is sent before the first text.
func New(o Options) *Service {
	return &Service{Options: o, client: Client(o.BaseURL, o.Key, o.HTTP), places: make(chan struct{}, maxAtOnce)}
}

// Client returns a client of a server that speaks OpenAI's language, which follows no redirects. Without one of its own, it has timeouts.
func Client(baseURL, key string, own *http.Client) *api.Client {
	client := http.Client{Transport: &http.Transport{
		DialContext: (&net.Dialer{
			Timeout: 10 * time.Second}).DialContext, TLSHandshakeTimeout: 10 * time.Second, Proxy: http.ProxyFromEnvironment,
	}}
	if own != nil {
		client = *own
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	config := api.DefaultConfig(key)
	config.BaseURL, config.HTTPClient = baseURL, &client
	return api.NewClientWithConfig(config)
}

// A Recording is a text that was spoken.
type Recording struct {
	Data   []byte
	Ending string // of a file's name
	Type   string // the media type
}

// A Failure is the reason why there is no recording. It never quotes the server, which may quote the key.
type Failure struct {
	What   string // for people
	Remedy string // for operators; may be empty
	Unpaid bool   // it has certainly cost nothing
}

func (f *Failure) Error() string { return f.What }

// Say has a text spoken. The error is a *Failure, unless ctx ended.
func (s *Service) Say(ctx context.Context, text string) (Recording, error) {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-ctx.Done():
		return Recording{}, context.Cause(ctx)
	}
	late := &Failure{What: "the server for speech took too long; ask for less text"}
	ctx, cancel := context.WithTimeoutCause(ctx, MaxTime, late)
	defer cancel()
	// MP3 is what all of these servers have, and what Discord plays everywhere.
	got, err := s.client.CreateSpeech(ctx, api.CreateSpeechRequest{
		Model: api.SpeechModel(s.Model), Voice: api.SpeechVoice(s.Voice), Input: text, ResponseFormat: api.SpeechResponseFormatMp3,
	})
	var data []byte
	if err == nil {
		defer got.Close()
		data, err = io.ReadAll(io.LimitReader(got, maxBytes+1))
	}
	switch {
	case ctx.Err() != nil:
		return Recording{}, context.Cause(ctx)
	case err != nil:
		return Recording{}, failure(err)
	}
	return examine(data)
}

// failure describes an error by its status.
func failure(err error) *Failure {
	refused, failed := (*api.APIError)(nil), (*api.RequestError)(nil)
	status := 0
	switch {
	case errors.As(err, &refused):
		status = refused.HTTPStatusCode
	case errors.As(err, &failed):
		status = failed.HTTPStatusCode
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &Failure{What: "the server for speech did not accept my key", Remedy: "check DISCOCLAW_TTS_API_KEY", Unpaid: true}
	case status == http.StatusTooManyRequests:
		return &Failure{What: "the server for speech takes no more for now; try again a little later", Unpaid: true}
	case status == 0:
		return &Failure{What: "the server for speech could not be used", Remedy: "check DISCOCLAW_TTS_BASE_URL"}
	case status < http.StatusInternalServerError:
		return &Failure{What: fmt.Sprintf("the server for speech refused it (status %d)", status), Remedy: "check DISCOCLAW_TTS_MODEL and DISCOCLAW_TTS_VOICE", Unpaid: true}
	}
	return &Failure{What: fmt.Sprintf("the server for speech failed (status %d); try again a little later", status)}
}

// examine looks at what a server sent, whatever it calls that. Some send another format than the one that was asked for.
func examine(data []byte) (Recording, error) {
	of := func(ending, media string) (Recording, error) { return Recording{data, ending, media}, nil }
	switch {
	case len(data) > maxBytes:
		return Recording{}, &Failure{What: "the recording is too long; ask for less text"}
	case bytes.HasPrefix(data, []byte("ID3")), len(data) > 1 && data[0] == 0xff && data[1]&0xe0 == 0xe0:
		return of("mp3", "audio/mpeg")
	case bytes.HasPrefix(data, []byte("OggS")):
		return of("ogg", "audio/ogg")
	case bytes.HasPrefix(data, []byte("RIFF")):
		return of("wav", "audio/wav")
	case bytes.HasPrefix(data, []byte("fLaC")):
		return of("flac", "audio/flac")
	}
	return Recording{}, &Failure{What: "what the server for speech sent is no recording", Remedy: "check DISCOCLAW_TTS_BASE_URL"}
}
