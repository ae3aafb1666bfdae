package fakediscord_test

import (
	"fmt"
	"slices"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
)

const hiddenCategories = `
guild d: #a lounge:voice
member ada: owner
category Shown: #open #closed
category Hidden: #secret
deny Shown bot: View Channel
deny Hidden bot: View Channel
allow #open bot: View Channel
`

// channelNames are the names in events about channels, in their order.
func channelNames(t *testing.T, events []dispatch) (all []string) {
	t.Helper()
	for _, d := range events {
		var c struct{ Name string }
		decode(t, d, &c)
		all = append(all, d.Name+" "+c.Name)
	}
	return all
}

// TestACategoryIsVisibleIfAChannelInItIs, whatever its own overwrites say.
func TestACategoryIsVisibleIfAChannelInItIs(t *testing.T) {
	bubble(t, hiddenCategories, usual, func(w *discordtest.World, s *session) {
		var guild struct{ Channels []struct{ Name string } }
		decode(t, s.heard()[1], &guild)
		if got, want := fmt.Sprint(guild.Channels), "[{a} {lounge} {Shown} {open} {___hidden___} {___hidden___} {___hidden___}]"; got != want {
			t.Errorf("channels %s, want %s", got, want)
		}
		if err := w.Deny("#open", "bot", chat.ViewChannel); err != nil {
			t.Fatal(err)
		}
		if got, want := channelNames(t, s.heard()), []string{"CHANNEL_UPDATE ___hidden___", "CHANNEL_UPDATE ___hidden___"}; !slices.Equal(got, want) {
			t.Errorf("hiding the last one: heard %q, want %q", got, want)
		}
		if err := w.Allow("#closed", "bot", chat.ViewChannel); err != nil {
			t.Fatal(err)
		}
		if got, want := channelNames(t, s.heard()), []string{"CHANNEL_UPDATE closed", "CHANNEL_UPDATE Shown", "THREAD_LIST_SYNC "}; !slices.Equal(got, want) {
			t.Errorf("showing one: heard %q, want %q", got, want)
		}
		if err := w.DeleteChannel("#closed"); err != nil {
			t.Fatal(err)
		}
		if got, want := channelNames(t, s.heard()), []string{"CHANNEL_DELETE closed", "CHANNEL_UPDATE ___hidden___"}; !slices.Equal(got, want) {
			t.Errorf("deleting it: heard %q, want %q", got, want)
		}
	})
}

// TestACategoryThatIsVisibleIsListed over REST as well, and others are not.
func TestACategoryThatIsVisibleIsListed(t *testing.T) {
	t.Parallel()
	r := newRig(t, hiddenCategories)
	if got, want := r.send("GET", "/guilds/"+string(r.GuildID())+"/channels", "").list("name"), []string{"a", "lounge", "Shown", "open"}; !slices.Equal(got, want) {
		t.Errorf("listed are %q, want %q", got, want)
	}
	r.send("GET", r.in("Shown", ""), "").want(200, 0)
	r.send("GET", r.in("Hidden", ""), "").want(403, 50001)
	r.send("PATCH", r.in("Shown", ""), `{"name":"mine"}`).want(403, 50013)
}

// TestAVoiceChannelIsVisibleToWhoIsInIt, also when they may not see it.
func TestAVoiceChannelIsVisibleToWhoIsInIt(t *testing.T) {
	bubble(t, hiddenCategories, usual, func(w *discordtest.World, s *session) {
		lounge := w.ChannelID("lounge")
		s.request(4, map[string]any{"guild_id": w.GuildID(), "channel_id": lounge, "self_mute": false, "self_deaf": false})
		s.heard()
		if err := w.Deny("lounge", "bot", chat.ViewChannel); err != nil {
			t.Fatal(err)
		}
		if got, want := channelNames(t, s.heard()), []string{"CHANNEL_UPDATE lounge"}; !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
		s.request(4, map[string]any{"guild_id": w.GuildID(), "channel_id": nil})
		if got := channelNames(t, s.heard()); !slices.Contains(got, "CHANNEL_UPDATE ___hidden___") {
			t.Errorf("after leaving: heard %q", got)
		}
	})
}
