package openai_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
)

// serve runs f in a bubble with a server and a runtime that asks it.
func serve(t *testing.T, answer llmtest.Answer, f func(t *testing.T, l *llmtest.Local, r llm.Runtime)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := new(llmtest.Server).Listen()
		t.Cleanup(l.Close)
		l.Always(answer)
		f(t, l, api.New(l.Options()))
	})
}

// raw joins lines.
func raw(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

const (
	one  = `data: {"choices":[{"index":0,"delta":{"content":"one"},"finish_reason":null}]}`
	stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	done = `data: [DONE]`
)

func TestOnlyAnAnswerThatTheServerEndsIsWhole(t *testing.T) {
	api.Streams(t, []llmtest.Stream{
		{"no mark at the end", raw(one, stop), "", "one"},
		{"no reason for the end", raw(one, done), "", "one"},
		{"text and reason in one chunk", raw(`data: {"choices":[{"delta":{"content":"one"},"finish_reason":"stop"}]}`, done), "", "one"},
		{"an unknown reason", raw(one, `data: {"choices":[{"delta":{},"finish_reason":"eos"}]}`), "", "one"},
		{"empty reasons", raw(`data: {"choices":[{"delta":{"content":"one"},"finish_reason":""}]}`, stop), "", "one"},
		{"no choices", raw(`data: {"choices":[]}`, one, `data: {"choices":null}`, `data: {}`, stop, done), "", "one"},
		{"empty deltas", raw(`data: {"choices":[{"delta":null}]}`, one, `data: {"choices":[{"delta":{"content":null},"finish_reason":"stop"}]}`), "", "one"},
		{"errors that are none", raw(`data: {"error":null,"choices":[{"delta":{"content":"one"}}]}`, stop, done), "", "one"},
		{"talk of errors", raw(`data: {"choices":[{"delta":{"content":"{\"error\":\"none\"}"}}]}`, stop, done), "", `{"error":"none"}`},
		{"no blank after the colon", raw(`data:{"choices":[{"delta":{"content":"one"}}]}`, `data:[DONE]`), "", "one"},
		{"blank lines first", raw("", "", one, stop, done), "", "one"},
		{"names and numbers of events", raw("event: message", "id: 1", one, "retry: 5", "data:", stop, done), "", "one"},
		{"many comments", raw(strings.Repeat(": PROCESSING\n\n", 2000), one, strings.Repeat(": keep alive\n", 2000), stop, done), "", "one"},
		{"a refusal", raw(`data: {"choices":[{"delta":{"refusal":"No."}}]}`, stop, done), "", "No."},
		{"an answer as a whole, set out", "\n{\n  \"choices\": [\n    {\"message\": {\"content\": \"one\"}}\n  ]\n}\n", "", "one"},
		{"only the mark at the end", raw(done), llm.Broken, ""},
		{"another name for a length limit", raw(one, `data: {"choices":[{"finish_reason":"MAX_TOKENS"}]}`, done), llm.Cut, "one"},
		{"an error as the reason", raw(one, `data: {"choices":[{"finish_reason":"error"}]}`, done), llm.Broken, "one"},
		{"a text as the error", raw(one, `data: {"error":"the model crashed"}`, done), llm.Broken, "one"},
		{"an error after comments", raw(": hello", `data: {"error":{"message":"busy","code":429}}`, done), llm.RateLimited, ""},
		{"an error and a chunk in one", raw(one, `data: {"id":"1","error":{"code":502,"message":"gone"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`, done), llm.Unavailable, "one"},
		{"an error by the name of its event", raw(one, "event: error", `data: {"code":400,"details":"bad"}`, done), llm.Refused, "one"},
		{"an error without a wrapping", raw(one, `data: {"object":"error","message":"maximum context length is 10","code":400}`, done), llm.TooLong, "one"},
		{"an error without a prefix", raw(one, `{"error":{"message":"out of memory","type":"server_error"}}`), llm.Unavailable, "one"},
		{"an error as true", raw(one, `data: {"error":true,"message":"bad","code":"invalid_api_key"}`, done), llm.Unauthorized, "one"},
		{"a whole error", `{"error":{"message":"no such model","code":"model_not_found"}}`, llm.NoSuchModel, ""},
		{"half an object", `{"choices":[{"message":{"content":"one"}`, llm.Broken, ""},
		{"several objects", `{"choices":[{"message":{"content":"one"}}]}` + "\n" + `{"choices":[{"message":{"content":"two"}}]}`, llm.Broken, ""},
		{"a whole answer that was cut", `{"choices":[{"message":{"content":"one"},"finish_reason":"length"}]}`, llm.Cut, "one"},
		{"a whole answer without end", `{"choices":[{"message":{"content":"` + strings.Repeat("x", 2<<20), llm.Broken, ""},
	}...)
}

func TestWhatElseIsInAStreamIsRead(t *testing.T) {
	const again = `data: {"choices":[{"delta":{"role":"assistant","content":"","reasoning":"hm"}}]}`
	for _, tt := range []struct {
		name, body string
		thinking   int
		usage      llm.Usage
	}{
		{"no tokens counted", raw(one, stop, done), 0, llm.Usage{}},
		{
			"tokens counted again and again",
			raw(`data: {"choices":[{"delta":{"content":"one"}}],"usage":{"prompt_tokens":7,"completion_tokens":1}}`,
				`data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}`,
				`data: {"choices":null,"usage":{"prompt_tokens":0,"completion_tokens":0}}`, done),
			0, llm.Usage{Input: 7, Output: 2},
		},
		{"thoughts by another name", raw(again, again, one, stop, done), 1, llm.Usage{}},
		{
			"an answer as a whole", `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"one","refusal":null}}],` +
				`"usage":{"prompt_tokens":1,"completion_tokens":2}}`, 0, llm.Usage{Input: 1, Output: 2},
		},
	} {
		r, _ := api.Answering(200, tt.body)
		if got := llmtest.Ask(t.Context(), r, llmtest.Hello); got.Err != nil || got.Text != "one" || got.Thinking != tt.thinking || got.Usage != tt.usage {
			t.Errorf("%s: got %+v", tt.name, got)
		}
	}
}

func TestAWholeAnswerSurvivesAFailureAfterIt(t *testing.T) {
	for name, after := range map[string]func(*llmtest.Exchange){
		"silence": (*llmtest.Exchange).Hang, "a broken connection": (*llmtest.Exchange).Die,
		"an error": func(x *llmtest.Exchange) { x.Event(`{"error":"cannot count"}`) },
		"nonsense": func(x *llmtest.Exchange) { x.Event(`{`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := func(x *llmtest.Exchange) {
				x.Say("one")
				x.Finish("stop")
				after(x)
			}
			serve(t, answer, func(t *testing.T, l *llmtest.Local, r llm.Runtime) {
				began := time.Now()
				if got := llmtest.Ask(t.Context(), r, llmtest.Hello); got.Err != nil || got.Text != "one" {
					t.Errorf("got %+v", got)
				}
				if d := time.Since(began); d > 5*time.Second {
					t.Errorf("it took %s", d)
				}
				synctest.Wait()
				if l.Active() != 0 {
					t.Error("the request is still open")
				}
			})
		})
	}
}
