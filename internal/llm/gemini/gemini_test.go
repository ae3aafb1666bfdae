package gemini_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
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
	"discoclaw/internal/llm/gemini"
	"discoclaw/internal/llm/llmtest"
)

// A heard is the result of a request.
type heard struct {
	text   string
	usage  llm.Usage
	calls  []llm.ToolCall
	images []llm.Image
	err    error
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
		case llm.Image:
			h.images = append(h.images, e)
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
		if r.Body != nil {
			_, _ = io.Copy(&body, r.Body) // from memory
		}
		bodies = append(bodies, body.String())
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(text))}, nil
	})}
	return gemini.New(gemini.Options{Key: key, BaseURL: "https://model.test", HTTP: client}), func() []string { return bodies }
}

// events joins the events of a stream.
func events(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

const (
	one  = `{"candidates":[{"content":{"parts":[{"text":"one"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":50,"candidatesTokenCount":1,"totalTokenCount":51}}`
	stop = `{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":50,"cachedContentTokenCount":40,"candidatesTokenCount":3,"thoughtsTokenCount":4,"totalTokenCount":57}}`
)

func reason(r string) string { return strings.Replace(stop, "STOP", r, 1) }

func TestTokensAreCountedOnce(t *testing.T) {
	r, _ := answering(200, nil, events(one, one, stop))
	got := ask(t.Context(), r, hello)
	if want := (llm.Usage{Input: 50, Cached: 40, Output: 7}); got.err != nil || got.usage != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestOnlyAnAnswerThatTheServerEndsIsWhole(t *testing.T) {
	both := `{"candidates":[{"content":{"parts":[{"text":"one"}]},"finishReason":"STOP"}]}`
	for _, tt := range []struct {
		name, body string
		kind       llm.Kind
		text       string
	}{
		{"whole", events(one, stop), "", "one"},
		{"text and reason in one event", events(both), "", "one"},
		{"a reason in every event", events(both, both), "", "oneone"},
		{"no content at the end", events(one, `{"candidates":[{"finishReason":"STOP","index":0}]}`), "", "one"},
		{"tokens after the end", events(one, stop, `{"usageMetadata":{"promptTokenCount":1}}`, `{"candidates":[{"index":0}]}`), "", "one"},
		{"an empty answer", events(stop), "", ""},
		{"carriage returns", strings.ReplaceAll(events(one, stop), "\n", "\r\n"), "", "one"},
		{"comments and names", ": hello\n\nevent: message\n" + events(one, stop), "", "one"},
		{"nothing at all", "", llm.Broken, ""},
		{"plain text", "hello", llm.Broken, ""},
		{"no reason", events(one), llm.Broken, "one"},
		{"text after the reason", events(one, stop, one), llm.Broken, "oneone"},
		{"half an event", events(one) + stop[:40], llm.Broken, "one"},
		{"no object", events(one, "42", stop), llm.Broken, "one"},
		{"a length limit", events(one, reason("MAX_TOKENS")), llm.Cut, "one"},
		{"a length limit without text", events(reason("MAX_TOKENS")), llm.Cut, ""},
		{"safety", events(one, reason("SAFETY")), llm.Blocked, "one"},
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
		{"an error", events(one, `{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}`), llm.Unavailable, "one"},
		{"an error by its code", events(one, `{"error":{"code":500}}`), llm.Unavailable, "one"},
		{"an error without a prefix", events(one) + `{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED"}}`, llm.RateLimited, "one"},
		{"an error that is a text", events(one, `{"error":"oops"}`), llm.Broken, "one"},
		{"no error", events(`{"error":null,"candidates":[{"content":{"parts":[{"text":"one"}]},"finishReason":"STOP"}]}`), "", "one"},
		{"a line without end", events(one) + ": " + strings.Repeat("x", 33<<20), llm.Broken, "one"},
		{"a web page", "<html>", llm.Refused, ""},
		{"an error with a good status", `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}`, llm.Unauthorized, ""},
		{"a list of errors", `[{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED"}}]`, llm.RateLimited, ""},
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

// TestAnAnswerThatBreaksIsNotWhole, even after an event with a reason: the next one might have had more of it.
func TestAnAnswerThatBreaksIsNotWhole(t *testing.T) {
	client := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(events(one, stop)), iotest.ErrReader(io.ErrUnexpectedEOF))
		return &http.Response{StatusCode: 200, Body: io.NopCloser(body)}, nil
	})}
	if got := ask(t.Context(), gemini.New(gemini.Options{HTTP: client}), hello); got.kind() != llm.Broken || got.text != "one" {
		t.Errorf("got %+v", got)
	}
}

