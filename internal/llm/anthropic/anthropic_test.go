package anthropic_test

import (
	"bytes"
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
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/anthropic"
	"discoclaw/internal/llm/llmtest"
)

// A heard is the result of a request.
type heard struct {
	text  string
	usage llm.Usage
	calls []llm.ToolCall
	err   error
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
	return anthropic.New(anthropic.Options{Key: key, BaseURL: "https://model.test", HTTP: client}), func() []string { return bodies }
}

// events joins the events of a stream, each by its data.
func events(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		var named struct{ Type string }
		_ = json.Unmarshal([]byte(d), &named)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", named.Type, d)
	}
	return b.String()
}

const (
	start = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":3,"cache_read_input_tokens":40,"cache_creation_input_tokens":500,"output_tokens":1}}}`
	begin = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	one   = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"one"}}`
	done  = `{"type":"content_block_stop","index":0}`
	ended = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":7}}`
	stop  = `{"type":"message_stop"}`
)

func reason(r string) string { return strings.Replace(ended, "end_turn", r, 1) }

func TestTheInputIsCountedAtTheStartAndTheOutputAtTheEnd(t *testing.T) {
	r, _ := answering(200, nil, events(start, begin, one, done, ended, stop))
	got := ask(t.Context(), r, hello)
	want := heard{text: "one", usage: llm.Usage{Input: 543, Cached: 40, Written: 500, Output: 7}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(heard{})); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

func TestOnlyAnAnswerThatTheServerEndsIsWhole(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		kind       llm.Kind
		text       string
	}{
		{"whole", events(start, begin, one, done, ended, stop), "", "one"},
		{"a stop sequence", events(start, begin, one, done, reason("stop_sequence"), stop), "", "one"},
		{"carriage returns", strings.ReplaceAll(events(start, begin, one, done, ended, stop), "\n", "\r\n"), "", "one"},
		{"events of the future", events(start, `{"type":"surprise"}`, begin, one, done, ended, stop), "", "one"},
		{"comments", ": hello\n\n" + events(start, begin, one, done, ended, stop), "", "one"},
		{"something after the end", events(start, begin, one, done, ended, stop) + "data: {", "", "one"},
		{"nothing at all", "", llm.Broken, ""},
		{"plain text", "hello", llm.Broken, ""},
		{"no last event", events(start, begin, one, done, ended), llm.Broken, "one"},
		{"no reason", events(start, begin, one, done, stop), llm.Broken, "one"},
		{"half a last event", strings.TrimSpace(events(start, begin, one, done, ended, stop)), llm.Broken, "one"},
		{"a pause", events(start, begin, one, done, reason("pause_turn"), stop), llm.Broken, "one"},
		{"a reason of the future", events(start, begin, one, done, reason("tired"), stop), llm.Broken, "one"},
		{"a length limit", events(start, begin, one, done, reason("max_tokens"), stop), llm.Cut, "one"},
		{"a full window", events(start, begin, one, done, reason("model_context_window_exceeded"), stop), llm.Cut, "one"},
		{"a refusal", events(start, begin, one, done, reason("refusal"), stop), llm.Blocked, "one"},
		{"an error", events(start, begin, one, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.Unavailable, "one"},
		{"an error of no known type", events(start, begin, one, `{"type":"error","error":{"type":"odd"}}`), llm.Broken, "one"},
		{"an error that is none", events(start, begin, one) + "event: error\ndata: oops\n\n", llm.Broken, "one"},
		{"an event without end", events(start, begin, one) + strings.Repeat("data: x\n", 1<<18), llm.Broken, "one"},
		{"a web page", "<html>", llm.Refused, ""},
		{"an error with a good status", `{"type":"error","error":{"type":"rate_limit_error","message":"no"}}`, llm.RateLimited, ""},
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

func TestCallsOfAnAnswerThatIsCutAreNotMade(t *testing.T) {
	call := `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"shell","input":{}}}`
	input := `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`
	for _, body := range []string{events(start, call, input, done, reason("max_tokens"), stop), events(start, call, input, done, reason("tool_use"))} {
		r, _ := answering(200, nil, body)
		if got := ask(t.Context(), r, hello); got.err == nil || len(got.calls) > 0 {
			t.Errorf("got %+v", got)
		}
	}
}

func TestRefusalsAreUnderstood(t *testing.T) {
	for _, tt := range []struct {
		name    string
		status  int
		of      string
		message string
		kind    llm.Kind
		says    string
	}{
		{"key", 401, "authentication_error", "invalid x-api-key", llm.Unauthorized, "model.test did not accept the key; check ANTHROPIC_API_KEY"},
		{"rights", 403, "permission_error", "no", llm.Forbidden, `model.test does not allow this with the key (status 403); check that the account of ANTHROPIC_API_KEY may use "model-1" from here, and that ANTHROPIC_BASE_URL is the right address`},
		{"bill", 402, "billing_error", "no", llm.NoCredit, "the account at model.test has no credit left; add some to the account of ANTHROPIC_API_KEY"},
		{"credit", 400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", llm.NoCredit, "the account at model.test has no credit left; add some to the account of ANTHROPIC_API_KEY"},
		{"model", 404, "not_found_error", "model: model-1", llm.NoSuchModel, `model.test does not have the model that was asked for; choose another one than "model-1" in ANTHROPIC_MODEL or RUNTIME_MODEL`},
		{"address", 404, "not_found_error", "Not Found", llm.Refused, "model.test refused the request (status 404); check ANTHROPIC_BASE_URL"},
		{"length", 400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", llm.TooLong, "this conversation is too long for the model; ask with less text, or in a new thread"},
		{"length with the answer", 400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000", llm.TooLong, "this conversation is too long for the model; ask with less text, or in a new thread"},
		{"size", 413, "request_too_large", "Request exceeds the maximum size", llm.TooLong, "this conversation is too long for the model; ask with less text, or in a new thread"},
		{"filter", 400, "invalid_request_error", "Output blocked by content filtering policy", llm.Blocked, "model.test declined to answer this; put the request differently"},
		{"anything else", 400, "invalid_request_error", "messages.0: no", llm.Refused, "model.test refused the request (status 400); the log has the details"},
		{"overload", 529, "overloaded_error", "Overloaded", llm.Unavailable, "model.test is not available (status 529); try again a little later"},
		{"failure", 500, "api_error", "Internal server error", llm.Unavailable, "model.test is not available (status 500); try again a little later"},
		{"a proxy", 504, "", "", llm.Unavailable, "model.test is not available (status 504); try again a little later"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]string{"type": tt.of, "message": tt.message}})
			r, sent := answering(tt.status, nil, string(body))
			got := ask(t.Context(), r, hello)
			if got.kind() != tt.kind || got.err.Error() != tt.says {
				t.Errorf("got %s, which reads\n%q, want %s, which reads\n%q", got.details(), got.err, tt.kind, tt.says)
			}
			if n := len(sent()); n != 1 {
				t.Errorf("it was sent %d times; the library must not retry", n)
			}
		})
	}
}

func TestTheLogHasTheServersMessageWithoutTheKey(t *testing.T) {
	r, _ := answering(400, nil, `{"type":"error","error":{"type":"odd_error","message":"key `+key+` cannot do `+strings.Repeat("this ", 100)+`"}}`)
	got := ask(t.Context(), r, hello).details()
	if !strings.HasPrefix(got, "anthropic: refused, status 400: odd_error: key [redacted] cannot do this this") || len(got) > 300 {
		t.Errorf("the log would read %q", got)
	}
}

// tooled has tools, results of one, and a system text of two parts.
func tooled(notes string) llm.Request {
	return llm.Request{
		Model: "model-1", System: "Rules.\n\n" + notes, Stable: len("Rules."),
		Tools: []llm.Tool{{Name: "a", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "b", Schema: json.RawMessage(`{"type":"object"}`)}},
		Messages: []llm.Message{
			{Role: llm.User, Text: "Hello?"},
			{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "toolu_1", Name: "a"}}},
			{Role: llm.User, Results: []llm.ToolResult{{ID: "toolu_1", Name: "a", Text: "one"}}},
		},
	}
}

