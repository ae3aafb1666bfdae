package anthropic_test

import (
	"testing"

	"go.uber.org/goleak"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/anthropic"
	"discoclaw/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key has no shape that Redact recognises, so only the adapter can hide it.
const key = "correct horse battery staple"

func TestItKeepsTheContract(t *testing.T) {
	llmtest.Run(t, func(*testing.T) (llmtest.Vendor, llm.Runtime) {
		v := new(llmtest.Anthropic).Listen()
		return v, anthropic.New(anthropic.Options{Key: key, BaseURL: v.URL, HTTP: v.HTTP})
	})
}
