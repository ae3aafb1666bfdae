package responses_test

import (
	"testing"

	"go.uber.org/goleak"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/responses"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key has no shape that Redact recognises, so only the adapter can hide it.
const key = "correct horse battery staple"

func TestItKeepsTheContract(t *testing.T) {
	for name, plain := range map[string]bool{"reasoning": false, "plain": true} {
		t.Run(name, func(t *testing.T) {
			llmtest.Run(t, func(*testing.T) (llmtest.Vendor, llm.Runtime) {
				v := (&llmtest.Responses{Plain: plain}).Listen()
				return v, responses.New(responses.Options{Key: key, BaseURL: v.URL, HTTP: v.HTTP})
			})
		})
	}
}
