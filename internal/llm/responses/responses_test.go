package responses_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/responses"
)

// A heard is the result of a request.
type heard struct {
	text     string
	thinking int
	usage    llm.Usage
	calls    []llm.ToolCall
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
		case llm.ToolCall:
			h.calls = append(h.calls, e)
		case llm.Usage:
			h.usage.Add(e)
		}
	}
	return h
}

var hello = llm.Request{Model: "model-1", Messages: []llm.Message{{Role: llm.User, Text: "Hello?"}}}

// roundTrip is a transport without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answering returns a runtime whose server responds with the same text to all requests, and their bodies so far.
func answering(status int, header http.Header, text string) (llm.Runtime, func() []string) {
	var bodies []string
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		var body strings.Builder
		_, _ = io.Copy(&body, r.Body) // from memory
		bodies = append(bodies, body.String())
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(text))}, nil
	})}
	return responses.New(responses.Options{Key: key, BaseURL: "https://model.test/v1", HTTP: client}), func() []string { return bodies }
}

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
	for _, tt := range []struct {
		name, body string
		kind       llm.Kind
		text       string
	}{
		{"whole", events(created, one, whole), "", "one"},
		{"with a mark at the end", events(one, whole, "[DONE]"), "", "one"},
		{"an empty answer", events(whole), "", ""},
		{"an end without details", events(one, `{"type":"response.completed"}`), "", "one"},
		{"carriage returns", strings.ReplaceAll(events(one, whole), "\n", "\r\n"), "", "one"},
		{"comments and names", ": hello\n\nevent: response.output_text.delta\n" + events(one, whole), "", "one"},
		{"events of the future", events(`{"type":"response.new","delta":{"a":1},"item":7}`, one, whole), "", "one"},
		{"two messages", events(one, strings.Replace(one, `"output_index":0`, `"output_index":1`, 1), whole), "", "one\n\none"},
		{"text twice", events(one, one, `{"type":"response.output_text.done","text":"oneone"}`, whole), "", "oneone"},
		{"a huge end", events(one, strings.Replace(whole, "resp_1", strings.Repeat("x", 3<<20), 1)), "", "one"},
		{"nothing at all", "", llm.Broken, ""},
		{"plain text", "hello", llm.Broken, ""},
		{"no end", events(created, one), llm.Broken, "one"},
		{"a mark alone", events(one, "[DONE]"), llm.Broken, "one"},
		{"half an event", events(one) + "data: " + whole[:40], llm.Broken, "one"},
		{"no object", events(one, "42", whole), llm.Broken, "one"},
		{"no text", events(strings.Replace(one, `"one"`, `1`, 1), whole), llm.Broken, ""},
		{"no item", events(`{"type":"response.output_item.done"}`, whole), llm.Broken, ""},
		{"a length limit", events(one, incomplete("max_output_tokens")), llm.Cut, "one"},
		{"a content filter", events(one, incomplete("content_filter")), llm.Blocked, "one"},
		{"a reason of the future", events(one, incomplete("tired")), llm.Broken, "one"},
		{"a refusal", events(`{"type":"response.refusal.delta","delta":"I can"}`, `{"type":"response.refusal.done","refusal":"I cannot"}`, whole), llm.Blocked, ""},
		{"a failure", events(one, failed("server_error")), llm.Unavailable, "one"},
		{"an overload", events(one, failed("server_is_overloaded")), llm.Unavailable, "one"},
		{"a limit", events(failed("rate_limit_exceeded")), llm.RateLimited, ""},
		{"the usage policy", events(failed("invalid_prompt")), llm.Blocked, ""},
		{"a bad image", events(failed("invalid_image_format")), llm.Refused, ""},
		{"a failure without a reason", events(one, `{"type":"response.failed","response":{"error":null}}`), llm.Broken, "one"},
		{"an error", events(one, `{"type":"error","code":"server_error","message":"no","param":null,"sequence_number":3}`), llm.Unavailable, "one"},
		{"an error about length", events(`{"type":"error","code":null,"message":"Your input exceeds the context window of this model.","param":"input"}`), llm.TooLong, ""},
		{"an error in an error", events(one, `{"type":"error","error":{"type":"insufficient_quota","code":"insufficient_quota","message":"no"}}`), llm.NoCredit, "one"},
		{"an error without a code", events(one, `{"type":"error","message":"no"}`), llm.Broken, "one"},
		{"an error that is a text", events(one, `{"error":"oops"}`), llm.Broken, "one"},
		{"an error without a prefix", events(one) + `{"error":{"code":"rate_limit_exceeded"}}`, llm.RateLimited, "one"},
		{"a line without end", events(one) + ": " + strings.Repeat("x", 17<<20), llm.Broken, "one"},
		{"a web page", "<html>", llm.Refused, ""},
		{"an error with a good status", `{"error":{"code":"invalid_api_key"}}`, llm.Unauthorized, ""},
		{"some other object", `{"status":"ok"}`, llm.Refused, ""},
		{"an object without end", `{"a":"` + strings.Repeat("x", 2<<20), llm.Broken, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, _ := answering(200, nil, tt.body)
			got := ask(t.Context(), r, hello)
			if got.kind() != tt.kind || (got.err == nil) != (tt.kind == "") || got.text != tt.text {
				t.Errorf("got %q and %s, want %q and %q", got.text, got.details(), tt.text, tt.kind)
			}
		})
	}
}

