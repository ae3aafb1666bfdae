package app

import (
	"context"
	"net/http"

	"discoclaw/internal/speech"
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

// speaker returns what speaks voice notes, or nil if nothing does.
func (c *Core) speaker() *speech.Service {
	o := c.Config.Speech
	if o.SpeakURL == "" {
		return nil
	}
	return speech.New(speech.Options{BaseURL: string(o.SpeakURL), Key: o.SpeakKey.Reveal(), Model: string(o.SpeakModel),
		Voice: o.Voice, HTTP: c.modelHTTP})
}

// silentSpeech is the warning that a server for speech is never used.
const silentSpeech = "DISCOCLAW_TTS_BASE_URL has no effect without DISCOCLAW_VOICE_ENABLED=1 and DISCOCLAW_DISCORD_ACTIONS_VOICE=1"
