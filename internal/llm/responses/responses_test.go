package responses_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/responses"
)

// events joins the events of a stream.
func events(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

const (
	created = `{"type":"response.created","response":{"id":"resp_1","status":"in_progress","error":null,"incomplete_details":null,"usage":null}}`
	one     = `{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"one"}`
	whole   = `{"type":"response.completed","response":{"id":"resp_1","status":"completed","error":null,"incomplete_details":null,"usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":40},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":57}}}`
)

func incomplete(reason string) string {
	return `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"` + reason + `"},"usage":{"input_tokens":50,"output_tokens":7}}}`
}

func failed(code string) string {
	return `{"type":"response.failed","response":{"status":"failed","error":{"code":"` + code + `","message":"no"},"usage":null}}`
}

func TestOnlyAnAnswerThatTheServerEndsIsWhole(t *testing.T) {
	api.Streams(t, []llmtest.Stream{
		{"with a mark at the end", events(one, whole, "[DONE]"), "", "one"},
		{"an end without details", events(one, `{"type":"response.completed"}`), "", "one"},
		{"events of the future", events(`{"type":"response.new","delta":{"a":1},"item":7}`, one, whole), "", "one"},
		{"two messages", events(one, strings.Replace(one, `"output_index":0`, `"output_index":1`, 1), whole), "", "one\n\none"},
		{"text twice", events(one, one, `{"type":"response.output_text.done","text":"oneone"}`, whole), "", "oneone"},
		{"a huge end", events(one, strings.Replace(whole, "resp_1", strings.Repeat("x", 3<<20), 1)), "", "one"},
		{"a mark alone", events(one, "[DONE]"), llm.Broken, "one"},
		{"no text", events(strings.Replace(one, `"one"`, `1`, 1), whole), llm.Broken, ""},
		{"no item", events(`{"type":"response.output_item.done"}`, whole), llm.Broken, ""},
		{"a reason of the future", events(one, incomplete("tired")), llm.Broken, "one"},
		{"a refusal", events(`{"type":"response.refusal.delta","delta":"I can"}`, `{"type":"response.refusal.done","refusal":"I cannot"}`, whole), llm.Blocked, ""},
		{"an overload", events(one, failed("server_is_overloaded")), llm.Unavailable, "one"},
		{"a limit", events(failed("rate_limit_exceeded")), llm.RateLimited, ""},
		{"the usage policy", events(failed("invalid_prompt")), llm.Blocked, ""},
		{"a bad image", events(failed("invalid_image_format")), llm.Refused, ""},
		{"a failure after a call", events(call("1"), failed("server_error")), llm.Unavailable, ""},
		{"a failure without a reason", events(one, `{"type":"response.failed","response":{"error":null}}`), llm.Broken, "one"},
		{"an error", events(one, `{"type":"error","code":"server_error","message":"no","param":null,"sequence_number":3}`), llm.Unavailable, "one"},
		{"an error about length", events(`{"type":"error","code":null,"message":"Your input exceeds the context window of this model.","param":"input"}`), llm.TooLong, ""},
		{"an error in an error", events(one, `{"type":"error","error":{"type":"insufficient_quota","code":"insufficient_quota","message":"no"}}`), llm.NoCredit, "one"},
		{"an error without a code", events(one, `{"type":"error","message":"no"}`), llm.Broken, "one"},
		{"an error without a prefix", events(one) + `{"error":{"code":"rate_limit_exceeded"}}`, llm.RateLimited, "one"},
		{"an error with a good status", `{"error":{"code":"invalid_api_key"}}`, llm.Unauthorized, ""},
	}...)
}

// TestTokensAreCounted, also of an answer that is not whole: it is paid for.
func TestTokensAreCounted(t *testing.T) {
	for body, want := range map[string]llm.Usage{
		events(one, whole): {Input: 50, Cached: 40, Output: 7}, events(one, incomplete("max_output_tokens")): {Input: 50, Output: 7},
	} {
		r, _ := api.Answering(200, body)
		if got := llmtest.Ask(t.Context(), r, llmtest.Hello); got.Usage != want {
			t.Errorf("got %+v, want %+v", got.Usage, want)
		}
	}
}

// TestNothingAfterTheEndMatters: the answer is whole, whatever becomes of the connection.
func TestNothingAfterTheEndMatters(t *testing.T) {
	client := &http.Client{Transport: llmtest.Transport(func(*http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(events(one, whole)), iotest.ErrReader(io.ErrUnexpectedEOF))
		return &http.Response{StatusCode: 200, Body: io.NopCloser(body)}, nil
	})}
	if got := llmtest.Ask(t.Context(), responses.New(responses.Options{HTTP: client}), llmtest.Hello); got.Err != nil || got.Text != "one" {
		t.Errorf("got %+v", got)
	}
}

