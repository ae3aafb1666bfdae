package recall

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// An Embedder turns texts into vectors that are near each other if their meanings are, by a server that speaks the
// language of OpenAI.
type Embedder struct {
	URL        string // of the API, with its version; the key travels there alone
	Key        string // may be empty
	Model      string
	Dimensions int
	Shorten    bool // ask the server for so many dimensions; many servers know only what their model has
	HTTP       *http.Client
}

const (
	maxTexts    = 100 // in a request
	requestTime = 30 * time.Second
	maxResponse = 64 << 20
)

// space names the vectors of a model. Those of two cannot be compared.
func (e *Embedder) space() string { return fmt.Sprintf("%s/%d", e.Model, e.Dimensions) }

// An embedError is a refusal of the server. It does not quote the response, which may repeat the key.
type embedError struct{ status int }

func (e embedError) Error() string {
	return fmt.Sprintf("the embeddings server answered with status %d", e.status)
}

// isRefused reports whether the server will not take these texts another time either.
func isRefused(err error) bool {
	var refusal embedError
	return errors.As(err, &refusal) && refusal.status/100 == 4 && refusal.status != http.StatusTooManyRequests &&
		refusal.status != http.StatusUnauthorized && refusal.status != http.StatusForbidden && refusal.status != http.StatusRequestTimeout
}

// Embed returns the vectors of at most maxTexts texts, in their order.
func (e *Embedder) Embed(ctx context.Context, texts ...string) ([]vector, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	body := map[string]any{"model": e.Model, "input": texts}
	if e.Shorten {
		body["dimensions"] = e.Dimensions
	}
	var got struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := e.post(ctx, body, &got); err != nil {
		return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
	}
	list := make([]vector, len(texts))
	for _, d := range got.Data {
		switch {
		case d.Index < 0 || d.Index >= len(texts):
			return nil, fmt.Errorf("embed %d texts: the server returned one with index %d", len(texts), d.Index)
		case len(d.Embedding) != e.Dimensions:
			return nil, fmt.Errorf("embed: the server returned %d dimensions instead of %d; set COLD_STORAGE_DIMENSIONS to what the model has", len(d.Embedding), e.Dimensions)
		}
		list[d.Index] = quantised(d.Embedding)
	}
	for i, v := range list {
		if v == nil {
			return nil, fmt.Errorf("embed %d texts: the server returned none for the text with index %d", len(texts), i)
		}
	}
	return list, nil
}

func (e *Embedder) post(ctx context.Context, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(e.URL, "/")+"/embeddings", bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if e.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.Key)
	}
	client := e.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, res.Body, 1<<16) // so that the connection can be used again
		return embedError{res.StatusCode}
	}
	return json.NewDecoder(io.LimitReader(res.Body, maxResponse)).Decode(answer)
}

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
