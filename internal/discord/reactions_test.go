package discord_test

import (
	"fmt"
	"slices"
	"testing"
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

func TestPinsComeLatestFirst(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		ch := b.ChannelID("general")
		var ids []chat.MessageID
		for i := range 53 { // more than fit into one answer
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
