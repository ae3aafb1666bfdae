package openai_test

import (
	"context"
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
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/openai"
)

func TestRefusalsAreUnderstood(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		kind   llm.Kind
		says   string
	}{
		{"OpenAI, key", 401, `{"error":{"message":"Incorrect API key provided: sk-abc*xyz.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			llm.Unauthorized, "model.test did not accept the key; check OPENAI_API_KEY"},
		{"OpenAI, region", 403, `{"error":{"message":"Country, region, or territory not supported","type":"request_forbidden","param":null,"code":"unsupported_country_region_territory"}}`,
			llm.Forbidden, `model.test does not allow this with the key (status 403); check that the account of OPENAI_API_KEY may use "model-1" from here, and that OPENAI_BASE_URL is the right address`},
		{"OpenAI, model of another project", 403, `{"error":{"message":"Project does not have access to model","type":"invalid_request_error","param":null,"code":"model_not_found"}}`,
			llm.NoSuchModel, `model.test does not have the model that was asked for; choose another one than "model-1" in OPENAI_MODEL or RUNTIME_MODEL`},
		{"OpenAI, wrong address", 404, `{"error":{"message":"Invalid URL (POST /chat/completions)","type":"invalid_request_error","param":null,"code":null}}`,
			llm.Refused, "model.test refused the request (status 404); check OPENAI_BASE_URL"},
		{"OpenAI, quota", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`,
			llm.NoCredit, "the account at model.test has no credit left; add some to the account of OPENAI_API_KEY"},
		{"OpenAI, more than fits into a minute", 429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`,
			llm.TooLong, "this conversation is too long for the model; ask with less text, or in a new thread"},
		{"OpenAI, usage policy", 400, `{"error":{"message":"Invalid prompt: your prompt was flagged","type":"invalid_request_error","param":null,"code":"invalid_prompt"}}`,
			llm.Blocked, "model.test declined to answer this; put the request differently"},
		{"Azure, content filter", 400, `{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400}}`,
			llm.Blocked, "model.test declined to answer this; put the request differently"},
		{"OpenRouter, credit", 402, `{"error":{"code":402,"message":"Insufficient credits"}}`,
			llm.NoCredit, "the account at model.test has no credit left; add some to the account of OPENAI_API_KEY"},
		{"OpenRouter, moderation", 403, `{"error":{"code":403,"message":"The input was flagged"}}`,
			llm.Blocked, "model.test declined to answer this; put the request differently"},
		{"OpenRouter, model", 400, `{"error":{"code":400,"message":"model-1 is not a valid model ID"}}`,
			llm.NoSuchModel, `model.test does not have the model that was asked for; choose another one than "model-1" in OPENAI_MODEL or RUNTIME_MODEL`},
		{"OpenRouter, timeout", 408, `{"error":{"code":408,"message":"timed out"}}`,
			llm.Unavailable, "model.test is not available (status 408); try again a little later"},
		{"vLLM, length", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","param":null,"code":400}`,
			llm.TooLong, "this conversation is too long for the model; ask with less text, or in a new thread"},
		{"vLLM, model", 404, "{\"object\":\"error\",\"message\":\"The model `x` does not exist.\",\"type\":\"NotFoundError\",\"param\":null,\"code\":404}",
			llm.NoSuchModel, `model.test does not have the model that was asked for; choose another one than "model-1" in OPENAI_MODEL or RUNTIME_MODEL`},
		{"llama.cpp, length", 400, `{"error":{"code":400,"message":"request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error"}}`,
			llm.TooLong, "this conversation is too long for the model; ask with less text, or in a new thread"},
		{"llama.cpp, images", 500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`,
			llm.Refused, "model.test refused the request (status 500); the log has the details"},
		{"Ollama, model", 404, `{"error":{"message":"model \"x\" not found, try pulling it first","type":"not_found_error","param":null,"code":null}}`,
			llm.NoSuchModel, `model.test does not have the model that was asked for; choose another one than "model-1" in OPENAI_MODEL or RUNTIME_MODEL`},
		{"a text as the error", 400, `{"error":"bad request"}`, llm.Refused, "model.test refused the request (status 400); the log has the details"},
		{"a detail", 422, `{"detail":"not like this"}`, llm.Refused, "model.test refused the request (status 422); the log has the details"},
		{"a body that is too large", 413, "", llm.TooLong, "this conversation is too long for the model; ask with less text, or in a new thread"},
		{"a method that is not allowed", 405, "", llm.Refused, "model.test refused the request (status 405); check OPENAI_BASE_URL"},
		{"trouble with words from elsewhere", 500, `{"error":{"message":"context length unknown"}}`, llm.Unavailable, "model.test is not available (status 500); try again a little later"},
		{"an unusual status", 529, `not json`, llm.Unavailable, "model.test is not available (status 529); try again a little later"},
		{"nonsense", 400, `[1,2`, llm.Refused, "model.test refused the request (status 400); the log has the details"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			answer := func(x *llmtest.Exchange) { x.Write(tt.status, "application/json", tt.body) }
			serve(t, answer, func(t *testing.T, _ *llmtest.Local, r llm.Runtime) {
				got := ask(t.Context(), r, hello)
				if got.kind() != tt.kind || got.err.Error() != tt.says {
					t.Errorf("got %s, which reads\n%q, want %s, which reads\n%q", got.details(), got.err, tt.kind, tt.says)
				}
			})
		})
	}
}

// TestAForgottenVersionIsSuggested: people leave /v1 out of the addresses of their servers.
func TestAForgottenVersionIsSuggested(t *testing.T) {
	client := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		return respond(http.StatusNotFound, nil, strings.NewReader("404 page not found")), nil
	})}
	const check = "ollama.test refused the request (status 404); check OPENAI_BASE_URL"
	for address, want := range map[string]string{
		"http://ollama.test":     check + ", which usually ends in /v1",
		"http://ollama.test/":    check + ", which usually ends in /v1",
		"http://ollama.test/v1":  check,
		"http://ollama.test/v1/": check,
	} {
		if got := ask(t.Context(), openai.New(openai.Options{BaseURL: address, HTTP: client}), hello); got.err == nil || got.err.Error() != want {
			t.Errorf("%s: %v, want %s", address, got.err, want)
		}
	}
}

func TestTheLogHasTheServersMessage(t *testing.T) {
	answer := func(x *llmtest.Exchange) {
		x.Fail(http.StatusBadRequest, llmtest.Fault{Type: "invalid_request_error", Code: "bad_thing", Message: "key " + key + " cannot do " + strings.Repeat("this ", 100)})
	}
	serve(t, answer, func(t *testing.T, _ *llmtest.Local, r llm.Runtime) {
		got := ask(t.Context(), r, hello).details()
		if !strings.HasPrefix(got, "openai: refused, status 400: bad_thing: invalid_request_error: key [redacted] cannot do this this") || len(got) > 300 {
			t.Errorf("the log would read %q", got)
		}
	})
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
				e, ok := errors.AsType[*llm.Error](ask(t.Context(), r, hello).err)
				if !ok || e.RetryAfter != tt.want {
					t.Errorf("got %+v, want %s", e, tt.want)
				}
			})
		})
	}
}

func TestTheRequestNamesTheModelOrElseTheOptionsDo(t *testing.T) {
	serve(t, llmtest.Text("Hi."), func(t *testing.T, l *llmtest.Local, _ llm.Runtime) {
		r := openai.New(openai.Options{BaseURL: l.URL + "/", Model: "standard", HTTP: l.HTTP})
		ask(t.Context(), r, llm.Request{Messages: hello.Messages})
		ask(t.Context(), r, hello)
		var got []string
		for _, req := range l.Requests() {
			got = append(got, req.Model)
		}
		if diff := cmp.Diff([]string{"standard", "model-1"}, got); diff != "" {
			t.Errorf("models (-want +got):\n%s", diff)
		}
	})
}

func TestWithoutAModelItSaysWhichVariableToSet(t *testing.T) {
	serve(t, llmtest.Text("Hi."), func(t *testing.T, _ *llmtest.Local, r llm.Runtime) {
		got := ask(t.Context(), r, llm.Request{Messages: hello.Messages})
		if want := "model.test refused the request (status 400); name a model in OPENAI_MODEL or RUNTIME_MODEL"; got.err == nil || got.err.Error() != want {
			t.Errorf("got %v, want %q", got.err, want)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		got := ask(t.Context(), openai.New(openai.Options{}), llm.Request{Model: "text-davinci-003", Messages: hello.Messages})
		if got.kind() != llm.NoSuchModel {
			t.Errorf("a model that cannot chat: got %v", got.err)
		}
	})
}

// roundTrip is a transport without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func respond(status int, header http.Header, body io.Reader) *http.Response {
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(body)}
}

func TestAnEmptyKeyIsNotSent(t *testing.T) {
	for _, tt := range []struct {
		key  string
		want []string
	}{{"", nil}, {"abc", []string{"Bearer abc"}}} {
		var got []string
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			got = r.Header["Authorization"]
			return respond(200, nil, strings.NewReader(one+"\n"+done+"\n")), nil
		})}
		if h := ask(t.Context(), openai.New(openai.Options{Key: tt.key, HTTP: client}), hello); h.err != nil {
			t.Fatal(h.details())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Authorization (-want +got):\n%s", diff)
		}
	}
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
			client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(r.Body)
				for _, name := range []string{older, newer} {
					if strings.Contains(string(body), name) {
						got = append(got, name)
					}
				}
				if strings.Contains(string(body), tt.refuses) {
					return respond(400, nil, strings.NewReader(`{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","code":"unsupported_parameter"}}`)), err
				}
				return respond(200, nil, strings.NewReader(one+"\n"+done+"\n")), err
			})}
			r := openai.New(openai.Options{BaseURL: tt.base, HTTP: client})
			for range 2 {
				if h := ask(t.Context(), r, llm.Request{Model: tt.model, Messages: hello.Messages, MaxOutput: 100}); h.err != nil {
					t.Error(h.details())
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 307, 308} {
		asked := 0
		client := &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return nil },
			Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				asked++
				return respond(status, http.Header{"Location": {"https://elsewhere.test/v1/chat/completions"}}, strings.NewReader("moved")), nil
			}),
		}
		got := ask(t.Context(), openai.New(openai.Options{Key: key, HTTP: client}), hello)
		want := fmt.Sprintf("api.openai.com refused the request (status %d); check the network of this machine", status)
		if asked != 1 || got.err == nil || got.err.Error() != want {
			t.Errorf("asked %d times and got %v, want %q after one", asked, got.err, want)
		}
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
		client := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: tt.status, Body: body}, nil
		})}
		got := ask(t.Context(), openai.New(openai.Options{HTTP: client}), hello)
		if got.kind() != tt.kind || body.read > tt.most || !body.closed {
			t.Errorf("status %d: %d bytes were read, closed %t, and %s was the result", tt.status, body.read, body.closed, got.details())
		}
	}
}

