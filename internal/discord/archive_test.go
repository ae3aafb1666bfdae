package discord_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
)

const getArchive = "GET /channels/{channel}/threads/archived/public"

func TestArchivedThreads(t *testing.T) {
	t.Parallel()
	offTheAir(t, "guild disco: #general news:announcement ideas:forum talk:voice #mute\nthread \"secret\" in #general: private, archived\nthread \"open\" in #general\nthread \"n\" in news: archived\nthread \"i\" in ideas: archived\ndeny #mute bot: Read Message History", func(t *testing.T, b *bench) {
		var want []string
		for i := range 105 {
			name := fmt.Sprint("thread ", i)
			if _, err := b.StartThread("ada", "#general", name); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if err := b.Archive(name); err != nil {
				t.Fatal(err)
			}
			want = append([]string{name}, want...)
		}
		list := func(channel string, limit int) []string {
			t.Helper()
			threads, err := b.client.ArchivedThreads(t.Context(), b.ChannelID(channel), limit)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, thread := range threads {
				if !thread.Archived || thread.Kind != chat.Thread || thread.Parent != b.ChannelID(channel) || thread.Guild != b.GuildID() {
					t.Errorf("%+v", thread)
				}
				names = append(names, thread.Name)
			}
			return names
		}
		for _, tt := range []struct{ limit, threads, requests int }{{1, 1, 1}, {100, 100, 1}, {101, 101, 2}, {200, 105, 2}, {0, 0, 0}, {-1, 0, 0}} {
			before := b.count(getArchive)
			if diff := cmp.Diff(want[:tt.threads], append([]string{}, list("general", tt.limit)...)); diff != "" {
				t.Errorf("up to %d (-want +got):\n%s", tt.limit, diff)
			}
			if got := b.count(getArchive) - before; got != tt.requests {
				t.Errorf("up to %d: %d requests, want %d", tt.limit, got, tt.requests)
			}
		}
		if got := fmt.Sprint(list("news", 5), list("ideas", 5)); got != "[n] [i]" {
			t.Errorf("got %s", got)
		}
		if found, err := b.client.Thread(t.Context(), b.GuildID(), "", "i"); err != nil || !found.Archived {
			t.Errorf("a thread of the list is %+v, %v", found, err)
		}
		for channel, want := range map[string]string{
			"talk": "#talk is a voice channel, which has no threads",
			"open": "#open is a thread, which has no threads",
			"mute": "I need *Read Message History* in #mute for that; an admin can allow it",
		} {
			_, err := b.client.ArchivedThreads(t.Context(), b.ChannelID(channel), 5)
			if err == nil || !strings.Contains(b.named(err), want) {
				t.Errorf("%s: error %v, want something about %q", channel, err, want)
			}
		}
	})
}

const threadWorld = forumWorld + `
thread "old" in #general: archived
thread "shut" in #general: archived, locked
`

func pointer[T any](v T) *T { return &v }

func TestEditThread(t *testing.T) {
	t.Parallel()
	onBench(t, threadWorld, func(t *testing.T, b *bench) {
		bug, accepted := b.there(t, "ideas").Tags[0].ID, b.there(t, "ideas").Tags[2].ID
		for _, tt := range []struct {
			name   string
			thread string
			title  *string
			tags   *[]string
			want   string // name
			set    []string
			steps  int
		}{
			{"a name", "help", pointer(" please help "), nil, "please help", nil, 1},
			{"tags by name and ID", "Dark mode", nil, pointer([]string{"Bug", accepted}), "Dark mode", []string{bug, accepted}, 1},
			{"both", "Dark mode", pointer("Darker"), pointer([]string{bug}), "Darker", []string{bug}, 1},
			{"no tags", "Darker", nil, pointer([]string{}), "Darker", nil, 1},
			{"an archived thread", "old", pointer("very old"), nil, "very old", nil, 2},
			{"again", "very old", pointer("ancient"), nil, "ancient", nil, 2},
			{"a locked thread", "shut", pointer("sealed"), nil, "sealed", nil, 2},
		} {
			before, steps := b.there(t, tt.thread), b.count(patchChannel)
			got, warning, err := b.client.EditThread(t.Context(), before.ID, chat.ThreadEdit{Name: tt.title, Tags: tt.tags})
			if err != nil || warning != "" {
				t.Errorf("%s: %v, %s", tt.name, err, warning)
				continue
			}
			after := b.there(t, string(before.ID))
			if after.Name != tt.want || got.Name != tt.want || after.Archived != before.Archived || got.Archived != before.Archived || after.Locked != before.Locked {
				t.Errorf("%s: it is %+v, and was returned as %+v", tt.name, after, got)
			}
			if diff := cmp.Diff(append([]string{}, tt.set...), append([]string{}, after.AppliedTags...)); tt.tags != nil && diff != "" {
				t.Errorf("%s: tags (-want +got):\n%s", tt.name, diff)
			}
			if got := b.count(patchChannel) - steps; got != tt.steps {
				t.Errorf("%s: %d requests, want %d", tt.name, got, tt.steps)
			}
			synctest.Wait()
			if found, err := b.client.Thread(t.Context(), b.GuildID(), "", chat.ChannelRef(tt.want)); err != nil || found.ID != before.ID {
				t.Errorf("%s: afterwards it is %+v, %v", tt.name, found, err)
			}
		}
	})
}

