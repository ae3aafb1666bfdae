package discord_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/fakegateway"
)

func TestLatestOwnIsTheLastFinishedMessage(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general #ops", func(t *testing.T, b *bench) {
		ch := b.ChannelID("general")
		latest := func() chat.MessageID {
			t.Helper()
			id, err := b.client.LatestOwn(t.Context(), ch)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		if _, err := b.client.LatestOwn(t.Context(), ch); !errors.Is(err, discord.ErrNotFound) || !strings.Contains(b.named(err), "#general") {
			t.Errorf("in an empty channel: %v", err)
		}
		first := b.send(t, "general", "first")
		open := b.open(t, "general")
		if got := latest(); got != first {
			t.Errorf("with an open answer it is %s, want %s", got, first)
		}
		second := b.send(t, "general", "second")
		if err := b.client.Replace(t.Context(), ch, open, chat.Outgoing{Text: "done"}); err != nil {
			t.Fatal(err)
		}
		if got := latest(); got != second {
			t.Errorf("after an older answer was finished it is %s, want %s", got, second)
		}
		if err := b.client.Delete(t.Context(), ch, second); err != nil {
			t.Fatal(err)
		}
		if got := latest(); got != open {
			t.Errorf("after a deletion it is %s, want %s", got, open)
		}
	})
}

func TestLatestOwnIsNotADeletedMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		told bool
	}{{"with the bot listening", true}, {"while the bot was away", false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
				kept := b.send(t, "general", "kept")
				gone := b.send(t, "general", "gone")
				if !tt.told {
					b.Gateway().ForgetSessions()
					b.Gateway().Inject(fakegateway.Drop())
					synctest.Wait()
				}
				if err := b.DeleteAs("ada", gone); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if got, err := b.client.LatestOwn(t.Context(), b.ChannelID("general")); err != nil || got != kept {
					t.Errorf("LatestOwn = %s, %v; want %s", got, err, kept)
				}
			})
		})
	}
}

func TestLatestOwnIsLookedUpAfterARestart(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		want := b.send(t, "general", "from before")
		b.MustSay("ada", "general", "ok")
		b.open(t, "general") // left over by the earlier process, with its Stop button
		restarted := &bench{World: b.World, heard: &recorder{}, client: discord.New(discord.Options{
			Token: b.Token(), APIURL: b.APIURL(), HTTP: b.HTTP(),
		})}
		restarted.login(t)
		got, err := restarted.client.LatestOwn(t.Context(), b.ChannelID("general"))
		if err != nil || got != want {
			t.Errorf("LatestOwn = %s, %v; want %s", got, err, want)
		}
	})
}