func TestSignsOfLifeAreThinking(t *testing.T) {
	for _, event := range []string{
		`{"type":"keepalive","sequence_number":466}`, `{"type":"response.reasoning_summary_text.delta","delta":"hm"}`, `{"type":"response.reasoning_text.delta","delta":"hm"}`,
		`{"type":"response.reasoning_summary_part.added","part":{}}`, `{"type":"response.function_call_arguments.delta","delta":"{"}`, `{"type":"response.refusal.delta","delta":"I"}`,
		reasoning("rs_1"),
	} {
		r, _ := api.Answering(200, events(created, event, one, whole))
		if got := llmtest.Ask(t.Context(), r, llmtest.Hello); got.Err != nil || got.Thinking != 1 {
			t.Errorf("%s: got %+v", event, got)
		}
	}
}

// item returns the reasoning of an ID.
func item(id string) string {
	return `{"id":"` + id + `","type":"reasoning","n":12345678901234567890,"encrypted_content":"abc","summary":[]}`
}

func reasoning(id string) string {
	return `{"type":"response.output_item.done","output_index":0,"item":` + item(id) + `}`
}

func call(id string) string {
	return `{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_` + id + `","type":"function_call","call_id":"` + id + `","name":"a","arguments":"{\"n\": 1}","status":"completed"}}`
}

// TestReasoningGoesBackToWhereItWas, unchanged, without any that the server would have had to store.
func TestReasoningGoesBackToWhereItWas(t *testing.T) {
	stored := strings.Replace(reasoning("rs_0"), `"abc"`, `null`, 1)
	r, _ := api.Answering(200, events(created, stored, reasoning("rs_1"), one, reasoning("rs_2"), call("1"), call("2"), reasoning("rs_3"), call("3"), whole))
	got := llmtest.Ask(t.Context(), r, llmtest.Hello)
	if got.Err != nil || len(got.Calls) != 3 || got.Calls[1].Seal != nil {
		t.Fatalf("got %+v", got)
	}
	r, sent := api.Answering(200, events(whole))
	llmtest.Ask(t.Context(), r, llm.Request{Model: "m", System: "Be brief.", Messages: []llm.Message{
		llmtest.Hello.Messages[0], {Role: llm.Assistant, Text: got.Text, Calls: got.Calls},
		{Role: llm.User, Results: []llm.ToolResult{{ID: "1", Name: "a", Text: "x"}, {ID: "2", Name: "a"}, {ID: "3", Name: "a", Text: "y", Failed: true}}},
	}})
	function := func(id string) string {
		return `{"type":"function_call","call_id":"` + id + `","name":"a","arguments":"{\"n\": 1}"}`
	}
	want := `{"model":"m","instructions":"Be brief.","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello?"}]},` +
		item("rs_1") + `,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"one"}]},` +
		item("rs_2") + `,` + function("1") + `,` + function("2") + `,` + item("rs_3") + `,` + function("3") + `,` +
		`{"type":"function_call_output","call_id":"1","output":"x"},{"type":"function_call_output","call_id":"2","output":"(nothing)"},{"type":"function_call_output","call_id":"3","output":"Error: y"}],` +
		`"include":["reasoning.encrypted_content"],"stream":true,"store":false}`
	if diff := cmp.Diff(want, sent.Bodies[0]); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// TestSealsOfOtherVendorsAreLeftOut: a conversation may change its runtime.
func TestSealsOfOtherVendorsAreLeftOut(t *testing.T) {
	for _, seal := range []string{`[{"type":"thinking","signature":"x"}]`, "\x01a thought\xff", `{"type":"thinking"}`, ""} {
		r, sent := api.Answering(200, events(whole))
		llmtest.Ask(t.Context(), r, llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "1", Name: "a", Seal: []byte(seal)}}}}})
		if want := `"input":[{"type":"function_call","call_id":"1","name":"a","arguments":"{}"}]`; !strings.Contains(sent.Bodies[0], want) {
			t.Errorf("with the seal %q it sends %s", seal, sent.Bodies[0])
		}
	}
}

