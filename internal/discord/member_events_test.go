package discord_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/fakegateway"
)

// mayManage reports whether a member has Manage Messages in #general.
func (b *bench) mayManage(t *testing.T, who string) bool {
	t.Helper()
	missing, err := b.client.MissingPermissions(t.Context(), b.GuildID(), b.UserID(who), b.ChannelID("general"), []chat.Permission{chat.ManageMessages})
	if err != nil {
		t.Fatal(err)
	}
	return len(missing) == 0
}

const getMember = "GET /guilds/{guild}/members/{user}"

func TestTheAuthorOfAMessageIsNotLookedUp(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nrole mods: Manage Messages\nmember bob: mods\nmember eve", func(t *testing.T, b *bench) {
		said := b.MustSay("bob", "general", "hello")
		if err := b.React("eve", said.ID, "👍"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !b.mayManage(t, "bob") || b.mayManage(t, "eve") || b.count(getMember) != 0 {
			t.Errorf("wrong, or looked up: %q", b.requests())
		}
		got, err := b.client.Member(t.Context(), b.GuildID(), b.UserID("bob"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(11 * time.Second)
		fetched, err := b.client.Member(t.Context(), b.GuildID(), b.UserID("bob"))
		if err != nil || b.count(getMember) != 1 {
			t.Fatalf("%v, %q", err, b.requests())
		}
		if diff := cmp.Diff(fetched, got); diff != "" {
			t.Errorf("the member of the message differs from the fetched one (-fetched +got):\n%s", diff)
		}
	})
}

func TestARoleThatIsTakenAwayCountsSoon(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nrole mods: Manage Messages\nmember bob: mods", func(t *testing.T, b *bench) {
		b.MustSay("bob", "general", "hello")
		if err := b.RevokeRole("bob", "mods"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(11 * time.Second)
		if b.mayManage(t, "bob") {
			t.Error("bob still may")
		}
		b.MustSay("bob", "general", "hello again")
		synctest.Wait()
		if b.mayManage(t, "bob") || b.count(getMember) != 1 {
			t.Errorf("the roles of the latest message do not count: %q", b.requests())
		}
	})
}

// TestTheAuthorOfAReplayedMessageIsLookedUp: they may have lost a role since.
func TestTheAuthorOfAReplayedMessageIsLookedUp(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nrole mods: Manage Messages\nmember bob: mods", func(t *testing.T, b *bench) {
		b.Gateway().Inject(fakegateway.Drop())
		said := b.MustSay("bob", "general", "hello")
		if err := b.React("bob", said.ID, "👍"); err != nil {
			t.Fatal(err)
		}
		if err := b.RevokeRole("bob", "mods"); err != nil {
			t.Fatal(err)
		}
		for !slices.ContainsFunc(b.heard.list(), func(what string) bool { return strings.Contains(what, "hello") }) {
			time.Sleep(100 * time.Millisecond)
		}
		if b.mayManage(t, "bob") {
			t.Error("bob still may")
		}
	})
}

func TestKnownToLackSendsNoRequest(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob\nmember eve\ndeny #general eve: Read Message History", func(t *testing.T, b *bench) {
		here := chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("general")}
		if b.client.KnownToLack(here, b.UserID("eve"), chat.ReadHistory) {
			t.Error("nothing is known about eve yet")
		}
		b.MustSay("eve", "general", "hello")
		b.MustSay("bob", "general", "hello")
		synctest.Wait()
		if !b.client.KnownToLack(here, b.UserID("eve"), chat.ReadHistory) || b.client.KnownToLack(here, b.UserID("bob"), chat.ReadHistory) {
			t.Error("wrong about eve or bob")
		}
		if n := len(b.requests()); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestLastMessageIsFromBeforeTheLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "guild disco: #general #empty\nmember bob\nthread \"old\" in #general: archived")
		before := b.MustSay("bob", "general", "long ago")
		b.login(t)
		require := func(channel string, want chat.MessageID, wantKnown bool) {
			t.Helper()
			latest, known := b.client.LastMessage(b.ChannelID(channel))
			if latest != want && known || known != wantKnown {
				t.Errorf("%s: %q, %v", channel, latest, known)
			}
		}
		require("general", before.ID, true)
		require("empty", "", true)
		require("old", "", false)
		b.MustSay("bob", "general", "now")
		b.MustSay("bob", "empty", "now")
		b.MustSay("bob", "old", "now")
		for _, ch := range []string{"general", "empty"} {
			if err := b.RenameChannel(ch, ch+"-new"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.AddChannel("#fresh"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		require("general-new", before.ID, true)
		require("empty-new", "", true)
		require("fresh", "", true)
		require("old", "", false)
	})
}
