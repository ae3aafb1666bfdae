package discord_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
)

func TestReactAndUnreact(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		ch := b.ChannelID("general")
		said := b.MustSay("bob", "general", "hello")
		for _, e := range []chat.Emoji{"👍", "❤️", "1️⃣"} {
			if err := b.client.React(t.Context(), ch, said.ID, e); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.client.Unreact(t.Context(), ch, said.ID, "👍"); err != nil {
			t.Fatal(err)
		}
		got, err := b.client.Message(t.Context(), ch, said.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := []chat.Reaction{{Emoji: "❤️", Count: 1, Mine: true}, {Emoji: "1️⃣", Count: 1, Mine: true}}
		if diff := cmp.Diff(want, got.Reactions); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestReactionsNeedNoRequest(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob\nthread \"help\" in #general", func(t *testing.T, b *bench) {
		said := b.MustSay("ada", "help", "hello")
		if err := b.client.React(t.Context(), b.ChannelID("help"), said.ID, "👍"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		before := len(b.Requests())
		b.heard.forget()
		for _, err := range []error{
			b.React("bob", said.ID, "👍"),
			b.React("bob", said.ID, "party:123456789012345678"),
			b.Unreact("bob", said.ID, "👍"),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := b.React("bob", b.MustSay("bob", "@bot", "in private").ID, "👍"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		place := chat.Place{Guild: b.GuildID(), Channel: b.ChannelID("help"), Parent: b.ChannelID("general"), Message: said.ID}
		bob := chat.User{ID: b.UserID("bob"), Name: "bob", Handle: "bob"}
		want := []chat.Reacted{
			{Place: place, Sent: said.Sent, Author: b.UserID("ada"), User: bob, Emoji: "👍"},
			{Place: place, Sent: said.Sent, Author: b.UserID("ada"), User: bob, Emoji: "party:123456789012345678"},
			{Place: place, Sent: said.Sent, User: chat.User{ID: bob.ID}, Emoji: "👍", Removed: true},
		}
		if diff := cmp.Diff(want, b.heard.reactions()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if n := len(b.Requests()) - before; n != 0 {
			t.Errorf("%d requests were sent", n)
		}
	})
}

func TestReactorsAreThoseOfOneEmoji(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember ada\nmember bob", func(t *testing.T, b *bench) {
		ch, said := b.ChannelID("general"), b.MustSay("ada", "general", "hello")
		for _, r := range []struct {
			who   string
			emoji chat.Emoji
		}{{"bob", "1️⃣"}, {"ada", "1️⃣"}, {"ada", "party:123456789012345678"}} {
			if err := b.React(r.who, said.ID, r.emoji); err != nil {
				t.Fatal(err)
			}
		}
		for emoji, want := range map[chat.Emoji]string{"1️⃣": "ada bob", "party:123456789012345678": "ada", "👍": ""} {
			list, err := b.client.Reactors(t.Context(), ch, said.ID, emoji)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, u := range list {
				names = append(names, u.Name)
			}
			slices.Sort(names)
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%s: %q, want %q", emoji, got, want)
			}
		}
	})
}

// TestReactorsHasSeveralPages: many others must not hide the user whose answer counts.
func TestReactorsHasSeveralPages(t *testing.T) {
	t.Parallel()
	var layout strings.Builder
	layout.WriteString("guild disco: #general\nmember ada")
	for i := range 230 {
		fmt.Fprintf(&layout, "\nmember m%d", i)
	}
	onBench(t, layout.String(), func(t *testing.T, b *bench) {
		said := b.MustSay("ada", "general", "hello")
		for i := range 230 {
			if err := b.React(fmt.Sprintf("m%d", i), said.ID, "👍"); err != nil {
				t.Fatal(err)
			}
		}
		list, err := b.client.Reactors(t.Context(), b.ChannelID("general"), said.ID, "👍")
		if err != nil || len(list) != 230 || list[229].Name != "m229" {
			t.Errorf("%d people, %v", len(list), err)
		}
	})
}

func TestPinsComeLatestFirst(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		ch := b.ChannelID("general")
		var ids []chat.MessageID
		for i := range 53 { // more than one page
			id := b.MustSay("ada", "general", fmt.Sprint(i)).ID
			if err := b.PinAs("ada", id); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
			time.Sleep(time.Second)
		}
		last := b.send(t, "general", "mine")
		if err := b.client.Pin(t.Context(), ch, last); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, last)
		if err := b.client.Unpin(t.Context(), ch, ids[0]); err != nil {
			t.Fatal(err)
		}
		pins, err := b.client.Pins(t.Context(), ch)
		if err != nil {
			t.Fatal(err)
		}
		var got []chat.MessageID
		for _, m := range pins {
			got = append(got, m.ID)
			if !m.Pinned || m.Place.Guild != b.GuildID() {
				t.Errorf("pin = %+v", m)
			}
		}
		slices.Reverse(got)
		if diff := cmp.Diff(ids[1:], got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
