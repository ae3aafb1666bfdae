package discord_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

const getGateway = "GET /gateway/bot"

// TestTheStartWaitsForDiscord: what may pass is tried again until it has passed, and logged.
func TestTheStartWaitsForDiscord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault fakediscord.Fault
		gap   time.Duration // between two requests, at least
	}{
		{"rate limited", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 5 * time.Minute}, 5 * time.Minute},
		{"rate limited for a moment", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 20 * time.Second}, 20 * time.Second},
		{"rate limited by Cloudflare", fakediscord.Fault{Kind: fakediscord.Cloudflare, RetryAfter: 90 * time.Second}, 90 * time.Second},
		{"out of order", fakediscord.Fault{Status: http.StatusServiceUnavailable}, 0},
		{"out of order for a while", fakediscord.Fault{Status: http.StatusServiceUnavailable, RetryAfter: 90 * time.Second}, 90 * time.Second},
		{"out of order for a day, says a proxy", fakediscord.Fault{Kind: fakediscord.Page, Status: http.StatusServiceUnavailable, RetryAfter: 24 * time.Hour}, 2 * time.Minute},
		{"unreachable", fakediscord.Fault{Kind: fakediscord.Reset}, 0},
		{"silent", fakediscord.Fault{Kind: fakediscord.Hang}, 0},
		{"behind a proxy that forbids it", fakediscord.Fault{Kind: fakediscord.Page, Status: http.StatusForbidden}, 0},
		{"behind a proxy that wants a login", fakediscord.Fault{Kind: fakediscord.Page, Status: http.StatusUnauthorized}, 0},
		{"behind a page", fakediscord.Fault{Kind: fakediscord.Page, Status: http.StatusOK}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, "guild disco: #general")
				w.Fail(tt.fault)
				var log lines
				b := &bench{World: w, heard: &recorder{}, client: discord.New(discord.Options{
					Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP(), Log: slog.New(slog.NewTextHandler(&log, nil)),
				})}
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- b.client.Run(ctx, b.heard) }()
				time.Sleep(time.Hour)
				all := b.Requests()
				for i, x := range all {
					if i > 0 && x.At.Sub(all[i-1].At) < tt.gap {
						t.Errorf("asked again after %v", x.At.Sub(all[i-1].At))
					}
				}
				if gap := time.Since(all[len(all)-1].At); gap > max(tt.gap, 30*time.Second)+time.Minute {
					t.Errorf("last asked %v ago", gap)
				}
				if text := log.String(); !strings.Contains(text, "level=WARN") || strings.Count(text, "DISCORD_API_URL") != 1 {
					t.Errorf("logged:\n%s", text)
				}
				w.Recover()
				time.Sleep(tt.gap + 2*time.Minute)
				if got := b.heard.list(); len(got) != 1 || got[0] != "ready DiscoClaw" {
					t.Errorf("handled %q\n%s", got, &log)
				}
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestRetryAfterAloneDecides when the start goes on after a rate limit, without a backoff on top.
func TestRetryAfterAloneDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "guild disco: #general")
		b.Fail(fakediscord.Fault{Match: getGateway, Kind: fakediscord.RateLimited, RetryAfter: 2 * time.Second, Times: 5})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.client.Run(ctx, b.heard) }()
		time.Sleep(16 * time.Second)
		if got := b.heard.list(); len(got) != 1 {
			t.Errorf("not online after five pauses of 2 seconds")
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestTheStartEndsForWhatAPersonMustMend, after one request.
func TestTheStartEndsForWhatAPersonMustMend(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault fakediscord.Fault
		says  string
	}{
		{"a wrong token", fakediscord.Fault{Status: http.StatusUnauthorized}, "DISCORD_TOKEN"},
		{"a wrong version of the API", fakediscord.Fault{Status: http.StatusNotFound}, "DISCORD_API_URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, "guild disco: #general")
				b.Fail(tt.fault)
				err := b.client.Run(t.Context(), b.heard)
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%v, want something about %s", err, tt.says)
				}
				if n := b.count(getGateway); n != 1 {
					t.Errorf("%d requests", n)
				}
			})
		})
	}
}
