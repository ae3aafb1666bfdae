package recall_test

import (
	"testing"

	"discoclaw/internal/memory/recall"
)

// TestTheKeyOfTheModelGoesToItsServerOnly: an embedder has it only if it is on the same server.
func TestTheKeyOfTheModelGoesToItsServerOnly(t *testing.T) {
	const here, openAI, model = "http://127.0.0.1:9/v1", "https://api.openai.com/v1", "text-embedding-3-small"
	compat := func(s recall.Settings) recall.Settings {
		s.Provider, s.Model, s.Dimensions, s.URL = "openai-compat", "vendor/mini", 8, here
		return s
	}
	for _, tt := range []struct {
		name            string
		settings        recall.Settings
		url, key, model string // of the embedder; no url means that there is none
	}{
		{"OpenAI", recall.Settings{Provider: "openai", OpenAIKey: "a"}, openAI, "a", model},
		{"no key", recall.Settings{Provider: "openai"}, "", "", ""},
		{"a key of another server", recall.Settings{Provider: "openai", OpenAIKey: "a", OpenAIURL: here}, "", "", ""},
		{"a key of its own", recall.Settings{Provider: "openai", OpenAIKey: "a", OpenAIURL: here, Key: "b"}, openAI, "b", model},
		{"a compatible server", compat(recall.Settings{OpenAIKey: "a"}), here, "", "mini"},
		{"the compatible server of the model", compat(recall.Settings{OpenAIKey: "a", OpenAIURL: here + "/"}), here, "a", "mini"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := tt.settings.Embedder()
			if e == nil {
				if tt.url != "" {
					t.Error("there is none")
				}
				return
			}
			if e.URL != tt.url || e.Key != tt.key || e.Model != tt.model {
				t.Errorf("%s with the key %q for %s, want %s with %q for %s", e.URL, e.Key, e.Model, tt.url, tt.key, tt.model)
			}
		})
	}
}
