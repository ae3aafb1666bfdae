package llmtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/llm"
)

// Key has no shape that Redact recognises, so only an adapter can hide it.
const Key = "correct horse battery staple"

// Hello is a request.
var Hello = llm.Request{Model: "model-1", Messages: []llm.Message{{Role: llm.User, Text: "Hello?"}}}

// Options are those of every adapter of an API over HTTP.
type Options struct {
	Key, BaseURL, Model string
	HTTP                *http.Client
}

// An API is an adapter of an API over HTTP, with the parts of its format that the checks need.
type API struct {
	Prefix string   // of its variables, such as OPENAI
	Home   string   // where a request goes without a BaseURL
	Paths  []string // that a BaseURL may end in
	Begun  string   // a stream up to the text "one"
	Ended  string   // the rest of that stream
	Fault  string   // the body of a refusal of the type "odd", with %q for its message
	Picky  bool     // sends nothing without a model
	New    func(Options) llm.Runtime
	Listen func() Fake // that accepts Key
	Lacks  []Lack
}

// A Fake is a Vendor whose server is also of use elsewhere.
type Fake interface {
	Vendor
	http.Handler
	Options() Options
}

// Run is [Run], and checks how an adapter treats addresses, keys, models and connections.
func (a API) Run(t *testing.T) {
	t.Helper()
	Run(t, func(*testing.T) (Vendor, llm.Runtime) {
		v := a.Listen()
		return v, a.New(v.Options())
	}, a.Lacks...)
	t.Run("works over a network", a.checkNetwork)
	t.Run("does not read the environment", a.checkEnvironment)
	t.Run("does not follow redirects", a.checkRedirects)
	t.Run("fails on a server out of reach", a.checkOutOfReach)
	t.Run("does not retry a request that was sent", a.checkUnanswered)
	t.Run("reports an invalid address", a.checkAddress)
	t.Run("names the variable of a missing model", a.checkNoModel)
	t.Run("logs the server's message without the key", a.checkLog)
}

// A Transport is one without a network.
type Transport func(*http.Request) (*http.Response, error)

func (f Transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Sent are the requests that a server got, and their bodies.
type Sent struct {
	Requests []*http.Request
	Bodies   []string
}

// Fixed returns a client whose server gives every request the same response.
func Fixed(status int, text string) (*http.Client, *Sent) {
	sent := new(Sent)
	return &http.Client{Transport: Transport(func(r *http.Request) (*http.Response, error) {
		body := new(strings.Builder)
		if r.Body != nil {
			_, _ = io.Copy(body, r.Body) // from memory
		}
		sent.Requests, sent.Bodies = append(sent.Requests, r), append(sent.Bodies, body.String())
		header := http.Header{"Location": {"https://elsewhere.test/"}}
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(text))}, nil
	})}, sent
}

// Answering returns a runtime of a Fixed server.
func (a API) Answering(status int, text string) (llm.Runtime, *Sent) {
	client, sent := Fixed(status, text)
	return a.New(Options{Key: Key, BaseURL: "https://model.test" + a.Paths[0], HTTP: client}), sent
}

// A Stream is a response of the status 200. Without a Kind it is a whole answer.
type Stream = struct {
	Name, Body string
	Kind       llm.Kind
	Text       string
}

