package discord_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
)

const permissionWorld = `
guild disco: #general #ops #quiet ideas:forum talk:voice
category Projects: #plans
role mods: Manage Messages
role pinners: Pin Messages
role admins: Administrator
role shepherds: Manage Threads
member ada: owner
member bob
member eve: mods
member pia: pinners
member kim: admins
member sam: shepherds
member may: mods
thread "help" in #general
thread "secret" in #general: private
thread "closed" in #general: locked
thread "inner" in #ops
deny #ops @everyone: View Channel
allow #ops mods: View Channel
allow #ops DiscoClaw: View Channel
deny #ops may: View Channel
deny #quiet @everyone: Send Messages
allow #quiet bob: Send Messages
deny ideas bob: Send Messages
allow Projects bob: Manage Channels
allow #quiet pia: Manage Threads
deny talk may: Connect
allow talk may: Manage Channels
allow talk bob: Manage Channels
thread "still" in #quiet
`

func TestMissingPermissions(t *testing.T) {
	t.Parallel()
	onBench(t, permissionWorld, func(t *testing.T, b *bench) {
		needs := func(p ...chat.Permission) []chat.Permission { return p }
		for _, tt := range []struct {
			name, who, channel string
			needs, want        []chat.Permission
		}{
			{"every member may talk", "bob", "general", needs(chat.ViewChannel, chat.ReadHistory, chat.SendMessages, chat.AddReactions, chat.AttachFiles), nil},
			{"not every member may clean up", "bob", "general", needs(chat.ViewChannel, chat.ManageMessages), needs(chat.ManageMessages)},
			{"a role gives", "eve", "general", needs(chat.ManageMessages), nil},
			{"Manage Messages does not allow to pin", "eve", "general", needs(chat.PinMessages), needs(chat.PinMessages)},
			{"Pin Messages allows to pin", "pia", "general", needs(chat.PinMessages), nil},
			{"Pin Messages does not allow to clean up", "pia", "general", needs(chat.ManageMessages), needs(chat.ManageMessages)},
			{"the owner may do everything", "ada", "ops", needs(chat.ViewChannel, chat.ManageMessages, chat.ManageChannels), nil},
			{"so may administrators", "kim", "ops", needs(chat.ViewChannel, chat.ManageMessages, chat.ManageChannels), nil},
			{"no Discord right makes an operator", "ada", "general", needs(chat.Operator), needs(chat.Operator)},
			{"without View Channel there is no other right", "bob", "ops", needs(chat.ViewChannel, chat.SendMessages), needs(chat.ViewChannel, chat.SendMessages)},
			{"a channel allows a role", "eve", "ops", needs(chat.ViewChannel, chat.SendMessages), nil},
			{"an overwrite for a member comes last", "may", "ops", needs(chat.ViewChannel), needs(chat.ViewChannel)},
			{"a channel can be quiet", "pia", "quiet", needs(chat.ViewChannel, chat.SendMessages), needs(chat.SendMessages)},
			{"without Send Messages there are no attachments", "pia", "quiet", needs(chat.AttachFiles), needs(chat.AttachFiles)},
			{"a channel allows a person", "bob", "quiet", needs(chat.SendMessages, chat.AttachFiles), nil},
			{"threads have a right of their own", "bob", "help", needs(chat.ViewChannel, chat.SendMessages), nil},
			{"threads follow their channel", "bob", "inner", needs(chat.ViewChannel), needs(chat.ViewChannel)},
			{"and its exceptions", "eve", "inner", needs(chat.ViewChannel, chat.SendMessages), nil},
			{"private threads are closed", "bob", "secret", needs(chat.ViewChannel, chat.SendMessages), needs(chat.ViewChannel, chat.SendMessages)},
			{"but not to members who manage threads", "sam", "secret", needs(chat.ViewChannel, chat.SendMessages), nil},
			{"nor to the owner", "ada", "secret", needs(chat.ViewChannel), nil},
			{"locked threads can be read", "bob", "closed", needs(chat.ViewChannel, chat.ReadHistory), nil},
			{"but not written in", "bob", "closed", needs(chat.SendMessages), needs(chat.SendMessages)},
			{"except by members who manage threads", "sam", "closed", needs(chat.SendMessages), nil},
			{"posting in a forum is sending", "bob", "ideas", needs(chat.CreateThreads), needs(chat.CreateThreads)},
			{"for all others it is free", "pia", "ideas", needs(chat.CreateThreads), nil},
			{"threads in a channel", "bob", "general", needs(chat.CreateThreads, chat.ManageThreads), needs(chat.ManageThreads)},
			{"the whole server", "eve", "", needs(chat.ManageMessages, chat.ManageChannels), needs(chat.ManageChannels)},
			{"the whole server for an administrator", "kim", "", needs(chat.ManageChannels), nil},
			{"a category allows a person", "bob", "Projects", needs(chat.ViewChannel, chat.ManageChannels), nil},
			{"for its channels as well", "bob", "plans", needs(chat.ViewChannel, chat.ManageChannels), nil},
			{"and for nothing else", "bob", "general", needs(chat.ManageChannels), needs(chat.ManageChannels)},
			{"nor for the whole server", "bob", "", needs(chat.ManageChannels), needs(chat.ManageChannels)},
			{"nor another member", "eve", "Projects", needs(chat.ViewChannel, chat.ManageChannels), needs(chat.ManageChannels)},
			{"a channel allows to manage its threads", "pia", "still", needs(chat.ViewChannel, chat.ManageThreads), nil},
			{"and no others", "pia", "help", needs(chat.ViewChannel, chat.ManageThreads), needs(chat.ManageThreads)},
			{"a member who may join a voice channel may manage it", "bob", "talk", needs(chat.ManageChannels), nil},
			{"a member who may not join it may not", "may", "talk", needs(chat.ViewChannel, chat.ManageChannels), needs(chat.ManageChannels)},
			{"the bot itself", "bot", "general", needs(chat.ViewChannel, chat.ManageMessages), nil},
			{"nothing needed", "bob", "general", nil, nil},
		} {
			var ch chat.ChannelID
			if tt.channel != "" {
				ch = b.ChannelID(tt.channel)
			}
			got, err := b.client.MissingPermissions(t.Context(), b.GuildID(), b.UserID(tt.who), ch, tt.needs)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: %s in %q (-want +got):\n%s", tt.name, tt.who, tt.channel, diff)
			}
		}
	})
}

