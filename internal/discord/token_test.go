package discord_test

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
)

// loggingBench is a bench that is logged in, with its log.
func loggingBench(t *testing.T, layout string) (*bench, *lines) {
	t.Helper()
	w, log := discordtest.New(t, layout), &lines{}
	b := &bench{World: w, heard: &recorder{}, client: discord.New(discord.Options{
		Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP(), Log: slog.New(slog.NewTextHandler(log, nil)),
	})}
	return b, log
}

// TestNothingIsSentAfterTheTokenIsRefused: Discord bans an address that sends too many invalid requests.
func TestNothingIsSentAfterTheTokenIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, log := loggingBench(t, "guild disco: #general")
		b.login(t)
		general := b.ChannelID("general")
		said := b.MustSay("ada", "general", "hello").ID
		b.Fail(fakediscord.Fault{Match: postMessage, Status: http.StatusUnauthorized, Times: 1})
		for _, do := range []func() error{
			func() error { _, err := b.client.Send(t.Context(), general, chat.Outgoing{Text: "hi"}); return err },
			func() error { _, err := b.client.Send(t.Context(), general, chat.Outgoing{Text: "hi"}); return err },
			func() error { _, err := b.client.Message(t.Context(), general, said); return err },
			func() error { return b.client.React(t.Context(), general, said, "👍") },
			func() error {
				return b.client.FollowUp(t.Context(), chat.Interaction{ID: "1", App: "2", Token: "x"}, chat.Outgoing{Text: "hi"})
			},
		} {
			err := do()
			var e *discord.Error
			if !errors.As(err, &e) || e.Permanent() || !e.TokenRefused() || !strings.Contains(err.Error(), "DISCORD_TOKEN") {
				t.Errorf("%v", err)
			}
		}
		time.Sleep(time.Hour)
		if got := b.requests(); len(got) != 1 {
			t.Errorf("requests: %q", got)
		}
		text := log.String()
		if strings.Count(text, "level=ERROR") != 1 || !strings.Contains(text, "nothing more is sent until the bot is restarted with a valid DISCORD_TOKEN") {
			t.Errorf("log:\n%s", text)
		}
	})
}

// TestWhatWaitsIsNotSentEither, because its route was rate limited when the token was refused.
func TestWhatWaitsIsNotSentEither(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: postMessage, Kind: fakediscord.RateLimited, RetryAfter: 10 * time.Second, Times: 1})
		var sending sync.WaitGroup
		for range 3 {
			sending.Go(func() { _, _ = b.client.Send(t.Context(), b.ChannelID("general"), chat.Outgoing{Text: "hi"}) })
		}
		synctest.Wait()
		b.Fail(fakediscord.Fault{Match: getMessages, Status: http.StatusUnauthorized, Times: 1})
		if _, err := b.client.Messages(t.Context(), b.ChannelID("general"), "", 5); err == nil {
			t.Error("it was read")
		}
		sending.Wait()
		if n := b.count(postMessage); n != 1 || len(b.Messages("general")) != 0 {
			t.Errorf("%d requests", n)
		}
	})
}

// TestAnExpiredInteractionIsNotARefusedToken: its own token is part of the address.
func TestAnExpiredInteractionIsNotARefusedToken(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: "POST /webhooks/{webhook}/{token}", Status: http.StatusUnauthorized})
		err := b.client.FollowUp(t.Context(), chat.Interaction{ID: "1", App: "2", Token: "x"}, chat.Outgoing{Text: "hi"})
		var e *discord.Error
		if !errors.As(err, &e) || e.Status != http.StatusUnauthorized || !e.Permanent() || e.TokenRefused() || strings.Contains(err.Error(), "DISCORD_TOKEN") {
			t.Errorf("%v", err)
		}
		b.send(t, "general", "still here")
	})
}

// TestARefusedTokenEndsTheNextLogin, without another request.
func TestARefusedTokenEndsTheNextLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "guild disco: #general")
		ended := make(chan error, 1)
		go func() { ended <- b.client.Run(t.Context(), b.heard) }()
		synctest.Wait()
		b.Fail(fakediscord.Fault{Match: getMessages, Status: http.StatusUnauthorized, Times: 1})
		if _, err := b.client.Messages(t.Context(), b.ChannelID("general"), "", 5); err == nil {
			t.Error("it was read")
		}
		b.Gateway().Inject(fakegateway.InvalidSession(false))
		before := len(b.Requests())
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "DISCORD_TOKEN") {
			t.Errorf("Run ended with %v", err)
		}
		if n := len(b.Requests()); n != before {
			t.Errorf("%d more requests", n-before)
		}
	})
}
