package discord_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/fakegateway"
)

const studio = "guild disco: #general talk:voice stage:stage hall:voice Talk:voice\nmember bob\nbot DiscoClaw: View Channel, Connect"

// awaitSessions waits for a session to be the n-th.
func (b *bench) awaitSessions(t *testing.T, n int) {
	t.Helper()
	for range 60 {
		if b.Gateway().Counts().Identifies >= n {
			synctest.Wait()
			return
		}
		time.Sleep(time.Second)
	}
	t.Fatalf("there were %d sessions, want %d", b.Gateway().Counts().Identifies, n)
}

// join is JoinVoice with a timeout of 20 seconds.
func (b *bench) join(t *testing.T, channel string, mute, deaf bool) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return b.client.JoinVoice(ctx, b.GuildID(), b.ChannelID(channel), mute, deaf)
}

func (b *bench) requireVoice(t *testing.T, want chat.VoiceState) {
	t.Helper()
	synctest.Wait()
	if got, _ := b.client.VoiceState(b.GuildID()); got != want {
		t.Errorf("the client has %+v, want %+v", got, want)
	}
	there, _ := b.World.VoiceState("bot")
	if there != (fakediscord.VoiceState{Channel: want.Channel, Mute: want.Mute, Deaf: want.Deaf}) {
		t.Errorf("the bot is in %+v, want %+v", there, want)
	}
}

func TestTheBotJoinsMovesAndLeavesVoice(t *testing.T) {
	t.Parallel()
	onBench(t, studio, func(t *testing.T, b *bench) {
		for _, step := range []struct {
			channel    string
			mute, deaf bool
		}{{"hall", false, false}, {"hall", true, false}, {"hall", true, false}, {"stage", true, true}, {"hall", false, false}} {
			if err := b.join(t, step.channel, step.mute, step.deaf); err != nil {
				t.Fatalf("%+v: %v", step, err)
			}
			b.requireVoice(t, chat.VoiceState{Channel: b.ChannelID(step.channel), Mute: step.mute, Deaf: step.deaf, Served: true})
		}
		for range 2 {
			if err := b.client.LeaveVoice(t.Context(), b.GuildID()); err != nil {
				t.Fatal(err)
			}
			b.requireVoice(t, chat.VoiceState{})
		}
	})
}

func TestJoinVoiceFailsAtOnceWithoutPermission(t *testing.T) {
	t.Parallel()
	onBench(t, studio+"\ndeny hall bot: Connect\ndeny stage bot: View Channel", func(t *testing.T, b *bench) {
		begun := time.Now()
		for channel, want := range map[string]string{
			"hall":    "I need *Connect* in #hall for that; an admin can allow it for my role there",
			"stage":   "I need *View Channel* and *Connect* in ",
			"general": "#general is a text channel, where nobody can talk",
		} {
			if err := b.join(t, channel, false, false); err == nil || !strings.Contains(b.named(err), want) {
				t.Errorf("%s: error %v, want something about %q", channel, err, want)
			}
		}
		if took := time.Since(begun); took > 0 {
			t.Errorf("it took %v", took)
		}
		if err := b.client.JoinVoice(t.Context(), b.GuildID(), "123456789012345678", false, false); err == nil {
			t.Error("it joined a channel that is not there")
		}
	})
}

func TestJoinVoiceTimesOut(t *testing.T) {
	t.Parallel()
	onBench(t, studio, func(t *testing.T, b *bench) {
		if err := b.SetUserLimit("hall", 1); err != nil {
			t.Fatal(err)
		}
		if err := b.EnterVoice("bob", "hall"); err != nil {
			t.Fatal(err)
		}
		err := b.join(t, "hall", false, false)
		if err == nil || !strings.Contains(b.named(err), "I was not let into #hall in time") {
			t.Errorf("error %v", err)
		}
		b.requireVoice(t, chat.VoiceState{})
	})
}

