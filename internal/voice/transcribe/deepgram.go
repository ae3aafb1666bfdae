package transcribe

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
)

const maxAnswer = 4 << 20 // of Deepgram, which sends the times of all words along

// address is where Deepgram transcribes. The key is never in it.
func (s *Service) address(more url.Values) string {
	query := url.Values{"model": {s.o.Model}, "smart_format": {"true"}}
	if s.o.Language != "" {
		query.Set("language", s.o.Language)
	}
	for name, value := range more {
		query[name] = value
	}
	return s.o.BaseURL + "/listen?" + query.Encode()
}

func (s *Service) header() http.Header { return http.Header{"Authorization": {"Token " + s.o.Key}} }

// A channel is what Deepgram has understood.
type channel struct {
	Alternatives []struct {
		Transcript string
		Words      []struct{ Start, End float64 }
	}
}

// askDeepgram has a recording transcribed by Deepgram, which sees itself what format it has.
func (s *Service) askDeepgram(ctx context.Context, _ string, data []byte) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address(nil), bytes.NewReader(data))
	if err != nil {
		return "", failure{}
	}
	req.Header = s.header()
	req.Header.Set("Content-Type", "application/octet-stream")
	resp, err := s.http.Do(req)
	if err != nil {
		return "", failure{}
	}
	defer resp.Body.Close()
	var got struct{ Results struct{ Channels []channel } }
	err = json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&got)
	switch {
	case resp.StatusCode != http.StatusOK:
		return "", failure{resp.StatusCode}
	case err != nil, len(got.Results.Channels) == 0, len(got.Results.Channels[0].Alternatives) == 0:
		return "", failure{}
	}
	return got.Results.Channels[0].Alternatives[0].Transcript, nil
}
