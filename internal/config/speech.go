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
	p := s.hears()
	if s.missing(p, "DISCOCLAW_STT_BASE_URL", s.BaseURL) != "" {
		return ""
	}
	return p
}

// Speaks returns which provider speaks; empty for none.
func (s Speech) Speaks() Choice {
	p := s.speaks()
	if s.missing(p, "DISCOCLAW_TTS_BASE_URL", s.SpeakURL) != "" {
		return ""
	}
	return p
}

// Lacking is Lacks in one sentence, for operators.
func (s Speech) Lacking() string {
	why, remedy := s.Lacks()
	if why == "" {
		return ""
	}
	return why + "; " + remedy
}

// Lacks returns why a provider that was chosen is not used, and what to set; empty if there is none.
func (s Speech) Lacks() (why, remedy string) {
	for _, at := range []struct{ what, provider, missing string }{
		{"hear people", string(s.hears()), s.missing(s.hears(), "DISCOCLAW_STT_BASE_URL", s.BaseURL)},
		{"speak", string(s.speaks()), s.missing(s.speaks(), "DISCOCLAW_TTS_BASE_URL", s.SpeakURL)},
	} {
		if at.missing != "" {
			return fmt.Sprintf("I am to %s with %s, for which %s is missing", at.what, at.provider, at.missing), "set " + at.missing
		}
	}
	return "", ""
}

func (s Speech) hears() Choice {
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

func (s Speech) speaks() Choice {
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

// missing returns the setting that a provider lacks.
func (s Speech) missing(p Choice, address string, url URL) string {
	switch {
	case p == compatible && url == "":
		return address
	case p == deepgram && s.DeepgramKey.Reveal() == "":
		return "DEEPGRAM_API_KEY"
	case p == cartesia && s.CartesiaKey.Reveal() == "":
		return "CARTESIA_API_KEY"
	case p == cartesia && s.CartesiaVoice == "":
		return "CARTESIA_VOICE_ID"
	}
	return ""
}