const called = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":{"id":1234567890123456789}},"thoughtSignature":"AWE="},{"functionCall":{"name":"b"}}]},"finishReason":"STOP"}]}`

func TestCallsOfAnAnswerThatIsCutAreNotMade(t *testing.T) {
	for _, body := range []string{
		events(strings.Replace(called, "STOP", "MAX_TOKENS", 1)), events(strings.Replace(called, `,"finishReason":"STOP"`, "", 1)), events(called, one),
	} {
		r, _ := answering(200, nil, body)
		if got := ask(t.Context(), r, hello); got.err == nil || len(got.calls) > 0 {
			t.Errorf("%s: got %+v", body, got)
		}
	}
}

// TestSignaturesGoBackWithTheirCalls, while IDs that the API did not give do not.
func TestSignaturesGoBackWithTheirCalls(t *testing.T) {
	r, _ := answering(200, nil, events(called))
	got := ask(t.Context(), r, hello)
	if got.err != nil || len(got.calls) != 2 || got.calls[0].ID == got.calls[1].ID || got.calls[1].ID == "" || string(got.calls[0].Seal) != "\x01a" {
		t.Fatalf("got %+v", got)
	}
	r, sent := answering(200, nil, events(stop))
	got.calls[1].Seal = []byte(`[{"type":"thinking"}]`) // as of another vendor
	ask(t.Context(), r, llm.Request{Model: "m", Messages: []llm.Message{
		hello.Messages[0], {Role: llm.Assistant, Text: "Let me see.", Calls: got.calls},
		{Role: llm.User, Results: []llm.ToolResult{{ID: got.calls[0].ID, Name: "a", Text: "one"}, {ID: got.calls[1].ID, Name: "b", Failed: true}}},
	}})
	want := `{"contents":[{"role":"user","parts":[{"text":"Hello?"}]},` +
		`{"role":"model","parts":[{"text":"Let me see."},{"thoughtSignature":"AWE=","functionCall":{"name":"a","args":{"id":1234567890123456789}}},{"functionCall":{"name":"b","args":{}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"a","response":{"output":"one"}}},{"functionResponse":{"name":"b","response":{"error":"(nothing)"}}}]}]}`
	if diff := cmp.Diff(want, sent()[0]); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestImagesOfTheModelArePassedOn(t *testing.T) {
	for _, size := range []int{10, 3 << 20} {
		data := strings.Repeat("x", size)
		r, _ := answering(200, nil, events(one, `{"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"`+base64.StdEncoding.EncodeToString([]byte(data))+`"}}]}}]}`, stop))
		got := ask(t.Context(), r, hello)
		if got.err != nil || len(got.images) != 1 || got.images[0].Type != "image/png" || string(got.images[0].Data) != data {
			t.Errorf("of %d bytes: got %d images and %s", size, len(got.images), got.details())
		}
	}
}

func TestRefusalsAreUnderstood(t *testing.T) {
	for _, tt := range []struct {
		name    string
		code    int
		status  string
		message string
		kind    llm.Kind
		says    string
	}{
		{"key", 400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", llm.Unauthorized, "model.test did not accept the key; check GEMINI_API_KEY"},
		{"no key", 403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers (callers without established identity).", llm.Unauthorized, "model.test did not accept the key; check GEMINI_API_KEY"},
		{"rights", 403, "PERMISSION_DENIED", "no", llm.Forbidden, `model.test does not allow this with the key (status 403); check that the account of GEMINI_API_KEY may use "model-1" from here, and that GEMINI_BASE_URL is the right address`},
		{"country", 400, "FAILED_PRECONDITION", "User location is not supported for the API use.", llm.Forbidden, `model.test does not allow this with the key (status 400); check that the account of GEMINI_API_KEY may use "model-1" from here, and that GEMINI_BASE_URL is the right address`},
		{"free tier", 400, "FAILED_PRECONDITION", "Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio.", llm.NoCredit, "the account at model.test has no credit left; add some to the account of GEMINI_API_KEY"},
		{"credit", 429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", llm.NoCredit, "the account at model.test has no credit left; add some to the account of GEMINI_API_KEY"},
		{"limit", 429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.", llm.RateLimited, "model.test takes no more requests for now; try again in 37 seconds"},
		{"model", 404, "NOT_FOUND", "models/model-1 is not found for API version v1beta", llm.NoSuchModel, `model.test does not have the model that was asked for; choose another one than "model-1" in GEMINI_MODEL or RUNTIME_MODEL`},
		{"address", 404, "NOT_FOUND", "Requested entity was not found.", llm.Refused, "model.test refused the request (status 404); check GEMINI_BASE_URL"},
		{"length", 400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", llm.TooLong, "this conversation is too long for the model; ask with less text, or in a new thread"},
		{"size", 400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes.", llm.TooLong, "this conversation is too long for the model; ask with less text, or in a new thread"},
		{"anything else", 400, "INVALID_ARGUMENT", "no", llm.Refused, "model.test refused the request (status 400); the log has the details"},
		{"overload", 503, "UNAVAILABLE", "The model is overloaded.", llm.Unavailable, "model.test is not available (status 503); try again in 37 seconds"},
		{"timeout", 504, "DEADLINE_EXCEEDED", "no", llm.Unavailable, "model.test is not available (status 504); try again in 37 seconds"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fields := map[string]any{"code": tt.code, "message": tt.message, "status": tt.status}
			if tt.kind == llm.RateLimited || tt.kind == llm.Unavailable {
				fields["details"] = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.Help", "links": []any{}}, map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36.5s"}}
			}
			body, _ := json.Marshal(map[string]any{"error": fields})
			r, sent := answering(tt.code, nil, string(body))
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
	r, _ := answering(400, nil, `{"error":{"status":"ODD","message":"key `+key+` cannot do `+strings.Repeat("this ", 100)+`"}}`)
	got := ask(t.Context(), r, hello).details()
	if !strings.HasPrefix(got, "gemini: refused, status 400: ODD: key [redacted] cannot do this this") || len(got) > 300 {
		t.Errorf("the log would read %q", got)
	}
}

// TestTheEnvironmentIsNotRead: the library's own variables could send the conversation, or another product's key, to
// another address.
func TestTheEnvironmentIsNotRead(t *testing.T) {
	for name, value := range map[string]string{
		"GOOGLE_API_KEY": "canary", "GEMINI_API_KEY": "canary", "GOOGLE_GEMINI_BASE_URL": "https://canary.test", "GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_CLOUD_PROJECT": "canary",
		"GOOGLE_APPLICATION_CREDENTIALS": "canary",
	} {
		t.Setenv(name, value)
	}
	var logged strings.Builder
	defer log.SetOutput(log.Writer())
	log.SetOutput(&logged)
	for _, own := range []string{"", "abc"} {
		var asked *http.Request
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = r
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(events(stop)))}, nil
		})}
		if got := ask(t.Context(), gemini.New(gemini.Options{Key: own, HTTP: client}), hello); got.err != nil {
			t.Fatal(got.details())
		}
		if text := fmt.Sprint(asked.URL, asked.Header); strings.Contains(strings.ToLower(text), "canary") || asked.Header.Get("X-Goog-Api-Key") != own {
			t.Errorf("with the key %q the request is %s", own, text)
		}
		if got := asked.URL.String(); got != "https://generativelanguage.googleapis.com/v1beta/models/model-1:streamGenerateContent?alt=sse" {
			t.Errorf("the address is %s", got)
		}
	}
	if logged.Len() > 0 {
		t.Errorf("the standard logger has %q", logged.String())
	}
}

// TestAModelCannotChangeTheAddress: members choose models by name.
func TestAModelCannotChangeTheAddress(t *testing.T) {
	for model, want := range map[string]string{
		"models/gemini-x": "/v1beta/models/gemini-x:streamGenerateContent", "../../x?y=": "/v1beta/models/..%2F..%2Fx%3Fy=:streamGenerateContent", "a#b": "/v1beta/models/a%23b:streamGenerateContent",
	} {
		var got string
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			got = r.URL.EscapedPath()
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(events(stop)))}, nil
		})}
		if h := ask(t.Context(), gemini.New(gemini.Options{HTTP: client}), llm.Request{Model: model, Messages: hello.Messages}); h.err != nil || got != want {
			t.Errorf("%s: %s, %v", model, got, h.err)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 307, 308} {
		r, sent := answering(status, http.Header{"Location": {"https://elsewhere.test/v1beta"}}, "moved")
		got := ask(t.Context(), r, hello)
		want := fmt.Sprintf("model.test refused the request (status %d); check GEMINI_BASE_URL", status)
		if len(sent()) != 1 || got.err == nil || got.err.Error() != want {
			t.Errorf("sent %d times and got %v, want %q after one", len(sent()), got.err, want)
		}
	}
}

