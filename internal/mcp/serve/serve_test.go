package serve_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"discoclaw/internal/mcp/serve"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "open sesame"

var schema = json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)

// start serves the tools on a port of this machine, and returns its address.
func start(t *testing.T, o serve.Options) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.Log = slog.New(slog.DiscardHandler)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve.New(o).Serve(ctx, l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func echo(_ context.Context, name string, input json.RawMessage) (string, bool) {
	return name + " " + string(input), name == "bad"
}

func TestAFaultInAToolDoesNotEndTheBot(t *testing.T) {
	address := start(t, serve.Options{Token: token, Tools: tools, Call: func(context.Context, string, json.RawMessage) (string, bool) { panic("oh") }})
	session, err := connect(t, address, token)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo"})
	if err != nil || !got.IsError || !strings.Contains(got.Content[0].(*mcp.TextContent).Text, "a fault inside the bot") {
		t.Errorf("%+v, %v", got, err)
	}
}

func tools() []serve.Tool {
	return []serve.Tool{{Name: "echo", Description: "Say it again.", Schema: schema, Reads: true}, {Name: "bad", Schema: schema}}
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func connect(t *testing.T, address, token string) (*mcp.ClientSession, error) {
	return mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: "http://" + address + serve.Path, HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1}, nil)
}

func TestTheOfficialClientListsAndCallsTools(t *testing.T) {
	session, err := connect(t, start(t, serve.Options{Token: token, Tools: tools, Call: echo}), token)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 || list.Tools[1].Description != "Say it again." || !list.Tools[1].Annotations.ReadOnlyHint {
		t.Fatalf("%+v, %v", list, err)
	}
	for name, failed := range map[string]bool{"echo": false, "bad": true} {
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]string{"text": "hi"}})
		if err != nil || got.IsError != failed || got.Content[0].(*mcp.TextContent).Text != name+` {"text":"hi"}` {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestWhoComesIn: a request is refused before anything of it is looked at, unless it comes from a program with the token.
func TestWhoComesIn(t *testing.T) {
	address := start(t, serve.Options{Token: token, Tools: tools, Call: echo})
	closed := start(t, serve.Options{Tools: tools, Call: echo})
	for _, tt := range []struct {
		name    string
		address string
		header  map[string]string
		body    string
		want    int
	}{
		{name: "the token", want: http.StatusOK},
		{name: "none", header: map[string]string{"Authorization": ""}, want: http.StatusUnauthorized},
		{name: "a wrong one", header: map[string]string{"Authorization": "Bearer sesame"}, want: http.StatusUnauthorized},
		{name: "the beginning of it", header: map[string]string{"Authorization": "Bearer open"}, want: http.StatusUnauthorized},
		{name: "no word before it", header: map[string]string{"Authorization": token}, want: http.StatusUnauthorized},
		{name: "a server without one", address: closed, header: map[string]string{"Authorization": "Bearer "}, want: http.StatusUnauthorized},
		{name: "a page of a browser", header: map[string]string{"Origin": "http://" + address}, want: http.StatusForbidden},
		{name: "another name of this machine", header: map[string]string{"Host": "evil.example:80"}, want: http.StatusForbidden},
		{name: "a name that begins like it", header: map[string]string{"Host": "localhost.evil.example"}, want: http.StatusForbidden},
		{name: "too much", body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 256<<10) + `"}}`, want: http.StatusRequestEntityTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.address == "" {
				tt.address = address
			}
			if got := post(t, tt.address, tt.header, tt.body); got != tt.want {
				t.Errorf("status %d, want %d", got, tt.want)
			}
		})
	}
}

func post(t *testing.T, address string, header map[string]string, body string) int {
	t.Helper()
	if body == "" {
		body = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+serve.Path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range header {
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// TestOnlySoManyAtATime: calls that take long do not pile up.
func TestOnlySoManyAtATime(t *testing.T) {
	const most = 16
	begun, end := make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	address := start(t, serve.Options{Token: token, Tools: tools, Call: func(context.Context, string, json.RawMessage) (string, bool) {
		if calls.Add(1) <= most {
			begun <- struct{}{}
			<-end
		}
		return "", false
	}})
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}`
	var wg sync.WaitGroup
	for range most {
		wg.Go(func() {
			if got := post(t, address, nil, call); got != http.StatusOK {
				t.Errorf("status %d", got)
			}
		})
	}
	for range most {
		<-begun
	}
	if got := post(t, address, nil, call); got != http.StatusServiceUnavailable {
		t.Errorf("one more has status %d", got)
	}
	close(end)
	wg.Wait()
}
