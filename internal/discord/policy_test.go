package discord_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
)

const (
	postMessage  = "POST /channels/{channel}/messages"
	patchMessage = "PATCH /channels/{channel}/messages/{message}"
	getMessages  = "GET /channels/{channel}/messages"
	postThread   = "POST /channels/{channel}/threads"
)

func TestAMessageIsPostedOnceByItsNonce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault fakediscord.Fault
		tries int
		least time.Duration
	}{
		{"refused with 500", fakediscord.Fault{Status: 500, Times: 1}, 2, 0},
		{"refused with 502, three times", fakediscord.Fault{Times: 3}, 4, time.Second},
		{"refused with 503", fakediscord.Fault{Status: 503, Times: 1}, 2, 0},
		{"done, but answered with 502", fakediscord.Fault{Accepted: true, Times: 1}, 2, 0},
		{"done, but answered with 502, three times", fakediscord.Fault{Accepted: true, Times: 3}, 4, time.Second},
		{"connection lost", fakediscord.Fault{Kind: fakediscord.Reset, Times: 1}, 2, 0},
		{"done, but the connection was lost", fakediscord.Fault{Kind: fakediscord.Reset, Accepted: true, Times: 1}, 2, 0},
		{"done, but never answered", fakediscord.Fault{Kind: fakediscord.Hang, Accepted: true, Times: 1}, 2, 15 * time.Second},
		{"rate limited", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 3 * time.Second, Times: 1}, 2, 3 * time.Second},
		{"rate limited on all routes", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 2 * time.Second, Global: true, Times: 2}, 3, 4 * time.Second},
		{"turned away by Cloudflare", fakediscord.Fault{Kind: fakediscord.Cloudflare, RetryAfter: 7 * time.Second, Times: 1}, 2, 7 * time.Second},
		{"turned away by Cloudflare without a time", fakediscord.Fault{Kind: fakediscord.Cloudflare, Times: 1}, 2, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
				tt.fault.Match = postMessage
				b.Fail(tt.fault)
				begun := time.Now()
				id := b.send(t, "general", "hello")
				if took := time.Since(begun); took < tt.least || took > time.Minute {
					t.Errorf("it took %v, want at least %v", took, tt.least)
				}
				if got := b.Messages("#general"); len(got) != 1 || got[0].ID != id {
					t.Errorf("messages = %+v, want one with ID %s", got, id)
				}
				if got := b.count(postMessage); got != tt.tries {
					t.Errorf("%d requests, want %d", got, tt.tries)
				}
			})
		})
	}
}

func TestAnUnclearPostWithoutANonceIsNotRetried(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general news:announcement", func(t *testing.T, b *bench) {
		ch, news := b.ChannelID("general"), b.ChannelID("news")
		ids := []chat.MessageID{b.send(t, "general", "a"), b.send(t, "general", "b")}
		published := b.send(t, "news", "big")
		for _, tt := range []struct {
			name, route string
			do          func() error
		}{
			{"a thread", postThread, func() error {
				_, err := b.client.StartThread(t.Context(), ch, "", "plans", 0)
				return err
			}},
			{"a bulk delete", "POST /channels/{channel}/messages/bulk-delete", func() error {
				return b.client.BulkDelete(t.Context(), ch, ids)
			}},
			{"a publication", "POST /channels/{channel}/messages/{message}/crosspost", func() error {
				return b.client.Crosspost(t.Context(), news, published)
			}},
		} {
			b.Fail(fakediscord.Fault{Match: tt.route, Times: 1, Accepted: true})
			err := tt.do()
			if err == nil || !strings.Contains(err.Error(), "look before trying again") {
				t.Errorf("%s: error %v", tt.name, err)
			}
			if got := b.count(tt.route); got != 1 {
				t.Errorf("%s: %d requests, want 1", tt.name, got)
			}
		}
	})
}

func TestAThreadIsStartedAfterARateLimit(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: postThread, Times: 1, Kind: fakediscord.RateLimited, RetryAfter: time.Second})
		if _, err := b.client.StartThread(t.Context(), b.ChannelID("general"), "", "plans", 0); err != nil {
			t.Error(err)
		}
	})
}

func TestADeletionIsIdempotent(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		id := b.send(t, "general", "oops")
		b.Fail(fakediscord.Fault{Match: "DELETE /channels/{channel}/messages/{message}", Times: 1, Accepted: true})
		if err := b.client.Delete(t.Context(), b.ChannelID("general"), id); err != nil {
			t.Error(err)
		}
	})
}