// Streams checks what an adapter makes of responses: those of the vendor, and those that every vendor may send.
func (a API) Streams(t *testing.T, special ...Stream) {
	whole := a.Begun + a.Ended
	for _, tt := range append(special, []Stream{
		{"carriage returns", strings.ReplaceAll(whole, "\n", "\r\n"), "", "one"},
		{"comments and names", ": hello\n\nid: 1\n" + whole, "", "one"},
		{"an empty answer", a.Ended, "", ""},
		{"nothing at all", "", llm.Broken, ""},
		{"plain text", "hello", llm.Broken, ""},
		{"comments only", ": hello\n\n: goodbye\n\n", llm.Broken, ""},
		{"half an event", a.Begun + `data: {"`, llm.Broken, "one"},
		{"no object", a.Begun + "data: 42\n\n" + a.Ended, llm.Broken, "one"},
		{"an error that is a text", a.Begun + "event: error\ndata: {\"error\":\"oops\"}\n\n", llm.Broken, "one"},
		{"a line without end", a.Begun + ": " + strings.Repeat("x", 33<<20), llm.Broken, "one"},
		{"some other object", `{"status":"ok"}`, llm.Refused, ""},
		{"an object without end", `{"a":"` + strings.Repeat("x", 2<<20), llm.Broken, ""},
	}...) {
		t.Run(tt.Name, func(t *testing.T) {
			skip(t, tt.Name, a.Lacks)
			r, _ := a.Answering(http.StatusOK, tt.Body)
			got := Ask(t.Context(), r, Hello)
			if got.Kind() != tt.Kind || (got.Err == nil) != (tt.Kind == "") || got.Text != tt.Text {
				t.Errorf("got %q and %s, want %q and %q", got.Text, got.Details(), tt.Text, tt.Kind)
			}
			if got.Err != nil && len(got.Calls) > 0 {
				t.Errorf("the calls %v are made", got.Calls)
			}
		})
	}
}

// A Refusal is a response that is no answer. Without Says its error has the usual sentence of the kind.
type Refusal = struct {
	Name   string
	Status int
	Body   string
	Kind   llm.Kind
	Says   string
}

// Refusals checks the errors of responses: those of the vendor, and those of which the status says enough.
func (a API) Refusals(t *testing.T, special ...Refusal) {
	for status, kind := range map[int]llm.Kind{
		401: llm.Unauthorized, 402: llm.NoCredit, 403: llm.Forbidden, 404: llm.Refused, 405: llm.Refused, 408: llm.Unavailable,
		413: llm.TooLong, 422: llm.Refused, 500: llm.Unavailable, 504: llm.Unavailable, 529: llm.Unavailable,
	} {
		special = append(special, Refusal{Name: fmt.Sprint(status), Status: status, Body: "oops", Kind: kind})
	}
	for _, tt := range special {
		t.Run(tt.Name, func(t *testing.T) {
			r, sent := a.Answering(tt.Status, tt.Body)
			got := Ask(t.Context(), r, Hello)
			if tt.Says == "" {
				tt.Says = a.sentence(tt.Kind, tt.Status)
			}
			if got.Kind() != tt.Kind || got.Err.Error() != tt.Says {
				t.Errorf("got %s, which reads\n%q, want %s, which reads\n%q", got.Details(), got.Err, tt.Kind, tt.Says)
			}
			if n := len(sent.Bodies); n != 1 {
				t.Errorf("it was sent %d times", n)
			}
		})
	}
}

// sentence is what people read, with the remedy in it.
func (a API) sentence(kind llm.Kind, status int) string {
	models := a.Prefix + "_MODEL or RUNTIME_MODEL"
	switch kind {
	case llm.Unauthorized:
		return "model.test did not accept the key; check " + a.Prefix + "_API_KEY"
	case llm.NoCredit:
		return "the account at model.test has no credit left; add some to the account of " + a.Prefix + "_API_KEY"
	case llm.Forbidden:
		return fmt.Sprintf("model.test does not allow this with the key (status %d); check that the account of %s_API_KEY may use "+
			`"model-1" from here, and that %[2]s_BASE_URL is the right address`, status, a.Prefix)
	case llm.NoSuchModel:
		return `model.test does not have the model that was asked for; choose another one than "model-1" in ` + models
	case llm.TooLong:
		return "this conversation is too long for the model; ask with less text, or in a new thread"
	case llm.Blocked:
		return "model.test declined to answer this; put the request differently"
	case llm.Unavailable:
		return fmt.Sprintf("model.test is not available (status %d); try again a little later", status)
	}
	remedy := "the log has the details"
	if status/100 == 3 || status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
		remedy = "check " + a.Prefix + "_BASE_URL"
	}
	return fmt.Sprintf("model.test refused the request (status %d); %s", status, remedy)
}

