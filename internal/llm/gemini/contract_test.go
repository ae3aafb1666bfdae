package gemini_test

import (
	"testing"

	"go.uber.org/goleak"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/gemini"
	"discoclaw/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var api = llmtest.API{
	Prefix: "GEMINI", Paths: []string{"", "/v1beta"}, Picky: true,
	Home:  "https://generativelanguage.googleapis.com/v1beta/models/model-1:streamGenerateContent?alt=sse",
	Begun: events(one), Ended: events(stop),
	Fault:  `{"error":{"status":"odd","message":%q}}`,
	New:    func(o llmtest.Options) llm.Runtime { return gemini.New(gemini.Options(o)) },
	Listen: func() llmtest.Fake { return (&llmtest.Gemini{Key: llmtest.Key}).Listen() },
	Lacks: []llmtest.Lack{{
		Check: "passes a malformed call on", Why: "arguments are an object here; for others the API ends the answer with MALFORMED_FUNCTION_CALL",
	}},
}

func TestItKeepsTheContract(t *testing.T) { api.Run(t) }

func FuzzStream(f *testing.F) { api.Fuzz(f, []string{"STOP"}, events(called), `[{"error":{}}]`) }

func BenchmarkStream(b *testing.B) { api.Benchmark(b) }