func TestAttemptsAreLimited(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault fakediscord.Fault
		want  string
		most  time.Duration
	}{
		{"502 for ever", fakediscord.Fault{}, "did not say whether it was done (status 502); look before", time.Minute},
		{"resets for ever", fakediscord.Fault{Kind: fakediscord.Reset}, "(the connection failed)", time.Minute},
		{"silence for ever", fakediscord.Fault{Kind: fakediscord.Hang}, "(no answer in time)", 2 * time.Minute},
		{"rate limits for ever", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: time.Second}, "try again in 1 second", time.Minute},
		{"longer rate limits for ever", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 29 * time.Second}, "try again in 29 seconds", 80 * time.Second},
		{"a long rate limit", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 10 * time.Minute}, "try again in 10 minutes", time.Second},
		{"a long ban", fakediscord.Fault{Kind: fakediscord.Cloudflare, RetryAfter: time.Hour}, "try again in 2 minutes", time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
				tt.fault.Match = postMessage
				b.Fail(tt.fault)
				begun := time.Now()
				_, err := b.client.Send(t.Context(), b.ChannelID("general"), chat.Outgoing{Text: "hello"})
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want something about %q", err, tt.want)
				}
				if took := time.Since(begun); took > tt.most {
					t.Errorf("it took %v, want at most %v", took, tt.most)
				}
				if got := b.count(postMessage); got > 5 {
					t.Errorf("%d requests", got)
				}
			})
		})
	}
}

func TestALongRateLimitFailsWithoutARequest(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: postMessage, Times: 1, Kind: fakediscord.RateLimited, RetryAfter: 2 * time.Minute})
		for range 3 {
			if _, err := b.client.Send(t.Context(), b.ChannelID("general"), chat.Outgoing{Text: "hello"}); err == nil {
				t.Fatal("sent in spite of the limit")
			}
		}
		if got := b.count(postMessage); got != 1 {
			t.Errorf("%d requests, want 1", got)
		}
		time.Sleep(2 * time.Minute)
		b.send(t, "general", "hello")
	})
}

func TestSendsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: postMessage, Times: 2})
		b.Fail(fakediscord.Fault{Match: postMessage, Skip: 3, Times: 1, Kind: fakediscord.RateLimited, RetryAfter: time.Second})
		var want []string
		var sending sync.WaitGroup
		for i := range 20 {
			text := fmt.Sprint("message ", i)
			want = append(want, text)
			sending.Go(func() {
				if _, err := b.client.Send(t.Context(), b.ChannelID("general"), chat.Outgoing{Text: text}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait() // so that it is in the queue before the next
		}
		sending.Wait()
		if diff := cmp.Diff(want, b.texts("#general")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestTheRateLimitOfARouteIsKept(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general #ops", func(t *testing.T, b *bench) {
		b.Limit(postMessage, 5, 5*time.Second)
		begun := time.Now()
		for range 12 {
			b.send(t, "general", "hello")
		}
		if took := time.Since(begun); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("12 messages took %v, want 10 s", took)
		}
		begun = time.Now()
		b.send(t, "ops", "hello")
		if took := time.Since(begun); took > 0 {
			t.Errorf("another channel had to wait %v", took)
		}
		for _, line := range b.requests() {
			if strings.HasSuffix(line, "429") {
				t.Errorf("Discord had to refuse: %s", line)
			}
		}
	})
}

func TestFiftyRequestsASecondAreNeverExceeded(t *testing.T) {
	t.Parallel()
	layout := "guild disco:"
	for i := range 30 {
		layout += fmt.Sprintf(" #c%d", i)
	}
	onBench(t, layout, func(t *testing.T, b *bench) {
		var sending sync.WaitGroup
		for i := range 120 {
			sending.Go(func() {
				ch := b.ChannelID(fmt.Sprint("c", i%30))
				if _, err := b.client.Send(t.Context(), ch, chat.Outgoing{Text: "hello"}); err != nil {
					t.Error(err)
				}
			})
		}
		sending.Wait()
		all := b.Requests()[b.before:]
		for i := range all {
			// With some room: a request that is 40 ms late on its way must not be one too many.
			if i+50 < len(all) && all[i+50].At.Sub(all[i].At) < time.Second+40*time.Millisecond {
				t.Fatalf("51 requests within %v", all[i+50].At.Sub(all[i].At))
			}
		}
		if took := all[len(all)-1].At.Sub(all[0].At); took > 2500*time.Millisecond {
			t.Errorf("%d requests took %v: more could have been sent", len(all), took)
		}
	})
}

func TestAGlobalRateLimitHoldsUpAllRequests(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general #ops", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: postMessage, Times: 1, Kind: fakediscord.RateLimited, RetryAfter: 8 * time.Second, Global: true})
		begun := time.Now()
		var sending sync.WaitGroup
		sending.Go(func() { b.send(t, "general", "one") })
		synctest.Wait()
		if _, err := b.client.Messages(t.Context(), b.ChannelID("ops"), "", 10); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took != 8*time.Second {
			t.Errorf("the other request was sent after %v, want 8s", took)
		}
		sending.Wait()
	})
}

