package discord_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/fakegateway"
)

// knows returns the names that the client resolves without a request.
func (b *bench) knows(t *testing.T, names ...string) []string {
	t.Helper()
	before := len(b.Requests())
	var found []string
	for _, name := range names {
		if _, err := b.client.Channel(t.Context(), b.GuildID(), "", chat.ChannelRef(name)); err == nil {
			found = append(found, name)
		} else if !errors.Is(err, discord.ErrNotFound) {
			t.Fatal(err)
		}
	}
	if n := len(b.Requests()) - before; n > 0 {
		t.Errorf("%d requests for names", n)
	}
	return found
}

func TestEventsUpdateTheCache(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		guild, general := string(b.GuildID()), string(b.ChannelID("general"))
		for _, step := range []struct {
			event, data string
			want        []string
		}{
			{"CHANNEL_CREATE", `{"id":"11","guild_id":"` + guild + `","type":0,"name":"new"}`, []string{"general", "new"}},
			{"CHANNEL_UPDATE", `{"id":"11","guild_id":"` + guild + `","type":0,"name":"renamed"}`, []string{"general", "renamed"}},
			{"THREAD_CREATE", `{"id":"12","guild_id":"` + guild + `","type":11,"name":"talk","parent_id":"11","thread_metadata":{}}`, []string{"general", "renamed", "talk"}},
			{"THREAD_UPDATE", `{"id":"12","guild_id":"` + guild + `","type":11,"name":"chat","parent_id":"11","thread_metadata":{}}`, []string{"general", "renamed", "chat"}},
			{"CHANNEL_DELETE", `{"id":"11","guild_id":"` + guild + `","type":0}`, []string{"general"}},
			{"THREAD_CREATE", `{"id":"13","guild_id":"` + guild + `","type":11,"name":"talk","parent_id":"` + general + `","thread_metadata":{}}`, []string{"general", "talk"}},
			{"THREAD_DELETE", `{"id":"13","guild_id":"` + guild + `","type":11,"parent_id":"` + general + `"}`, []string{"general"}},
			{"THREAD_LIST_SYNC", `{"guild_id":"` + guild + `","threads":[{"id":"14","type":11,"name":"talk","parent_id":"` + general + `"}]}`, []string{"general", "talk"}},
			{"THREAD_LIST_SYNC", `{"guild_id":"` + guild + `","channel_ids":["99"],"threads":[]}`, []string{"general", "talk"}},
			{"THREAD_LIST_SYNC", `{"guild_id":"` + guild + `","channel_ids":["` + general + `"],"threads":[{"id":"15","type":11,"name":"chat","parent_id":"` + general + `"}]}`, []string{"general", "chat"}},
			{"GUILD_DELETE", `{"id":"` + guild + `","unavailable":true}`, []string{"general", "chat"}},
			{"GUILD_CREATE", `{"id":"` + guild + `","channels":[{"id":"16","type":0,"name":"new"}]}`, []string{"new"}},
			{"GUILD_DELETE", `{"id":"` + guild + `"}`, nil},
		} {
			b.raw(step.event, step.data)
			got := b.knows(t, "general", "new", "renamed", "talk", "chat")
			if diff := cmp.Diff(step.want, got); diff != "" {
				t.Errorf("after %s %s (-want +got):\n%s", step.event, step.data, diff)
			}
		}
	})
}

func TestANewChannelIsCachedBeforeItsEvent(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Gateway().Refuse(true) // so that no event arrives
		b.Gateway().Inject(fakegateway.Drop())
		thread, err := b.client.StartThread(t.Context(), b.ChannelID("general"), "", "plans", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.knows(t, "plans", string(thread.ID)); len(got) != 2 {
			t.Errorf("known: %q", got)
		}
	})
}

func TestServersThatTheBotHasLeftAreDropped(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		bot := b.UserID("bot")
		b.raw("READY", fmt.Sprintf(`{"user":{"id":"%s","username":"DiscoClaw"},"guilds":[{"id":"%s"}]}`, bot, b.GuildID()))
		if got := b.knows(t, "general"); len(got) != 1 {
			t.Error("a server is dropped before it is described anew")
		}
		b.raw("READY", fmt.Sprintf(`{"user":{"id":"%s","username":"DiscoClaw"},"guilds":[]}`, bot))
		if got := b.knows(t, "general"); len(got) != 0 {
			t.Error("a server that the bot is no longer on is still known")
		}
	})
}

func TestEventsUpdatePermissions(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nrole mods: Kick Members\nmember eve: mods", func(t *testing.T, b *bench) {
		guild := string(b.GuildID())
		eve, _ := b.Member("eve")
		role := string(eve.Roles[0])
		for _, step := range []struct {
			event, data string
			may         bool
		}{
			{"GUILD_ROLE_UPDATE", `{"guild_id":"` + guild + `","role":{"id":"` + role + `","permissions":"8192"}}`, true},
			{"GUILD_ROLE_DELETE", `{"guild_id":"` + guild + `","role_id":"` + role + `"}`, false},
			{"GUILD_ROLE_CREATE", `{"guild_id":"` + guild + `","role":{"id":"` + role + `","permissions":"8"}}`, true},
			{"GUILD_UPDATE", `{"id":"` + guild + `","owner_id":"1","roles":[{"id":"` + guild + `","permissions":"1024"}]}`, false},
			{"GUILD_UPDATE", `{"id":"` + guild + `","owner_id":"` + string(eve.ID) + `","roles":[]}`, true},
		} {
			b.raw(step.event, step.data)
			missing, err := b.client.MissingPermissions(t.Context(), b.GuildID(), eve.ID, b.ChannelID("general"), []chat.Permission{chat.ManageMessages})
			if err != nil {
				t.Fatal(err)
			}
			if may := len(missing) == 0; may != step.may {
				t.Errorf("after %s %s: may = %v", step.event, step.data, may)
			}
		}
	})
}

func TestTheBotsOwnRolesAreKnown(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		said := b.MustSay("ada", "general", "hello")
		if err := b.RevokeRole("bot", "DiscoClaw"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		err := b.client.Delete(t.Context(), b.ChannelID("general"), said.ID)
		if err == nil || !strings.Contains(b.named(err), "I need *Manage Messages* in #general") {
			t.Errorf("error %v", err)
		}
	})
}

func TestUploadLimitFollowsTheBoosts(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		for tier, mib := range []int{10, 10, 50, 100} {
			b.raw("GUILD_UPDATE", fmt.Sprintf(`{"id":"%s","premium_tier":%d}`, b.GuildID(), tier))
			if got := b.client.UploadLimit(b.GuildID()); got != mib<<20 {
				t.Errorf("at level %d the limit is %d, want %d MiB", tier, got, mib)
			}
		}
		if got := b.client.UploadLimit("999"); got != 10<<20 {
			t.Errorf("elsewhere the limit is %d", got)
		}
	})
}
