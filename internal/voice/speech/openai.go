package speech

import (
	"context"
	"io"

	api "github.com/sashabaranov/go-openai"
)

// openAI is the vendor of that name; see https://platform.openai.com/docs/api-reference/audio/createSpeech.
type openAI struct {
	o      Options
	client *api.Client
}

// file asks for MP3, which is what all of these servers have, and what Discord plays everywhere.
func (v openAI) file(ctx context.Context, text string) (io.ReadCloser, error) {
	return v.ask(ctx, text, api.SpeechResponseFormatMp3)
}

// sound has the only rate that there is.
func (v openAI) sound(ctx context.Context, text string) (io.ReadCloser, int, error) {
	body, err := v.ask(ctx, text, api.SpeechResponseFormatPcm)
	return body, 24000, err
}

func (v openAI) ask(ctx context.Context, text string, format api.SpeechResponseFormat) (io.ReadCloser, error) {
	got, err := v.client.CreateSpeech(ctx, api.CreateSpeechRequest{
		Model: api.SpeechModel(v.o.Model), Voice: api.SpeechVoice(v.o.Voice), Speed: v.o.Speed, Input: text, ResponseFormat: format,
	})
	if err != nil {
		return nil, err
	}
	return got.ReadCloser, nil
}