// TestAForeign429ClosesItsRouteAlone: whatever a proxy says. Discord's own global limit closes everything, for an hour
// at most.
func TestAForeign429ClosesItsRouteAlone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		fault        fakediscord.Fault
		route, other time.Duration // how long they are closed
	}{
		{"a page", fakediscord.Fault{Kind: fakediscord.Cloudflare, RetryAfter: 24 * time.Hour}, 2 * time.Minute, 0},
		{"Discord's global limit", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 24 * time.Hour, Global: true}, time.Hour, time.Hour},
		{"Discord's limit of a route", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 20 * time.Minute}, 20 * time.Minute, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general #ops", func(t *testing.T, b *bench) {
				tt.fault.Match, tt.fault.Times = postMessage, 1
				b.Fail(tt.fault)
				begun := time.Now()
				send := func(to string) error {
					_, err := b.client.Send(t.Context(), b.ChannelID(to), chat.Outgoing{Text: "hello"})
					return err
				}
				if send("general") == nil {
					t.Fatal("the limit was not heard")
				}
				closed := func(to string) time.Duration {
					for send(to) != nil {
						time.Sleep(10 * time.Second)
					}
					return time.Since(begun)
				}
				if got := closed("ops"); got > tt.other || got < tt.other-time.Minute {
					t.Errorf("another route was closed for %v, want %v", got, tt.other)
				}
				if got := closed("general"); got > tt.route || got < tt.route-time.Minute {
					t.Errorf("the route was closed for %v, want %v", got, tt.route)
				}
				if p := b.client.Paused(); p.Until.Sub(p.From) != tt.other {
					t.Errorf("paused %v, want %v", p, tt.other)
				}
			})
		})
	}
}

func TestCancellingEndsAWaitAtOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault fakediscord.Fault
		grace time.Duration // for requests that were sent already
	}{
		{"for a rate limit", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 20 * time.Second}, 0},
		{"for a global rate limit", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 20 * time.Second, Global: true}, 0},
		{"for an answer", fakediscord.Fault{Kind: fakediscord.Hang}, 2 * time.Second},
		{"for another try", fakediscord.Fault{}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
				tt.fault.Match = postMessage
				b.Fail(tt.fault)
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				begun := time.Now()
				var sending sync.WaitGroup
				for range 3 { // the first waits for Discord, the others for the first
					sending.Go(func() {
						if _, err := b.client.Send(ctx, b.ChannelID("general"), chat.Outgoing{Text: "hello"}); !errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("error %v", err)
						}
					})
				}
				sending.Wait()
				if took := time.Since(begun); took != 100*time.Millisecond+tt.grace {
					t.Errorf("it took %v", took)
				}
				b.Recover()
				time.Sleep(time.Minute)
				b.send(t, "general", "afterwards")
			})
		})
	}
}

func TestASentRequestIsNotAbandoned(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		ctx, cancel := context.WithCancel(t.Context())
		b.OnExchange(func(fakediscord.Exchange) { cancel() }) // done, but the response is in flight
		id, err := b.client.Send(ctx, b.ChannelID("general"), chat.Outgoing{Text: "hello"})
		if err != nil || id != b.Messages("general")[0].ID {
			t.Errorf("%q, %v", id, err)
		}
		if _, err := b.client.Send(ctx, b.ChannelID("general"), chat.Outgoing{Text: "too late"}); !errors.Is(err, context.Canceled) {
			t.Errorf("afterwards: %v", err)
		}
		if diff := cmp.Diff([]string{"hello"}, b.texts("#general")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestACancelledRequestDoesNotHoldUpItsLane(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: postMessage, Times: 1, Kind: fakediscord.RateLimited, RetryAfter: 10 * time.Second})
		impatient, cancel := context.WithCancel(t.Context())
		var sending sync.WaitGroup
		for i, ctx := range []context.Context{t.Context(), impatient, t.Context()} {
			sending.Go(func() {
				_, _ = b.client.Send(ctx, b.ChannelID("general"), chat.Outgoing{Text: fmt.Sprint("message ", i)})
			})
			synctest.Wait()
		}
		cancel()
		sending.Wait()
		if diff := cmp.Diff([]string{"message 0", "message 2"}, b.texts("#general")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestSecretsStayOutOfErrors(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		for _, f := range []fakediscord.Fault{{Kind: fakediscord.Reset}, {Kind: fakediscord.Hang}, {Status: 500}} {
			b.Recover()
			b.Fail(f)
			_, err := b.client.Messages(t.Context(), b.ChannelID("general"), "", 1)
			if err == nil || strings.Contains(err.Error(), b.Token()) || strings.Contains(err.Error(), "/api/") {
				t.Errorf("error %v", err)
			}
			var refused *discord.Error
			if !errors.As(err, &refused) || refused.Permanent() {
				t.Errorf("error %#v should be one that may pass", err)
			}
		}
	})
}
