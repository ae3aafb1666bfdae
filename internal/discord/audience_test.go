package discord_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func TestReadable(t *testing.T) {
	t.Parallel()
	onBench(t, `
guild disco: #general #news #staff #council #lobby #ada #both #muted #old #wing #hidden #den #adults #casino talk:voice
bot DiscoClaw: View Channel, Read Message History, Manage Roles, Manage Threads
role mods: Manage Messages
role elders
role shy
role admins: Administrator
member ada: owner
member bob
member eve: mods
deny #staff @everyone: View Channel
allow #staff mods: View Channel
allow #staff DiscoClaw: View Channel
deny #council @everyone: View Channel
allow #council DiscoClaw: View Channel
allow #council mods: View Channel
allow #council elders: View Channel
deny #wing @everyone: View Channel
allow #wing DiscoClaw: View Channel
allow #wing admins: View Channel
deny #den @everyone: View Channel
allow #den mods: View Channel
allow #den bot: View Channel
deny #lobby shy: View Channel
deny #ada @everyone: View Channel
allow #ada DiscoClaw: View Channel
allow #ada bob: View Channel
deny #both @everyone: View Channel
allow #both DiscoClaw: View Channel
allow #both bob: View Channel
allow #both mods: View Channel
deny #muted bob: View Channel
deny #hidden @everyone: View Channel
deny #old @everyone: Read Message History
deny talk @everyone: Connect
thread "open" in #staff
thread "aside" in #general
thread "poker" in #casino
thread "secret" in #general: private
`, func(t *testing.T, b *bench) {
		for _, e := range []chat.OverwriteEdit{
			{Role: b.roleID(t, "DiscoClaw"), Allow: []chat.Permission{chat.ViewChannel}},
			{Member: b.UserID("bot"), Clear: []chat.Permission{chat.ViewChannel}},
		} {
			if _, err := b.client.EditOverwrite(t.Context(), b.GuildID(), b.ChannelID("den"), e); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"adults", "casino"} {
			if err := b.RestrictAge(name); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		for _, tt := range []struct {
			name, here, source string
			want               bool
		}{
			{"two channels for all", "general", "news", true},
			{"the channel itself", "general", "general", true},
			{"a private channel", "general", "staff", false},
			{"from a private channel", "staff", "general", true},
			{"a private channel itself", "staff", "staff", true},
			{"one for more roles", "staff", "council", true},
			{"one for fewer roles", "council", "staff", false},
			{"administrators see everything", "wing", "staff", true},
			{"a role is kept out", "general", "lobby", false},
			{"a role is kept out, which another role might have besides", "staff", "lobby", false},
			{"a role is kept out here as well", "lobby", "general", true},
			{"a member sees this one alone", "ada", "staff", false},
			{"a member may be there too", "ada", "both", true},
			{"a member is kept out", "general", "muted", false},
			{"a member is kept out here as well", "muted", "general", true},
			{"what was said before is hidden", "general", "old", false},
			{"even in the same channel", "old", "old", false},
			{"a voice channel that not all may join", "general", "talk", false},
			{"a thread goes by its channel", "general", "open", false},
			{"a thread of a channel for all", "general", "aside", true},
			{"from a thread", "aside", "general", true},
			{"from a thread to a private channel", "aside", "staff", false},
			{"from a thread to its channel", "open", "staff", true},
			{"the bot sees one by itself, the other by its role", "staff", "den", true},
			{"and the other way round", "den", "staff", true},
			{"a channel that the bot does not see", "general", "hidden", false},
			{"from a channel that the bot does not see", "hidden", "staff", false},
			{"a channel for adults", "general", "adults", false},
			{"a thread of a channel for adults", "general", "poker", false},
			{"from a channel for adults", "adults", "general", true},
			{"from a channel for adults to another", "adults", "casino", true},
			{"from a thread of a channel for adults to another", "poker", "adults", true},
			{"a private thread", "general", "secret", false},
			{"a private thread itself", "secret", "secret", true},
			{"from a private thread", "secret", "general", true},
		} {
			got, err := b.client.Readable(t.Context(), b.GuildID(), b.ChannelID(tt.here), b.ChannelID(tt.source))
			if err != nil || got != tt.want {
				t.Errorf("%s: from %s, %s: %v, %v", tt.name, tt.here, tt.source, got, err)
			}
		}
		const nowhere chat.ChannelID = "123456789012345678"
		for _, pair := range [][2]chat.ChannelID{{nowhere, b.ChannelID("general")}, {b.ChannelID("general"), nowhere}} {
			if ok, err := b.client.Readable(t.Context(), b.GuildID(), pair[0], pair[1]); ok || err == nil {
				t.Errorf("%v: %v, %v", pair, ok, err)
			}
		}
	})
}

// TestReadableAgreesWithEveryMember changes roles and overwrites at random. A member has each
// combination of roles; the fake's arithmetic, which was written independently, says what they read.
func TestReadableAgreesWithEveryMember(t *testing.T) {
	t.Parallel()
	onBench(t, `
guild disco: #one #two talk:voice
bot DiscoClaw: Administrator
role red
role blue
role gold
member ada: owner
member none
member r: red
member b: blue
member g: gold
member rb: red, blue
member rg: red, gold
member bg: blue, gold
member rbg: red, blue, gold
thread "deep" in #one
`, func(t *testing.T, b *bench) {
		random := rand.New(rand.NewPCG(3, 5))
		read := bitOf(t, chat.ViewChannel, "") | bitOf(t, chat.ReadHistory, "")
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		may := func(who, where string, bits fakediscord.Permissions) bool {
			have, err := b.Permissions(who, where)
			must(err)
			return have.Has(bits)
		}
		for _, right := range []chat.Permission{chat.ViewChannel, chat.ReadHistory, chat.Connect} {
			for _, role := range []string{"red", "blue", "gold"} {
				must(b.SetPermission(role, right, false))
			}
		}
		yes := 0
		for range 300 {
			who, right := pick(random, []string{"@everyone", "red", "blue", "gold"}), pick(random, []chat.Permission{chat.ViewChannel, chat.ViewChannel, chat.ReadHistory, chat.Connect})
			where := pick(random, []string{"one", "two", "talk"})
			switch random.IntN(4) {
			case 0:
				must(b.SetPermission(who, right, random.IntN(2) == 0))
			case 1:
				must(b.Deny(where, who, right))
			default:
				must(b.Allow(where, who, right))
			}
			synctest.Wait()
			here, source := pick(random, []string{"one", "two", "talk", "deep"}), pick(random, []string{"one", "two", "talk", "deep"})
			want := true
			for _, m := range []string{"none", "r", "b", "g", "rb", "rg", "bg", "rbg"} {
				want = want && (!may(m, here, bitOf(t, chat.ViewChannel, here)) || may(m, source, read))
			}
			got, err := b.client.Readable(t.Context(), b.GuildID(), b.ChannelID(here), b.ChannelID(source))
			if err != nil || got != want {
				t.Fatalf("from %s, %s is readable: %v, %v; by members, %v", here, source, got, err, want)
			}
			if got {
				yes++
			}
		}
		if yes < 30 || yes > 270 {
			t.Errorf("%d of 300 are readable: that shows little", yes)
		}
	})
}