func TestAServerOutOfReachIsUnavailable(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, refused }}}
	got := ask(t.Context(), gemini.New(gemini.Options{BaseURL: "http://me:hunter2@model.test", HTTP: client}), hello)
	if want := "model.test is not available; try again a little later, or check GEMINI_BASE_URL"; got.kind() != llm.Unavailable || got.err.Error() != want {
		t.Errorf("got %v, want %q", got.err, want)
	}
	if strings.Contains(got.details(), "hunter2") || strings.Contains(got.details(), "model.test") {
		t.Errorf("the address is shown in %q", got.details())
	}
}

// TestASentRequestWithoutAResponseIsNotRetried: it would be paid for twice.
func TestASentRequestWithoutAResponseIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := new(llmtest.Gemini).Listen()
		defer v.Close()
		v.Always(llmtest.Response.Hang)
		v.HTTP.Transport.(*http.Transport).ResponseHeaderTimeout = time.Minute
		r := gemini.New(gemini.Options{Key: key, BaseURL: v.URL, HTTP: v.HTTP})
		got := ask(t.Context(), llm.Retrying(r, llm.RetryOptions{}), hello)
		if n := len(v.Asked()); got.kind() != llm.Stalled || n != 1 {
			t.Errorf("got %s after %d requests", got.details(), n)
		}
	})
}