func TestTheCacheHasBreakpoints(t *testing.T) {
	r, sent := answering(200, nil, events(start, ended, stop))
	ask(t.Context(), r, tooled("Notes."))
	ask(t.Context(), r, llm.Request{Model: "model-1", System: "Rules.", Messages: hello.Messages})
	want := []string{
		`{"max_tokens":8192,"messages":[{"content":[{"text":"Hello?","type":"text"}],"role":"user"},` +
			`{"content":[{"id":"toolu_1","input":{},"name":"a","type":"tool_use"}],"role":"assistant"},` +
			`{"content":[{"cache_control":{"type":"ephemeral"},"content":[{"text":"one","type":"text"}],"is_error":false,"tool_use_id":"toolu_1","type":"tool_result"}],"role":"user"}],` +
			`"model":"model-1","stream":true,"system":[{"cache_control":{"type":"ephemeral"},"text":"Rules.","type":"text"},{"cache_control":{"type":"ephemeral"},"text":"\n\nNotes.","type":"text"}],` +
			`"tools":[{"input_schema":{"type":"object"},"name":"a"},{"cache_control":{"type":"ephemeral"},"input_schema":{"type":"object"},"name":"b"}]}`,
		`{"max_tokens":8192,"messages":[{"content":[{"text":"Hello?","type":"text"}],"role":"user"}],"model":"model-1","stream":true,"system":[{"cache_control":{"type":"ephemeral"},"text":"Rules.","type":"text"}]}`,
	}
	for i, body := range sent() {
		if got := sorted(t, body); got != want[i] {
			t.Errorf("request %d is\n%s, want\n%s", i, got, want[i])
		}
	}
}

