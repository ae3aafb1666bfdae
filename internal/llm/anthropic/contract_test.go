package anthropic_test

import (
	"testing"

	"go.uber.org/goleak"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/anthropic"
	"discoclaw/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var api = llmtest.API{
	Prefix: "ANTHROPIC", Home: "https://api.anthropic.com/v1/messages", Paths: []string{"", "/v1"},
	Begun: events(start, begin, one), Ended: events(done, ended, stop),
	Fault:  `{"type":"error","error":{"type":"odd","message":%q}}`,
	New:    func(o llmtest.Options) llm.Runtime { return anthropic.New(anthropic.Options(o)) },
	Listen: func() llmtest.Fake { return (&llmtest.Anthropic{Key: llmtest.Key}).Listen() },
	Lacks:  []llmtest.Lack{{Check: "no object", Why: "the library ignores events without a name"}},
}

func TestItKeepsTheContract(t *testing.T) { api.Run(t) }

func FuzzStream(f *testing.F) {
	api.Fuzz(f, []string{"message_stop"}, "event: error\ndata: {}\n\n", `{"type":"error"}`)
}

func BenchmarkStream(b *testing.B) { api.Benchmark(b) }
