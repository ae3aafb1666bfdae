package openai_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/openai"
)

func TestRefusalsAreUnderstood(t *testing.T) {
	api.Refusals(t, []llmtest.Refusal{
		{"OpenAI, region", 403, `{"error":{"message":"Country, region, or territory not supported","type":"request_forbidden","param":null,"code":"unsupported_country_region_territory"}}`, llm.Forbidden, ""},
		{"OpenAI, model of another project", 403, `{"error":{"message":"Project does not have access to model","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, llm.NoSuchModel, ""},
		{"OpenAI, wrong address", 404, `{"error":{"message":"Invalid URL (POST /chat/completions)","type":"invalid_request_error","param":null,"code":null}}`, llm.Refused, ""},
		{"OpenAI, quota", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, llm.NoCredit, ""},
		{"OpenAI, more than fits into a minute", 429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, llm.TooLong, ""},
		{"OpenAI, usage policy", 400, `{"error":{"message":"Invalid prompt: your prompt was flagged","type":"invalid_request_error","param":null,"code":"invalid_prompt"}}`, llm.Blocked, ""},
		{"Azure, content filter", 400, `{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400}}`, llm.Blocked, ""},
		{"OpenRouter, credit", 402, `{"error":{"code":402,"message":"Insufficient credits"}}`, llm.NoCredit, ""},
		{"OpenRouter, moderation", 403, `{"error":{"code":403,"message":"The input was flagged"}}`, llm.Blocked, ""},
		{"OpenRouter, model", 400, `{"error":{"code":400,"message":"model-1 is not a valid model ID"}}`, llm.NoSuchModel, ""},
		{"OpenRouter, timeout", 408, `{"error":{"code":408,"message":"timed out"}}`, llm.Unavailable, ""},
		{"vLLM, length", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","param":null,"code":400}`, llm.TooLong, ""},
		{"vLLM, model", 404, "{\"object\":\"error\",\"message\":\"The model `x` does not exist.\",\"type\":\"NotFoundError\",\"param\":null,\"code\":404}", llm.NoSuchModel, ""},
		{"llama.cpp, length", 400, `{"error":{"code":400,"message":"request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error"}}`, llm.TooLong, ""},
		{"llama.cpp, images", 500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`, llm.Refused, ""},
		{"Ollama, model", 404, `{"error":{"message":"model \"x\" not found, try pulling it first","type":"not_found_error","param":null,"code":null}}`, llm.NoSuchModel, ""},
		{"a text as the error", 400, `{"error":"bad request"}`, llm.Refused, ""},
		{"a detail", 422, `{"detail":"not like this"}`, llm.Refused, ""},
		{"trouble with words from elsewhere", 500, `{"error":{"message":"context length unknown"}}`, llm.Unavailable, ""},
		{"nonsense", 400, `[1,2`, llm.Refused, ""},
	}...)
}

// TestAForgottenVersionIsSuggested: people leave /v1 out of the addresses of their servers.
func TestAForgottenVersionIsSuggested(t *testing.T) {
	client, _ := llmtest.Fixed(http.StatusNotFound, "404 page not found")
	const check = "ollama.test refused the request (status 404); check OPENAI_BASE_URL"
	for address, want := range map[string]string{
		"http://ollama.test":     check + ", which usually ends in /v1",
		"http://ollama.test/":    check + ", which usually ends in /v1",
		"http://ollama.test/v1":  check,
		"http://ollama.test/v1/": check,
	} {
		if got := llmtest.Ask(t.Context(), openai.New(openai.Options{BaseURL: address, HTTP: client}), llmtest.Hello); got.Err == nil || got.Err.Error() != want {
			t.Errorf("%s: %v, want %s", address, got.Err, want)
		}
	}
}

func TestRetryAfterIsReadInAllItsForms(t *testing.T) {
	for _, tt := range []struct {
		name, header, value string
		want                time.Duration
	}{
		{"seconds", "Retry-After", "20", 20 * time.Second},
		{"parts of a second", "Retry-After", "0.5", 500 * time.Millisecond},
		{"milliseconds", "Retry-After-Ms", "1500", 1500 * time.Millisecond},
		{"a date", "Retry-After", "Sat, 01 Jan 2000 00:01:00 GMT", time.Minute}, // a bubble begins at the start of 2000
		{"a date in the past", "Retry-After", "Fri, 31 Dec 1999 00:00:00 GMT", 0},
		{"negative", "Retry-After", "-5", 0},
		{"for ever", "Retry-After", "1e300", 24 * time.Hour},
		{"not a number", "Retry-After", "NaN", 0},
		{"words", "Retry-After", "soon", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			answer := func(x *llmtest.Exchange) {
				x.Header().Set(tt.header, tt.value)
				llmtest.ServerError(http.StatusServiceUnavailable)(x)
			}
			serve(t, answer, func(t *testing.T, _ *llmtest.Local, r llm.Runtime) {
				e, ok := errors.AsType[*llm.Error](llmtest.Ask(t.Context(), r, llmtest.Hello).Err)
				if !ok || e.RetryAfter != tt.want {
					t.Errorf("got %+v, want %s", e, tt.want)
				}
			})
		})
	}
}

func TestAModelThatCannotChatIsNone(t *testing.T) {
	if got := llmtest.Ask(t.Context(), openai.New(openai.Options{}), llm.Request{Model: "text-davinci-003", Messages: llmtest.Hello.Messages}); got.Kind() != llm.NoSuchModel {
		t.Errorf("got %v", got.Err)
	}
}

func respond(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}
}

// TestTheLimitOfAnAnswerHasTwoNames: OpenAI's models refuse the older one, and other servers ignore the newer one.
func TestTheLimitOfAnAnswerHasTwoNames(t *testing.T) {
	const older, newer = `"max_tokens":100`, `"max_completion_tokens":100`
	for _, tt := range []struct {
		name, base, model string
		refuses           string
		want              []string // of two requests
	}{
		{"OpenAI", "", "gpt-9", older, []string{newer, newer}},
		{"another server", "http://model.test/v1", "llama", newer, []string{older, older}},
		{"a way to OpenAI", "http://model.test/v1", "gpt-9", older, []string{older, newer, newer}},
		{"a way to a model that the library knows", "http://model.test/v1", "gpt-5", older, []string{newer, newer}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			client := &http.Client{Transport: llmtest.Transport(func(r *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(r.Body)
				for _, name := range []string{older, newer} {
					if strings.Contains(string(body), name) {
						got = append(got, name)
					}
				}
				if strings.Contains(string(body), tt.refuses) {
					return respond(400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","code":"unsupported_parameter"}}`), err
				}
				return respond(200, raw(one, done)), err
			})}
			r := openai.New(openai.Options{BaseURL: tt.base, HTTP: client})
			for range 2 {
				if h := llmtest.Ask(t.Context(), r, llm.Request{Model: tt.model, Messages: llmtest.Hello.Messages, MaxOutput: 100}); h.Err != nil {
					t.Error(h.Details())
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
		})
	}
}

// endless is a body without an end, which counts how much of it was read.
type endless struct {
	read   int
	closed bool
}

func (e *endless) Close() error {
	e.closed = true
	return nil
}

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestLittleIsReadOfAResponseThatIsNoAnswer(t *testing.T) {
	for _, tt := range []struct {
		status int
		most   int
		kind   llm.Kind
	}{{500, 64 << 10, llm.Unavailable}, {200, 2 << 20, llm.Broken}} {
		body := &endless{}
		client := &http.Client{Transport: llmtest.Transport(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: tt.status, Body: body}, nil
		})}
		got := llmtest.Ask(t.Context(), openai.New(openai.Options{HTTP: client}), llmtest.Hello)
		if got.Kind() != tt.kind || body.read > tt.most || !body.closed {
			t.Errorf("status %d: %d bytes were read, closed %t, and %s was the result", tt.status, body.read, body.closed, got.Details())
		}
	}
}
