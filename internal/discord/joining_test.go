package discord_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
)

// join is the request that makes the bot a member of a thread.
const join = "PUT /channels/{channel}/thread-members/@me"

func TestAThreadIsJoinedOnce(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember ada", func(t *testing.T, b *bench) {
		thread, err := b.StartThread("ada", "#general", "plans")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := b.heard.opened(); !slices.Equal(got, []chat.ChannelID{thread.ID}) {
			t.Errorf("ThreadCreated was called for %v", got)
		}
		for range 2 {
			if err := b.client.JoinThread(t.Context(), thread.ID); err != nil {
				t.Fatal(err)
			}
			if err := b.RenameChannel("plans", "plans"); err != nil { // an event without members
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if now, _ := b.Channel("plans"); !slices.Contains(now.Members, b.UserID("bot")) || b.count(join) != 1 {
			t.Errorf("its members are %v, after %d requests", now.Members, b.count(join))
		}
	})
}

func TestAThreadIsNotJoinedTwice(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember ada", func(t *testing.T, b *bench) {
		thread, err := b.client.StartThread(t.Context(), b.ChannelID("general"), "", "mine", 0)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := b.heard.opened(); len(got) != 0 {
			t.Errorf("ThreadCreated was called for its own thread: %v", got)
		}
		if err := b.client.JoinThread(t.Context(), thread.ID); err != nil || b.count(join) != 0 {
			t.Errorf("%v, after %d requests", err, b.count(join))
		}
	})
}

func TestAnArchivedThreadCannotBeJoined(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember ada", func(t *testing.T, b *bench) {
		thread, err := b.StartThread("ada", "#general", "old")
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Archive("old"); err != nil {
			t.Fatal(err)
		}
		if err := b.client.JoinThread(t.Context(), thread.ID); !errors.Is(err, discord.ErrArchived) {
			t.Errorf("error %v", err)
		}
	})
}

func TestTheBotTakesItsName(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nbot DiscoClaw", func(t *testing.T, b *bench) {
		for _, name := range []string{"DiscoClaw", "Claw", "Claw"} {
			if err := b.client.TakeName(t.Context(), name); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if m, _ := b.Member("bot"); m.Nick != "Claw" || len(b.requests()) != 1 {
			t.Errorf("it is called %q, after %v", m.Nick, b.requests())
		}
	})
}