// TestTokensAreCounted, also of an answer that is not whole: it is paid for.
func TestTokensAreCounted(t *testing.T) {
	for body, want := range map[string]llm.Usage{
		events(one, whole): {Input: 50, Cached: 40, Output: 7}, events(one, incomplete("max_output_tokens")): {Input: 50, Output: 7},
	} {
		r, _ := answering(200, nil, body)
		if got := ask(t.Context(), r, hello); got.usage != want {
			t.Errorf("got %+v, want %+v", got.usage, want)
		}
	}
}

// TestNothingAfterTheEndMatters: the answer is whole, whatever becomes of the connection.
func TestNothingAfterTheEndMatters(t *testing.T) {
	client := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(events(one, whole)), iotest.ErrReader(io.ErrUnexpectedEOF))
		return &http.Response{StatusCode: 200, Body: io.NopCloser(body)}, nil
	})}
	if got := ask(t.Context(), responses.New(responses.Options{HTTP: client}), hello); got.err != nil || got.text != "one" {
		t.Errorf("got %+v", got)
	}
}

func TestSignsOfLifeAreThinking(t *testing.T) {
	for _, event := range []string{
		`{"type":"keepalive","sequence_number":466}`, `{"type":"response.reasoning_summary_text.delta","delta":"hm"}`, `{"type":"response.reasoning_text.delta","delta":"hm"}`,
		`{"type":"response.reasoning_summary_part.added","part":{}}`, `{"type":"response.function_call_arguments.delta","delta":"{"}`, `{"type":"response.refusal.delta","delta":"I"}`,
		reasoning("rs_1"),
	} {
		r, _ := answering(200, nil, events(created, event, one, whole))
		if got := ask(t.Context(), r, hello); got.err != nil || got.thinking != 1 {
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

func TestCallsOfAnAnswerThatIsCutAreNotMade(t *testing.T) {
	for _, body := range []string{events(call("1"), incomplete("max_output_tokens")), events(call("1")), events(call("1"), failed("server_error"))} {
		r, _ := answering(200, nil, body)
		if got := ask(t.Context(), r, hello); got.err == nil || len(got.calls) > 0 {
			t.Errorf("%s: got %+v", body, got)
		}
	}
}

// TestReasoningGoesBackToWhereItWas, unchanged, without any that the server would have had to store.
func TestReasoningGoesBackToWhereItWas(t *testing.T) {
	stored := strings.Replace(reasoning("rs_0"), `"abc"`, `null`, 1)
	r, _ := answering(200, nil, events(created, stored, reasoning("rs_1"), one, reasoning("rs_2"), call("1"), call("2"), reasoning("rs_3"), call("3"), whole))
	got := ask(t.Context(), r, hello)
	if got.err != nil || len(got.calls) != 3 || got.calls[1].Seal != nil {
		t.Fatalf("got %+v", got)
	}
	r, sent := answering(200, nil, events(whole))
	ask(t.Context(), r, llm.Request{Model: "m", System: "Be brief.", Messages: []llm.Message{
		hello.Messages[0], {Role: llm.Assistant, Text: got.text, Calls: got.calls},
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
	if diff := cmp.Diff(want, sent()[0]); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// TestSealsOfOtherVendorsAreLeftOut: a conversation may change its runtime.
func TestSealsOfOtherVendorsAreLeftOut(t *testing.T) {
	for _, seal := range []string{`[{"type":"thinking","signature":"x"}]`, "\x01a thought\xff", `{"type":"thinking"}`, ""} {
		r, sent := answering(200, nil, events(whole))
		ask(t.Context(), r, llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "1", Name: "a", Seal: []byte(seal)}}}}})
		if want := `"input":[{"type":"function_call","call_id":"1","name":"a","arguments":"{}"}]`; !strings.Contains(sent()[0], want) {
			t.Errorf("with the seal %q it sends %s", seal, sent()[0])
		}
	}
}

// TestItsSealsAreNoneOfOtherVendors: anthropic sends back every list, and gemini all that is not JSON.
func TestItsSealsAreNoneOfOtherVendors(t *testing.T) {
	r, _ := answering(200, nil, events(reasoning("rs_1"), call("1"), whole))
	var fields map[string]any
	if got := ask(t.Context(), r, hello); len(got.calls) != 1 || json.Unmarshal(got.calls[0].Seal, &fields) != nil {
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
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			sent++
			body, err := io.ReadAll(r.Body)
			status, text := 200, events(one, whole)
			if strings.Contains(string(body), "encrypted_content") {
				status, text = 400, `{"error":{"message":"`+message+`","type":"invalid_request_error","param":null,"code":null}}`
			}
			return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(text))}, err
		})}
		r := responses.New(responses.Options{HTTP: client})
		req := hello
		req.Messages = append(req.Messages[:1:1], llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "1", Name: "a", Seal: []byte(`{"reasoning_before_call":[` + item("rs_1") + `]}`)}}})
		for range 2 {
			if got := ask(t.Context(), r, req); (got.text == "one") != (want > 2) {
				t.Errorf("after %q: got %+v", message, got)
			}
		}
		if sent != want {
			t.Errorf("after %q: %d requests were sent, want %d", message, sent, want)
		}
	}
}

