package gemini_test

import (
	"testing"

	"go.uber.org/goleak"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/gemini"
	"discoclaw/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key has no shape that Redact recognises, so only the adapter can hide it.
const key = "correct horse battery staple"

func TestItKeepsTheContract(t *testing.T) {
	llmtest.Run(t, func(*testing.T) (llmtest.Vendor, llm.Runtime) {
		v := new(llmtest.Gemini).Listen()
		return v, gemini.New(gemini.Options{Key: key, BaseURL: v.URL, HTTP: v.HTTP})
	}, llmtest.Lack{Check: "passes a malformed call on", Why: "arguments are an object here; for others the API ends the answer with MALFORMED_FUNCTION_CALL"})
}
