package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func tomorrow() time.Time { return time.Now().UTC().AddDate(0, 0, 1).Truncate(time.Second) }

func TestEventsAndInvitesAreNeverMadeTwice(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		for _, tt := range []struct {
			name, route string
			do          func() error
			there       func() int
		}{
			{"an event", "POST /guilds/{guild}/scheduled-events", func() error {
				n := chat.NewEvent{Name: "x", Location: "y", Start: tomorrow(), End: tomorrow().Add(time.Hour)}
				_, err := b.client.CreateEvent(t.Context(), b.GuildID(), n)
				return err
			}, func() int { return len(b.Events()) }},
			{"an invite", "POST /channels/{channel}/invites", func() error {
				_, err := b.client.CreateInvite(t.Context(), b.ChannelID("general"), chat.NewInvite{Unique: true})
				return err
			}, func() int { return len(b.Invites()) }},
		} {
			b.Fail(fakediscord.Fault{Match: tt.route, Accepted: true, Times: 1})
			if err := tt.do(); err == nil || !strings.Contains(err.Error(), "look before trying again") {
				t.Errorf("%s: %v", tt.name, err)
			}
			if got := b.count(tt.route); got != 1 || tt.there() != 1 {
				t.Errorf("%s: %d requests, and %d are there", tt.name, got, tt.there())
			}
		}
	})
}

// TestAPollIsPostedOnceByItsNonce, like a message.
func TestAPollIsPostedOnceByItsNonce(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: postMessage, Accepted: true, Times: 2})
		id, err := b.client.SendPoll(t.Context(), b.ChannelID("general"), chat.Poll{Question: "?", Answers: []string{"a", "b"}, Duration: time.Hour})
		if got := b.Messages("general"); err != nil || len(got) != 1 || got[0].ID != id || got[0].Poll == nil {
			t.Errorf("%v, messages %+v", err, got)
		}
		if n := b.count(postMessage); n != 3 {
			t.Errorf("%d requests, want 3", n)
		}
		latest, err := b.client.LatestOwn(t.Context(), b.ChannelID("general"))
		if err != nil || latest != id {
			t.Errorf("the bot's latest message is %s, %v; want the poll", latest, err)
		}
	})
}

func TestAnEventIsCheckedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general talk:voice", func(t *testing.T, b *bench) {
		inText := chat.NewEvent{Name: "x", Channel: b.ChannelID("general"), Start: tomorrow()}
		const want = "#general is a text channel, and events are in voice or stage channels"
		if _, err := b.client.CreateEvent(t.Context(), b.GuildID(), inText); err == nil || !strings.Contains(b.named(err), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if got := b.requests(); len(got) > 0 {
			t.Errorf("requests: %v", got)
		}
		past := chat.NewEvent{Name: "x", Channel: b.ChannelID("talk"), Start: time.Now().Add(-time.Hour)}
		if _, err := b.client.CreateEvent(t.Context(), b.GuildID(), past); err == nil || err.Error() != "an event cannot begin in the past; choose a later start" {
			t.Errorf("in the past: %v", err)
		}
		for range 100 {
			if _, err := b.AddEvent("ada", fakediscord.ScheduledEvent{Name: "x", Channel: b.ChannelID("talk"), Start: tomorrow()}); err != nil {
				t.Fatal(err)
			}
		}
		past.Start = tomorrow()
		if _, err := b.client.CreateEvent(t.Context(), b.GuildID(), past); err == nil || !strings.Contains(err.Error(), "as many events as Discord allows") {
			t.Errorf("too many: %v", err)
		}
	})
}