func (a API) checkNetwork(t *testing.T) {
	v := a.Listen()
	defer v.Close()
	v.Always(saying("Hello ", "there."))
	server := httptest.NewServer(v)
	defer server.Close()
	for _, path := range a.Paths {
		for _, base := range []string{server.URL + path, server.URL + path + "/"} {
			r := a.New(Options{Key: Key, BaseURL: base, Model: "standard"})
			for _, model := range []string{"", "special"} {
				got := Ask(t.Context(), r, llm.Request{Model: model, Messages: Hello.Messages})
				if got.Err != nil || got.Text != "Hello there." || got.Usage != tokens {
					t.Errorf("got %+v", got)
				}
			}
		}
	}
	if all := v.Asked(); all[0].Model != "standard" || all[1].Model != "special" {
		t.Errorf("the models are %q and %q", all[0].Model, all[1].Model)
	}
	wrong := a.New(Options{Key: "another one", BaseURL: server.URL + a.Paths[0]})
	if got := Ask(t.Context(), wrong, Hello); got.Kind() != llm.Unauthorized {
		t.Errorf("with a wrong key: %v", got.Err)
	}
}

// checkEnvironment: a library's own variables could send the conversation, or another product's key, to another address.
func (a API) checkEnvironment(t *testing.T) {
	for _, name := range []string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS",
		"GOOGLE_CLOUD_PROJECT", "OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OPENAI_BASE_URL",
	} {
		t.Setenv(name, "https://canary.test")
	}
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Canary: canary")
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	var logged strings.Builder
	defer log.SetOutput(log.Writer())
	log.SetOutput(&logged)
	for _, own := range []string{"", "abc"} {
		client, sent := Fixed(http.StatusOK, a.Begun+a.Ended)
		if got := Ask(t.Context(), a.New(Options{Key: own, HTTP: client}), Hello); got.Err != nil {
			t.Fatal(got.Details())
		}
		asked := sent.Requests[0]
		text := strings.ToLower(fmt.Sprint(asked.URL, asked.Header))
		var keys []string
		for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
			keys = append(keys, asked.Header[name]...)
		}
		if strings.Contains(text, "canary") || strings.TrimPrefix(strings.Join(keys, " "), "Bearer ") != own {
			t.Errorf("with the key %q the request is %s", own, text)
		}
		if asked.URL.String() != a.Home {
			t.Errorf("the address is %s, want %s", asked.URL, a.Home)
		}
	}
	if logged.Len() > 0 {
		t.Errorf("the standard logger has %q", logged.String())
	}
}

// checkRedirects: they would take the conversation, and perhaps the key, to an address that is not in the settings.
func (a API) checkRedirects(t *testing.T) {
	home, err := url.Parse(a.Home)
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{301, 302, 307, 308} {
		for base, want := range map[string]string{
			"":                                fmt.Sprintf("%s refused the request (status %d); check the network of this machine", home.Host, status),
			"https://model.test" + a.Paths[0]: a.sentence(llm.Refused, status),
		} {
			client, sent := Fixed(status, "moved")
			got := Ask(t.Context(), a.New(Options{Key: Key, BaseURL: base, HTTP: client}), Hello)
			if n := len(sent.Requests); n != 1 || got.Err == nil || got.Err.Error() != want {
				t.Errorf("sent %d times and got %v, want %q after one", n, got.Err, want)
			}
		}
	}
}

func (a API) checkOutOfReach(t *testing.T) {
	for _, cause := range []error{syscall.ECONNREFUSED, context.DeadlineExceeded} {
		client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: cause}
		}}}
		got := Ask(t.Context(), a.New(Options{BaseURL: "http://me:hunter2@model.test", HTTP: client}), Hello)
		want := "model.test is not available; try again a little later, or check " + a.Prefix + "_BASE_URL"
		if got.Kind() != llm.Unavailable || got.Err.Error() != want || !errors.Is(got.Err, cause) {
			t.Errorf("got %s, want %q", got.Details(), want)
		}
		if strings.Contains(got.Details(), "hunter2") || strings.Contains(got.Details(), "model.test") {
			t.Errorf("the address is shown in %q", got.Details())
		}
	}
}

