package config

import "fmt"

// Providers of speech.
const (
	compatible = "openai"
	deepgram   = "deepgram"
	cartesia   = "cartesia"
)

// Hears returns which provider transcribes; empty for none.
func (s Speech) Hears() Choice {
	switch {
	case s.Hearing != "":
		return s.Hearing
	case s.BaseURL != "":
		return compatible
	case s.DeepgramKey.Reveal() != "":
		return deepgram
	}
	return ""
}

// Speaks returns which provider speaks; empty for none.
func (s Speech) Speaks() Choice {
	switch {
	case s.Speaking != "":
		return s.Speaking
	case s.SpeakURL != "":
		return compatible
	case s.CartesiaKey.Reveal() != "":
		return cartesia
	case s.DeepgramKey.Reveal() != "":
		return deepgram
	}
	return ""
}

// Lacks returns why a provider that was chosen cannot be used, and what to set.
func (s Speech) Lacks() (why, remedy string) {
	for _, at := range []struct {
		provider Choice
		needs    string
		set      bool
	}{
		{s.Hearing, "DISCOCLAW_STT_BASE_URL", s.Hearing != compatible || s.BaseURL != ""},
		{s.Hearing, "DEEPGRAM_API_KEY", s.Hearing != deepgram || s.DeepgramKey.Reveal() != ""},
		{s.Speaking, "DISCOCLAW_TTS_BASE_URL", s.Speaking != compatible || s.SpeakURL != ""},
		{s.Speaking, "DEEPGRAM_API_KEY", s.Speaking != deepgram || s.DeepgramKey.Reveal() != ""},
		{s.Speaking, "CARTESIA_API_KEY", s.Speaking != cartesia || s.CartesiaKey.Reveal() != ""},
		{cartesia, "CARTESIA_VOICE_ID", s.Speaks() != cartesia || s.CartesiaVoice != ""},
	} {
		if !at.set {
			return fmt.Sprintf("%s is chosen for speech, but %s is not set", at.provider, at.needs), "set " + at.needs
		}
	}
	return "", ""
}
