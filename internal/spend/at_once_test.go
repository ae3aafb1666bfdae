package spend_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/anthropic"
	"discoclaw/internal/llm/gemini"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/models"
	"discoclaw/internal/llm/openai"
	"discoclaw/internal/llm/responses"
	"discoclaw/internal/spend"
)

// TestManyAnswersAtOnceKeepACeiling: each answer is as long as the vendor lets it be, each byte of the question is a
// token, and some answers break off without their count of tokens.
func TestManyAnswersAtOnceKeepACeiling(t *testing.T) {
	const ceiling, input, output, longest = 1_000_000, 3, 15, 4096 // in millionths of a dollar, for a token, and in tokens
	for _, tt := range []struct {
		name string
		open func() (llmtest.Vendor, llm.Runtime)
	}{
		{"openai", func() (llmtest.Vendor, llm.Runtime) {
			v := new(llmtest.Server).Listen()
			return llmtest.OpenAI{Local: v}, openai.New(openai.Options{BaseURL: v.URL, HTTP: v.HTTP})
		}},
		{"responses", func() (llmtest.Vendor, llm.Runtime) {
			v := new(llmtest.Responses).Listen()
			return v, responses.New(responses.Options{BaseURL: v.URL, HTTP: v.HTTP})
		}},
		{"anthropic", func() (llmtest.Vendor, llm.Runtime) {
			v := new(llmtest.Anthropic).Listen()
			return v, anthropic.New(anthropic.Options{BaseURL: v.URL, HTTP: v.HTTP})
		}},
		{"gemini", func() (llmtest.Vendor, llm.Runtime) {
			v := new(llmtest.Gemini).Listen()
			return v, gemini.New(gemini.Options{BaseURL: v.URL, HTTP: v.HTTP})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				vendor, runtime := tt.open()
				defer vendor.Close()
				question := llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("7", 6000)}}}
				var asked, cost, refused, waited atomic.Int64
				vendor.Always(func(x llmtest.Response) {
					n := asked.Add(1)
					tokens := llm.Usage{Input: question.Size(), Output: 40_000} // 120 KB
					if limit := x.Asked().MaxOutput; limit > 0 {
						tokens.Output = limit
					}
					cost.Add(int64(tokens.Input*input + tokens.Output*output))
					x.Say("Once upon a time")
					x.Wait(time.Duration(n%7) * time.Second)
					if n%4 == 0 {
						x.Die()
					}
					x.Done(tokens)
				})
				book := spend.New(open(t), spend.Options{Prices: models.Prices{"m": {Input: input, Output: output}}, Ceilings: spend.Ceilings{Day: ceiling / 1e6}})
				r := book.Priced(runtime, tt.name, "m")
				var wg sync.WaitGroup
				for range 100 {
					wg.Go(func() {
						for event, err := range r.Invoke(t.Context(), question) {
							e, _ := errors.AsType[*llm.Error](err)
							switch _, waits := event.(llm.Queued); {
							case waits:
								waited.Add(1)
							case e != nil && e.Kind == llm.OverBudget:
								refused.Add(1)
							case err != nil && (e == nil || e.Kind != llm.Broken):
								t.Error(err)
							}
						}
					})
				}
				wg.Wait()
				if got := cost.Load(); got > ceiling+longest*output || got < ceiling*3/4 {
					t.Errorf("%d answers cost $%.2f", asked.Load(), float64(got)/1e6)
				}
				if asked.Load()+refused.Load() != 100 || waited.Load() == 0 {
					t.Errorf("%d were asked, %d refused, and %d waited", asked.Load(), refused.Load(), waited.Load())
				}
			})
		})
	}
}