func TestAThreadThatWasArchivedMeanwhileIsEdited(t *testing.T) {
	t.Parallel()
	offTheAir(t, threadWorld, func(t *testing.T, b *bench) {
		if err := b.Archive("help"); err != nil {
			t.Fatal(err)
		}
		got, warning, err := b.client.EditThread(t.Context(), b.ChannelID("help"), chat.ThreadEdit{Name: pointer("helped")})
		if err != nil || warning != "" || got.Name != "helped" || !got.Archived || !b.there(t, "helped").Archived {
			t.Errorf("%+v, %s, %v", got, warning, err)
		}
	})
}

func TestAThreadThatStaysOpenIsWarnedAbout(t *testing.T) {
	t.Parallel()
	onBench(t, threadWorld, func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: patchChannel, Skip: 1, Status: 500})
		got, warning, err := b.client.EditThread(t.Context(), b.ChannelID("old"), chat.ThreadEdit{Name: pointer("new")})
		if err != nil || got.Name != "new" || got.Archived || !strings.Contains(warning, "could not be archived again: Discord did not answer") {
			t.Errorf("%+v, %s, %v", got, warning, err)
		}
	})
}

func TestAThreadStaysArchivedIfItsEditIsRateLimited(t *testing.T) {
	t.Parallel()
	onBench(t, threadWorld, func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: patchChannel, Kind: fakediscord.RateLimited, RetryAfter: time.Hour})
		_, warning, err := b.client.EditThread(t.Context(), b.ChannelID("old"), chat.ThreadEdit{Name: pointer("new")})
		if err == nil || warning != "" || b.count(patchChannel) != 1 || !b.there(t, "old").Archived {
			t.Errorf("%v, %s after %v", err, warning, b.requests())
		}
	})
}

func TestAThreadIsArchivedAgainAfterAnUnclearEdit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault fakediscord.Fault
		ctx   func(context.Context) (context.Context, context.CancelFunc)
	}{
		{"done, but without a response", fakediscord.Fault{Accepted: true, Times: 5}, nil},
		{"cancelled while it was done", fakediscord.Fault{Accepted: true, Kind: fakediscord.Hang, Times: 1}, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onBench(t, threadWorld, func(t *testing.T, b *bench) {
				old := b.ChannelID("old")
				if _, err := b.client.ChannelByID(t.Context(), old); err != nil {
					t.Fatal(err)
				}
				ctx := t.Context()
				if tt.ctx != nil {
					limited, cancel := tt.ctx(ctx)
					defer cancel()
					ctx = limited
				}
				tt.fault.Match = patchChannel
				b.Fail(tt.fault)
				if _, _, err := b.client.EditThread(ctx, old, chat.ThreadEdit{Name: pointer("new")}); err == nil {
					t.Error("no error, although the outcome is unclear")
				}
				if got := b.there(t, string(old)); !got.Archived {
					t.Errorf("the thread is open: %+v", got)
				}
			})
		})
	}
}

func TestBadEditsOfThreadsAreRefused(t *testing.T) {
	t.Parallel()
	onBench(t, threadWorld+"bot DiscoClaw: View Channel, Read Message History, Send Messages in Threads", func(t *testing.T, b *bench) {
		old := b.ChannelID("old")
		edit := func(thread string, name *string, tags *[]string) error {
			_, warning, err := b.client.EditThread(t.Context(), b.ChannelID(thread), chat.ThreadEdit{Name: name, Tags: tags})
			if warning != "" {
				t.Errorf("%s: warned: %s", thread, warning)
			}
			return err
		}
		for _, tt := range []struct {
			name string
			err  error
			want string
		}{
			{"no name", edit("help", pointer(" "), nil), "a thread needs a name"},
			{"a long name", edit("help", pointer(strings.Repeat("x", 101)), nil), "101 characters"},
			{"tags of a thread that is no post", edit("help", nil, pointer([]string{"bug"})), "#general is a text channel, and only forums have tags and posts"},
			{"an unknown tag", edit("Dark mode", nil, pointer([]string{"no"})), "#ideas has no tag **no**"},
			{"a channel", edit("general", pointer("x"), nil), "#general is a text channel, not a thread"},
		} {
			if tt.err == nil || !strings.Contains(b.named(tt.err), tt.want) {
				t.Errorf("%s: error %v, want something about %q", tt.name, tt.err, tt.want)
			}
		}
		if got := b.requests(); len(got) > 0 {
			t.Errorf("requests: %v", got)
		}
		const lacks = "I need *Manage Threads* in #%s for that; an admin can give it to my role under Server Settings → Roles"
		for _, thread := range []string{"help", "old"} {
			if err := edit(thread, pointer("x"), nil); err == nil || b.named(err) != fmt.Sprintf(lacks, thread) {
				t.Errorf("%s: error %v", thread, err)
			}
		}
		if !b.there(t, string(old)).Archived {
			t.Error("a refused edit opened the thread")
		}
		if err := edit("shut", pointer("x"), nil); err == nil || !strings.Contains(err.Error(), "is locked; a moderator can unlock it") {
			t.Errorf("error %v", err)
		}
		if _, _, err := b.client.EditThread(t.Context(), "123456789012345678", chat.ThreadEdit{Name: pointer("x")}); !errors.Is(err, discord.ErrNotFound) {
			t.Errorf("error %v", err)
		}
	})
}
