package llmtest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	api "github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"

	"discoclaw/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const question = `{"model":"m","messages":[{"role":"user","content":"two words"}],"stream":true,"stream_options":{"include_usage":true}}`

func post(s *llmtest.Server, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer abc")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestAnswersLookLikeTheRealOnes(t *testing.T) {
	var s llmtest.Server
	s.Queue(llmtest.Text("Hel", "lo."))
	w := post(&s, "/v1/chat/completions", question)
	const head = `data: {"choices":[`
	const tail = `,"created":1700000000,"id":"chatcmpl-1","model":"m","object":"chat.completion.chunk","usage":null}` + "\n\n"
	want := head + `{"index":0,"delta":{"content":"","role":"assistant"},"finish_reason":null}]` + tail +
		head + `{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]` + tail +
		head + `{"index":0,"delta":{"content":"lo."},"finish_reason":null}]` + tail +
		head + `{"index":0,"delta":{},"finish_reason":"stop"}]` + tail +
		head + "]" + strings.Replace(tail, "null", `{"completion_tokens":1,"prompt_tokens":2,"total_tokens":3}`, 1) +
		"data: [DONE]\n\n"
	if diff := cmp.Diff(want, w.Body.String()); diff != "" {
		t.Errorf("stream (-want +got):\n%s", diff)
	}
	if got := w.Header().Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("the content type is %q", got)
	}
	if got := s.Requests(); len(got) != 1 || got[0].Key != "abc" || got[0].Model != "m" {
		t.Errorf("the requests are %+v", got)
	}
}

// TestOtherClientsUnderstandIt: a server that only our own adapter understood would prove
// nothing.
func TestOtherClientsUnderstandIt(t *testing.T) {
	var s llmtest.Server
	local := s.Listen()
	defer local.Close()
	config := api.DefaultConfig("abc")
	config.BaseURL, config.HTTPClient = local.URL, local.HTTP
	client := api.NewClientWithConfig(config)
	req := api.ChatCompletionRequest{Model: "m", Messages: []api.ChatCompletionMessage{{Role: "user", Content: "two words"}}}

	s.Queue(llmtest.Text("Hel", "lo."), llmtest.Whole("Hello."), llmtest.Unauthorized())
	stream, err := client.CreateChatCompletionStream(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	text := ""
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || len(chunk.Choices) != 1 {
			t.Fatalf("chunk %+v, %v; tokens were not asked for", chunk, err)
		}
		text += chunk.Choices[0].Delta.Content
	}
	if text != "Hello." {
		t.Errorf("the stream says %q", text)
	}

	whole, err := client.CreateChatCompletion(t.Context(), req)
	if err != nil || whole.Choices[0].Message.Content != "Hello." || whole.Usage.TotalTokens != 3 {
		t.Errorf("the whole answer is %+v, %v", whole, err)
	}

	_, err = client.CreateChatCompletion(t.Context(), req)
	if refused, ok := errors.AsType[*api.APIError](err); !ok || refused.HTTPStatusCode != 401 || refused.Code != "invalid_api_key" {
		t.Errorf("the refusal is %v", err)
	}
}

func TestBadRequestsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, path, body string
		status           int
		says             string
	}{
		{"another address", "/v1/completions", question, 404, "Invalid URL"},
		{"not JSON", "/v1/chat/completions", `{`, 400, "does not fit the API"},
		{"an unknown field", "/v1/chat/completions", `{"modell":"m"}`, 400, `unknown field \"modell\"`},
		{"no model", "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}]}`, 400, "must provide a model"},
		{"no messages", "/v1/chat/completions", `{"model":"m","messages":[]}`, 400, "messages is empty"},
		{"an unknown role", "/v1/chat/completions", `{"model":"m","messages":[{"role":"bot","content":"x"}]}`, 400, "messages[0].role"},
		{"an empty message", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user"}]}`, 400, "messages[0].content"},
		{"options for no stream", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"x"}],"stream_options":{"include_usage":true}}`, 400, "streams only"},
		{"nothing scripted", "/v1/chat/completions", question, 418, "nothing is scripted for request 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := post(new(llmtest.Server), tt.path, tt.body)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.says) {
				t.Errorf("got status %d and %s", w.Code, w.Body)
			}
		})
	}
}

func TestOnlyItsOwnKeyIsAccepted(t *testing.T) {
	s := &llmtest.Server{Key: "another"}
	s.Always(llmtest.Text("Hello."))
	if w := post(s, "/v1/chat/completions", question); w.Code != http.StatusUnauthorized {
		t.Errorf("the status is %d", w.Code)
	}
	s.Key = "abc"
	if w := post(s, "/v1/chat/completions", question); w.Code != http.StatusOK {
		t.Errorf("the status is %d", w.Code)
	}
}
