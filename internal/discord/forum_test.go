package discord_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
)

const forumWorld = `
guild disco: #general ideas:forum bare:forum
tag bug in ideas: 🐛
tag "good idea" in ideas: 123456789012345678
tag accepted in ideas: moderated
post "Dark mode" in ideas [bug, good idea]: my eyes hurt
thread "help" in #general
`

// tags are a forum's tags as the world has them, without their IDs.
func (b *bench) tags(t *testing.T, forum string) []fakediscord.Tag {
	t.Helper()
	tags := b.there(t, forum).Tags
	for i := range tags {
		tags[i].ID = ""
	}
	return tags
}

func TestTagsAreMadeAndTheOthersStay(t *testing.T) {
	t.Parallel()
	offTheAir(t, forumWorld, func(t *testing.T, b *bench) {
		ideas := b.ChannelID("ideas")
		before := b.there(t, "ideas").Tags
		made, err := b.client.CreateTag(t.Context(), ideas, chat.Tag{Name: " done ", Emoji: "✅"})
		if err != nil {
			t.Fatal(err)
		}
		own, err := b.client.CreateTag(t.Context(), ideas, chat.Tag{Name: "party", Emoji: "party:223456789012345678", Moderated: true})
		if err != nil {
			t.Fatal(err)
		}
		after := b.there(t, "ideas").Tags
		want := append(before, fakediscord.Tag{ID: made.ID, Name: "done", Emoji: "✅"}, fakediscord.Tag{ID: own.ID, Name: "party", Emoji: "223456789012345678", Moderated: true})
		if diff := cmp.Diff(want, after); diff != "" {
			t.Errorf("tags (-want +got):\n%s", diff)
		}
		if made.Name != "done" || made.Emoji != "✅" || !chat.IsID(made.ID) || !own.Emoji.Same("other:223456789012345678") {
			t.Errorf("made %+v and %+v", made, own)
		}
		if got := b.there(t, "Dark mode").AppliedTags; len(got) != 2 {
			t.Errorf("the post has the tags %v", got)
		}
		list, err := b.client.Tags(t.Context(), ideas)
		if err != nil || len(list) != 5 || list[3] != made {
			t.Errorf("the cache has %+v, %v", list, err)
		}
	})
}

