package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/openai"
)

// A heard is the result of a request.
type heard struct {
	text     string
	thinking int
	usage    llm.Usage
	err      error
}

func (h heard) kind() llm.Kind {
	if e, ok := errors.AsType[*llm.Error](h.err); ok {
		return e.Kind
	}
	return ""
}

func (h heard) details() string {
	if e, ok := errors.AsType[*llm.Error](h.err); ok {
		return e.Details()
	}
	return fmt.Sprint(h.err)
}

func ask(ctx context.Context, r llm.Runtime, req llm.Request) heard {
	var h heard
	for event, err := range r.Invoke(ctx, req) {
		if err != nil {
			h.err = err
			break
		}
		switch e := event.(type) {
		case llm.TextDelta:
			h.text += e.Text
		case llm.Thinking:
			h.thinking++
		case llm.Usage:
			h.usage.Input += e.Input
			h.usage.Output += e.Output
		}
	}
	return h
}

var hello = llm.Request{Model: "model-1", Messages: []llm.Message{{Role: llm.User, Text: "Hello?"}}}

// serve runs f in a bubble with a server and a runtime that asks it.
func serve(t *testing.T, answer llmtest.Answer, f func(t *testing.T, l *llmtest.Local, r llm.Runtime)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := new(llmtest.Server).Listen()
		t.Cleanup(l.Close)
		if answer != nil {
			l.Always(answer)
		}
		f(t, l, openai.New(openai.Options{Key: key, BaseURL: l.URL, HTTP: l.HTTP}))
	})
}

// raw answers with lines as they are.
func raw(lines ...string) llmtest.Answer {
	return func(x *llmtest.Exchange) {
		for _, line := range lines {
			x.Line(line)
		}
	}
}

const (
	one  = `data: {"choices":[{"index":0,"delta":{"content":"one"},"finish_reason":null}]}`
	stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	done = `data: [DONE]`
)

func TestOddStreamsAreRead(t *testing.T) {
	whole := func(text string) llmtest.Answer {
		return func(x *llmtest.Exchange) { x.Write(http.StatusOK, "application/json", text) }
	}
	for _, tt := range []struct {
		name   string
		answer llmtest.Answer
		want   heard
	}{
		{"no tokens counted", raw(one, stop, done), heard{text: "one"}},
		{"no mark at the end", raw(one, stop), heard{text: "one"}},
		{"no reason for the end", raw(one, done), heard{text: "one"}},
		{"an empty answer", raw(stop, done), heard{}},
		{"text and reason in one chunk", raw(`data: {"choices":[{"delta":{"content":"one"},"finish_reason":"stop"}]}`, done), heard{text: "one"}},
		{"an unknown reason", raw(one, `data: {"choices":[{"delta":{},"finish_reason":"eos"}]}`), heard{text: "one"}},
		{"empty reasons", raw(`data: {"choices":[{"delta":{"content":"one"},"finish_reason":""}]}`, stop), heard{text: "one"}},
		{"no choices", raw(`data: {"choices":[]}`, one, `data: {"choices":null}`, `data: {}`, stop, done), heard{text: "one"}},
		{"empty deltas", raw(`data: {"choices":[{"delta":null}]}`, one, `data: {"choices":[{"delta":{"content":null},"finish_reason":"stop"}]}`), heard{text: "one"}},
		{"errors that are none", raw(`data: {"error":null,"choices":[{"delta":{"content":"one"}}]}`, stop, done), heard{text: "one"}},
		{"talk of errors", raw(`data: {"choices":[{"delta":{"content":"{\"error\":\"none\"}"}}]}`, stop, done), heard{text: `{"error":"none"}`}},
		{"no blank after the colon", raw(`data:{"choices":[{"delta":{"content":"one"}}]}`, `data:[DONE]`), heard{text: "one"}},
		{"carriage returns", raw(one+"\r", "\r", stop+"\r", "\r", done+"\r"), heard{text: "one"}},
		{"blank lines first", raw("", "", one, stop, done), heard{text: "one"}},
		{"names and numbers of events", raw("event: message", "id: 1", one, "retry: 5", "data:", stop, done), heard{text: "one"}},
		{"many comments", raw(strings.Repeat(": PROCESSING\n\n", 2000), one, strings.Repeat(": keep alive\n", 2000), stop, done), heard{text: "one"}},
		{"a refusal", raw(`data: {"choices":[{"delta":{"refusal":"No."}}]}`, stop, done), heard{text: "No."}},
		{
			"tokens counted again and again",
			raw(`data: {"choices":[{"delta":{"content":"one"}}],"usage":{"prompt_tokens":7,"completion_tokens":1}}`,
				`data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}`,
				`data: {"choices":null,"usage":{"prompt_tokens":0,"completion_tokens":0}}`, done),
			heard{text: "one", usage: llm.Usage{Input: 7, Output: 2}},
		},
		{
			"thoughts by another name",
			raw(`data: {"choices":[{"delta":{"role":"assistant","content":"","reasoning":"hm"}}]}`,
				`data: {"choices":[{"delta":{"role":"assistant","content":"","reasoning":"hm"}}]}`, one, stop, done),
			heard{text: "one", thinking: 1},
		},
		{"an answer as a whole", llmtest.Whole("one two"), heard{text: "one two", usage: llm.Usage{Input: 1, Output: 2}}},
		{"an answer as a whole, set out", whole("\n{\n  \"choices\": [\n    {\"message\": {\"content\": \"one\"}}\n  ]\n}\n"), heard{text: "one"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			serve(t, tt.answer, func(t *testing.T, _ *llmtest.Local, r llm.Runtime) {
				if got := ask(t.Context(), r, hello); got != tt.want {
					t.Errorf("got %+v, want %+v", got, tt.want)
				}
			})
		})
	}
}

