package discord_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// TestNoViewOutlivesAChange: what members are said to see is remembered, and must be what Discord shows them after every change.
func TestNoViewOutlivesAChange(t *testing.T) {
	t.Parallel()
	const layout = `
guild disco: #lobby #c0 #c1 #c2 ideas:forum
role Crew: Manage Messages
role Mods: Manage Messages
role @everyone: View Channel, Send Messages, Read Message History
member ada: owner
member bob: Mods
member eve
member zoe
bot DiscoClaw: View Channel, Send Messages
thread "t0" in #c0
thread "t1" in ideas
`
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			onBench(t, layout, func(t *testing.T, b *bench) {
				random := rand.New(rand.NewPCG(seed, 0))
				for range 80 {
					what := b.changeSomething(random)
					time.Sleep(11 * time.Second) // until the roles of members are looked up again
					synctest.Wait()
					var all sync.WaitGroup
					for _, who := range []string{"ada", "bob", "eve"} {
						all.Go(func() { b.compareViews(t, who, what) })
					}
					all.Wait()
				}
			})
		})
	}
}

// changeSomething makes one random change that may alter what members see. If the fake Discord refuses it, nothing changes.
func (b *bench) changeSomething(random *rand.Rand) (what string) {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	channel, thread := one("c0", "c1", "c2", "c3", "ideas"), one("t0", "t1", "t2")
	who, role := one("bob", "eve", "DiscoClaw", "Mods", "Crew", "everyone"), one("Mods", "Crew", "@everyone", "bot")
	member, on := one("bob", "eve", "DiscoClaw"), random.IntN(2) == 0
	changes := []struct {
		what string
		do   func()
	}{
		{"deny " + channel + " " + who, func() { _ = b.Deny(channel, who, chat.ViewChannel) }},
		{"allow " + channel + " " + who, func() { _ = b.Allow(channel, who, chat.ViewChannel) }},
		{fmt.Sprint("view ", role, on), func() { _ = b.SetPermission(role, chat.ViewChannel, on) }},
		{fmt.Sprint("administrator ", role, on), func() { _ = b.SetPermission(one("Mods", "Crew"), chat.Administrator, on) }},
		{"grant " + member, func() { _ = b.GrantRole(member, one("Mods", "Crew")) }},
		{"revoke " + member, func() { _ = b.RevokeRole(member, one("Mods", "Crew")) }},
		{"time out " + member, func() { _ = b.TimeOut(one("bob", "eve"), time.Minute) }},
		{"add", func() { _, _ = b.AddChannel("#" + channel) }},
		{"rename " + channel, func() { _ = b.RenameChannel(channel, one("c0", "c1", "c2", "c3")) }},
		{"delete " + channel, func() { _ = b.DeleteChannel(one("c0", "c1", "c2", "c3")) }},
		{"start a thread in " + channel, func() { _, _ = b.StartThread("ada", channel, thread) }},
		{"archive " + thread, func() { _ = b.Archive(thread) }},
		{"unarchive " + thread, func() { _ = b.Unarchive(thread) }},
		{"say in " + channel, func() { time.Sleep(20 * time.Hour); _, _ = b.Say("ada", one(channel, thread), "hello") }},
		{"outage, and deny " + channel, func() { b.Outage(true); _ = b.Deny(channel, who, chat.ViewChannel); b.Outage(false) }},
	}
	made := changes[random.IntN(len(changes))]
	made.do()
	return made.what
}

// compareViews compares the surroundings of a member with what the world shows.
func (b *bench) compareViews(t *testing.T, who, after string) {
	at := chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("lobby")}
	if _, err := b.client.MissingPermissions(t.Context(), at.Guild, b.UserID(who), at.Channel, []chat.Permission{chat.ViewChannel}); err != nil {
		t.Error(err)
	}
	type view struct{ channels, private, threads []string }
	var got, want view
	s := b.client.Surroundings(at, b.UserID(who))
	for _, ch := range s.Channels {
		known, err := b.client.ChannelByID(t.Context(), ch.ID)
		if err != nil {
			t.Error(err)
		}
		got.channels = append(got.channels, fmt.Sprint(ch.ID, ch.Name, known.Active.Truncate(24*time.Hour).Equal(ch.Active)))
	}
	for _, id := range s.Private {
		got.private = append(got.private, string(id))
	}
	for _, ch := range s.Threads {
		got.threads = append(got.threads, fmt.Sprint(ch.ID, ch.Name))
	}
	sees := func(who string, ch fakediscord.Channel) bool {
		rights, err := b.Permissions(who, string(ch.ID))
		return err == nil && rights&discordgo.PermissionViewChannel != 0
	}
	for _, ch := range b.Channels() {
		switch parent, _ := b.Channel(string(ch.Parent)); {
		case !sees("bot", ch) || !sees(who, ch):
		case !ch.Type.IsThread():
			want.channels = append(want.channels, fmt.Sprint(ch.ID, ch.Name, true))
			if !sees("zoe", ch) {
				want.private = append(want.private, string(ch.ID))
			}
		case !ch.Archived && sees(who, parent):
			want.threads = append(want.threads, fmt.Sprint(ch.ID, ch.Name))
		}
	}
	for _, list := range [][]string{got.channels, got.private, got.threads, want.channels, want.private, want.threads} {
		slices.Sort(list)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(view{})); diff != "" {
		t.Errorf("after %q, what %s sees (-want +got):\n%s", after, who, diff)
	}
	lobby, _ := b.Channel("lobby")
	rights, _ := b.Permissions(who, "lobby") // a timeout ends by itself
	manages := slices.Contains(s.Rights, chat.ManageMessages) || s.All
	if sees("bot", lobby) && manages != (rights&discordgo.PermissionManageMessages != 0) {
		t.Errorf("after %q, %s manages messages: %v", after, who, manages)
	}
}
