package discord_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
)

func TestSetPresence(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		if got := b.client.Presence(); got != (chat.Presence{Status: chat.Online}) {
			t.Errorf("at first: %+v", got)
		}
		for _, tt := range []struct {
			set  chat.Presence
			want fakediscord.Presence
		}{
			{chat.Presence{Activity: chat.Activity{Kind: chat.Listening, Text: "the rain"}},
				fakediscord.Presence{Status: "online", Activities: []fakediscord.Activity{{Name: "the rain", Type: 2}}}},
			{chat.Presence{Status: chat.Idle},
				fakediscord.Presence{Status: "idle", Activities: []fakediscord.Activity{{Name: "the rain", Type: 2}}}},
			{chat.Presence{Activity: chat.Activity{Kind: chat.Custom, Text: "away"}},
				fakediscord.Presence{Status: "idle", Activities: []fakediscord.Activity{{Name: "Custom Status", Type: 4, State: "away"}}}},
		} {
			if err := b.client.SetPresence(t.Context(), tt.set); err != nil {
				t.Fatalf("%+v: %v", tt.set, err)
			}
			synctest.Wait()
			if diff := cmp.Diff(tt.want, b.BotPresence()); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", tt.set, diff)
			}
		}
		want := chat.Presence{Status: chat.Idle, Activity: chat.Activity{Kind: chat.Custom, Text: "away"}}
		if got := b.client.Presence(); got != want {
			t.Errorf("in the end: %+v", got)
		}
	})
}

func TestAPresenceOutlivesTheSession(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		if err := b.client.SetPresence(t.Context(), chat.Presence{Status: chat.DoNotDisturb}); err != nil {
			t.Fatal(err)
		}
		b.Gateway().Inject(fakegateway.InvalidSession(false))
		b.awaitSessions(t, 2)
		if got := b.BotPresence().Status; got != "dnd" {
			t.Errorf("in the new session the bot is %s", got)
		}
	})
}

func TestAPresenceComesWithTheLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general")
		b := &bench{World: w, heard: &recorder{}, client: discord.New(discord.Options{
			Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP(),
			Presence: chat.Presence{Activity: chat.Activity{Kind: chat.Watching, Text: "the door"}},
		})}
		b.login(t)
		want := fakediscord.Presence{Status: "online", Activities: []fakediscord.Activity{{Name: "the door", Type: 3}}}
		if diff := cmp.Diff(want, b.BotPresence()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		b.Gateway().Inject(fakegateway.Drop())
		time.Sleep(time.Minute)
		if n := b.Gateway().Counts(); n.Commands != 0 || n.Resumes != 1 {
			t.Errorf("%d commands were sent, in %d resumed sessions", n.Commands, n.Resumes)
		}
	})
}

func TestAnInvalidPresenceIsRefused(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		for _, tt := range []struct {
			set  chat.Presence
			want string
		}{
			{chat.Presence{Status: "constructor"}, "choose online, idle, dnd or invisible"},
			{chat.Presence{Activity: chat.Activity{Kind: "Sleeping", Text: "x"}}, "choose Playing"},
			{chat.Presence{Activity: chat.Activity{Kind: chat.Playing}}, "no text"},
			{chat.Presence{Activity: chat.Activity{Kind: chat.Playing, Text: strings.Repeat("x", 129)}}, "129 characters"},
		} {
			if err := b.client.SetPresence(t.Context(), tt.set); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%+v: error %v, want something about %q", tt.set, err, tt.want)
			}
		}
		if n := b.Gateway().Counts().Commands; n != 0 {
			t.Errorf("%d commands were sent", n)
		}
	})
}

func TestSetPresenceNeedsAConnection(t *testing.T) {
	t.Parallel()
	offTheAir(t, "guild disco: #general", func(t *testing.T, b *bench) {
		err := b.client.SetPresence(t.Context(), chat.Presence{Status: chat.Idle})
		if err == nil || !strings.Contains(err.Error(), "not connected") {
			t.Errorf("error %v", err)
		}
	})
}
