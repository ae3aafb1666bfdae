// Package services opens what hears and what speaks, as the settings describe it: for calls, voice messages and voice notes.
package services

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/llm"
	"discoclaw/internal/spend"
	"discoclaw/internal/turn/attach"
	"discoclaw/internal/voice/speech"
	"discoclaw/internal/voice/transcribe"
)

// Services are those that are set up. They cost nothing on this machine.
type Services struct {
	Transcribe *transcribe.Service // nil if nothing hears
	Hearing    spend.Service       // what Transcribe is paid as
	Speech     *speech.Service     // nil if nothing speaks
	Speaking   spend.Service       // what Speech is paid as
}

// Open opens the services. No request is sent.
func Open(o config.Speech, client *http.Client, log *slog.Logger) (s Services) {
	hear, say := transcribe.Options{HTTP: client, Log: log}, speech.Options{Provider: string(o.Speaks()), HTTP: client}
	switch o.Hears() {
	case "openai":
		hear.BaseURL, hear.Key, hear.Model = string(o.BaseURL), o.Key.Reveal(), string(o.Model)
	case "deepgram":
		hear.Deepgram, hear.Key, hear.Model = true, o.DeepgramKey.Reveal(), string(o.DeepgramModel)
	}
	if o.Hears() != "" {
		s.Transcribe = transcribe.New(hear)
		s.Hearing = spend.Service{Model: hear.Model, Local: !hear.Deepgram && o.BaseURL.Local()}
	}
	switch o.Speaks() {
	case speech.OpenAI:
		say.BaseURL, say.Key, say.Model, say.Voice = string(o.SpeakURL), o.SpeakKey.Reveal(), string(o.SpeakModel), o.Voice
	case speech.Deepgram:
		say.Key, say.Voice, say.Speed = o.DeepgramKey.Reveal(), string(o.DeepgramVoice), o.DeepgramSpeed
	case speech.Cartesia:
		say.Key, say.Voice, say.Model = o.CartesiaKey.Reveal(), o.CartesiaVoice, string(o.CartesiaModel)
	}
	if o.Speaks() != "" {
		s.Speech = speech.New(say)
		s.Speaking = spend.Service{Model: s.Speech.Model, Local: say.Provider == speech.OpenAI && o.SpeakURL.Local()}
	}
	return s
}

// Recogniser is Transcribe for calls; nil if nothing hears.
func (s Services) Recogniser() transcribe.Recogniser {
	if s.Transcribe == nil {
		return nil // a nil *Service is no Recogniser
	}
	return s.Transcribe
}

// lengthOf is how long a voice message is that is to be paid for. It says so itself, but whoever sends it may lie: a second has at
// most 16,000 bytes, which is twice what Discord's own have.
func lengthOf(file chat.Attachment, data []byte) time.Duration {
	return max(file.Spoken, time.Duration(len(data))*time.Second/16_000)
}

// Transcriber is Transcribe for voice messages, whose authors pay; nil if nothing hears.
func (s Services) Transcriber(meter *spend.Meter) attach.Transcriber {
	if s.Transcribe == nil {
		return nil
	}
	return func(ctx context.Context, m chat.Message, file chat.Attachment, data []byte) (string, error) {
		payer := llm.Payer{User: string(m.Author.ID), Channel: string(m.Place.Channel), Role: "transcription"}
		record, err := meter.BeginRecording(ctx, payer, s.Hearing, lengthOf(file, data))
		if err != nil {
			return "", err
		}
		defer record.Made(0, false) // also what fails may be charged
		return s.Transcribe.Transcribe(ctx, file.Name, data)
	}
}
