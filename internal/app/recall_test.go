package app

import (
	"testing"

	"discoclaw/internal/config"
)

// TestTheKeyOfTheModelGoesToItsServerOnly: an embedder has it only if it is on the same server.
func TestTheKeyOfTheModelGoesToItsServerOnly(t *testing.T) {
	const here = "http://127.0.0.1:9/v1"
	compat := []string{"COLD_STORAGE_PROVIDER=openai-compat", "COLD_STORAGE_MODEL=vendor/mini", "COLD_STORAGE_DIMENSIONS=8", "COLD_STORAGE_BASE_URL=" + here}
	for _, tt := range []struct {
		name            string
		settings        []string
		url, key, model string // of the embedder; no url means that there is none
	}{
		{"OpenAI", []string{"OPENAI_API_KEY=a"}, openAIURL, "a", embeddingModel},
		{"no key", nil, "", "", ""},
		{"a key of another server", []string{"OPENAI_API_KEY=a", "OPENAI_BASE_URL=" + here}, "", "", ""},
		{"a key of its own", []string{"OPENAI_API_KEY=a", "OPENAI_BASE_URL=" + here, "COLD_STORAGE_API_KEY=b"}, openAIURL, "b", embeddingModel},
		{"a compatible server", append([]string{"OPENAI_API_KEY=a"}, compat...), here, "", "mini"},
		{"the compatible server of the model", append([]string{"OPENAI_API_KEY=a", "OPENAI_BASE_URL=" + here + "/"}, compat...), here, "a", "mini"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg, err := config.Load(config.NewEnv(append([]string{"DISCOCLAW_COLD_STORAGE_ENABLED=1"}, tt.settings...)))
			if err != nil {
				t.Fatal(err)
			}
			e := newEmbedder(cfg, nil)
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
