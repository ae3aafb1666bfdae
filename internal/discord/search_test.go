package discord_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// search returns the texts that a search for "hit" finds.
func (b *bench) search(t *testing.T, limit int, in ...string) (texts []string, more bool) {
	t.Helper()
	var ids []chat.ChannelID
	for _, name := range in {
		ids = append(ids, b.ChannelID(name))
	}
	found, more, err := b.client.SearchMessages(t.Context(), b.GuildID(), ids, chat.Search{Text: "hit", Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range found {
		texts = append(texts, m.Text)
	}
	return texts, more
}

// TestASearchKeepsToItsChannels, whatever Discord returns, and does not say that there is more elsewhere.
func TestASearchKeepsToItsChannels(t *testing.T) {
	t.Parallel()
	const world = `
guild disco: #general #ops #mute
member ada: owner
thread "open" in #general
thread "old" in #general: archived
thread "private" in #general: private
deny #mute DiscoClaw: Read Message History
`
	onBench(t, world, func(t *testing.T, b *bench) {
		for i, name := range []string{"general", "ops", "mute", "open", "old"} {
			b.MustSay("ada", name, fmt.Sprintf("hit %d in %s", i, name))
		}
		for range 30 {
			b.MustSay("ada", "private", "hit in private")
			b.MustSay("ada", "general", "!secret hit")
		}
		for _, tt := range []struct {
			in   []string
			want []string
		}{
			{[]string{"general", "ops", "mute"}, []string{"hit 4 in old", "hit 3 in open", "hit 1 in ops", "hit 0 in general"}},
			{[]string{"general"}, []string{"hit 4 in old", "hit 3 in open", "hit 0 in general"}},
			{[]string{"open"}, []string{"hit 3 in open"}},
			{[]string{"mute"}, nil},
			{nil, nil},
		} {
			if got, more := b.search(t, 4, tt.in...); !slices.Equal(got, tt.want) || more {
				t.Errorf("in %v: %q, more: %v", tt.in, got, more)
			}
		}
	})
}

// TestASearchHasManyChannels: 600 do not fit into one request, and what is found is in order.
func TestASearchHasManyChannels(t *testing.T) {
	t.Parallel()
	layout := "guild disco:"
	var names []string
	for i := range 600 {
		names = append(names, fmt.Sprint("room-", i))
		layout += fmt.Sprint(" #room-", i)
	}
	onBench(t, layout+"\nmember ada: owner", func(t *testing.T, b *bench) {
		var want []string
		for i := range 60 {
			text := fmt.Sprintf("hit %d", i)
			b.MustSay("ada", names[i*9], text)
			want = append([]string{text}, want...)
			time.Sleep(time.Second)
		}
		if got, more := b.search(t, 50, names...); !slices.Equal(got, want[:50]) || !more {
			t.Errorf("%q, more: %v", got, more)
		}
		if n := b.count("GET /guilds/{guild}/messages/search"); n > 6 {
			t.Errorf("%d requests", n)
		}
	})
}

// TestASearchWaitsForTheIndex, but not forever.
func TestASearchWaitsForTheIndex(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember ada", func(t *testing.T, b *bench) {
		b.MustSay("ada", "general", "hit")
		unindexed := fakediscord.Fault{Match: "GET /guilds/{guild}/messages/search", Kind: fakediscord.Unindexed, RetryAfter: 2 * time.Second, Times: 1}
		b.Fail(unindexed)
		begun := time.Now()
		if got, _ := b.search(t, 5, "general"); len(got) != 1 || time.Since(begun) < 2*time.Second {
			t.Errorf("%q after %v", got, time.Since(begun))
		}
		unindexed.Times = 0
		b.Fail(unindexed)
		_, _, err := b.client.SearchMessages(t.Context(), b.GuildID(), []chat.ChannelID{b.ChannelID("general")}, chat.Search{Text: "hit", Limit: 5})
		if err == nil || !strings.Contains(err.Error(), "not ready yet") || time.Since(begun) > time.Minute {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}