// TestItsSealsAreNoneOfOtherVendors: anthropic sends back every list, and gemini all that is not JSON.
func TestItsSealsAreNoneOfOtherVendors(t *testing.T) {
	r, _ := api.Answering(200, events(reasoning("rs_1"), call("1"), whole))
	var fields map[string]any
	if got := llmtest.Ask(t.Context(), r, llmtest.Hello); len(got.Calls) != 1 || json.Unmarshal(got.Calls[0].Seal, &fields) != nil {
		t.Errorf("got %+v", got)
	}
}

// TestReasoningIsNotInsistedOn: a model that does none is asked for it once, and reasoning that cannot be decrypted is
// left out of the one request.
func TestReasoningIsNotInsistedOn(t *testing.T) {
	for message, want := range map[string]int{
		"Encrypted content is not supported with this model.": 3, "The encrypted content gAAA...DQ== could not be verified.": 4, "no": 2,
	} {
		sent := 0
		client := &http.Client{Transport: llmtest.Transport(func(r *http.Request) (*http.Response, error) {
			sent++
			body, err := io.ReadAll(r.Body)
			status, text := 200, events(one, whole)
			if strings.Contains(string(body), "encrypted_content") {
				status, text = 400, `{"error":{"message":"`+message+`","type":"invalid_request_error","param":null,"code":null}}`
			}
			return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(text))}, err
		})}
		r := responses.New(responses.Options{HTTP: client})
		req := llmtest.Hello
		req.Messages = append(req.Messages[:1:1], llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "1", Name: "a", Seal: []byte(`{"reasoning_before_call":[` + item("rs_1") + `]}`)}}})
		for range 2 {
			if got := llmtest.Ask(t.Context(), r, req); (got.Text == "one") != (want > 2) {
				t.Errorf("after %q: got %+v", message, got)
			}
		}
		if sent != want {
			t.Errorf("after %q: %d requests were sent, want %d", message, sent, want)
		}
	}
}

func TestRefusalsAreUnderstood(t *testing.T) {
	api.Refusals(t, []llmtest.Refusal{
		{"region", 403, `{"error":{"message":"Country, region, or territory not supported","type":"request_forbidden","param":null,"code":"unsupported_country_region_territory"}}`, llm.Forbidden, ""},
		{"model of another project", 403, `{"error":{"message":"Project does not have access to model","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, llm.NoSuchModel, ""},
		{"model without a code", 404, `{"error":{"message":"The model x does not exist","code":404}}`, llm.NoSuchModel, ""},
		{"wrong address", 404, `{"error":{"message":"Invalid URL (POST /responses)","type":"invalid_request_error","param":null,"code":null}}`, llm.Refused, ""},
		{"quota", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, llm.NoCredit, ""},
		{"more than fits into a minute", 429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, llm.TooLong, ""},
		{"usage policy", 400, `{"error":{"message":"Invalid prompt: your prompt was flagged","type":"invalid_request_error","param":null,"code":"invalid_prompt"}}`, llm.Blocked, ""},
		{"overload", 503, `{"error":{"message":"no","type":"service_unavailable_error","code":"server_is_overloaded"}}`, llm.Unavailable, ""},
	}...)
}