// TestOwnEventsNeedLessThanOthers: the refusal names the right that would help.
func TestOwnEventsNeedLessThanOthers(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember ada: owner\nbot DiscoClaw: View Channel, Create Events", func(t *testing.T, b *bench) {
		own, err := b.client.CreateEvent(t.Context(), b.GuildID(), chat.NewEvent{Name: "own", Location: "y", Start: tomorrow(), End: tomorrow().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.client.EditEvent(t.Context(), b.GuildID(), own, chat.EventEdit{Name: new("mine")}); err != nil {
			t.Errorf("the bot's own event: %v", err)
		}
		made, err := b.AddEvent("ada", fakediscord.ScheduledEvent{Name: "hers", Location: "y", Start: tomorrow(), End: tomorrow().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		hers, err := b.client.Event(t.Context(), b.GuildID(), made.ID)
		if err != nil {
			t.Fatal(err)
		}
		err = b.client.DeleteEvent(t.Context(), b.GuildID(), hers)
		if want := "I need *Manage Events* for that; an admin can give it to my role under Server Settings → Roles"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if err := b.SetPermission("bot", chat.CreateEvents, false); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := b.client.DeleteEvent(t.Context(), b.GuildID(), own); err == nil || !strings.Contains(err.Error(), "I need *Create Events*") {
			t.Errorf("its own: %v", err)
		}
	})
}

// TestAnOverwriteIsChangedRightByRight: rights without a name, and changes by others that are not
// in the cache, survive.
func TestAnOverwriteIsChangedRightByRight(t *testing.T) {
	t.Parallel()
	offTheAir(t, "guild disco: #general\nmember ada: owner\nmember bob\nbot DiscoClaw: Administrator\nallow #general bob: Send Messages", func(t *testing.T, b *bench) {
		general, bob := b.ChannelID("general"), b.UserID("bob")
		if err := b.SetOverwrite("general", "bob", 1<<47|1<<11, 1<<60); err != nil { // two without a name
			t.Fatal(err)
		}
		edit := chat.OverwriteEdit{Member: bob, Deny: []chat.Permission{chat.SendMessages}, Allow: []chat.Permission{chat.ViewChannel}}
		change, err := b.client.EditOverwrite(t.Context(), b.GuildID(), general, edit)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(chat.Overwrite{Member: bob, Allow: []chat.Permission{chat.SendMessages}}, change.Was); diff != "" {
			t.Errorf("was (-want +got):\n%s", diff)
		}
		want := chat.Overwrite{Member: bob, Allow: []chat.Permission{chat.ViewChannel}, Deny: []chat.Permission{chat.SendMessages}}
		if diff := cmp.Diff(want, change.Is); diff != "" {
			t.Errorf("is (-want +got):\n%s", diff)
		}
		if got := b.there(t, "general").Overwrites; len(got) != 1 || got[0].Allow != 1<<47|1<<10 || got[0].Deny != 1<<60|1<<11 {
			t.Errorf("rules %+v", got)
		}
		// Later actions of the same reply see it before the event arrives.
		all, err := b.client.Overwrites(t.Context(), b.GuildID(), general)
		if err != nil || len(all) != 1 || cmp.Diff(want, all[0]) != "" {
			t.Errorf("rules %+v, %v", all, err)
		}
		missing, err := b.client.MissingPermissions(t.Context(), b.GuildID(), bob, general, []chat.Permission{chat.SendMessages})
		if err != nil || len(missing) != 1 {
			t.Errorf("bob lacks %v, %v", missing, err)
		}
		both := chat.OverwriteEdit{Member: bob, Allow: []chat.Permission{chat.ViewChannel}, Clear: []chat.Permission{chat.ViewChannel}}
		if _, err := b.client.EditOverwrite(t.Context(), b.GuildID(), general, both); err == nil || !strings.Contains(err.Error(), "cannot be allowed, denied or cleared at once") {
			t.Errorf("both: %v", err)
		}
		if _, err := b.client.EditOverwrite(t.Context(), "123456789012345678", general, edit); err == nil || !strings.Contains(err.Error(), "on this server") {
			t.Errorf("on another server: %v", err)
		}
	})
}

func TestAPageOfHistoryNamesTheNext(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		var ids []chat.MessageID
		for i := range 150 {
			ids = append(ids, b.MustSay("bob", "general", fmt.Sprint(i)).ID)
		}
		general := b.ChannelID("general")
		b.open(t, "general")
		page, next, err := b.client.HistoryPage(t.Context(), general, "")
		if err != nil || len(page) != 99 || page[0].ID != ids[149] || next != ids[51] {
			t.Errorf("%d messages, then %s, %v", len(page), next, err)
		}
		page, next, err = b.client.HistoryPage(t.Context(), general, next)
		if err != nil || len(page) != 51 || page[50].ID != ids[0] || next != "" {
			t.Errorf("%d messages, then %s, %v", len(page), next, err)
		}
	})
}

func TestTheAuditLogIsReadable(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember ada: owner\nmember bob\nrole mods\nbot DiscoClaw: Administrator", func(t *testing.T, b *bench) {
		bob := b.UserID("bob")
		role, err := b.client.Role(t.Context(), b.GuildID(), "mods")
		if err != nil {
			t.Fatal(err)
		}
		if err := b.PlaceRole("DiscoClaw", 2); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := b.client.GiveRole(chat.AskedBy(t.Context(), chat.Asker{User: bob}), b.GuildID(), bob, role.ID); err != nil {
			t.Fatal(err)
		}
		all, err := b.client.AuditLog(t.Context(), b.GuildID(), chat.AuditQuery{Limit: 5, Action: "MEMBERROLEUPDATE", By: b.UserID("bot")})
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		want := chat.AuditEntry{
			ID: all[0].ID, At: all[0].At, Action: "memberRoleUpdate", Reason: "asked by bob (" + string(bob) + ")",
			By:      chat.User{ID: b.UserID("bot"), Name: "DiscoClaw", Handle: "DiscoClaw", Bot: true},
			Target:  chat.AuditTarget{Kind: "member", ID: string(bob), Name: "bob"},
			Changes: []chat.AuditChange{{Property: "$add", New: "mods"}},
		}
		if diff := cmp.Diff(want, all[0]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