// sorted returns an object with its fields in alphabetical order.
func sorted(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestTheCachedPartIsTheSameInEveryRequest, byte for byte: a cache does not know that the order of fields does not
// matter.
func TestTheCachedPartIsTheSameInEveryRequest(t *testing.T) {
	r, sent := answering(200, nil, events(start, ended, stop))
	ask(t.Context(), r, tooled("Some notes."))
	longer := tooled("Other notes.")
	longer.Messages = append(longer.Messages, llm.Message{Role: llm.Assistant, Text: "Yes."}, llm.Message{Role: llm.User, Text: "And?"})
	ask(t.Context(), r, longer)
	type parts struct {
		Tools, Messages json.RawMessage
		System          []json.RawMessage
	}
	var all []parts
	for _, body := range sent() {
		var p parts
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if !bytes.Equal(all[0].Tools, all[1].Tools) || !bytes.Equal(all[0].System[0], all[1].System[0]) {
		t.Errorf("the requests begin differently:\n%s\n%s", sent()[0], sent()[1])
	}
}

func TestThoughtsGoBackWithTheCallsThatTheyLedTo(t *testing.T) {
	thoughts := `[{"type":"thinking","thinking":"hmm","signature":"c2ln"},{"type":"redacted_thinking","data":"eHh4"}]`
	r, _ := answering(200, nil, events(start,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hmm"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`, done,
		`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"eHh4"}}`, `{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"a","input":{}}}`, `{"type":"content_block_stop","index":2}`,
		reason("tool_use"), stop))
	got := ask(t.Context(), r, hello)
	want := []llm.ToolCall{{ID: "toolu_1", Name: "a", Seal: []byte(thoughts)}}
	if diff := cmp.Diff(want, got.calls); got.err != nil || diff != "" {
		t.Fatalf("%v, calls (-want +got):\n%s", got.err, diff)
	}
	r, sent := answering(200, nil, events(start, ended, stop))
	req := tooled("")
	req.Messages[1] = llm.Message{Role: llm.Assistant, Text: "Let me see.", Calls: got.calls}
	ask(t.Context(), r, req)
	if wanted := `"content":[` + thoughts[1:len(thoughts)-1] + `,{"text":"Let me see."`; !strings.Contains(sent()[0], wanted) {
		t.Errorf("%s is not in\n%s", wanted, sent()[0])
	}
}

// TestAnyInputOfACallGoesBackAsAnObject: the API refuses all others, and with them the whole conversation.
func TestAnyInputOfACallGoesBackAsAnObject(t *testing.T) {
	for input, want := range map[string]string{
		``: `{}`, `{}`: `{}`, `{"a":1234567890123456789}`: `{"a":1234567890123456789}`, `null`: `{"malformed":"null"}`, `[1]`: `{"malformed":"[1]"}`, `{"a":`: `{"malformed":"{\"a\":"}`,
	} {
		r, sent := answering(200, nil, events(start, ended, stop))
		req := tooled("")
		req.Messages[1].Calls[0].Input = json.RawMessage(input)
		if got := ask(t.Context(), r, req); got.err != nil {
			t.Fatal(got.details())
		}
		if !strings.Contains(sent()[0], `"input":`+want+`,`) {
			t.Errorf("%q was sent as\n%s", input, sent()[0])
		}
	}
}

// TestTheEnvironmentIsNotRead: the library's own variables could send the conversation, or another product's key, to
// another address.
func TestTheEnvironmentIsNotRead(t *testing.T) {
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "canary", "ANTHROPIC_AUTH_TOKEN": "canary", "ANTHROPIC_BASE_URL": "https://canary.test", "ANTHROPIC_CUSTOM_HEADERS": "X-Canary: canary", "ANTHROPIC_PROFILE": "canary",
	} {
		t.Setenv(name, value)
	}
	for _, own := range []string{"", "abc"} {
		var asked *http.Request
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = r
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(events(start, ended, stop)))}, nil
		})}
		if got := ask(t.Context(), anthropic.New(anthropic.Options{Key: own, HTTP: client}), hello); got.err != nil {
			t.Fatal(got.details())
		}
		if text := fmt.Sprint(asked.URL, asked.Header); strings.Contains(strings.ToLower(text), "canary") || asked.Header.Get("X-Api-Key") != own {
			t.Errorf("with the key %q the request is %s", own, text)
		}
		if got := asked.URL.String(); got != "https://api.anthropic.com/v1/messages" {
			t.Errorf("the address is %s", got)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 307, 308} {
		r, sent := answering(status, http.Header{"Location": {"https://elsewhere.test/v1/messages"}}, "moved")
		got := ask(t.Context(), r, hello)
		want := fmt.Sprintf("model.test refused the request (status %d); check ANTHROPIC_BASE_URL", status)
		if len(sent()) != 1 || got.err == nil || got.err.Error() != want {
			t.Errorf("sent %d times and got %v, want %q after one", len(sent()), got.err, want)
		}
	}
}