// checkUnanswered: it would be paid for twice.
func (a API) checkUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := a.Listen()
		defer v.Close()
		v.Always(Response.Hang)
		o := v.Options()
		o.HTTP.Transport.(*http.Transport).ResponseHeaderTimeout = time.Minute
		got := Ask(t.Context(), llm.Retrying(a.New(o), nil), Hello)
		want := "model.test sent nothing for 60 seconds; try again"
		if n := len(v.Asked()); got.Kind() != llm.Stalled || got.Err.Error() != want || n != 1 {
			t.Errorf("got %s after %d requests, want %q after one", got.Details(), n, want)
		}
	})
}

func (a API) checkAddress(t *testing.T) {
	got := Ask(t.Context(), a.New(Options{BaseURL: "http://me:hunter2@[bad"}), Hello)
	want := fmt.Sprintf("%s refused the request; check %s_BASE_URL", strings.ToLower(a.Prefix), a.Prefix)
	if got.Err == nil || got.Err.Error() != want || strings.Contains(got.Details(), "hunter2") {
		t.Errorf("got %s, want %q", got.Details(), want)
	}
}

func (a API) checkNoModel(t *testing.T) {
	r, sent := a.Answering(http.StatusBadRequest, fmt.Sprintf(a.Fault, "model: Field required"))
	got := Ask(t.Context(), r, llm.Request{Messages: Hello.Messages})
	requests, why := 1, "refused the request (status 400)"
	if a.Picky {
		requests, why = 0, "does not have the model that was asked for"
	}
	want := fmt.Sprintf("model.test %s; name a model in %s_MODEL or RUNTIME_MODEL", why, a.Prefix)
	if n := len(sent.Requests); got.Err == nil || got.Err.Error() != want || n != requests {
		t.Errorf("got %v after %d requests, want %q after %d", got.Err, n, want, requests)
	}
}

func (a API) checkLog(t *testing.T) {
	r, _ := a.Answering(http.StatusBadRequest, fmt.Sprintf(a.Fault, "key "+Key+" cannot do "+strings.Repeat("this ", 100)))
	got := Ask(t.Context(), r, Hello).Details()
	want := strings.ToLower(a.Prefix) + ": refused, status 400: odd: key [redacted] cannot do this this"
	if !strings.HasPrefix(got, want) || len(got) > 300 {
		t.Errorf("the log would read %q", got)
	}
}

// Fuzz checks that every response comes to an end, that an answer has one of the marks, and that any other ends in an error with
// a text of ours.
func (a API) Fuzz(f *testing.F, marks []string, seeds ...string) {
	for _, seed := range append(seeds, a.Begun+a.Ended, a.Begun, "<html>", `{"error":{}}`, "data: {\n\n") {
		f.Add(http.StatusOK, seed)
		f.Add(http.StatusTooManyRequests, seed)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		r, _ := a.Answering(status, body)
		got := Ask(t.Context(), r, Hello)
		marked := slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(strings.ToLower(body), strings.ToLower(m)) })
		if got.Err == nil && !marked {
			t.Errorf("%d %q is an answer", status, body)
		}
		if got.Err != nil && got.Kind() == "" {
			t.Errorf("%d %q: %v", status, body, got.Err)
		}
	})
}

// Benchmark reads a long answer.
func (a API) Benchmark(b *testing.B) {
	v := a.Listen()
	defer v.Close()
	v.Always(saying(slices.Repeat([]string{"word "}, 1000)...))
	r := a.New(v.Options())
	b.ReportAllocs()
	for b.Loop() {
		if got := Ask(b.Context(), r, Hello); got.Err != nil {
			b.Fatal(got.Details())
		}
	}
}
