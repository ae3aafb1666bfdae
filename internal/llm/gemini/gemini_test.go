package gemini_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/gemini"
	"discoclaw/internal/llm/llmtest"
)

// events joins the events of a stream.
func events(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

const (
	one  = `{"candidates":[{"content":{"parts":[{"text":"one"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":50,"candidatesTokenCount":1,"totalTokenCount":51}}`
	stop = `{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":50,"cachedContentTokenCount":40,"candidatesTokenCount":3,"thoughtsTokenCount":4,"totalTokenCount":57}}`
)

func reason(r string) string { return strings.Replace(stop, "STOP", r, 1) }

func TestTokensAreCountedOnce(t *testing.T) {
	r, _ := api.Answering(200, events(one, one, stop))
	got := llmtest.Ask(t.Context(), r, llmtest.Hello)
	if want := (llm.Usage{Input: 50, Cached: 40, Output: 7}); got.Err != nil || got.Usage != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestOnlyAnAnswerThatTheServerEndsIsWhole(t *testing.T) {
	both := `{"candidates":[{"content":{"parts":[{"text":"one"}]},"finishReason":"STOP"}]}`
	api.Streams(t, []llmtest.Stream{
		{"text and reason in one event", events(both), "", "one"},
		{"a reason in every event", events(both, both), "", "oneone"},
		{"no content at the end", events(one, `{"candidates":[{"finishReason":"STOP","index":0}]}`), "", "one"},
		{"tokens after the end", events(one, stop, `{"usageMetadata":{"promptTokenCount":1}}`, `{"candidates":[{"index":0}]}`), "", "one"},
		{"text after the reason", events(one, stop, one), llm.Broken, "oneone"},
		{"a call and text after the reason", events(called, one), llm.Broken, "one"},
		{"a length limit without text", events(reason("MAX_TOKENS")), llm.Cut, ""},
		{"safety without text", events(`{"candidates":[{"finishReason":"SAFETY"}]}`), llm.Blocked, ""},
		{"prohibited content", events(reason("PROHIBITED_CONTENT")), llm.Blocked, ""},
		{"a word on a list", events(reason("BLOCKLIST")), llm.Blocked, ""},
		{"personal data", events(reason("SPII")), llm.Blocked, ""},
		{"recitation", events(one, reason("RECITATION")), llm.Blocked, "one"},
		{"an unsafe image", events(reason("IMAGE_SAFETY")), llm.Blocked, ""},
		{"a malformed call", events(reason("MALFORMED_FUNCTION_CALL")), llm.Broken, ""},
		{"an unknown tool", events(reason("UNEXPECTED_TOOL_CALL")), llm.Broken, ""},
		{"another reason", events(one, reason("OTHER")), llm.Broken, "one"},
		{"a reason of the future", events(one, reason("TIRED")), llm.Broken, "one"},
		{"a blocked prompt", events(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":5,"totalTokenCount":5}}`), llm.Blocked, ""},
		{"feedback without a block", events(`{"promptFeedback":{"safetyRatings":[]}}`, one, stop), "", "one"},
		{"an error by its code", events(one, `{"error":{"code":500}}`), llm.Unavailable, "one"},
		{"an error without a prefix", events(one) + `{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED"}}`, llm.RateLimited, "one"},
		{"no error", events(`{"error":null,"candidates":[{"content":{"parts":[{"text":"one"}]},"finishReason":"STOP"}]}`), "", "one"},
		{"an error with a good status", `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}`, llm.Unauthorized, ""},
		{"a list of errors", `[{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED"}}]`, llm.RateLimited, ""},
	}...)
}

// TestAnAnswerThatBreaksIsNotWhole, even after an event with a reason: the next one might have had more of it.
func TestAnAnswerThatBreaksIsNotWhole(t *testing.T) {
	client := &http.Client{Transport: llmtest.Transport(func(*http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(events(one, stop)), iotest.ErrReader(io.ErrUnexpectedEOF))
		return &http.Response{StatusCode: 200, Body: io.NopCloser(body)}, nil
	})}
	if got := llmtest.Ask(t.Context(), gemini.New(gemini.Options{HTTP: client}), llmtest.Hello); got.Kind() != llm.Broken || got.Text != "one" {
		t.Errorf("got %+v", got)
	}
}

const called = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":{"id":1234567890123456789}},"thoughtSignature":"AWE="},{"functionCall":{"name":"b"}}]},"finishReason":"STOP"}]}`

// TestSignaturesGoBackWithTheirCalls, while IDs that the API did not give do not.
func TestSignaturesGoBackWithTheirCalls(t *testing.T) {
	r, _ := api.Answering(200, events(called))
	got := llmtest.Ask(t.Context(), r, llmtest.Hello)
	if got.Err != nil || len(got.Calls) != 2 || got.Calls[0].ID == got.Calls[1].ID || got.Calls[1].ID == "" || string(got.Calls[0].Seal) != "\x01a" {
		t.Fatalf("got %+v", got)
	}
	r, sent := api.Answering(200, events(stop))
	got.Calls[1].Seal = []byte(`[{"type":"thinking"}]`) // as of another vendor
	llmtest.Ask(t.Context(), r, llm.Request{Model: "m", Messages: []llm.Message{
		llmtest.Hello.Messages[0], {Role: llm.Assistant, Text: "Let me see.", Calls: got.Calls},
		{Role: llm.User, Results: []llm.ToolResult{{ID: got.Calls[0].ID, Name: "a", Text: "one"}, {ID: got.Calls[1].ID, Name: "b", Failed: true}}},
	}})
	want := `{"contents":[{"role":"user","parts":[{"text":"Hello?"}]},` +
		`{"role":"model","parts":[{"text":"Let me see."},{"thoughtSignature":"AWE=","functionCall":{"name":"a","args":{"id":1234567890123456789}}},{"functionCall":{"name":"b","args":{}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"a","response":{"output":"one"}}},{"functionResponse":{"name":"b","response":{"error":"(nothing)"}}}]}]}`
	if diff := cmp.Diff(want, sent.Bodies[0]); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestImagesOfTheModelArePassedOn(t *testing.T) {
	for _, size := range []int{10, 3 << 20} {
		data := strings.Repeat("x", size)
		r, _ := api.Answering(200, events(one, `{"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"`+base64.StdEncoding.EncodeToString([]byte(data))+`"}}]}}]}`, stop))
		got := llmtest.Ask(t.Context(), r, llmtest.Hello)
		if got.Err != nil || len(got.Images) != 1 || got.Images[0].Type != "image/png" || string(got.Images[0].Data) != data {
			t.Errorf("of %d bytes: got %d images and %s", size, len(got.Images), got.Details())
		}
	}
}

func TestRefusalsAreUnderstood(t *testing.T) {
	fault := func(code int, status, message string) string {
		return fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":%q}}`, code, message, status)
	}
	later := func(code int, status, message string) string {
		const details = `,"details":[{"@type":"type.googleapis.com/google.rpc.Help","links":[]},` +
			`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"36.5s"}]}}`
		return strings.TrimSuffix(fault(code, status, message), "}}") + details
	}
	api.Refusals(t, []llmtest.Refusal{
		{"no key", 403, fault(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers (callers without established identity)."), llm.Unauthorized, ""},
		{"rights", 403, fault(403, "PERMISSION_DENIED", "no"), llm.Forbidden, ""},
		{"country", 400, fault(400, "FAILED_PRECONDITION", "User location is not supported for the API use."), llm.Forbidden, ""},
		{"free tier", 400, fault(400, "FAILED_PRECONDITION", "Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio."), llm.NoCredit, ""},
		{"credit", 429, fault(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."), llm.NoCredit, ""},
		{"limit", 429, later(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."), llm.RateLimited, "model.test takes no more requests for now; try again in 37 seconds"},
		{"model", 404, fault(404, "NOT_FOUND", "models/model-1 is not found for API version v1beta"), llm.NoSuchModel, ""},
		{"address", 404, fault(404, "NOT_FOUND", "Requested entity was not found."), llm.Refused, ""},
		{"length", 400, fault(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."), llm.TooLong, ""},
		{"size", 400, fault(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."), llm.TooLong, ""},
		{"overload", 503, later(503, "UNAVAILABLE", "The model is overloaded."), llm.Unavailable, "model.test is not available (status 503); try again in 37 seconds"},
		{"timeout", 504, later(504, "DEADLINE_EXCEEDED", "no"), llm.Unavailable, "model.test is not available (status 504); try again in 37 seconds"},
	}...)
}

// TestAModelCannotChangeTheAddress: members choose models by name.
func TestAModelCannotChangeTheAddress(t *testing.T) {
	for model, want := range map[string]string{
		"models/gemini-x": "/v1beta/models/gemini-x:streamGenerateContent", "../../x?y=": "/v1beta/models/..%2F..%2Fx%3Fy=:streamGenerateContent", "a#b": "/v1beta/models/a%23b:streamGenerateContent",
	} {
		r, sent := api.Answering(200, events(stop))
		h := llmtest.Ask(t.Context(), r, llm.Request{Model: model, Messages: llmtest.Hello.Messages})
		if got := sent.Requests[0].URL.EscapedPath(); h.Err != nil || got != want {
			t.Errorf("%s: %s, %v", model, got, h.Err)
		}
	}
}
