package recall

import (
	"cmp"
	"net/http"
	"strings"
)

const (
	openAIURL      = "https://api.openai.com/v1"
	embeddingModel = "text-embedding-3-small"
	embeddingSize  = 1536
)

// Settings describe an embedder.
type Settings struct {
	Provider        string // openai, or openai-compat for another server
	URL, Key, Model string
	Dimensions      int
	OpenAIURL       string // the server of the models, whose key goes to no other
	OpenAIKey       string
	HTTP            *http.Client
}

// Embedder returns the embedder of the settings, or nil if there is none.
func (s Settings) Embedder() *Embedder {
	e := &Embedder{URL: s.URL, Key: s.Key, Model: s.Model, Dimensions: s.Dimensions, HTTP: s.HTTP}
	if s.Provider == "openai" {
		e.Shorten = true
		e.URL, e.Model, e.Dimensions = cmp.Or(e.URL, openAIURL), cmp.Or(e.Model, embeddingModel), cmp.Or(e.Dimensions, embeddingSize)
	} else if _, name, ok := strings.Cut(e.Model, "/"); ok {
		e.Model = name
	}
	if e.Key == "" && strings.TrimRight(cmp.Or(s.OpenAIURL, openAIURL), "/") == strings.TrimRight(e.URL, "/") {
		e.Key = s.OpenAIKey
	}
	if e.Key == "" && s.Provider == "openai" {
		return nil
	}
	return e
}