func TestAnInvalidBaseURLIsReported(t *testing.T) {
	got := ask(t.Context(), gemini.New(gemini.Options{BaseURL: "http://me:hunter2@[bad"}), hello)
	if want := "gemini refused the request; check GEMINI_BASE_URL"; got.err == nil || got.err.Error() != want {
		t.Errorf("got %v, want %q", got.err, want)
	}
	if strings.Contains(got.details(), "hunter2") {
		t.Error("the password is shown")
	}
}

func TestWithoutAModelItSaysWhichVariableToSet(t *testing.T) {
	r, sent := answering(200, nil, events(stop))
	got := ask(t.Context(), r, llm.Request{Messages: hello.Messages})
	if want := "model.test does not have the model that was asked for; name a model in GEMINI_MODEL or RUNTIME_MODEL"; got.err == nil || got.err.Error() != want || len(sent()) > 0 {
		t.Errorf("got %v, want %q", got.err, want)
	}
}

// TestItWorksOverARealNetwork also uses the default client, and an address with a version in it.
func TestItWorksOverARealNetwork(t *testing.T) {
	v := &llmtest.Gemini{Key: key}
	v.Always(func(x llmtest.Response) {
		x.Say("Hello there.")
		x.Done(llm.Usage{Input: 2, Output: 3})
	})
	server := httptest.NewServer(v)
	defer server.Close()
	for _, path := range []string{"", "/", "/v1beta", "/v1beta/"} {
		got := ask(t.Context(), gemini.New(gemini.Options{Key: key, Model: "standard", BaseURL: server.URL + path}), llm.Request{Messages: hello.Messages})
		if got.err != nil || got.text != "Hello there." || got.usage != (llm.Usage{Input: 2, Output: 3}) {
			t.Errorf("got %+v", got)
		}
	}
	if got := v.Asked()[0].Model; got != "standard" {
		t.Errorf("the model is %q", got)
	}
	if got := ask(t.Context(), gemini.New(gemini.Options{Key: "another one", BaseURL: server.URL}), hello); got.kind() != llm.Unauthorized {
		t.Errorf("with a wrong key: %v", got.err)
	}
}

// FuzzStream: every response comes to an end, and a bad one ends in an error with a text of ours.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{events(one, stop), events(called), events(one), "<html>", `{"error":{}}`, `[{"error":{}}]`, "data: {\n\n"} {
		f.Add(200, seed)
		f.Add(429, seed)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		r, _ := answering(status, nil, body)
		got := ask(t.Context(), r, hello)
		if got.err == nil && !strings.Contains(body, "STOP") {
			t.Errorf("%d %q is an answer", status, body)
		}
		if got.err != nil && got.kind() == "" {
			t.Errorf("%d %q: %v", status, body, got.err)
		}
	})
}

func BenchmarkStream(b *testing.B) {
	const pieces = 1000
	v := new(llmtest.Gemini).Listen()
	defer v.Close()
	v.Always(func(x llmtest.Response) {
		for range pieces {
			x.Say("word ")
		}
		x.Done(llm.Usage{Input: 1, Output: pieces})
	})
	r := gemini.New(gemini.Options{BaseURL: v.URL, HTTP: v.HTTP})
	b.ReportAllocs()
	for b.Loop() {
		if got := ask(b.Context(), r, hello); got.err != nil {
			b.Fatal(got.details())
		}
	}
}
