package speech

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"discoclaw/internal/voice/pcm"
)

// deepgram is the vendor of that name; see https://developers.deepgram.com/reference/text-to-speech-api/speak.
type deepgram struct {
	o    Options
	http *http.Client
}

func (v deepgram) file(ctx context.Context, text string) (io.ReadCloser, error) {
	return v.ask(ctx, text, url.Values{"encoding": {"mp3"}})
}

func (v deepgram) sound(ctx context.Context, text string) (io.ReadCloser, int, error) {
	body, err := v.ask(ctx, text, url.Values{"encoding": {"linear16"}, "sample_rate": {strconv.Itoa(pcm.Rate)}, "container": {"none"}})
	return body, pcm.Rate, err
}

func (v deepgram) ask(ctx context.Context, text string, how url.Values) (io.ReadCloser, error) {
	how.Set("model", v.o.Voice)
	if v.o.Speed != 0 {
		how.Set("speed", strconv.FormatFloat(v.o.Speed, 'f', -1, 64))
	}
	body, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		return nil, fmt.Errorf("write a request for speech: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.o.BaseURL+"/speak?"+how.Encode(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request for speech: %w", err)
	}
	r.Header.Set("Authorization", "Token "+v.o.Key)
	r.Header.Set("Content-Type", "application/json")
	got, err := v.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("ask for speech: %w", err)
	}
	if got.StatusCode != http.StatusOK {
		_ = got.Body.Close() // what it says is not told
		return nil, refusal(got.StatusCode)
	}
	return got.Body, nil
}
