package discord_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
)

const (
	postChannel   = "POST /guilds/{guild}/channels"
	patchChannels = "PATCH /guilds/{guild}/channels"
	patchChannel  = "PATCH /channels/{channel}"
	removeChannel = "DELETE /channels/{channel}"
	getChannel    = "GET /channels/{channel}"
)

// shown are the names of all channels, in order, those in others indented.
func (b *bench) shown(t *testing.T) []string {
	t.Helper()
	list, err := b.client.Channels(t.Context(), b.GuildID())
	if err != nil {
		t.Fatal(err)
	}
	depth := map[chat.ChannelID]int{}
	var names []string
	for _, ch := range list {
		if above, inside := depth[ch.Parent]; inside {
			depth[ch.ID] = above + 1
		} else {
			depth[ch.ID] = 0
		}
		names = append(names, strings.Repeat(" ", depth[ch.ID])+ch.Name)
	}
	return names
}

// there is a channel that must be there.
func (b *bench) there(t *testing.T, name string) fakediscord.Channel {
	t.Helper()
	c, ok := b.Channel(name)
	if !ok {
		t.Fatalf("there is no channel %s", name)
	}
	return c
}

func TestChannelsAreListedAsDiscordShowsThem(t *testing.T) {
	t.Parallel()
	onBench(t, `
guild disco: talk:voice Old:category #general ideas:forum Projects:category #secret Hidden:category
category Projects: Stage:stage #plans
category Hidden: #lone
thread "old" in #general: archived
thread "first" in #general
thread "second" in #general
thread "below nothing" in #secret
deny #secret bot: View Channel
deny Hidden bot: View Channel
allow #lone bot: View Channel
`, func(t *testing.T, b *bench) {
		want := []string{"general", " first", " second", "ideas", "lone", "talk", "Old", "Projects", " plans", " Stage"}
		if diff := cmp.Diff(want, b.shown(t)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := b.requests(); len(got) > 0 {
			t.Errorf("requests: %v", got)
		}
		if err := b.Archive("first"); err != nil {
			t.Fatal(err)
		}
		if err := b.RenameChannel("#general", "lobby"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		want = []string{"lobby", " second", "ideas", "lone", "talk", "Old", "Projects", " plans", " Stage"}
		if diff := cmp.Diff(want, b.shown(t)); diff != "" {
			t.Errorf("later (-want +got):\n%s", diff)
		}
		if _, err := b.client.Channels(t.Context(), "123456789012345678"); err == nil || !strings.Contains(err.Error(), "know nothing about server") {
			t.Errorf("error %v", err)
		}
		// Discord may be about to describe it, as after an outage.
		_, err := b.client.Channels(t.Context(), "123456789012345678")
		if refused := (*discord.Error)(nil); !errors.As(err, &refused) || refused.Permanent() {
			t.Errorf("%v is permanent", err)
		}
	})
}

func TestAChannelIsDescribed(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general ideas:forum\ntag bug in ideas: 🐛, moderated\ntag own in ideas: 123456789012345678\npost \"Dark\" in ideas [bug]: please", func(t *testing.T, b *bench) {
		list, err := b.client.Channels(t.Context(), b.GuildID())
		if err != nil || len(list) != 3 {
			t.Fatalf("%+v, %v", list, err)
		}
		ideas, post := list[1], list[2]
		bug := b.there(t, "ideas").Tags[0].ID
		want := []chat.Tag{{ID: bug, Name: "bug", Emoji: "🐛", Moderated: true}, {ID: b.there(t, "ideas").Tags[1].ID, Name: "own", Emoji: ":123456789012345678"}}
		if diff := cmp.Diff(want, ideas.Tags); diff != "" {
			t.Errorf("tags (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{bug}, post.AppliedTags); diff != "" {
			t.Errorf("tags of the post (-want +got):\n%s", diff)
		}
		if since := time.Since(list[0].Created); since < 0 || since > time.Minute {
			t.Errorf("the channel was made at %v", list[0].Created)
		}
	})
}

func TestCreateChannel(t *testing.T) {
	t.Parallel()
	offTheAir(t, "guild disco: #general Projects:category\nmember bob\ndeny Projects bob: View Channel", func(t *testing.T, b *bench) {
		projects := b.ChannelID("Projects")
		for _, tt := range []struct {
			new  chat.NewChannel
			name string
			kind fakediscord.ChannelType
		}{
			{chat.NewChannel{Name: " Big News "}, "big-news", fakediscord.TextChannel},
			{chat.NewChannel{Name: "Büro 🌻", Topic: " where we work ", Parent: projects}, "büro-🌻", fakediscord.TextChannel},
			{chat.NewChannel{Name: "Loud Talk", Kind: chat.Voice, Parent: projects}, "Loud Talk", fakediscord.VoiceChannel},
			{chat.NewChannel{Name: "news", Kind: chat.Announcements, Topic: "all of it"}, "news", fakediscord.AnnouncementChannel},
			{chat.NewChannel{Name: "Town Hall", Kind: chat.Stage}, "Town Hall", fakediscord.StageChannel},
			{chat.NewChannel{Name: "ideas", Kind: chat.Forum, Topic: strings.Repeat("x", 4096)}, "ideas", fakediscord.ForumChannel},
			{chat.NewChannel{Name: "Old Stuff", Kind: chat.CategoryKind}, "Old Stuff", fakediscord.CategoryChannel},
		} {
			got, err := b.client.CreateChannel(t.Context(), b.GuildID(), tt.new)
			if err != nil {
				t.Errorf("%+v: %v", tt.new, err)
				continue
			}
			made := b.there(t, string(got.ID))
			if made.Name != tt.name || made.Type != tt.kind || made.Topic != strings.TrimSpace(tt.new.Topic) || made.Parent != tt.new.Parent {
				t.Errorf("%+v made %+v", tt.new, made)
			}
			if got.Name != tt.name || got.Guild != b.GuildID() || got.Parent != tt.new.Parent {
				t.Errorf("%+v gave %+v", tt.new, got)
			}
			found, err := b.client.AnyChannel(t.Context(), b.GuildID(), "", chat.ChannelRef(tt.new.Name))
			if err != nil || found.ID != got.ID {
				t.Errorf("%q, which was just made, is %+v, %v", tt.new.Name, found, err)
			}
		}
		if got := b.count(postChannel); got != 7 || len(b.requests()) != 7 {
			t.Errorf("requests: %v", b.requests())
		}
		if _, err := b.Say("bob", "büro-🌻", "hello?"); err == nil {
			t.Error("a channel in a private category is not private")
		}
	})
}

func TestBadChannelsAreRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general talk:voice Projects:category\nthread \"help\" in #general", func(t *testing.T, b *bench) {
		projects, general, talk := b.ChannelID("Projects"), b.ChannelID("general"), b.ChannelID("talk")
		long, empty, topic := strings.Repeat("🌻", 51), " ", strings.Repeat("x", 1025)
		create := func(n chat.NewChannel) error {
			_, err := b.client.CreateChannel(t.Context(), b.GuildID(), n)
			return err
		}
		edit := func(id chat.ChannelID, e chat.ChannelEdit) error {
			_, err := b.client.EditChannel(t.Context(), id, e)
			return err
		}
		minus := -1
		for _, tt := range []struct {
			name string
			err  error
			want string
		}{
			{"no name", create(chat.NewChannel{Name: empty}), "a channel needs a name"},
			{"no name for a category", create(chat.NewChannel{Name: empty, Kind: chat.CategoryKind}), "a category needs a name"},
			{"a long name", create(chat.NewChannel{Name: long}), "102 characters"},
			{"a long topic", create(chat.NewChannel{Name: "x", Topic: topic}), "1025 characters"},
			{"a topic of a voice channel", create(chat.NewChannel{Name: "x", Kind: chat.Voice, Topic: "y"}), "a voice channel has no topic"},
			{"a topic of a category", create(chat.NewChannel{Name: "x", Kind: chat.CategoryKind, Topic: "y"}), "a category has no topic"},
			{"a thread", create(chat.NewChannel{Name: "x", Kind: chat.Thread}), "cannot make a thread; choose text"},
			{"a strange kind", create(chat.NewChannel{Name: "x", Kind: "chess"}), "cannot make a chess"},
			{"in a channel", create(chat.NewChannel{Name: "x", Parent: general}), "#general is a text channel, and channels can only be put into categories"},
			{"in a thread", create(chat.NewChannel{Name: "x", Parent: b.ChannelID("help")}), "#help is a thread"},
			{"a category in a category", create(chat.NewChannel{Name: "x", Kind: chat.CategoryKind, Parent: projects}), "cannot be inside another"},
			{"in something that is no ID", create(chat.NewChannel{Name: "x", Parent: "Projects"}), "not a channel's ID"},
			{"before the first", create(chat.NewChannel{Name: "x", Position: &minus}), "the first is 0"},
			{"no new name", edit(general, chat.ChannelEdit{Name: &empty}), "needs a name"},
			{"a long new name", edit(general, chat.ChannelEdit{Name: &long}), "102 characters"},
			{"a long new topic", edit(general, chat.ChannelEdit{Topic: &topic}), "1025 characters"},
			{"a new topic of a voice channel", edit(talk, chat.ChannelEdit{Topic: &empty}), "a voice channel has no topic"},
			{"an edit of a thread", edit(b.ChannelID("help"), chat.ChannelEdit{Name: &topic}), "#help is a thread"},
			{"an edit of no ID", edit("general", chat.ChannelEdit{Name: &topic}), "not a channel's ID"},
			{"a deletion of no ID", b.client.DeleteChannel(t.Context(), "general"), "not a channel's ID"},
		} {
			if tt.err == nil || !strings.Contains(b.named(tt.err), tt.want) {
				t.Errorf("%s: error %v, want something about %q", tt.name, tt.err, tt.want)
			}
		}
		if got := b.requests(); len(got) > 0 {
			t.Errorf("requests: %v", got)
		}
	})
}