func TestAServerOutOfReachIsUnavailable(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, refused }}}
	got := ask(t.Context(), anthropic.New(anthropic.Options{BaseURL: "http://me:hunter2@model.test", HTTP: client}), hello)
	if want := "model.test is not available; try again a little later, or check ANTHROPIC_BASE_URL"; got.kind() != llm.Unavailable || got.err.Error() != want {
		t.Errorf("got %v, want %q", got.err, want)
	}
	if strings.Contains(got.details(), "hunter2") || strings.Contains(got.details(), "model.test") {
		t.Errorf("the address is shown in %q", got.details())
	}
}

// TestASentRequestWithoutAResponseIsNotRetried: it would be paid for twice.
func TestASentRequestWithoutAResponseIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := new(llmtest.Anthropic).Listen()
		defer v.Close()
		v.Always(llmtest.Response.Hang)
		v.HTTP.Transport.(*http.Transport).ResponseHeaderTimeout = time.Minute
		r := anthropic.New(anthropic.Options{Key: key, BaseURL: v.URL, HTTP: v.HTTP})
		got := ask(t.Context(), llm.Retrying(r, llm.RetryOptions{}), hello)
		if n := len(v.Asked()); got.kind() != llm.Stalled || n != 1 {
			t.Errorf("got %s after %d requests", got.details(), n)
		}
	})
}

