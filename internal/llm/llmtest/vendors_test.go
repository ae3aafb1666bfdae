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
	input   = `{"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}]}`
)

// TestVendorsRefuseBadRequests: a fake that accepts everything would prove nothing.
func TestVendorsRefuseBadRequests(t *testing.T) {
	const messages, generate, responses = "/v1/messages", "/v1beta/models/m:streamGenerateContent?alt=sse", "/v1/responses"
	const (
		reasoned = `]},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAAB-reasoning=="}`
		called   = `,{"type":"function_call","call_id":"1","name":"a","arguments":"{}"}`
		answered = `,{"type":"function_call_output","call_id":"1","output":"y"}`
	)
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

		{"good", responses, input, 200, "response.completed"},
		{"a call that is answered", responses, strings.Replace(input, `]}]}`, reasoned+called+answered+`]}`, 1), 200, "response.completed"},
		{"another address", "/v1/chat/completions", input, 404, "Invalid URL"},
		{"not JSON", responses, `{`, 400, "does not fit the API"},
		{"an unknown field", responses, strings.Replace(input, `"input"`, `"messages"`, 1), 400, `unknown field \"messages\"`},
		{"an answer that is stored", responses, strings.Replace(input, `false`, `true`, 1), 400, "not stored"},
		{"no reasoning", responses, strings.Replace(input, `reasoning.encrypted_content`, `usage`, 1), 400, "reasoning would be lost"},
		{"an empty text", responses, strings.Replace(input, `"x"`, `""`, 1), 400, "input[0]"},
		{"input of the assistant", responses, strings.Replace(input, `"user"`, `"assistant"`, 1), 400, "Supported values"},
		{"a strict tool", responses, strings.Replace(input, `"input"`, `"tools":[{"type":"function","name":"a","parameters":{}}],"input"`, 1), 400, "strict"},
		{"a call without reasoning", responses, strings.Replace(input, `]}]}`, `]}`+called+answered+`]}`, 1), 400, "required 'reasoning' item"},
		{"reasoning without its content", responses, strings.Replace(input, `]}]}`, strings.Replace(reasoned, "gAAAA", "", 1)+called+answered+`]}`, 1), 400, "'rs_1' not found"},
		{"reasoning without a call", responses, strings.Replace(input, `]}]}`, reasoned+`,{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}]}`, 1), 400, "required following item"},
		{"a call without a result", responses, strings.Replace(input, `]}]}`, reasoned+called+`]}`, 1), 400, "no tool output found"},
		{"a result without a call", responses, strings.Replace(input, `]}]}`, `]}`+answered+`]}`, 1), 400, "no tool call found"},
	} {
		t.Run(tt.name+" for "+tt.path, func(t *testing.T) {
			t.Parallel()
			end := func(x llmtest.Response) { x.Done(llm.Usage{}) }
			anthropic, gemini, openai := new(llmtest.Anthropic), new(llmtest.Gemini), new(llmtest.Responses)
			anthropic.Always(end)
			gemini.Always(end)
			openai.Always(end)
			handler := http.Handler(anthropic)
			switch {
			case strings.Contains(tt.path, "models"):
				handler = gemini
			case tt.path == responses, tt.path == "/v1/chat/completions":
				handler = openai
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