func TestMissingPermissionsFailsRatherThanGuess(t *testing.T) {
	t.Parallel()
	onBench(t, permissionWorld, func(t *testing.T, b *bench) {
		need := []chat.Permission{chat.ViewChannel}
		const nobody = "123456789012345678"
		for _, tt := range []struct {
			name  string
			guild chat.GuildID
			user  chat.UserID
			ch    chat.ChannelID
			want  string
		}{
			{"a stranger", b.GuildID(), nobody, b.ChannelID("general"), "not a member"},
			{"an unknown channel", b.GuildID(), b.UserID("bob"), nobody, "channel"},
			{"a channel of another server", nobody, b.UserID("bob"), b.ChannelID("general"), "on this server"},
			{"another server", nobody, b.UserID("bob"), "", "server"},
		} {
			got, err := b.client.MissingPermissions(t.Context(), tt.guild, tt.user, tt.ch, need)
			if err == nil || got != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, error %v, want something about %q", tt.name, got, err, tt.want)
			}
		}
		if _, err := b.client.MissingPermissions(t.Context(), b.GuildID(), nobody, "", need); !errors.Is(err, discord.ErrNotFound) {
			t.Errorf("error %v", err)
		}
	})
}

func TestMembersOfAPrivateThreadSeeIt(t *testing.T) {
	t.Parallel()
	onBench(t, permissionWorld, func(t *testing.T, b *bench) {
		b.MustSay("sam", "secret", "I can see you") // and so is in the thread from now on
		if err := b.RevokeRole("sam", "shepherds"); err != nil {
			t.Fatal(err)
		}
		for who, want := range map[string]int{"sam": 0, "bob": 2} {
			got, err := b.client.MissingPermissions(t.Context(), b.GuildID(), b.UserID(who), b.ChannelID("secret"), []chat.Permission{chat.ViewChannel, chat.SendMessages})
			if err != nil || len(got) != want {
				t.Errorf("%s lacks %q, %v; want %d", who, got, err, want)
			}
		}
		b.Fail(fakediscord.Fault{Match: "GET /channels/{channel}/thread-members/{user}", Status: 500})
		if _, err := b.client.MissingPermissions(t.Context(), b.GuildID(), b.UserID("bob"), b.ChannelID("secret"), []chat.Permission{chat.ViewChannel}); err == nil {
			t.Error("a request without a response was taken for an answer")
		}
	})
}

