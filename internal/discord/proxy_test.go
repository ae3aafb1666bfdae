package discord_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

// foreign are answers that Discord itself does not give.
var foreign = []fakediscord.Fault{
	{Kind: fakediscord.Page, Status: http.StatusOK}, // of a hotel's network, say
	{Kind: fakediscord.Page, Status: http.StatusFound},
	{Kind: fakediscord.Page, Status: http.StatusBadRequest},
	{Kind: fakediscord.Page, Status: http.StatusUnauthorized},
	{Kind: fakediscord.Page, Status: http.StatusForbidden},
	{Kind: fakediscord.Page, Status: http.StatusNotFound},
	{Kind: fakediscord.Page, Status: http.StatusProxyAuthRequired},
	{Kind: fakediscord.Page, Status: http.StatusRequestTimeout},
	{Status: http.StatusRequestTimeout},
}

func TestTheAnswerOfAProxyIsRetried(t *testing.T) {
	t.Parallel()
	for _, f := range foreign {
		t.Run(fmt.Sprintf("%d of kind %d", f.Status, f.Kind), func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
				general := b.ChannelID("general")
				f.Times = 3
				b.Fail(f)
				id := b.send(t, "general", "hello")
				if got := b.Messages("#general"); len(got) != 1 || got[0].ID != id {
					t.Errorf("messages = %+v", got)
				}
				b.Fail(f)
				if _, err := b.client.Message(t.Context(), general, id); err != nil {
					t.Errorf("read: %v", err)
				}
				b.Fail(f)
				if err := b.client.React(t.Context(), general, id, "👍"); err != nil || len(b.message(t, id).Reactions) != 1 {
					t.Errorf("react: %v, %v", err, b.message(t, id).Reactions)
				}
				b.Fail(f)
				if err := b.client.Delete(t.Context(), general, id); err != nil || len(b.Messages("#general")) != 0 {
					t.Errorf("delete: %v", err)
				}
			})
		})
	}
}

// TestTheAnswerOfAProxyIsNotFinal: callers put off what failed with a passing error, and give up what Discord refused.
func TestTheAnswerOfAProxyIsNotFinal(t *testing.T) {
	t.Parallel()
	for _, f := range foreign {
		t.Run(fmt.Sprintf("%d of kind %d", f.Status, f.Kind), func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
				general := b.ChannelID("general")
				said := b.MustSay("ada", "general", "hello").ID
				b.Fail(f)
				for name, do := range map[string]func() error{
					"send":   func() error { _, err := b.client.Send(t.Context(), general, chat.Outgoing{Text: "hi"}); return err },
					"read":   func() error { _, err := b.client.Message(t.Context(), general, said); return err },
					"react":  func() error { return b.client.React(t.Context(), general, said, "👍") },
					"thread": func() error { _, err := b.client.StartThread(t.Context(), general, "", "plans", 0); return err },
				} {
					err := do()
					var e *discord.Error
					switch {
					case !errors.As(err, &e):
						t.Errorf("%s: %#v", name, err)
					case e.Permanent() || e.Gone() || e.Forbidden() || errors.Is(err, discord.ErrNotFound):
						t.Errorf("%s: %v is taken for Discord's word", name, err)
					case !strings.Contains(err.Error(), fmt.Sprintf("something else answered, with status %d", f.Status)):
						t.Errorf("%s: %v", name, err)
					}
				}
				if n := b.count(postThread); n != 1 {
					t.Errorf("an unclear POST was sent %d times", n)
				}
			})
		})
	}
}

// TestDiscordsCodesAreItsWord: a proxy may speak JSON, too.
func TestDiscordsCodesAreItsWord(t *testing.T) {
	t.Parallel()
	for body, permanent := range map[string]bool{
		`{"code":50013,"message":"Missing Permissions"}`: true,
		`{"code":0,"message":"403: Forbidden"}`:          true,
		`{"code":403,"message":"Forbidden"}`:             false,
		`{"code":"forbidden","message":"no"}`:            false,
		`{"message":"Forbidden"}`:                        false,
		`{"code":50013}`:                                 false,
		`{"error":"error code: 1020"}`:                   false,
		`"Forbidden"`:                                    false,
		`null`:                                           false,
		``:                                               false,
	} {
		synctest.Test(t, func(t *testing.T) {
			c := discord.New(discord.Options{Token: "t", HTTP: &http.Client{Transport: stubborn{403, body}}})
			begun := time.Now()
			_, err := c.Message(t.Context(), "123456789012345678", "1")
			var e *discord.Error
			if !errors.As(err, &e) || e.Permanent() != permanent || (time.Since(begun) == 0) != permanent {
				t.Errorf("%s: %#v after %v", body, err, time.Since(begun))
			}
		})
	}
}

// TestAServerIsNotGoneBecauseAProxySaysSo: it would lose its channels, roles and permissions.
func TestAServerIsNotGoneBecauseAProxySaysSo(t *testing.T) {
	inProcesses(t, "guild disco: #general\nmember bob", func(t *testing.T, w *discordtest.World, kept *counting) {
		_, stop := process(t, w, kept)
		stop()
		w.Fail(fakediscord.Fault{Match: "GET /guilds/{guild}", Kind: fakediscord.Page, Status: http.StatusNotFound, Times: 2})
		b, stop := process(t, w, kept)
		time.Sleep(time.Minute)
		if channels, err := b.client.Channels(t.Context(), w.GuildID()); err != nil || len(channels) != 1 {
			t.Errorf("%v, %v", channels, err)
		}
		stop()
	})
}
