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

// key has no shape that Redact recognises, so only the adapter can hide it.
const key = "correct horse battery staple"

func TestItKeepsTheContract(t *testing.T) {
	llmtest.Run(t, func(*testing.T) (llmtest.Vendor, llm.Runtime) {
		l := new(llmtest.Server).Listen()
		return llmtest.OpenAI{Local: l}, openai.New(openai.Options{Key: key, BaseURL: l.URL, HTTP: l.HTTP})
	})
}

func TestItAsksForAStreamWithTokens(t *testing.T) {
	l := new(llmtest.Server).Listen()
	defer l.Close()
	l.Queue(llmtest.Text("Hello."))
	r := openai.New(openai.Options{Key: key, BaseURL: l.URL, HTTP: l.HTTP})
	for _, err := range r.Invoke(t.Context(), llm.Request{System: "Be brief.", Messages: []llm.Message{{Role: llm.User, Text: "Hello?"}}, Model: "m"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []llmtest.Request{{
		Key: key, Model: "m", Stream: true, StreamOptions: &llmtest.StreamOptions{IncludeUsage: true},
		Messages: []llmtest.Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "Hello?"}},
	}}
	if diff := cmp.Diff(want, l.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
