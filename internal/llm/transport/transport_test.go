package transport_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/anthropic"
	"discoclaw/internal/llm/gemini"
	"discoclaw/internal/llm/openai"
	"discoclaw/internal/llm/responses"
)

// TestAVariableIsNamedOnlyIfItIsSet: an operator who has never heard of it would look in the wrong place.
func TestAVariableIsNamedOnlyIfItIsSet(t *testing.T) {
	const later = " is not available; try again a little later, or "
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: errors.New("no network")}
	}}}
	for _, tt := range []struct {
		host, variable string
		open           func(address string) llm.Runtime
	}{
		{"api.openai.com", "OPENAI_BASE_URL", func(a string) llm.Runtime { return openai.New(openai.Options{BaseURL: a, HTTP: client}) }},
		{"api.openai.com", "OPENAI_BASE_URL", func(a string) llm.Runtime { return responses.New(responses.Options{BaseURL: a, HTTP: client}) }},
		{"openrouter.ai", "OPENROUTER_BASE_URL", func(a string) llm.Runtime {
			const home = "https://openrouter.ai/api/v1"
			if a == "" {
				a = home // the setting has a default
			}
			return openai.New(openai.Options{Name: "openrouter", Home: home, BaseURL: a, HTTP: client})
		}},
		{"api.anthropic.com", "ANTHROPIC_BASE_URL", func(a string) llm.Runtime { return anthropic.New(anthropic.Options{BaseURL: a, HTTP: client}) }},
		{"generativelanguage.googleapis.com", "GEMINI_BASE_URL", func(a string) llm.Runtime { return gemini.New(gemini.Options{BaseURL: a, HTTP: client}) }},
	} {
		for address, want := range map[string]string{
			"":                     tt.host + later + "check the network of this machine",
			"http://model.test/v1": "model.test" + later + "check " + tt.variable,
		} {
			for _, err := range tt.open(address).Invoke(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Text: "Hello?"}}}) {
				if err == nil || err.Error() != want {
					t.Errorf("got %q, want %q", err, want)
				}
			}
		}
	}
}
