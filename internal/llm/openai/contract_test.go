package openai_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var api = llmtest.API{
	Prefix: "OPENAI", Home: "https://api.openai.com/v1/chat/completions", Paths: []string{"/v1"},
	Begun: raw(one, ""), Ended: raw(stop, "", done, ""),
	Fault: `{"error":{"code":"odd","message":%q}}`,
	New: func(o llmtest.Options) llm.Runtime {
		return openai.New(openai.Options{Key: o.Key, BaseURL: o.BaseURL, Model: o.Model, HTTP: o.HTTP})
	},
	Listen: func() llmtest.Fake { return llmtest.OpenAI{Local: (&llmtest.Server{Key: llmtest.Key}).Listen()} },
}

func TestItKeepsTheContract(t *testing.T) { api.Run(t) }

func FuzzStream(f *testing.F) {
	api.Fuzz(f, []string{"finish_reason", "message", "[DONE]"},
		": hello\n\nevent: error\ndata: {}\n", `{"choices":[{"message":{"content":"one"}}]}`, "data: {\"error\":\"x\"}\n",
		"data: {\"choices\":[{\"finish_reason\":\"length\"}]}\n", "data: [DONE]\ndata: {")
}

func BenchmarkStream(b *testing.B) { api.Benchmark(b) }

func TestItAsksForAStreamWithTokens(t *testing.T) {
	l := new(llmtest.Server).Listen()
	defer l.Close()
	l.Queue(llmtest.Text("Hello."))
	r := api.New(l.Options())
	for _, err := range r.Invoke(t.Context(), llm.Request{System: "Be brief.", Messages: []llm.Message{{Role: llm.User, Text: "Hello?"}}, Model: "m"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []llmtest.Request{{
		Key: llmtest.Key, Model: "m", Stream: true, StreamOptions: &llmtest.StreamOptions{IncludeUsage: true},
		Messages: []llmtest.Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "Hello?"}},
	}}
	if diff := cmp.Diff(want, l.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
