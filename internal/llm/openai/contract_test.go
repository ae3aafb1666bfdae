package openai_test

import (
	"testing"

	"go.uber.org/goleak"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key has no shape that could be recognised, so only knowing it can hide it.
const key = "correct horse battery staple"

func TestItKeepsTheContract(t *testing.T) {
	llmtest.Run(t, func(_ *testing.T, l *llmtest.Local) llm.Runtime {
		return openai.New(openai.Options{Key: key, BaseURL: l.URL, HTTP: l.HTTP})
	})
}
