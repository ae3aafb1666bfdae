package discord_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func TestAChannelIsFoundOnAnyServer(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general #ops", func(t *testing.T, b *bench) {
		// Another user has added the bot to their server.
		b.raw("GUILD_CREATE", `{"id":"900000000000000001","owner_id":"1","roles":[],"members":[],"threads":[],
			"channels":[{"id":"900000000000000002","type":0,"name":"ops"},{"id":"900000000000000003","type":0,"name":"lair"}]}`)
		ops := b.ChannelID("ops")
		for _, tt := range []struct {
			guild chat.GuildID
			ref   chat.ChannelRef
			want  chat.ChannelID
			says  string
		}{
			{"", "#general", b.ChannelID("general"), ""},
			{"", "lair", "900000000000000003", ""},
			{"", chat.ChannelRef(ops), ops, ""},
			{b.GuildID(), "ops", ops, ""},
			{"", "ops", "", "give one of their IDs instead"},
			{b.GuildID(), "lair", "", "lair"},
			{"", "nowhere", "", "no channel"},
			{"", "", "", "empty"},
		} {
			got, err := b.client.ChannelAnywhere(t.Context(), tt.guild, tt.ref)
			if got.ID != tt.want || (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%q on %q: %s, %v", tt.ref, tt.guild, got.ID, err)
			}
		}
	})
}

// TestANameIsNotResolvedDuringAnOutageOfAServer: the channel that is meant may be there, and
// one on another server may be any user's.
func TestANameIsNotResolvedDuringAnOutageOfAServer(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		find := func() chat.ChannelID {
			ch, err := b.client.ChannelAnywhere(t.Context(), "", "ops")
			if err != nil && !strings.Contains(err.Error(), "give") {
				t.Error(err)
			}
			return ch.ID
		}
		b.raw("READY", `{"user":{"id":"`+string(b.client.Self().ID)+`"},"application":{"id":"1"},
			"guilds":[{"id":"900000000000000001","unavailable":true},{"id":"900000000000000011","unavailable":true}]}`)
		b.raw("GUILD_CREATE", `{"id":"900000000000000001","owner_id":"1","channels":[{"id":"900000000000000002","type":0,"name":"ops"}]}`)
		b.raw("GUILD_CREATE", `{"id":"900000000000000011","unavailable":true}`)
		if got := find(); got != "" {
			t.Errorf("it is %s, while another server is unknown", got)
		}
		b.raw("GUILD_CREATE", `{"id":"900000000000000011","owner_id":"1","channels":[{"id":"900000000000000012","type":0,"name":"ops"}]}`)
		if got := find(); got != "" {
			t.Errorf("it is %s, while there are two", got)
		}
		b.raw("GUILD_DELETE", `{"id":"900000000000000001"}`)
		if got := find(); got != "900000000000000012" {
			t.Errorf("it is %q on the only server", got)
		}
	})
}

func TestNoRequestIsSentAfterClose(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Kind: fakediscord.Hang})
		ended := make(chan error, 1)
		go func() { ended <- second(b.client.Send(t.Context(), b.ChannelID("general"), chat.Outgoing{Text: "x"})) }()
		synctest.Wait()
		b.client.Close()
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "stopped") {
			t.Errorf("the request in flight ended with %v", err)
		}
		b.Recover()
		if err := second(b.client.Send(t.Context(), b.ChannelID("general"), chat.Outgoing{Text: "y"})); err == nil || b.count("POST /channels/{channel}/messages") != 1 {
			t.Errorf("%v, after %v", err, b.requests())
		}
	})
}