func TestAChannelIsNeverMadeTwice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault fakediscord.Fault
		made  int
	}{
		{"done, but answered with 502", fakediscord.Fault{Accepted: true, Times: 1}, 1},
		{"done, but the connection was lost", fakediscord.Fault{Kind: fakediscord.Reset, Accepted: true, Times: 1}, 1},
		{"done, but never answered", fakediscord.Fault{Kind: fakediscord.Hang, Accepted: true, Times: 1}, 1},
		{"not done, and answered with 500", fakediscord.Fault{Status: 500, Times: 1}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
				tt.fault.Match = postChannel
				b.Fail(tt.fault)
				_, err := b.client.CreateChannel(t.Context(), b.GuildID(), chat.NewChannel{Name: "new"})
				if err == nil || !strings.Contains(err.Error(), "look before trying again") {
					t.Errorf("error %v", err)
				}
				if got := b.count(postChannel); got != 1 {
					t.Errorf("%d requests, want 1", got)
				}
				if got := len(b.Channels()); got != 1+tt.made {
					t.Errorf("%d channels", got)
				}
			})
		})
	}
}

func TestEditChannel(t *testing.T) {
	t.Parallel()
	offTheAir(t, "guild disco: #general Projects:category", func(t *testing.T, b *bench) {
		name, topic := " The Lobby ", " come in "
		got, err := b.client.EditChannel(t.Context(), b.ChannelID("general"), chat.ChannelEdit{Name: &name, Topic: &topic})
		if err != nil || got.Name != "the-lobby" || got.Topic != "come in" {
			t.Fatalf("%+v, %v", got, err)
		}
		if found, err := b.client.Channel(t.Context(), b.GuildID(), "", "The Lobby"); err != nil || found.ID != got.ID || found.Topic != "come in" {
			t.Errorf("afterwards it is %+v, %v", found, err)
		}
		topic = ""
		b.Fail(fakediscord.Fault{Match: patchChannel, Times: 1, Accepted: true})
		if got, err = b.client.EditChannel(t.Context(), got.ID, chat.ChannelEdit{Topic: &topic}); err != nil || got.Topic != "" || got.Name != "the-lobby" {
			t.Errorf("without a topic it is %+v, %v", got, err)
		}
		if got := b.there(t, "the-lobby"); got.Topic != "" {
			t.Errorf("the topic is still %q", got.Topic)
		}
		name = "Old Projects"
		if got, err := b.client.EditChannel(t.Context(), b.ChannelID("Projects"), chat.ChannelEdit{Name: &name}); err != nil || got.Name != name {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestALongWaitForARenamingIsReported(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.Limit(patchChannel, 2, 10*time.Minute) // which is what Discord allows
		var err error
		for i := range 3 {
			name := fmt.Sprint("name-", i)
			_, err = b.client.EditChannel(t.Context(), b.ChannelID(b.Channels()[0].Name), chat.ChannelEdit{Name: &name})
		}
		if err == nil || !strings.Contains(err.Error(), "try again in 10 minutes") {
			t.Errorf("error %v", err)
		}
	})
}

func TestDeleteChannel(t *testing.T) {
	t.Parallel()
	offTheAir(t, "guild disco: #general #ops\ncategory Projects: #plans\nthread \"help\" in #general\nthread \"hurry\" in #ops", func(t *testing.T, b *bench) {
		for _, name := range []string{"general", "Projects", "hurry"} {
			id := b.ChannelID(name)
			b.Fail(fakediscord.Fault{Match: removeChannel, Times: 1, Accepted: true})
			if err := b.client.DeleteChannel(t.Context(), id); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, there := b.Channel(string(id)); there {
				t.Errorf("%s is still there", name)
			}
		}
		if diff := cmp.Diff([]string{"ops", "plans"}, b.shown(t)); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
		if ch, err := b.client.Channel(t.Context(), b.GuildID(), "", "plans"); err != nil || ch.Parent != "" {
			t.Errorf("plans = %+v, %v; want it in no category", ch, err)
		}
		if err := b.client.DeleteChannel(t.Context(), "123456789012345678"); !errors.Is(err, discord.ErrNotFound) {
			t.Errorf("error %v", err)
		}
	})
}

func TestRefusalsOfChannelsNameTheRemedy(t *testing.T) {
	t.Parallel()
	onBench(t, `
guild disco: #general #rules #hidden Closed:category ideas:forum
category Open: #inside
thread "help" in #general
bot DiscoClaw: View Channel, Send Messages, Read Message History
role @everyone: View Channel
allow Open bot: Manage Channels
allow #rules bot: Manage Channels
deny #hidden bot: View Channel
`, func(t *testing.T, b *bench) {
		if err := b.MakeRules("#rules"); err != nil {
			t.Fatal(err)
		}
		name, closed := "x", b.ChannelID("Closed")
		create := func(parent chat.ChannelID) error {
			_, err := b.client.CreateChannel(t.Context(), b.GuildID(), chat.NewChannel{Name: name, Parent: parent})
			return err
		}
		edit := func(channel string) error {
			_, err := b.client.EditChannel(t.Context(), b.ChannelID(channel), chat.ChannelEdit{Name: &name})
			return err
		}
		const roles = "for that; an admin can give it to my role under Server Settings → Roles"
		for _, tt := range []struct {
			name string
			err  error
			want string
		}{
			{"a new channel", create(""), "I need *Manage Channels* " + roles},
			{"a new channel in a category", create(closed), "I need *Manage Channels* in #Closed " + roles},
			{"a new channel where it may make some", create(b.ChannelID("Open")), ""},
			{"an edit", edit("general"), "I need *Manage Channels* in #general " + roles},
			{"an edit of what it cannot see", edit("hidden"), "I need *Manage Channels* and *View Channel* in #hidden for that; " +
				"an admin can give my role *Manage Channels* under Server Settings → Roles, and allow it *View Channel* under Edit Channel → Permissions"},
			{"a deletion", b.client.DeleteChannel(t.Context(), b.ChannelID("general")), "I need *Manage Channels* in #general " + roles},
			{"a deletion of a thread", b.client.DeleteChannel(t.Context(), b.ChannelID("help")), "I need *Manage Threads* in #help " + roles},
			{"a deletion of the rules", b.client.DeleteChannel(t.Context(), b.ChannelID("rules")),
				"the server needs #rules for its rules or its updates; choose another channel for that under Server Settings → Community first"},
			{"a move", b.client.MoveChannel(t.Context(), b.GuildID(), b.ChannelID("general"), new(chat.ChannelID), nil), "I need *Manage Channels* in #general " + roles},
			{"a move into a category", b.client.MoveChannel(t.Context(), b.GuildID(), b.ChannelID("rules"), &closed, nil), "I need *Manage Channels* in #Closed " + roles},
			{"tags", second(b.client.CreateTag(t.Context(), b.ChannelID("ideas"), chat.Tag{Name: "x"})), "I need *Manage Channels* in #ideas " + roles},
		} {
			if got := b.named(tt.err); got != tt.want && (tt.want != "" || tt.err != nil) {
				t.Errorf("%s:\n got %v\nwant %s", tt.name, tt.err, tt.want)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestFullServersAndCategoriesAreExplained(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: "+strings.Repeat("#x ", 449)+"\ncategory Full: "+strings.Repeat("#y ", 50), func(t *testing.T, b *bench) {
		create := func(parent chat.ChannelID) error {
			return second(b.client.CreateChannel(t.Context(), b.GuildID(), chat.NewChannel{Name: "one-more", Parent: parent}))
		}
		if err := create(b.ChannelID("Full")); err == nil || !strings.Contains(err.Error(), "which is 50; choose another one") {
			t.Errorf("error %v", err)
		}
		if err := create(""); err == nil || !strings.Contains(err.Error(), "which is 500; delete some first") {
			t.Errorf("error %v", err)
		}
	})
}

func TestServersWithoutCommunityHaveNoAnnouncementChannels(t *testing.T) {
	t.Parallel()
	answer := stubborn{400, `{"message":"Invalid Form Body","code":50035,"errors":{"type":{"_errors":[{"code":"BASE_TYPE_CHOICES","message":"Value must be one of {0, 2, 4, 6, 13, 14, 15, 16}."}]}}}`}
	c := discord.New(discord.Options{Token: "t", HTTP: &http.Client{Transport: answer}})
	_, err := c.CreateChannel(t.Context(), "123456789012345678", chat.NewChannel{Name: "news", Kind: chat.Announcements})
	if err == nil || !strings.Contains(err.Error(), "switch Community on") {
		t.Errorf("error %v", err)
	}
	_, err = c.CreateChannel(t.Context(), "123456789012345678", chat.NewChannel{Name: "news", Kind: chat.Stage})
	if err == nil || strings.Contains(err.Error(), "Community") {
		t.Errorf("error %v", err)
	}
}

func TestCodesOfChannelsBecomeSentences(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{
		10087:  "the forum has no such tag any more; look at its tags again",
		20031:  "Discord does not allow such words in a name; choose another",
		30048:  "this server has as many tags as Discord allows; delete one first",
		30047:  "this server cannot be pinned as long as another post of its forum is; unpin that one first",
		40061:  "two tags of a forum cannot have the same name; choose another",
		40066:  "a post in this server needs a tag, and all tags there are for moderators; an admin can give my role *Manage Threads* under Server Settings → Roles",
		160007: "the server has as many active threads in announcement channels as Discord allows; archive some first",
	} {
		body, err := json.Marshal(map[string]any{"code": code, "message": "no"})
		if err != nil {
			t.Fatal(err)
		}
		c := discord.New(discord.Options{Token: "t", HTTP: &http.Client{Transport: stubborn{400, string(body)}}})
		_, err = c.CreateChannel(t.Context(), "123456789012345678", chat.NewChannel{Name: "x"})
		if err == nil || err.Error() != want {
			t.Errorf("%d:\n got %v\nwant %s", code, err, want)
		}
	}
}
