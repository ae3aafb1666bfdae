package services

import (
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
)

func TestAVoiceMessageThatSaysItIsShortIsPaidByItsSize(t *testing.T) {
	for bytes, want := range map[int]time.Duration{32_000: 9 * time.Second, 320_000: 20 * time.Second} {
		if got := lengthOf(chat.Attachment{Spoken: 9 * time.Second}, make([]byte, bytes)); got != want {
			t.Errorf("%d bytes are %v of sound, want %v", bytes, got, want)
		}
	}
}

func TestWhichServicesAreOpened(t *testing.T) {
	key := config.NewSecret("k")
	for _, tt := range []struct {
		name           string
		o              config.Speech
		hears, speaks  string // models, as they are paid
		local, lacking bool
	}{
		{"nothing", config.Speech{}, "", "", false, false},
		{"servers on this machine", config.Speech{BaseURL: "http://127.0.0.1/v1", Model: "w", SpeakURL: "http://localhost/v1", SpeakModel: "t"}, "w", "t", true, false},
		{"one key for both", config.Speech{DeepgramKey: key, DeepgramModel: "nova-3", DeepgramVoice: "aura-2"}, "nova-3", "aura-2", false, false},
		{"the server comes before the vendor", config.Speech{BaseURL: "https://a.example/v1", Model: "w", DeepgramKey: key}, "w", "aura-2-asteria-en", false, false},
		{"cartesia without a voice", config.Speech{CartesiaKey: key, CartesiaModel: "sonic-3"}, "", "", false, true},
		{"a vendor without its key", config.Speech{Hearing: "deepgram", SpeakURL: "https://a.example/v1", SpeakModel: "t"}, "", "t", false, true},
		{"a server without its address", config.Speech{Speaking: "openai", DeepgramKey: key, DeepgramModel: "nova-3"}, "nova-3", "", false, true},
	} {
		s := Open(tt.o, nil, nil)
		if s.Hearing.Model != tt.hears || (s.Transcribe != nil) != (tt.hears != "") || (s.Recogniser() != nil) != (tt.hears != "") {
			t.Errorf("%s: it hears with %q", tt.name, s.Hearing.Model)
		}
		if s.Speaking.Model != tt.speaks || (s.Speech != nil) != (tt.speaks != "") {
			t.Errorf("%s: it speaks with %q", tt.name, s.Speaking.Model)
		}
		if s.Hearing.Local != tt.local || s.Speaking.Local != tt.local || (tt.o.Lacking() != "") != tt.lacking {
			t.Errorf("%s: local %v and %v, lacking %q", tt.name, s.Hearing.Local, s.Speaking.Local, tt.o.Lacking())
		}
	}
}
