package llmtest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
)

const (
	message = `{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`
	content = `{"contents":[{"role":"user","parts":[{"text":"x"}]}]}`
)

// TestVendorsRefuseBadRequests: a fake that accepts everything would prove nothing.
func TestVendorsRefuseBadRequests(t *testing.T) {
	const messages, generate = "/v1/messages", "/v1beta/models/m:streamGenerateContent?alt=sse"
	for _, tt := range []struct {
		name, path, body string
		status           int
		says             string
	}{
		{"good", messages, message, 200, "message_stop"},
		{"another address", "/messages", message, 404, "not_found_error"},
		{"not JSON", messages, `{`, 400, "does not fit the API"},
		{"an unknown field", messages, strings.Replace(message, `"stream"`, `"streams"`, 1), 400, `unknown field \"streams\"`},
		{"no length", messages, strings.Replace(message, `9`, `0`, 1), 400, "max_tokens"},
		{"an empty text", messages, strings.Replace(message, `"x"`, `" "`, 1), 400, "messages.0.content.0.text"},
		{"an unknown role", messages, strings.Replace(message, `"user"`, `"system"`, 1), 400, "user"},
		{"a call without a result", messages, strings.Replace(message, `]}]}`, `]},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a","input":{}}]},{"role":"user","content":[{"type":"text","text":"y"}]}]}`, 1), 400, "without tool_result"},
		{"a result without a call", messages, strings.Replace(message, `{"type":"text","text":"x"}`, `{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"y"}]}`, 1), 400, "unexpected tool_use_id"},
		{"too many breakpoints", messages, strings.Replace(message, `"messages"`, `"system":[`+strings.Repeat(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}},`, 4)+`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}],"messages"`, 1), 400, "maximum of 4"},

		{"good", generate, content, 200, "STOP"},
		{"another address", "/v1/models/m:generateContent", content, 404, "NOT_FOUND"},
		{"not JSON", generate, `{`, 400, "does not fit the API"},
		{"an unknown field", generate, strings.Replace(content, `"contents"`, `"content"`, 1), 400, `unknown field \"content\"`},
		{"a key in the address", generate + "&key=abc", content, 400, "belongs into the header"},
		{"an unknown role", generate, strings.Replace(content, `"user"`, `"assistant"`, 1), 400, "valid role"},
		{"an empty part", generate, strings.Replace(content, `"x"`, `""`, 1), 400, "contents[0].parts[0]"},
		{"a call without a signature", generate, strings.Replace(content, `]}]}`, `]},{"role":"model","parts":[{"functionCall":{"name":"a"}}]}]}`, 1), 400, "thought_signature"},
		{"a result without a call", generate, strings.Replace(content, `{"text":"x"}`, `{"functionResponse":{"name":"a","response":{"output":"x"}}}`, 1), 400, "number of function response parts"},
	} {
		t.Run(tt.name+" for "+tt.path, func(t *testing.T) {
			t.Parallel()
			end := func(x llmtest.Response) { x.Done(llm.Usage{}) }
			anthropic, gemini := new(llmtest.Anthropic), new(llmtest.Gemini)
			anthropic.Always(end)
			gemini.Always(end)
			handler := http.Handler(anthropic)
			if strings.Contains(tt.path, "models") {
				handler = gemini
			}
			r := httptest.NewRequest(http.MethodPost, tt.path, strings.NewReader(tt.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Anthropic-Version", "2023-06-01")
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.says) {
				t.Errorf("got status %d and %s", w.Code, w.Body)
			}
		})
	}
}
