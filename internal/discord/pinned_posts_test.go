package discord_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

const pinWorld = forumWorld + `
post "Light mode" in ideas: my eyes too
post "Plan" in bare: soon
`

// pinned are the names of posts that are on top of their forums.
func (b *bench) pinned() string {
	var names []string
	for _, ch := range b.Channels() {
		if ch.Pinned() {
			names = append(names, ch.Name)
		}
	}
	return strings.Join(names, ", ")
}

func TestPostsArePinnedAndUnpinned(t *testing.T) {
	t.Parallel()
	onBench(t, pinWorld, func(t *testing.T, b *bench) {
		const other = 1 << 9
		if err := b.Flag("Light mode", other); err != nil {
			t.Fatal(err)
		}
		if err := b.Archive("Dark mode"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, tt := range []struct {
			name, post     string
			pin            bool
			replaced, want string
		}{
			{"the first", "Plan", true, "", "Plan"},
			{"in another forum", "Light mode", true, "", "Light mode, Plan"},
			{"again", "Light mode", true, "", "Light mode, Plan"},
			{"an archived one in place of another", "Dark mode", true, "Light mode", "Dark mode, Plan"},
			{"back", "Light mode", true, "Dark mode", "Light mode, Plan"},
			{"none", "Light mode", false, "", "Plan"},
			{"none again", "Light mode", false, "", "Plan"},
		} {
			replaced, err := b.client.SetPinned(t.Context(), b.ChannelID(tt.post), tt.pin)
			was, _ := b.Channel(tt.replaced)
			if err != nil || replaced != was.ID {
				t.Errorf("%s: %s was replaced, %v, want %q", tt.name, replaced, err, tt.replaced)
			}
			if got := b.pinned(); got != tt.want {
				t.Errorf("%s: pinned are %s, want %s", tt.name, got, tt.want)
			}
			synctest.Wait()
			if got, err := b.client.ChannelByID(t.Context(), b.ChannelID(tt.post)); err != nil || got.Pinned != tt.pin || got.Archived {
				t.Errorf("%s: in the cache, it is %+v, %v", tt.name, got, err)
			}
		}
		if got := b.there(t, "Light mode").Flags; got != other {
			t.Errorf("flags = %d, want %d", got, other)
		}
	})
}

// TestAPostInTheArchiveIsNotPinned: unpinning it changes nothing, even if the bot does not know that it is archived.
func TestAPostInTheArchiveIsNotPinned(t *testing.T) {
	t.Parallel()
	offTheAir(t, pinWorld, func(t *testing.T, b *bench) {
		if err := b.Archive("Dark mode"); err != nil {
			t.Fatal(err)
		}
		if _, err := b.client.SetPinned(t.Context(), b.ChannelID("Dark mode"), false); err != nil || !b.there(t, "Dark mode").Archived {
			t.Errorf("error %v; the post is %+v", err, b.there(t, "Dark mode"))
		}
	})
}

// TestAPinThatIsNotKnownIsReplaced: a moderator pinned that post, and the event has not arrived yet.
func TestAPinThatIsNotKnownIsReplaced(t *testing.T) {
	t.Parallel()
	offTheAir(t, pinWorld, func(t *testing.T, b *bench) {
		if err := b.Flag("Dark mode", 2); err != nil {
			t.Fatal(err)
		}
		replaced, err := b.client.SetPinned(t.Context(), b.ChannelID("Light mode"), true)
		if err != nil || replaced != b.ChannelID("Dark mode") || b.pinned() != "Light mode" {
			t.Errorf("%s was replaced, %v; pinned are %s", replaced, err, b.pinned())
		}
	})
}

func TestBadPinsOfPostsAreRefused(t *testing.T) {
	t.Parallel()
	onBench(t, pinWorld, func(t *testing.T, b *bench) {
		for _, channel := range []string{"help", "general"} {
			_, err := b.client.SetPinned(t.Context(), b.ChannelID(channel), true)
			if want := "#" + channel + " is not a post of a forum, and only posts can be pinned to the top"; err == nil || b.named(err) != want {
				t.Errorf("%s: error %v, want %s", channel, err, want)
			}
		}
		if got := b.count(patchChannel); got > 0 {
			t.Errorf("requests: %v", b.requests())
		}
		if err := b.Flag("Dark mode", 2); err != nil {
			t.Fatal(err)
		}
		b.Fail(fakediscord.Fault{Match: patchChannel, Skip: 2, Status: 400})
		_, err := b.client.SetPinned(t.Context(), b.ChannelID("Light mode"), true)
		if err == nil || !strings.HasPrefix(b.named(err), "#Dark mode is no longer pinned, and pinning #Light mode did not work: ") {
			t.Errorf("error %v", err)
		}
		b.Recover()
		if err := b.SetPermission("bot", chat.ManageThreads, false); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := b.client.SetPinned(t.Context(), b.ChannelID("Light mode"), true); err == nil || !strings.Contains(err.Error(), "I need *Manage Threads*") {
			t.Errorf("error %v", err)
		}
	})
}
