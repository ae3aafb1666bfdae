// Package speech turns text into speech: with OpenAI or a server that is compatible with it, with Cartesia, or with Deepgram.
//
// A [Service] has two ways: [Service.Say] makes a recording, and [Service.Sound] is for calls, where speech is heard while it is made.
package speech

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"time"

	api "github.com/sashabaranov/go-openai"
)

// The providers.
const (
	OpenAI   = "openai" // and every server that speaks its language
	Cartesia = "cartesia"
	Deepgram = "deepgram"
)

// Options select the server, its model and its voice. What is empty is the provider's default, if it has one.
type Options struct {
	Provider string // empty means OpenAI
	BaseURL  string // as in https://example.com/v1; OpenAI has no default
	Key      string // empty for a server that wants none
	Model    string // Deepgram has none besides the voice: then it is only the name in lists of prices
	Voice    string // Cartesia has no default
	Speed    float64
	HTTP     *http.Client // nil means a client with timeouts; redirects are never followed
}

// A Service speaks. It is safe for concurrent use.
type Service struct {
	Options
	vendor vendor
	places chan struct{}
}

// A vendor asks a server to speak a text. Bodies are closed by the caller, and end with an error if they are not complete.
type vendor interface {
	// file has the text spoken in a file, of at most maxBytes for MaxText.
	file(ctx context.Context, text string) (io.ReadCloser, error)
	// sound has the text spoken as samples of 16 bits, little-endian, of one channel, at that rate.
	sound(ctx context.Context, text string) (body io.ReadCloser, rate int, err error)
}

const (
	// MaxText is how many characters are spoken in one recording.
	MaxText = 2000
	// MaxTime is the longest time for that.
	MaxTime = 90 * time.Second

	maxAtOnce = 2
	maxBytes  = 25 << 20
)

// New returns a service. Nothing is sent before the first text.
func New(o Options) *Service {
	o.Provider = cmp.Or(o.Provider, OpenAI)
	own := withoutRedirects(o.HTTP)
	s := &Service{places: make(chan struct{}, maxAtOnce)}
	switch o.Provider {
	case Cartesia:
		o.BaseURL, o.Model = cmp.Or(o.BaseURL, "https://api.cartesia.ai"), cmp.Or(o.Model, "sonic-3")
		s.vendor = cartesia{o, own}
	case Deepgram:
		o.BaseURL, o.Voice = cmp.Or(o.BaseURL, "https://api.deepgram.com/v1"), cmp.Or(o.Voice, "aura-2-asteria-en")
		o.Model = cmp.Or(o.Model, o.Voice)
		s.vendor = deepgram{o, own}
	default:
		s.vendor = openAI{o, Client(o.BaseURL, o.Key, own)}
	}
	s.Options = o
	return s
}

// Client returns a client of a server that speaks OpenAI's language, which follows no redirects. Without one of its own, it has timeouts.
func Client(baseURL, key string, own *http.Client) *api.Client {
	config := api.DefaultConfig(key)
	config.BaseURL, config.HTTPClient = baseURL, withoutRedirects(own)
	return api.NewClientWithConfig(config)
}

func withoutRedirects(own *http.Client) *http.Client {
	client := http.Client{Transport: &http.Transport{
		DialContext: (&net.Dialer{
			Timeout: 10 * time.Second}).DialContext, TLSHandshakeTimeout: 10 * time.Second, Proxy: http.ProxyFromEnvironment,
	}}
	if own != nil {
		client = *own
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// A Recording is a text that was spoken.
type Recording struct {
	Data   []byte
	Ending string // of a file's name
	Type   string // the media type
}

// Say has a text of at most MaxText characters spoken. The error is a *Failure, unless ctx ended.
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
	got, err := s.vendor.file(ctx, text)
	var data []byte
	if err == nil {
		defer got.Close()
		data, err = io.ReadAll(io.LimitReader(got, maxBytes+1))
	}
	switch {
	case ctx.Err() != nil:
		return Recording{}, context.Cause(ctx)
	case err != nil:
		return Recording{}, s.failure(err)
	}
	return s.examine(data)
}

// examine looks at what a server sent, whatever it calls that. Some send another format than the one that was asked for.
func (s *Service) examine(data []byte) (Recording, error) {
	if len(data) > maxBytes {
		return Recording{}, &Failure{What: "the recording is too long; ask for less text"}
	}
	if ending, media := format(data); ending != "" {
		return Recording{data, ending, media}, nil
	}
	return Recording{}, s.odd()
}

// format recognises a file by how it begins.
func format(data []byte) (ending, media string) {
	switch {
	case bytes.HasPrefix(data, []byte("ID3")), len(data) > 1 && data[0] == 0xff && data[1]&0xe0 == 0xe0:
		return "mp3", "audio/mpeg"
	case bytes.HasPrefix(data, []byte("OggS")):
		return "ogg", "audio/ogg"
	case bytes.HasPrefix(data, []byte("RIFF")):
		return "wav", "audio/wav"
	case bytes.HasPrefix(data, []byte("fLaC")):
		return "flac", "audio/flac"
	}
	return "", ""
}
