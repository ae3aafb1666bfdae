package transcribe

import (
	"bytes"
	"context"
	"errors"

	api "github.com/sashabaranov/go-openai"
)

// askOpenAI has a recording transcribed by a server that speaks OpenAI's language.
func (s *Service) askOpenAI(ctx context.Context, name string, data []byte) (string, error) {
	got, err := s.openai.CreateTranscription(ctx, api.AudioRequest{
		Model: s.o.Model, FilePath: name, Language: s.o.Language, Reader: bytes.NewReader(data), Format: api.AudioResponseFormatJSON,
	})
	var refused *api.APIError
	var failed *api.RequestError
	switch {
	case err == nil:
		return got.Text, nil
	case errors.As(err, &refused):
		return "", failure{refused.HTTPStatusCode}
	case errors.As(err, &failed):
		return "", failure{failed.HTTPStatusCode}
	}
	return "", failure{}
}