func TestATagIsChangedAndTheOthersStay(t *testing.T) {
	t.Parallel()
	onBench(t, forumWorld, func(t *testing.T, b *bench) {
		ideas, before, tagged := b.ChannelID("ideas"), b.there(t, "ideas").Tags, b.there(t, "Dark mode").AppliedTags
		was, now, err := b.client.EditTag(t.Context(), ideas, "BUG", chat.TagEdit{Name: pointer(" defect "), Emoji: pointer(chat.Emoji("🔧"))})
		if err != nil || was.Name != "bug" || was.Emoji != "🐛" || now.Name != "defect" || now.Emoji != "🔧" || now.ID != was.ID {
			t.Fatalf("%+v became %+v, %v", was, now, err)
		}
		if _, _, err := b.client.EditTag(t.Context(), ideas, "good idea", chat.TagEdit{Emoji: pointer(chat.Emoji(""))}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.client.EditTag(t.Context(), ideas, before[2].ID, chat.TagEdit{Name: pointer("Accepted")}); err != nil {
			t.Fatal(err)
		}
		want := []fakediscord.Tag{{ID: before[0].ID, Name: "defect", Emoji: "🔧"}, {ID: before[1].ID, Name: "good idea"}, {ID: before[2].ID, Name: "Accepted", Moderated: true}}
		if diff := cmp.Diff(want, b.there(t, "ideas").Tags); diff != "" {
			t.Errorf("tags (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(tagged, b.there(t, "Dark mode").AppliedTags); diff != "" {
			t.Errorf("tags of the post (-want +got):\n%s", diff)
		}
	})
}

func TestATagIsDeletedAndTheOthersStay(t *testing.T) {
	t.Parallel()
	offTheAir(t, forumWorld, func(t *testing.T, b *bench) {
		ideas := b.ChannelID("ideas")
		accepted := b.there(t, "ideas").Tags[2]
		gone, err := b.client.DeleteTag(t.Context(), ideas, "BUG")
		if err != nil || gone.Name != "bug" || gone.Emoji != "🐛" {
			t.Errorf("gone is %+v, %v", gone, err)
		}
		if gone, err := b.client.DeleteTag(t.Context(), ideas, accepted.ID); err != nil || gone.Name != "accepted" {
			t.Errorf("gone is %+v, %v", gone, err)
		}
		if diff := cmp.Diff([]fakediscord.Tag{{Name: "good idea", Emoji: "123456789012345678"}}, b.tags(t, "ideas")); diff != "" {
			t.Errorf("tags (-want +got):\n%s", diff)
		}
		post, err := b.client.Thread(t.Context(), b.GuildID(), "", "Dark mode")
		if err != nil || len(post.AppliedTags) != 1 {
			t.Errorf("in the cache the post has %v, %v", post.AppliedTags, err)
		}
		if _, err := b.client.DeleteTag(t.Context(), ideas, "good idea"); err != nil {
			t.Error(err)
		}
		if left := b.there(t, "ideas").Tags; len(left) > 0 {
			t.Errorf("left are %+v", left)
		}
	})
}

// TestTagsThatAreNotCachedAreNotLost: the whole list is replaced, so it must be up to date.
func TestTagsThatAreNotCachedAreNotLost(t *testing.T) {
	t.Parallel()
	offTheAir(t, forumWorld, func(t *testing.T, b *bench) {
		other := discord.New(discord.Options{Token: b.Token(), APIURL: b.APIURL(), HTTP: b.HTTP()})
		if _, err := other.CreateTag(t.Context(), b.ChannelID("ideas"), chat.Tag{Name: "quick"}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.client.CreateTag(t.Context(), b.ChannelID("ideas"), chat.Tag{Name: "slow"}); err != nil {
			t.Fatal(err)
		}
		if got := b.tags(t, "ideas"); len(got) != 5 {
			t.Errorf("tags = %+v", got)
		}
	})
}

func TestTagsMadeAtTheSameTimeAreAllThere(t *testing.T) {
	t.Parallel()
	onBench(t, forumWorld, func(t *testing.T, b *bench) {
		var wait sync.WaitGroup
		for i := range 10 {
			wait.Go(func() {
				if _, err := b.client.CreateTag(t.Context(), b.ChannelID("bare"), chat.Tag{Name: fmt.Sprint("tag ", i)}); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if got := b.tags(t, "bare"); len(got) != 10 {
			t.Errorf("tags = %+v", got)
		}
	})
}

func TestATagIsNeverMadeTwice(t *testing.T) {
	t.Parallel()
	onBench(t, forumWorld, func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: patchChannel, Times: 2, Accepted: true})
		made, err := b.client.CreateTag(t.Context(), b.ChannelID("bare"), chat.Tag{Name: "one"})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.there(t, "bare").Tags; len(got) != 1 || got[0].ID != made.ID {
			t.Errorf("tags = %+v, want one with the ID %s", got, made.ID)
		}
	})
}

func TestBadTagsAreRefused(t *testing.T) {
	t.Parallel()
	onBench(t, forumWorld, func(t *testing.T, b *bench) {
		ideas, general := b.ChannelID("ideas"), b.ChannelID("general")
		create := func(ch chat.ChannelID, name string) error {
			return second(b.client.CreateTag(t.Context(), ch, chat.Tag{Name: name}))
		}
		rename := func(ch chat.ChannelID, tag, name string) error {
			_, _, err := b.client.EditTag(t.Context(), ch, tag, chat.TagEdit{Name: &name})
			return err
		}
		remove := func(ch chat.ChannelID, tag string) error { return second(b.client.DeleteTag(t.Context(), ch, tag)) }
		for _, tt := range []struct {
			name string
			err  error
			want string
		}{
			{"no name", create(ideas, " "), "a tag needs a name"},
			{"a long name", create(ideas, strings.Repeat("🌻", 11)), "22 characters, and Discord takes 20"},
			{"a name that is taken", create(ideas, "Bug"), "#ideas has a tag **bug** already"},
			{"in a text channel", create(general, "x"), "#general is a text channel, and only forums have tags"},
			{"in a thread", create(b.ChannelID("help"), "x"), "#help is a thread, and only forums have tags"},
			{"in an unknown channel", create("123456789012345678", "x"), "no such channel"},
			{"in no channel", create("ideas", "x"), "not a channel's ID"},
			{"another name that is taken", rename(ideas, "bug", "Accepted"), "#ideas has a tag **accepted** already"},
			{"a long new name", rename(ideas, "bug", strings.Repeat("x", 21)), "21 characters, and Discord takes 20"},
			{"to change one that is not there", rename(ideas, "nothing", "x"), "#ideas has no tag **nothing**"},
			{"to change in a text channel", rename(general, "x", "y"), "only forums have tags"},
			{"to delete one that is not there", remove(ideas, "nothing"), "#ideas has no tag **nothing**; it has **bug**, **good idea** and **accepted**"},
			{"to delete where there is none", remove(b.ChannelID("bare"), "x"), "it has no tags"},
			{"to delete in a text channel", remove(general, "x"), "only forums have tags"},
			{"to list in a text channel", second(b.client.Tags(t.Context(), general)), "only forums have tags"},
			{"to list in an unknown channel", second(b.client.Tags(t.Context(), "123456789012345678")), "no such channel"},
		} {
			if tt.err == nil || !strings.Contains(b.named(tt.err), tt.want) {
				t.Errorf("%s: error %v, want something about %q", tt.name, tt.err, tt.want)
			}
		}
		if got := b.count(patchChannel); got > 0 {
			t.Errorf("%d edits were made", got)
		}
		for i := range 17 {
			if err := create(ideas, fmt.Sprint("tag ", i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := create(ideas, "one too many"); err == nil || !strings.Contains(b.named(err), "#ideas has 20 tags, and Discord allows no more") {
			t.Errorf("error %v", err)
		}
	})
}

func TestStartPost(t *testing.T) {
	t.Parallel()
	offTheAir(t, forumWorld, func(t *testing.T, b *bench) {
		bug, accepted := b.there(t, "ideas").Tags[0].ID, b.there(t, "ideas").Tags[2].ID
		post, first, err := b.client.StartPost(t.Context(), b.ChannelID("ideas"), " Light mode ", "@everyone <@"+string(b.UserID("ada"))+"> no", []string{"Bug", accepted, bug}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		there, message := b.there(t, string(post.ID)), b.message(t, first)
		if there.Name != "Light mode" || there.AutoArchive != 60 || message.Channel != post.ID || len(message.Pings) > 0 {
			t.Errorf("the post is %+v with %+v", there, message)
		}
		if diff := cmp.Diff([]string{bug, accepted}, there.AppliedTags); diff != "" {
			t.Errorf("tags (-want +got):\n%s", diff)
		}
		want := chat.Channel{ID: post.ID, Guild: b.GuildID(), Name: "Light mode", Kind: chat.Thread, Parent: b.ChannelID("ideas"), AppliedTags: []string{bug, accepted}}
		if diff := cmp.Diff(want, post, cmpopts.IgnoreFields(chat.Channel{}, "Created", "Active", "Owner", "ArchivedAt", "ArchiveAfter")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		found, err := b.client.Channel(t.Context(), b.GuildID(), "", "light-mode")
		if err != nil || found.ID != post.ID {
			t.Errorf("the new post is %+v, %v", found, err)
		}
		if last, err := b.client.LatestOwn(t.Context(), post.ID); err != nil || last != first {
			t.Errorf("the bot's latest message there is %s, %v; want %s", last, err, first)
		}
		if diff := cmp.Diff([]string{postThread + " 201"}, b.requests()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		if _, _, err := b.client.StartPost(t.Context(), b.ChannelID("bare"), "x", "y", nil, 0); err != nil {
			t.Error(err)
		}
	})
}

func TestBadPostsAreRefused(t *testing.T) {
	t.Parallel()
	onBench(t, forumWorld+"tag a in bare\ntag b in bare\ntag c in bare\ntag d in bare\ntag e in bare\ntag f in bare\nbot DiscoClaw: View Channel, Send Messages, Read Message History, Manage Channels", func(t *testing.T, b *bench) {
		post := func(forum, name, content string, after time.Duration, tags ...string) error {
			_, _, err := b.client.StartPost(t.Context(), b.ChannelID(forum), name, content, tags, after)
			return err
		}
		for _, tt := range []struct {
			name string
			err  error
			want string
		}{
			{"no name", post("ideas", " ", "x", 0), "a post needs a name"},
			{"a long name", post("ideas", strings.Repeat("x", 101), "x", 0), "101 characters"},
			{"no text", post("ideas", "x", " \n", 0), "a post needs a text"},
			{"a long text", post("ideas", "x", strings.Repeat("x", 2001), 0), "2001 characters"},
			{"an unknown tag", post("ideas", "x", "y", 0, "no"), "#ideas has no tag **no**; it has **bug**"},
			{"in a text channel", post("general", "x", "y", 0), "#general is a text channel, and only forums have tags and posts"},
		} {
			if tt.err == nil || !strings.Contains(b.named(tt.err), tt.want) {
				t.Errorf("%s: error %v, want something about %q", tt.name, tt.err, tt.want)
			}
		}
		if got := b.requests(); len(got) > 0 {
			t.Errorf("requests: %v", got)
		}
		if err := b.RequireTag("ideas"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := post("ideas", "x", "y", 0); err == nil || b.named(err) != "a post in #ideas needs a tag; give at least one" {
			t.Errorf("error %v", err)
		}
		if err := b.Deny("bare", "bot", chat.SendMessages); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := post("bare", "x", "y", 0); err == nil || !strings.Contains(b.named(err), "I need *Create Posts* in #bare for that; an admin can allow it") {
			t.Errorf("error %v", err)
		}
		if _, _, err := b.client.StartPost(t.Context(), "123456789012345678", "x", "y", nil, 0); !errors.Is(err, discord.ErrNotFound) {
			t.Errorf("error %v", err)
		}
	})
}

func TestAPostIsNeverStartedTwice(t *testing.T) {
	t.Parallel()
	onBench(t, forumWorld, func(t *testing.T, b *bench) {
		b.Fail(fakediscord.Fault{Match: postThread, Times: 1, Accepted: true})
		_, _, err := b.client.StartPost(t.Context(), b.ChannelID("bare"), "x", "y", nil, 0)
		if err == nil || !strings.Contains(err.Error(), "look before trying again") || b.count(postThread) != 1 {
			t.Errorf("error %v after %v", err, b.requests())
		}
		b.Fail(fakediscord.Fault{Match: postThread, Times: 1, Kind: fakediscord.RateLimited, RetryAfter: time.Second})
		if _, _, err := b.client.StartPost(t.Context(), b.ChannelID("bare"), "z", "y", nil, 0); err != nil {
			t.Errorf("after a rate limit: %v", err)
		}
	})
}
