package responses_test

import (
	"testing"

	"go.uber.org/goleak"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/responses"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var api = llmtest.API{
	Prefix: "OPENAI", Home: "https://api.openai.com/v1/responses", Paths: []string{"/v1"}, Picky: true,
	Begun: events(created, one), Ended: events(whole),
	Fault:  `{"error":{"code":"odd","message":%q}}`,
	New:    func(o llmtest.Options) llm.Runtime { return responses.New(responses.Options(o)) },
	Listen: func() llmtest.Fake { return (&llmtest.Responses{Key: llmtest.Key}).Listen() },
}

func TestItKeepsTheContract(t *testing.T) { api.Run(t) }

func TestItKeepsTheContractWithoutReasoning(t *testing.T) {
	llmtest.Run(t, func(*testing.T) (llmtest.Vendor, llm.Runtime) {
		v := (&llmtest.Responses{Plain: true}).Listen()
		return v, api.New(v.Options())
	})
}

func FuzzStream(f *testing.F) {
	api.Fuzz(f, []string{"response."}, events(reasoning("rs_1"), call("1"), whole), events(failed("x")))
}