func TestAServerOutOfReachIsUnavailable(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, refused }}}
	got := ask(t.Context(), openai.New(openai.Options{BaseURL: "http://me:hunter2@model.test", HTTP: client}), hello)
	if want := "model.test is not available; try again a little later, or check OPENAI_BASE_URL"; got.kind() != llm.Unavailable || got.err.Error() != want {
		t.Errorf("got %v, want %q", got.err, want)
	}
	if !errors.Is(got.err, syscall.ECONNREFUSED) {
		t.Errorf("the cause is lost in %s", got.details())
	}
	if strings.Contains(got.details(), "hunter2") || strings.Contains(got.details(), "model.test") {
		t.Errorf("the address is shown in %q", got.details())
	}
}

func TestADialThatTakesTooLongIsUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			time.Sleep(10 * time.Second)
			return nil, &net.OpError{Op: "dial", Err: context.DeadlineExceeded}
		}}}
		if got := ask(t.Context(), openai.New(openai.Options{BaseURL: "http://model.test", HTTP: client}), hello); got.kind() != llm.Unavailable {
			t.Errorf("got %s", got.details())
		}
	})
}

// TestASentRequestWithoutAResponseIsNotUnavailable: it would be retried, and be paid for
// twice.
func TestASentRequestWithoutAResponseIsNotUnavailable(t *testing.T) {
	serve(t, llmtest.Silent(), func(t *testing.T, l *llmtest.Local, r llm.Runtime) {
		l.HTTP.Transport.(*http.Transport).ResponseHeaderTimeout = time.Minute
		got := ask(t.Context(), llm.Retrying(r, llm.RetryOptions{}), hello)
		if want := "model.test sent nothing for 60 seconds; try again"; got.kind() != llm.Stalled || got.err.Error() != want {
			t.Errorf("got %v, want %q", got.err, want)
		}
		if n := len(l.Requests()); n != 1 {
			t.Errorf("it was sent %d times", n)
		}
	})
}

func TestAnInvalidBaseURLIsReported(t *testing.T) {
	got := ask(t.Context(), openai.New(openai.Options{BaseURL: "http://me:hunter2@[bad"}), hello)
	if want := "openai refused the request; check OPENAI_BASE_URL"; got.err == nil || got.err.Error() != want {
		t.Errorf("got %v, want %q", got.err, want)
	}
	if strings.Contains(got.details(), "hunter2") {
		t.Error("the password is shown")
	}
}

// TestItWorksOverARealNetwork also uses the default client.
func TestItWorksOverARealNetwork(t *testing.T) {
	s := &llmtest.Server{Key: key}
	s.Always(llmtest.Text("Hello ", "there."))
	server := httptest.NewServer(s)
	defer server.Close()
	for range 2 {
		got := ask(t.Context(), openai.New(openai.Options{Key: key, BaseURL: server.URL + "/v1"}), hello)
		if want := (heard{text: "Hello there.", usage: llm.Usage{Input: 1, Output: 2}}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if got := ask(t.Context(), openai.New(openai.Options{Key: "another one", BaseURL: server.URL + "/v1"}), hello); got.kind() != llm.Unauthorized {
		t.Errorf("with a wrong key: %v", got.err)
	}
}