func TestVoiceEventsUpdateTheState(t *testing.T) {
	t.Parallel()
	onBench(t, studio, func(t *testing.T, b *bench) {
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(b.join(t, "hall", false, false))
		_, changed := b.client.VoiceState(b.GuildID())
		must(b.EnterVoice("bob", "hall"))
		synctest.Wait()
		select {
		case <-changed:
			t.Error("another user's voice state was taken for the bot's")
		default:
		}
		must(b.EnterVoice("bot", "stage"))
		<-changed
		b.requireVoice(t, chat.VoiceState{Channel: b.ChannelID("stage"), Served: true})
		must(b.SetVoiceServer(false))
		b.requireVoice(t, chat.VoiceState{Channel: b.ChannelID("stage")})
		must(b.SetVoiceServer(true))
		b.requireVoice(t, chat.VoiceState{Channel: b.ChannelID("stage"), Served: true})
		must(b.World.LeaveVoice("bot"))
		b.requireVoice(t, chat.VoiceState{})
		must(b.join(t, "hall", false, false))
		must(b.DeleteChannel("hall"))
		b.requireVoice(t, chat.VoiceState{})
	})
}

func TestVoiceIsLostWithTheSession(t *testing.T) {
	t.Parallel()
	onBench(t, studio, func(t *testing.T, b *bench) {
		if err := b.join(t, "hall", false, false); err != nil {
			t.Fatal(err)
		}
		b.Gateway().Inject(fakegateway.Drop())
		time.Sleep(10 * time.Second)
		b.requireVoice(t, chat.VoiceState{Channel: b.ChannelID("hall"), Served: true}) // resumed
		b.Gateway().Inject(fakegateway.InvalidSession(false))
		b.awaitSessions(t, 2)
		b.requireVoice(t, chat.VoiceState{Lost: true})
	})
}

func TestAJoinEndsWhenTheSessionDoes(t *testing.T) {
	t.Parallel()
	onBench(t, studio, func(t *testing.T, b *bench) {
		if err := b.SetUserLimit("hall", 1); err != nil {
			t.Fatal(err)
		}
		if err := b.EnterVoice("bob", "hall"); err != nil {
			t.Fatal(err)
		}
		joined := make(chan error, 1)
		go func() { joined <- b.join(t, "hall", false, false) }()
		synctest.Wait()
		b.Gateway().Inject(fakegateway.InvalidSession(false))
		if err := <-joined; err == nil || !strings.Contains(err.Error(), "began anew") {
			t.Errorf("error %v", err)
		}
	})
}

func TestVoiceEndsOnAServerThatTheBotLeaves(t *testing.T) {
	t.Parallel()
	onBench(t, studio, func(t *testing.T, b *bench) {
		if err := b.join(t, "hall", false, false); err != nil {
			t.Fatal(err)
		}
		b.raw("GUILD_DELETE", fmt.Sprintf(`{"id":"%s"}`, b.GuildID()))
		if got, _ := b.client.VoiceState(b.GuildID()); got != (chat.VoiceState{}) {
			t.Errorf("state %+v", got)
		}
	})
}

func TestVoiceChannelsAreFoundByNameOrID(t *testing.T) {
	t.Parallel()
	onBench(t, studio, func(t *testing.T, b *bench) {
		for _, ref := range []chat.ChannelRef{"hall", "#HALL", chat.ChannelRef(b.ChannelID("hall"))} {
			if ch, err := b.client.VoiceChannel(t.Context(), b.GuildID(), "", ref); err != nil || ch.Name != "hall" {
				t.Errorf("%s is %q (%v)", ref, ch.Name, err)
			}
		}
		general := b.ChannelID("general")
		for ref, want := range map[chat.ChannelRef]string{
			"general":                `I can't see a voice channel #general`,
			chat.ChannelRef(general): "is not a voice channel",
			"talk":                   "which #talk, <#",
			"":                       "empty",
		} {
			if _, err := b.client.VoiceChannel(t.Context(), b.GuildID(), "", ref); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: error %v, want something about %q", ref, err, want)
			}
		}
	})
}