func TestMembersAreCached(t *testing.T) {
	t.Parallel()
	onBench(t, permissionWorld, func(t *testing.T, b *bench) {
		missing := func() int {
			t.Helper()
			got, err := b.client.MissingPermissions(t.Context(), b.GuildID(), b.UserID("eve"), b.ChannelID("general"), []chat.Permission{chat.ManageMessages})
			if err != nil {
				t.Fatal(err)
			}
			return len(got)
		}
		for range 3 {
			if missing() != 0 {
				t.Error("eve should be a mod")
			}
		}
		if got := b.count("GET /guilds/{guild}/members/{user}"); got != 1 {
			t.Errorf("%d requests for three calls, want 1", got)
		}
		if err := b.RevokeRole("eve", "mods"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if missing() != 1 {
			t.Error("eve is no mod any more, and can still clean up")
		}
	})
}

func TestATimedOutMemberCanOnlyRead(t *testing.T) {
	t.Parallel()
	onBench(t, permissionWorld, func(t *testing.T, b *bench) {
		if err := b.TimeOut("eve", time.Hour); err != nil {
			t.Fatal(err)
		}
		needs := []chat.Permission{chat.ViewChannel, chat.ReadHistory, chat.SendMessages, chat.ManageMessages}
		got, err := b.client.MissingPermissions(t.Context(), b.GuildID(), b.UserID("eve"), b.ChannelID("general"), needs)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(needs[2:], got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestRightsAgreeWithDiscord changes roles and overwrites at random and compares the permissions
// of the client and the fake, whose arithmetic was written independently.
func TestRightsAgreeWithDiscord(t *testing.T) {
	t.Parallel()
	onBench(t, `
guild disco: #one #two ideas:forum talk:voice
bot DiscoClaw: Administrator
role red: Manage Messages
role blue: Pin Messages
member ada: owner
member bob
member eve: red
thread "deep" in #one
`, func(t *testing.T, b *bench) {
		random := rand.New(rand.NewPCG(7, 11))
		channels := []string{"one", "two", "ideas", "talk", "deep"}
		for range 60 {
			changeSomething(t, b, random)
			time.Sleep(10 * time.Second) // until the cached members expire
			synctest.Wait()
			who, where := pick(random, []string{"ada", "bob", "eve"}), pick(random, channels)
			have, err := b.Permissions(who, where)
			if err != nil {
				t.Fatal(err)
			}
			var needs, want []chat.Permission
			for _, p := range []chat.Permission{
				chat.ViewChannel, chat.ReadHistory, chat.SendMessages, chat.AttachFiles, chat.AddReactions,
				chat.ManageMessages, chat.CreateThreads, chat.ManageThreads, chat.ManageChannels,
			} {
				needs = append(needs, p)
				if !have.Has(bitOf(t, p, where)) {
					want = append(want, p)
				}
			}
			got, err := b.client.MissingPermissions(t.Context(), b.GuildID(), b.UserID(who), b.ChannelID(where), needs)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s in %s, who has %v (-want +got):\n%s", who, where, have, diff)
			}
		}
	})
}

// changeSomething changes a role or an overwrite.
func changeSomething(t *testing.T, b *bench, random *rand.Rand) {
	t.Helper()
	right := pick(random, []chat.Permission{
		chat.ViewChannel, chat.SendMessages, "Send Messages in Threads", chat.ManageMessages, chat.CreateThreads,
		chat.ManageThreads, "Connect", "Administrator",
	})
	role := pick(random, []string{"red", "blue"})
	member := pick(random, []string{"bob", "eve"})
	channel := pick(random, []string{"one", "two", "ideas", "talk"})
	var err error
	switch random.IntN(6) {
	case 0:
		err = b.GrantRole(member, role)
	case 1:
		err = b.RevokeRole(member, role)
	case 2:
		err = b.SetPermission(pick(random, []string{"@everyone", role}), right, random.IntN(2) == 0 && right != "Administrator")
	case 3:
		err = b.Allow(channel, pick(random, []string{"@everyone", role, member}), right)
	default:
		err = b.Deny(channel, pick(random, []string{"@everyone", role, member}), right)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

// bitOf returns the bit that Discord requires.
func bitOf(t *testing.T, p chat.Permission, where string) fakediscord.Permissions {
	t.Helper()
	switch {
	case p == chat.SendMessages && where == "deep":
		p = "Send Messages in Threads"
	case p == chat.CreateThreads && where == "ideas":
		p = chat.SendMessages
	}
	bit, err := fakediscord.ParsePermission(p)
	if err != nil {
		t.Fatal(err)
	}
	return bit
}
