package app

import (
	"context"
	"net/http"

	"discoclaw/internal/transcribe"
)

// transcriber returns what transcribes voice messages, or nil if nothing does.
func (c *Core) transcriber(client *http.Client) func(ctx context.Context, name string, data []byte) (string, error) {
	o := c.Config.Speech
	if o.BaseURL == "" {
		return nil
	}
	return transcribe.New(transcribe.Options{BaseURL: string(o.BaseURL), Key: o.Key.Reveal(), Model: string(o.Model), HTTP: client}).Transcribe
}
