package fakediscord_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

const sending = "POST /channels/{channel}/messages"

// request sends a message over the network in memory.
func request(ctx context.Context, w *discordtest.World) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", w.APIURL()+"/channels/"+string(w.ChannelID("#a"))+"/messages",
		strings.NewReader(`{"content":"x",`+quiet+`}`))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bot "+w.Token())
	req.Header.Set("Content-Type", "application/json")
	return w.HTTP().Do(req)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		fault  fakediscord.Fault
		status int
		posted int
		body   string
	}{
		{"a bad gateway", fakediscord.Fault{Match: sending}, 502, 0, "<html>"},
		{"a status", fakediscord.Fault{Match: sending, Status: 503}, 503, 0, `"message":"503: Service Unavailable"`},
		{"a bad gateway after the fact", fakediscord.Fault{Match: sending, Accepted: true}, 502, 1, "<html>"},
		{"a rate limit", fakediscord.Fault{Match: sending, Kind: fakediscord.RateLimited, RetryAfter: 1500 * time.Millisecond}, 429, 0, `"retry_after":1.5`},
		{"a global rate limit", fakediscord.Fault{Kind: fakediscord.RateLimited, Global: true}, 429, 0, `"global":true`},
		{"a rate limit of the proxy", fakediscord.Fault{Match: sending, Kind: fakediscord.Cloudflare, RetryAfter: time.Minute}, 429, 0, "error code: 1015"},
		{"a cut connection", fakediscord.Fault{Match: sending, Kind: fakediscord.Reset}, 0, 0, ""},
		{"a cut connection after the fact", fakediscord.Fault{Match: sending, Kind: fakediscord.Reset, Accepted: true}, 0, 1, ""},
		{"another route", fakediscord.Fault{Match: "GET /channels/{channel}"}, 200, 1, `"content":"x"`},
		{"the second request", fakediscord.Fault{Match: sending, Skip: 1}, 200, 1, `"content":"x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, "guild d: #a")
				tt.fault.Times = 1
				w.Fail(tt.fault)
				status, body := outcome(t, t.Context(), w)
				if status != tt.status || !strings.Contains(body, tt.body) {
					t.Errorf("status %d: %s, want %d with %s", status, body, tt.status, tt.body)
				}
				if got := len(w.Messages("#a")); got != tt.posted {
					t.Errorf("%d messages were posted, want %d", got, tt.posted)
				}
				w.Recover()
				if status, _ := outcome(t, t.Context(), w); status != 200 {
					t.Errorf("status %d after the fault", status)
				}
			})
		})
	}
}

// outcome is the status and the body, or 0 when there was no answer.
func outcome(t *testing.T, ctx context.Context, w *discordtest.World) (int, string) {
	t.Helper()
	resp, err := request(ctx, w)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestAFaultHitsAsOftenAsItSays(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a")
	r.Fail(fakediscord.Fault{Match: sending, Skip: 1, Times: 2, Status: 500})
	for i, want := range []int{200, 500, 500, 200} {
		if got := r.send("POST", r.in("#a", "/messages"), `{"content":"x",`+quiet+`}`).status; got != want {
			t.Errorf("request %d: status %d, want %d", i+1, got, want)
		}
	}
}

func TestAHangingRequestEndsWhenTheClientGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild d: #a")
		w.Fail(fakediscord.Fault{Match: sending, Kind: fakediscord.Hang, Accepted: true, Times: 1})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := request(ctx, w); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the request ended with %v", err)
		}
		if got := len(w.Messages("#a")); got != 1 {
			t.Errorf("%d messages, want the one that was accepted", got)
		}
	})
}

func TestAHangingRequestEndsWithTheWorld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild d: #a")
		w.Fail(fakediscord.Fault{Kind: fakediscord.Hang})
		go func() { _, _ = request(context.Background(), w) }()
		synctest.Wait()
		w.Close()
	})
}

func TestRateLimitsAreInHeadersAndEnforced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a #b")
		r.Limit(sending, 2, 5*time.Second)
		send := func(channel string) reply {
			return r.send("POST", r.in(channel, "/messages"), `{"content":"x",`+quiet+`}`)
		}
		first := send("#a")
		for header, want := range map[string]string{
			"X-RateLimit-Limit": "2", "X-RateLimit-Remaining": "1", "X-RateLimit-Reset-After": "5.000",
			"X-RateLimit-Reset": "946684805.000",
		} {
			if got := first.header.Get(header); got != want {
				t.Errorf("%s = %s, want %s", header, got, want)
			}
		}
		if first.header.Get("X-RateLimit-Bucket") == "" {
			t.Error("no bucket is named")
		}
		send("#a").want(200, 0)
		time.Sleep(2 * time.Second)
		over := send("#a")
		if got := over.want(429, 0); got["retry_after"] != 3.0 || got["global"] != false {
			t.Errorf("over the limit: %v", got)
		}
		if over.header.Get("Retry-After") != "3" || over.header.Get("X-RateLimit-Remaining") != "0" {
			t.Errorf("headers over the limit: %v", over.header)
		}
		send("#b").want(200, 0) // each channel has a bucket of its own
		time.Sleep(3 * time.Second)
		send("#a").want(200, 0)
		if got := len(r.Messages("#a")); got != 3 {
			t.Errorf("%d messages, want 3", got)
		}
	})
}

func TestTheGlobalLimitHoldsForAllRoutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a")
		r.LimitGlobal(1, time.Second)
		r.send("GET", "/users/@me", "").want(200, 0)
		over := r.send("GET", r.in("#a", ""), "")
		if got := over.want(429, 0); got["global"] != true || over.header.Get("X-RateLimit-Global") != "true" {
			t.Errorf("over the limit: %v", got)
		}
		time.Sleep(time.Second)
		r.send("GET", r.in("#a", ""), "").want(200, 0)
	})
}

func TestUnbuiltRoutesAnswer501(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a")
	got := r.send("GET", "/guilds/"+string(r.GuildID())+"/prune", "").want(501, 0)
	if text, _ := got["message"].(string); !strings.Contains(text, "CANNOT DO THIS") {
		t.Errorf("the answer is %q", text)
	}
	r.sendAnyway("POST", r.in("#a", "/messages"), `{"sticker_ids":["123456789012345678"]}`).want(501, 0)
	rec := httptest.NewRecorder()
	r.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", "http://fake.discord/api/v6/users/@me", nil))
	if got := r.Unbuilt(); rec.Code != 501 || len(got) != 3 || !strings.Contains(got[0], "/prune") || !strings.Contains(got[1], "stickers") {
		t.Errorf("not built: %q", got)
	}
}

func TestExchangesAreRecorded(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a")
	var seen []string
	r.OnExchange(func(x fakediscord.Exchange) { seen = append(seen, x.Route) })
	r.send("GET", "/users/@me", "").want(200, 0)
	r.post("#a", "x")
	all := r.Requests()
	if len(all) != 2 || len(seen) != 2 || seen[1] != sending {
		t.Fatalf("recorded %v, told %v", all, seen)
	}
	last := all[1]
	if last.Method != "POST" || last.Route != sending || last.Status != 200 || last.Path != r.in("#a", "/messages") ||
		!strings.Contains(string(last.Request), `"content":"x"`) || !strings.Contains(string(last.Response), `"content":"x"`) {
		t.Errorf("exchange = %+v", last)
	}
}
