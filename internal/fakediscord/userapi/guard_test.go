package userapi_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/userapi"
)

// TestOnlyThePlaygroundsPageIsAnswered uses a real port, because the port counts.
func TestOnlyThePlaygroundsPageIsAnswered(t *testing.T) {
	t.Parallel()
	w, err := fakediscord.New("guild d: #a\nmember ada: owner")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	api := userapi.New(w, userapi.Options{})
	t.Cleanup(api.Close)
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	own := "127.0.0.1:" + port
	for _, tt := range []struct {
		name, host, header, origin string
		want                       int
		foreign                    bool
	}{
		{"the page", own, "play", "", 200, false},
		{"the page with an origin", own, "play", "http://" + own, 200, false},
		{"the page by name", "localhost:" + port, "play", "http://localhost:" + port, 200, false},
		{"the page by name in capitals", "LocalHost:" + port, "play", "http://localhost:" + port, 200, false},
		{"the page over IPv6", "[::1]:" + port, "play", "", 200, false},
		{"the page at another address of this computer", "127.0.0.2:" + port, "play", "", 200, false},
		{"no header", own, "", "", 403, false},
		{"a wrong header", own, "pray", "", 403, false},
		{"another origin", own, "play", "http://evil.example", 403, false},
		{"another port of this computer", own, "play", "http://127.0.0.1:1", 403, false},
		{"an origin that hides", own, "play", "null", 403, false},
		{"a stranger's name", "evil.example:" + port, "play", "", 403, true},
		{"a stranger's name that looks like ours", "127.0.0.1.evil.example:" + port, "play", "", 403, true},
		{"another address", "192.168.1.1:" + port, "play", "", 403, true},
		{"another port", "127.0.0.1:1", "play", "", 403, true},
		{"no port", "localhost", "play", "", 403, true},
		{"half an address", "[::1", "play", "", 403, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := 404 // they need no header, but they need the host
			if tt.foreign {
				files = 403
			}
			for path, want := range map[string]int{"/api/world?as=ada": tt.want, "/attachments/1/2/x": files} {
				req, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Host = tt.host
				if tt.header != "" {
					req.Header.Set("X-Discoclaw", tt.header)
				}
				if tt.origin != "" {
					req.Header.Set("Origin", tt.origin)
				}
				resp, err := server.Client().Do(req)
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				if resp.StatusCode != want {
					t.Errorf("%s: status %d, want %d", path, resp.StatusCode, want)
				}
			}
		})
	}
}

func TestOtherOriginsFailThePreflight(t *testing.T) {
	bubble(t, "guild d: #a", func(r *rig) {
		req := r.request("OPTIONS", "/api/world?as=ada", "", nil)
		req.Header.Del("X-Discoclaw")
		req.Header.Set("Origin", "http://evil.example")
		req.Header.Set("Access-Control-Request-Method", "GET")
		req.Header.Set("Access-Control-Request-Headers", "x-discoclaw")
		got := r.do(req)
		got.refused(403, "own page")
		for name := range got.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("the answer has %s", name)
			}
		}
		r.do(r.request("OPTIONS", "/api/world?as=ada", "", nil)).refused(405, "GET")
	})
}

func TestUnknownPathsAndMethods(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", func(r *rig) {
		for _, tt := range []struct {
			method, path string
			status       int
			part         string
		}{
			{"GET", "/", 404, "nothing at this address"},
			{"GET", "/api", 404, "nothing"},
			{"GET", "/api/", 404, "nothing"},
			{"GET", "/api/world/", 404, "nothing"},
			{"GET", "//api/world?as=bob", 404, "nothing"},
			{"GET", "/api/../api/world?as=bob", 404, "nothing"},
			{"GET", "/api/v10/gateway", 404, "nothing"},
			{"DELETE", "/api/world?as=bob", 405, "GET only"},
			{"PUT", r.in("a", "/messages", "bob"), 405, "GET, POST only"},
			{"HEAD", "/attachments/1/2", 404, ""},
			{"POST", "/attachments/1/2/3", 405, "only be read"},
			{"GET", "/api/world", 400, "as=NAME"},
			{"GET", "/api/world?as=", 400, "as=NAME"},
			{"GET", "/api/world?as=max", 404, `nobody called "max"`},
			{"GET", "/api/world?as=bot", 403, "the bot speaks for itself"},
			{"GET", "/api/world?as=DiscoClaw", 403, "the bot speaks for itself"},
			{"GET", "/api/events?as=max", 404, `nobody called "max"`},
			{"GET", "/api/channels/general/messages?as=bob", 400, "15 to 20 digits"},
			{"GET", "/api/channels/%2e%2e/messages?as=bob", 400, "15 to 20 digits"},
			{"GET", "/api/channels/123456789012345678/messages?as=bob", 404, "no channel 123456789012345678"},
		} {
			if tt.method == "HEAD" {
				if got := r.send(tt.method, tt.path, ""); got.status != tt.status {
					t.Errorf("%s %s: status %d, want %d", tt.method, tt.path, got.status, tt.status)
				}
				continue
			}
			r.send(tt.method, tt.path, "").refused(tt.status, tt.part)
		}
		r.must(r.RemoveMember("bob"))
		r.send("GET", "/api/world?as=bob", "").refused(403, "bob is not on the server")
	})
}
