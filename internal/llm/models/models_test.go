package models_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/models"
)

// TestEveryTierHasAPrice: a budget needs one, except where a server chooses the model.
func TestEveryTierHasAPrice(t *testing.T) {
	prices, err := models.LoadPrices("")
	if err != nil {
		t.Fatal(err)
	}
	for _, runtime := range []string{"openai", "anthropic", "gemini", "claude"} {
		for _, tier := range []string{"fast", "capable", "deep"} {
			model := models.Tiers(runtime)[tier]
			if p, ok := prices.Find(model); !ok || p.Input <= 0 || p.Output < p.Input {
				t.Errorf("%s of %s is %q, which costs %+v", tier, runtime, model, p)
			}
		}
	}
}

func TestWhatACallCosts(t *testing.T) {
	prices, _ := models.LoadPrices("")
	for _, tt := range []struct {
		model string
		usage llm.Usage
		want  float64
	}{
		{"claude-opus-5", llm.Usage{Input: 1e6}, 5},
		{"claude-opus-5", llm.Usage{Input: 1e6, Cached: 8e5, Written: 1e5, Output: 1e5}, 0.5 + 0.4 + 0.625 + 2.5},
		{"claude-opus-5-20261101", llm.Usage{Output: 1e6}, 25},
		{"claude-opus-5-5-2026-11-01", llm.Usage{Output: 1e6}, 20},
		{"gpt-5.4-pro", llm.Usage{Input: 1e6, Cached: 1e6}, 30},
	} {
		p, ok := prices.Find(tt.model)
		if got := p.Of(tt.usage); !ok || math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s with %+v costs %v, %v, want %v", tt.model, tt.usage, got, ok, tt.want)
		}
	}
	for _, unknown := range []string{"", "gpt-6-solar", "gpt-6-sol-2", "gpt-6-sol-mini", "llama3:8b"} {
		if p, ok := prices.Find(unknown); ok {
			t.Errorf("%q costs %+v", unknown, p)
		}
	}
}

// TestVoicesCostWhatTheirModelDoes: the names of Deepgram's models go on behind the version.
func TestVoicesCostWhatTheirModelDoes(t *testing.T) {
	prices, _ := models.LoadPrices("")
	for _, model := range []string{"aura-2", "aura-2-asteria-en"} {
		if p, ok := prices.Find(model); !ok || *p.Speech != 30 {
			t.Errorf("%s: %+v, %v", model, p, ok)
		}
	}
	for _, model := range []string{"nova-3", "nova-3-medical"} {
		if p, ok := prices.Find(model); !ok || *p.Minute != 0.0077 || *p.Recorded != 0.0043 {
			t.Errorf("%s: %+v, %v", model, p, ok)
		}
	}
	for _, model := range []string{"aura-asteria-en", "aura-3-x", "nova-2", "supernova-3", "nova-3x"} {
		if p, ok := prices.Find(model); ok {
			t.Errorf("%s: %+v", model, p)
		}
	}
}

func TestAFileComesFirst(t *testing.T) {
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "prices.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	prices, err := models.LoadPrices(file(`{"llama3:8b": {"input": 0, "output": 0}, "gpt-6-sol": {"input": 1, "output": 2}}`))
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := prices.Find("llama3:8b"); !ok || p.Of(llm.Usage{Input: 1e6}) != 0 {
		t.Errorf("a local model costs %+v, %v", p, ok)
	}
	if p, _ := prices.Find("gpt-6-sol"); p.Of(llm.Usage{Input: 1e6, Cached: 1e6, Output: 1e6}) != 3 {
		t.Errorf("an overridden one costs %+v", p)
	}
	if p, ok := prices.Find("claude-opus-5"); !ok || p.Input != 5 {
		t.Errorf("another one costs %+v", p)
	}
	for text, want := range map[string]string{`[]`: "not JSON in the form", `{"a": {"input": -1, "output": 1}}`: `the price of "a"`,
		`{"a": {"inptu": 1, "output": 1}}`: `the price of "a" has an unknown field "inptu"`, `{"a": {}}`: "needs input and output", `{"a": {"input": 1}}`: "needs input and output",
		`{"a": {"recorded": 1}}`: "needs input and output", `{"a": {"minute": -1}}`: `the price of "a"`} {
		if _, err := models.LoadPrices(file(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	prices, err = models.LoadPrices(file(`{"my-ear": {"minute": 0.01}, "my-voice": {"speech": 2}}`))
	if err != nil || *prices["my-ear"].Minute != 0.01 || *prices["my-voice"].Speech != 2 {
		t.Errorf("prices of sound: %+v, %v", prices["my-ear"], err)
	}
	if _, err := models.LoadPrices("missing.json"); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a missing file: %v", err)
	}
}