func TestIncompleteStreamsFail(t *testing.T) {
	whole := func(text string) llmtest.Answer {
		return func(x *llmtest.Exchange) { x.Write(http.StatusOK, "application/json", text) }
	}
	big := strings.Repeat("x", 2<<20)
	for _, tt := range []struct {
		name   string
		answer llmtest.Answer
		kind   llm.Kind
		text   string
	}{
		{"nothing at all", raw(), llm.Broken, ""},
		{"comments only", raw(": hello", ": goodbye"), llm.Broken, ""},
		{"only the mark at the end", raw(done), llm.Broken, ""},
		{"plain text", raw("hello there"), llm.Broken, ""},
		{"no object", raw(one, `data: 42`, stop, done), llm.Broken, "one"},
		{"half an event at the end", raw(one, `data: {"choices":[{"del`), llm.Broken, "one"},
		{"a comment without end", raw(one, ": "+big, stop, done), llm.Broken, "one"},
		{"another name for a length limit", raw(one, `data: {"choices":[{"finish_reason":"MAX_TOKENS"}]}`, done), llm.Cut, "one"},
		{"an error as the reason", raw(one, `data: {"choices":[{"finish_reason":"error"}]}`, done), llm.Broken, "one"},

		{"a text as the error", raw(one, `data: {"error":"the model crashed"}`, done), llm.Broken, "one"},
		{"an error after comments", raw(": hello", `data: {"error":{"message":"busy","code":429}}`, done), llm.RateLimited, ""},
		{"an error and a chunk in one", raw(one, `data: {"id":"1","error":{"code":502,"message":"gone"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`, done), llm.Unavailable, "one"},
		{"an error by the name of its event", raw(one, "event: error", `data: {"code":400,"details":"bad"}`, done), llm.Refused, "one"},
		{"an error without a wrapping", raw(one, `data: {"object":"error","message":"maximum context length is 10","code":400}`, done), llm.TooLong, "one"},
		{"an error without a prefix", raw(one, `{"error":{"message":"out of memory","type":"server_error"}}`), llm.Unavailable, "one"},
		{"an error as true", raw(one, `data: {"error":true,"message":"bad","code":"invalid_api_key"}`, done), llm.Unauthorized, "one"},

		{"a whole error", whole(`{"error":{"message":"no such model","code":"model_not_found"}}`), llm.NoSuchModel, ""},
		{"some other object", whole(`{"status":"ok"}`), llm.Refused, ""},
		{"half an object", whole(`{"choices":[{"message":{"content":"one"}`), llm.Broken, ""},
		{"several objects", whole(`{"choices":[{"message":{"content":"one"}}]}` + "\n" + `{"choices":[{"message":{"content":"two"}}]}`), llm.Broken, ""},
		{"a whole answer that was cut", whole(`{"choices":[{"message":{"content":"one"},"finish_reason":"length"}]}`), llm.Cut, "one"},
		{"a whole answer without end", whole(`{"choices":[{"message":{"content":"` + big), llm.Broken, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			serve(t, tt.answer, func(t *testing.T, _ *llmtest.Local, r llm.Runtime) {
				got := ask(t.Context(), r, hello)
				if got.kind() != tt.kind || got.text != tt.text {
					t.Errorf("got %q and %s, want %q and %s", got.text, got.details(), tt.text, tt.kind)
				}
			})
		})
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
				if got := ask(t.Context(), r, hello); got != (heard{text: "one"}) {
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

// FuzzStream: every response comes to an end, and a bad one ends in an error with a text of
// ours.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		one + "\n\n" + stop + "\n\n" + done + "\n\n", ": hello\n\nevent: error\ndata: {}\n", `{"choices":[{"message":{"content":"one"}}]}`,
		"data: {\"error\":\"x\"}\n", "<html>", "data: {\"choices\":[{\"finish_reason\":\"length\"}]}\n", "data: [DONE]\ndata: {",
	} {
		f.Add(200, seed)
		f.Add(429, seed)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		client := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return respond(status, http.Header{"Location": {"/"}}, strings.NewReader(body)), nil
		})}
		got := ask(t.Context(), openai.New(openai.Options{HTTP: client}), hello)
		if got.err == nil && got.text == "" && !strings.Contains(body, "finish_reason") && !strings.Contains(body, "message") {
			t.Errorf("%d %q is an answer", status, body)
		}
		if got.err != nil && got.kind() == "" {
			t.Errorf("%d %q: %v", status, body, got.err)
		}
	})
}

func BenchmarkStream(b *testing.B) {
	const pieces = 1000
	var s llmtest.Server
	s.Always(func(x *llmtest.Exchange) {
		for range pieces {
			x.Say("word ")
		}
		x.Finish("stop")
		x.Usage(llm.Usage{Input: 1, Output: pieces})
		x.Done()
	})
	l := s.Listen()
	defer l.Close()
	r := openai.New(openai.Options{BaseURL: l.URL, HTTP: l.HTTP})
	b.ReportAllocs()
	for b.Loop() {
		if got := ask(b.Context(), r, hello); got.err != nil {
			b.Fatal(got.details())
		}
	}
}
