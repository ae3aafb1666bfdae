package anthropic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
)

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
	r, _ := api.Answering(200, api.Begun+api.Ended)
	got := llmtest.Ask(t.Context(), r, llmtest.Hello)
	if want := (llm.Usage{Input: 543, Cached: 40, Written: 500, Output: 7}); got.Err != nil || got.Text != "one" || got.Usage != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestOnlyAnAnswerThatTheServerEndsIsWhole(t *testing.T) {
	api.Streams(t, []llmtest.Stream{
		{"a stop sequence", api.Begun + events(done, reason("stop_sequence"), stop), "", "one"},
		{"events of the future", events(start, `{"type":"surprise"}`, begin, one, done, ended, stop), "", "one"},
		{"something after the end", api.Begun + api.Ended + "data: {", "", "one"},
		{"no reason", api.Begun + events(done, stop), llm.Broken, "one"},
		{"half a last event", strings.TrimSpace(api.Begun + api.Ended), llm.Broken, "one"},
		{"a pause", api.Begun + events(done, reason("pause_turn"), stop), llm.Broken, "one"},
		{"a reason of the future", api.Begun + events(done, reason("tired"), stop), llm.Broken, "one"},
		{"a full window", api.Begun + events(done, reason("model_context_window_exceeded"), stop), llm.Cut, "one"},
		{"an error of no known type", events(start, begin, one, `{"type":"error","error":{"type":"odd"}}`), llm.Broken, "one"},
		{"an error that is none", api.Begun + "event: error\ndata: oops\n\n", llm.Broken, "one"},
		{"an event without end", api.Begun + strings.Repeat("data: x\n", 1<<18), llm.Broken, "one"},
		{"an error with a good status", `{"type":"error","error":{"type":"rate_limit_error","message":"no"}}`, llm.RateLimited, ""},
	}...)
}

func TestRefusalsAreUnderstood(t *testing.T) {
	fault := func(kind, message string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q}}`, kind, message)
	}
	api.Refusals(t, []llmtest.Refusal{
		{"credit", 400, fault("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), llm.NoCredit, ""},
		{"model", 404, fault("not_found_error", "model: model-1"), llm.NoSuchModel, ""},
		{"address", 404, fault("not_found_error", "Not Found"), llm.Refused, ""},
		{"length", 400, fault("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), llm.TooLong, ""},
		{"length with the answer", 400, fault("invalid_request_error", "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"), llm.TooLong, ""},
		{"filter", 400, fault("invalid_request_error", "Output blocked by content filtering policy"), llm.Blocked, ""},
		{"overload", 529, fault("overloaded_error", "Overloaded"), llm.Unavailable, ""},
	}...)
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
	r, sent := api.Answering(200, events(start, ended, stop))
	llmtest.Ask(t.Context(), r, tooled("Notes."))
	llmtest.Ask(t.Context(), r, llm.Request{Model: "model-1", System: "Rules.", Messages: llmtest.Hello.Messages})
	want := []string{
		`{"max_tokens":8192,"messages":[{"content":[{"text":"Hello?","type":"text"}],"role":"user"},` +
			`{"content":[{"id":"toolu_1","input":{},"name":"a","type":"tool_use"}],"role":"assistant"},` +
			`{"content":[{"cache_control":{"type":"ephemeral"},"content":[{"text":"one","type":"text"}],"is_error":false,"tool_use_id":"toolu_1","type":"tool_result"}],"role":"user"}],` +
			`"model":"model-1","stream":true,"system":[{"cache_control":{"type":"ephemeral"},"text":"Rules.","type":"text"},{"cache_control":{"type":"ephemeral"},"text":"\n\nNotes.","type":"text"}],` +
			`"tools":[{"input_schema":{"type":"object"},"name":"a"},{"cache_control":{"type":"ephemeral"},"input_schema":{"type":"object"},"name":"b"}]}`,
		`{"max_tokens":8192,"messages":[{"content":[{"text":"Hello?","type":"text"}],"role":"user"}],"model":"model-1","stream":true,"system":[{"cache_control":{"type":"ephemeral"},"text":"Rules.","type":"text"}]}`,
	}
	for i, body := range sent.Bodies {
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
	r, sent := api.Answering(200, events(start, ended, stop))
	llmtest.Ask(t.Context(), r, tooled("Some notes."))
	longer := tooled("Other notes.")
	longer.Messages = append(longer.Messages, llm.Message{Role: llm.Assistant, Text: "Yes."}, llm.Message{Role: llm.User, Text: "And?"})
	llmtest.Ask(t.Context(), r, longer)
	type parts struct {
		Tools, Messages json.RawMessage
		System          []json.RawMessage
	}
	var all []parts
	for _, body := range sent.Bodies {
		var p parts
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if !bytes.Equal(all[0].Tools, all[1].Tools) || !bytes.Equal(all[0].System[0], all[1].System[0]) {
		t.Errorf("the requests begin differently:\n%s\n%s", sent.Bodies[0], sent.Bodies[1])
	}
}

func TestThoughtsGoBackWithTheCallsThatTheyLedTo(t *testing.T) {
	thoughts := `[{"type":"thinking","thinking":"hmm","signature":"c2ln"},{"type":"redacted_thinking","data":"eHh4"}]`
	r, _ := api.Answering(200, events(start,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hmm"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`, done,
		`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"eHh4"}}`, `{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"a","input":{}}}`, `{"type":"content_block_stop","index":2}`,
		reason("tool_use"), stop))
	got := llmtest.Ask(t.Context(), r, llmtest.Hello)
	want := []llm.ToolCall{{ID: "toolu_1", Name: "a", Seal: []byte(thoughts)}}
	if diff := cmp.Diff(want, got.Calls); got.Err != nil || diff != "" {
		t.Fatalf("%v, calls (-want +got):\n%s", got.Err, diff)
	}
	r, sent := api.Answering(200, events(start, ended, stop))
	req := tooled("")
	req.Messages[1] = llm.Message{Role: llm.Assistant, Text: "Let me see.", Calls: got.Calls}
	llmtest.Ask(t.Context(), r, req)
	if wanted := `"content":[` + thoughts[1:len(thoughts)-1] + `,{"text":"Let me see."`; !strings.Contains(sent.Bodies[0], wanted) {
		t.Errorf("%s is not in\n%s", wanted, sent.Bodies[0])
	}
}

// TestAnyInputOfACallGoesBackAsAnObject: the API refuses all others, and with them the whole conversation.
func TestAnyInputOfACallGoesBackAsAnObject(t *testing.T) {
	for input, want := range map[string]string{
		``: `{}`, `{}`: `{}`, `{"a":1234567890123456789}`: `{"a":1234567890123456789}`, `null`: `{"malformed":"null"}`, `[1]`: `{"malformed":"[1]"}`, `{"a":`: `{"malformed":"{\"a\":"}`,
	} {
		r, sent := api.Answering(200, events(start, ended, stop))
		req := tooled("")
		req.Messages[1].Calls[0].Input = json.RawMessage(input)
		if got := llmtest.Ask(t.Context(), r, req); got.Err != nil {
			t.Fatal(got.Details())
		}
		if !strings.Contains(sent.Bodies[0], `"input":`+want+`,`) {
			t.Errorf("%q was sent as\n%s", input, sent.Bodies[0])
		}
	}
}