func TestAnInvalidBaseURLIsReported(t *testing.T) {
	got := ask(t.Context(), anthropic.New(anthropic.Options{BaseURL: "http://me:hunter2@[bad"}), hello)
	if want := "anthropic refused the request; check ANTHROPIC_BASE_URL"; got.err == nil || got.err.Error() != want {
		t.Errorf("got %v, want %q", got.err, want)
	}
	if strings.Contains(got.details(), "hunter2") {
		t.Error("the password is shown")
	}
}

func TestWithoutAModelItSaysWhichVariableToSet(t *testing.T) {
	r, _ := answering(400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"model: Field required"}}`)
	got := ask(t.Context(), r, llm.Request{Messages: hello.Messages})
	if want := "model.test refused the request (status 400); name a model in ANTHROPIC_MODEL or RUNTIME_MODEL"; got.err == nil || got.err.Error() != want {
		t.Errorf("got %v, want %q", got.err, want)
	}
}

// TestItWorksOverARealNetwork also uses the default client, and an address with a version in it.
func TestItWorksOverARealNetwork(t *testing.T) {
	v := &llmtest.Anthropic{Key: key}
	v.Always(func(x llmtest.Response) {
		x.Say("Hello there.")
		x.Done(llm.Usage{Input: 2, Output: 3})
	})
	server := httptest.NewServer(v)
	defer server.Close()
	for _, path := range []string{"", "/", "/v1", "/v1/"} {
		got := ask(t.Context(), anthropic.New(anthropic.Options{Key: key, Model: "standard", BaseURL: server.URL + path}), llm.Request{Messages: hello.Messages})
		if got.err != nil || got.text != "Hello there." || got.usage != (llm.Usage{Input: 2, Output: 3}) {
			t.Errorf("got %+v", got)
		}
	}
	if got := v.Asked()[0].Model; got != "standard" {
		t.Errorf("the model is %q", got)
	}
	if got := ask(t.Context(), anthropic.New(anthropic.Options{Key: "another one", BaseURL: server.URL}), hello); got.kind() != llm.Unauthorized {
		t.Errorf("with a wrong key: %v", got.err)
	}
}

// FuzzStream: every response comes to an end, and a bad one ends in an error with a text of ours.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{events(start, begin, one, done, ended, stop), events(start, one), "event: error\ndata: {}\n\n", "<html>", `{"type":"error"}`, "data: {\n\n"} {
		f.Add(200, seed)
		f.Add(429, seed)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		r, _ := answering(status, nil, body)
		got := ask(t.Context(), r, hello)
		if got.err == nil && !strings.Contains(body, "message_stop") {
			t.Errorf("%d %q is an answer", status, body)
		}
		if got.err != nil && got.kind() == "" {
			t.Errorf("%d %q: %v", status, body, got.err)
		}
	})
}

func BenchmarkStream(b *testing.B) {
	const pieces = 1000
	v := new(llmtest.Anthropic).Listen()
	defer v.Close()
	v.Always(func(x llmtest.Response) {
		for range pieces {
			x.Say("word ")
		}
		x.Done(llm.Usage{Input: 1, Output: pieces})
	})
	r := anthropic.New(anthropic.Options{BaseURL: v.URL, HTTP: v.HTTP})
	b.ReportAllocs()
	for b.Loop() {
		if got := ask(b.Context(), r, hello); got.err != nil {
			b.Fatal(got.details())
		}
	}
}
