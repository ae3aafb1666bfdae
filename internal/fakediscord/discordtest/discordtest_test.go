package discordtest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

const quiet = `"allowed_mentions":{"parse":[]}`

// send makes a request as the bot and returns the status.
func send(t *testing.T, w *discordtest.World, method, path, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, w.APIURL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+w.Token())
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := w.HTTP().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

func messagesPath(w *discordtest.World) string {
	return "/channels/" + string(w.ChannelID("#general")) + "/messages"
}

func TestAWorldIsServedInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general")
		if year := time.Now().Year(); year != 2026 {
			t.Errorf("the bubble's clock stands in %d, where no message of Discord's can be", year)
		}
		w.MustSay("ada", "#general", "hello?")
		if status := send(t, w, "POST", messagesPath(w), `{"content":"hello\nada",`+quiet+`}`); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
		w.RequireTranscript(t, `
			#general ada: hello?
			#general bot: hello
			  ada
		`)
	})
}

func TestAWorldIsServedOutsideABubble(t *testing.T) {
	t.Parallel()
	w := discordtest.New(t, "guild disco: #general")
	if status := send(t, w, "GET", "/users/@me", ""); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
}

// A witness is a test that records its failures.
type witness struct {
	*testing.T

	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (w *witness) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures = append(w.failures, fmt.Sprintf(format, args...))
}

func (w *witness) Cleanup(f func()) { w.cleanups = append(w.cleanups, f) }

// end runs the cleanups, and returns the failures.
func (w *witness) end() string {
	for i := len(w.cleanups) - 1; i >= 0; i-- {
		w.cleanups[i]()
	}
	return strings.Join(w.failures, "\n")
}

func TestInvalidExchangesFailTheTest(t *testing.T) {
	t.Parallel()
	if doc, why := discordtest.Document(t); doc == nil {
		t.Skip(why)
	}
	for _, tt := range []struct{ name, method, path, body, want string }{
		{"a misspelt property", "POST", "/messages", `{"contnet":"x"}`, "does not know contnet"},
		{"mentions left open", "POST", "/messages", `{"content":"x"}`, "allowed_mentions is missing"},
		{"a wrong query", "GET", "/messages?limit=500", "", "limit"},
		{"a route that is not built", "GET", "/nothing", "", "cannot do"},
		{"nothing wrong", "GET", "/messages", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			test := &witness{T: t}
			w := discordtest.New(test, "guild disco: #general")
			send(t, w, tt.method, "/channels/"+string(w.ChannelID("general"))+tt.path, tt.body)
			got := test.end()
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("failures: %q, want %q", got, tt.want)
			}
			if tt.want != "" && !strings.Contains(got, tt.method+" /") {
				t.Errorf("failures: %q do not name the request", got)
			}
		})
	}
}

func TestAnInjectedFaultIsNotChecked(t *testing.T) {
	t.Parallel()
	w := discordtest.New(t, "guild disco: #general")
	w.Fail(fakediscord.Fault{Kind: fakediscord.Cloudflare, Times: 1})
	if status := send(t, w, "GET", "/users/@me", ""); status != http.StatusTooManyRequests {
		t.Errorf("status %d", status)
	}
}

func TestAWrongTranscriptFailsTheTest(t *testing.T) {
	t.Parallel()
	test := &witness{T: t}
	w := discordtest.New(test, "guild disco: #general")
	w.MustSay("ada", "#general", "hello")
	w.RequireTranscript(test, "#general ada: goodbye")
	if got := test.end(); !strings.Contains(got, "goodbye") || !strings.Contains(got, "hello") {
		t.Errorf("failures: %q", got)
	}
}