func TestRefusalsAreUnderstood(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		kind   llm.Kind
		says   string
	}{
		{"key", 401, `{"error":{"message":"Incorrect API key provided: sk-abc*xyz.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			llm.Unauthorized, "model.test did not accept the key; check OPENAI_API_KEY"},
		{"region", 403, `{"error":{"message":"Country, region, or territory not supported","type":"request_forbidden","param":null,"code":"unsupported_country_region_territory"}}`,
			llm.Forbidden, `model.test does not allow this with the key (status 403); check that the account of OPENAI_API_KEY may use "model-1" from here, and that OPENAI_BASE_URL is the right address`},
		{"model of another project", 403, `{"error":{"message":"Project does not have access to model","type":"invalid_request_error","param":null,"code":"model_not_found"}}`,
			llm.NoSuchModel, `model.test does not have the model that was asked for; choose another one than "model-1" in OPENAI_MODEL or RUNTIME_MODEL`},
		{"model without a code", 404, `{"error":{"message":"The model x does not exist","code":404}}`,
			llm.NoSuchModel, `model.test does not have the model that was asked for; choose another one than "model-1" in OPENAI_MODEL or RUNTIME_MODEL`},
		{"wrong address", 404, `{"error":{"message":"Invalid URL (POST /responses)","type":"invalid_request_error","param":null,"code":null}}`,
			llm.Refused, "model.test refused the request (status 404); check OPENAI_BASE_URL"},
		{"quota", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`,
			llm.NoCredit, "the account at model.test has no credit left; add some to the account of OPENAI_API_KEY"},
		{"more than fits into a minute", 429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`,
			llm.TooLong, "this conversation is too long for the model; ask with less text, or in a new thread"},
		{"usage policy", 400, `{"error":{"message":"Invalid prompt: your prompt was flagged","type":"invalid_request_error","param":null,"code":"invalid_prompt"}}`,
			llm.Blocked, "model.test declined to answer this; put the request differently"},
		{"anything else", 400, `{"error":{"message":"no","type":"invalid_request_error","param":"input","code":null}}`,
			llm.Refused, "model.test refused the request (status 400); the log has the details"},
		{"overload", 503, `{"error":{"message":"no","type":"service_unavailable_error","code":"server_is_overloaded"}}`,
			llm.Unavailable, "model.test is not available (status 503); try again a little later"},
		{"no JSON", 500, `oops`, llm.Unavailable, "model.test is not available (status 500); try again a little later"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, sent := answering(tt.status, nil, tt.body)
			got := ask(t.Context(), r, hello)
			if got.kind() != tt.kind || got.err.Error() != tt.says {
				t.Errorf("got %s, which reads\n%q, want %s, which reads\n%q", got.details(), got.err, tt.kind, tt.says)
			}
			if n := len(sent()); n != 1 {
				t.Errorf("it was sent %d times", n)
			}
		})
	}
}

func TestTheLogHasTheServersMessageWithoutTheKey(t *testing.T) {
	r, _ := answering(400, nil, `{"error":{"code":"odd","message":"key `+key+` cannot do `+strings.Repeat("this ", 100)+`"}}`)
	got := ask(t.Context(), r, hello).details()
	if !strings.HasPrefix(got, "openai: refused, status 400: odd: key [redacted] cannot do this this") || len(got) > 300 {
		t.Errorf("the log would read %q", got)
	}
}

// TestTheEnvironmentIsNotRead, and OpenAI's own address is the standard.
func TestTheEnvironmentIsNotRead(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"} {
		t.Setenv(name, "https://canary.test")
	}
	for own, want := range map[string]string{"": "", "abc": "Bearer abc"} {
		var asked *http.Request
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = r
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(events(whole)))}, nil
		})}
		if got := ask(t.Context(), responses.New(responses.Options{Key: own, HTTP: client}), hello); got.err != nil {
			t.Fatal(got.details())
		}
		if text := fmt.Sprint(asked.URL, asked.Header); strings.Contains(text, "canary") || asked.Header.Get("Authorization") != want {
			t.Errorf("with the key %q the request is %s", own, text)
		}
		if got := asked.URL.String(); got != "https://api.openai.com/v1/responses" {
			t.Errorf("the address is %s", got)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 307, 308} {
		r, sent := answering(status, http.Header{"Location": {"https://elsewhere.test/v1"}}, "moved")
		got := ask(t.Context(), r, hello)
		want := fmt.Sprintf("model.test refused the request (status %d); check OPENAI_BASE_URL", status)
		if len(sent()) != 1 || got.err == nil || got.err.Error() != want {
			t.Errorf("sent %d times and got %v, want %q after one", len(sent()), got.err, want)
		}
	}
}

func TestAServerOutOfReachIsUnavailable(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, refused }}}
	got := ask(t.Context(), responses.New(responses.Options{BaseURL: "http://me:hunter2@model.test", HTTP: client}), hello)
	if want := "model.test is not available; try again a little later, or check OPENAI_BASE_URL"; got.kind() != llm.Unavailable || got.err.Error() != want {
		t.Errorf("got %v, want %q", got.err, want)
	}
	if strings.Contains(got.details(), "hunter2") {
		t.Errorf("the password is shown in %q", got.details())
	}
}

// TestASentRequestWithoutAResponseIsNotRetried: it would be paid for twice.
func TestASentRequestWithoutAResponseIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := new(llmtest.Responses).Listen()
		defer v.Close()
		v.Always(llmtest.Response.Hang)
		v.HTTP.Transport.(*http.Transport).ResponseHeaderTimeout = time.Minute
		r := responses.New(responses.Options{Key: key, BaseURL: v.URL, HTTP: v.HTTP})
		got := ask(t.Context(), llm.Retrying(r, llm.RetryOptions{}), hello)
		if n := len(v.Asked()); got.kind() != llm.Stalled || n != 1 {
			t.Errorf("got %s after %d requests", got.details(), n)
		}
	})
}

func TestAnInvalidBaseURLIsReported(t *testing.T) {
	got := ask(t.Context(), responses.New(responses.Options{BaseURL: "http://me:hunter2@[bad"}), hello)
	if want := "openai refused the request; check OPENAI_BASE_URL"; got.err == nil || got.err.Error() != want || strings.Contains(got.details(), "hunter2") {
		t.Errorf("got %v, want %q", got.details(), want)
	}
}

func TestWithoutAModelItSaysWhichVariableToSet(t *testing.T) {
	r, sent := answering(200, nil, events(whole))
	got := ask(t.Context(), r, llm.Request{Messages: hello.Messages})
	if want := "model.test does not have the model that was asked for; name a model in OPENAI_MODEL or RUNTIME_MODEL"; got.err == nil || got.err.Error() != want || len(sent()) > 0 {
		t.Errorf("got %v, want %q", got.err, want)
	}
}

// TestItWorksOverARealNetwork also uses the default client.
func TestItWorksOverARealNetwork(t *testing.T) {
	v := &llmtest.Responses{Key: key}
	v.Always(func(x llmtest.Response) {
		x.Say("Hello there.")
		x.Done(llm.Usage{Input: 2, Output: 3})
	})
	server := httptest.NewServer(v)
	defer server.Close()
	for _, path := range []string{"/v1", "/v1/"} {
		got := ask(t.Context(), responses.New(responses.Options{Key: key, Model: "standard", BaseURL: server.URL + path}), llm.Request{Messages: hello.Messages})
		if got.err != nil || got.text != "Hello there." || got.usage != (llm.Usage{Input: 2, Output: 3}) {
			t.Errorf("got %+v", got)
		}
	}
	if got := v.Asked()[0].Model; got != "standard" {
		t.Errorf("the model is %q", got)
	}
	if got := ask(t.Context(), responses.New(responses.Options{Key: "another one", BaseURL: server.URL + "/v1"}), hello); got.kind() != llm.Unauthorized {
		t.Errorf("with a wrong key: %v", got.err)
	}
}

// FuzzStream: every response comes to an end, and a bad one ends in an error with a text of ours.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{events(one, whole), events(reasoning("rs_1"), call("1"), whole), events(one), "<html>", `{"error":{}}`, "data: {\n\n", events(failed("x"))} {
		f.Add(200, seed)
		f.Add(429, seed)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		r, _ := answering(status, nil, body)
		got := ask(t.Context(), r, hello)
		if got.err == nil && !strings.Contains(body, "response.") {
			t.Errorf("%d %q is an answer", status, body)
		}
		if got.err != nil && got.kind() == "" {
			t.Errorf("%d %q: %v", status, body, got.err)
		}
	})
}
