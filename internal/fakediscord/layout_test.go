package fakediscord_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discoclaw/internal/fakediscord"
)

func TestALayoutMakesAWorld(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
		guild disco: #general #ops news:announcement ideas:forum talk:voice Projects:category
		role mods: Manage Messages, kick members
		member ada: owner            # has every right
		member bob
		member eve: mods
		stranger zed # not on any list
		stranger Friend: bot
		bot Robo: View Channel, Send Messages
		thread "help me" in #general
		thread "a secret" in #general: private, archived, locked
		thread "an idea" in ideas
		deny #ops bob: View Channel
	`)
	var names []string
	kinds := map[string]fakediscord.ChannelType{}
	for _, c := range r.Channels() {
		names = append(names, c.Name)
		kinds[c.Name] = c.Type
	}
	want := []string{"general", "ops", "news", "ideas", "talk", "Projects", "help me", "a secret", "an idea"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("channels (-want +got):\n%s", diff)
	}
	wantKinds := map[string]fakediscord.ChannelType{
		"general": fakediscord.TextChannel, "ops": fakediscord.TextChannel, "news": fakediscord.AnnouncementChannel,
		"ideas": fakediscord.ForumChannel, "talk": fakediscord.VoiceChannel, "Projects": fakediscord.CategoryChannel,
		"help me": fakediscord.PublicThread, "a secret": fakediscord.PrivateThread, "an idea": fakediscord.PublicThread,
	}
	if diff := cmp.Diff(wantKinds, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	if secret, _ := r.Channel("a secret"); !secret.Archived || !secret.Locked {
		t.Errorf("a secret = %+v, want archived and locked", secret)
	}
	if got := r.Messages("an idea"); len(got) != 1 || string(got[0].ID) != string(got[0].Channel) {
		t.Errorf("a forum's post begins with %+v, want one message with the post's ID", got)
	}
	if _, err := r.Say("bob", "#ops", "hello?"); err == nil {
		t.Error("bob wrote in a channel he does not see")
	}
	if len(r.Members()) != 6 {
		t.Errorf("members = %+v, want ada, bob, eve, zed, Friend and Robo", r.Members())
	}
	if friend, _ := r.Member("Friend"); !friend.Bot {
		t.Error("Friend is no bot")
	}
}

func TestALayoutHasCategoriesAndForums(t *testing.T) {
	t.Parallel()
	r := newRig(t, `
		guild disco: #general ideas:forum Projects:category
		post "Dark mode" in ideas [bug, Good Idea]: my eyes: they hurt
		post "Light mode" in ideas: no
		tag bug in ideas
		tag "good idea" in ideas: moderated, 💡
		category Projects: #plans
		category Old Projects: #attic talk:voice
	`)
	for name, parent := range map[string]string{"plans": "Projects", "attic": "Old Projects", "talk": "Old Projects"} {
		c, _ := r.Channel(name)
		category, _ := r.Channel(parent)
		if category.Type != fakediscord.CategoryChannel || c.Parent != category.ID {
			t.Errorf("%s is in %q, want %s", name, c.Parent, parent)
		}
	}
	ideas, _ := r.Channel("ideas")
	want := []fakediscord.Tag{{Name: "bug"}, {Name: "good idea", Emoji: "💡", Moderated: true}}
	if diff := cmp.Diff(want, ideas.Tags, cmpopts.IgnoreFields(fakediscord.Tag{}, "ID")); diff != "" {
		t.Fatalf("tags (-want +got):\n%s", diff)
	}
	post, _ := r.Channel("Dark mode")
	if diff := cmp.Diff([]string{ideas.Tags[0].ID, ideas.Tags[1].ID}, post.AppliedTags); diff != "" {
		t.Errorf("tags of the post (-want +got):\n%s", diff)
	}
	if got := r.Transcript(); got != "#Dark mode ada: my eyes: they hurt\n#Light mode ada: no\n" {
		t.Errorf("transcript:\n%s", got)
	}
}

func TestALayoutNeedsOnlyAGuild(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild disco: #general")
	r.say("ada", "#general", "hello")
	if bot, _ := r.Member("bot"); bot.Name != "DiscoClaw" || !bot.Bot {
		t.Errorf("the bot is %+v", bot)
	}
}

func TestALayoutThatCannotBeReadNamesItsLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, layout, want string }{
		{"nothing at all", "", "no guild"},
		{"unknown word", "guild d: #a\nchannel b", "line 2 (channel b): \"channel\" begins no line"},
		{"two guilds of one name", "guild d: #a\nguild D: #b", "line 2"},
		{"channel without kind", "guild d: general", `"general" is no channel`},
		{"unknown kind", "guild d: a:chess", `"a:chess" is no channel`},
		{"unknown permission", "guild d: #a\n\nrole r: Fly", `line 3 (role r: Fly): there is no permission "Fly"`},
		{"unknown role", "guild d: #a\nmember bob: mods", "there is no role mods"},
		{"two of one name", "guild d: #a\nmember bob\nmember Bob", "line 3 (member Bob): the name Bob is taken"},
		{"two owners", "guild d: #a\nmember a: owner\nmember b: owner", "has an owner already"},
		{"two bots", "guild d: #a\nbot a\nbot b", "there is a bot already"},
		{"member without a name", "guild d: #a\nmember", "the name is missing"},
		{"thread without quotes", "guild d: #a\nthread x in #a", `write thread "name" in #channel`},
		{"thread nowhere", "guild d: #a\nthread \"x\" in #b", "there is no channel #b"},
		{"thread in a voice channel", "guild d: a:voice\nthread \"x\" in a", "has no threads"},
		{"thread with a strange state", "guild d: #a\nthread \"x\" in #a: green", "not green"},
		{"category without a name", "guild d: #a\ncategory : #b", "the category's name is missing"},
		{"category in a category", "guild d: #a\ncategory b: c:category", "c cannot be in a category"},
		{"category with a strange channel", "guild d: #a\ncategory b: c", `"c" is no channel`},
		{"tag without a forum", "guild d: #a\ntag bug", `write tag "name" in forum`},
		{"tag nowhere", "guild d: #a\ntag bug in b", "there is no channel b"},
		{"tag in a text channel", "guild d: #a\ntag bug in a", "#a is not a forum"},
		{"tag with two emoji", "guild d: a:forum\ntag bug in a: 🐛, 🦋", "🦋 would be the second"},
		{"post without a text", "guild d: a:forum\npost \"x\" in a", "a colon, and its text"},
		{"post in a text channel", "guild d: #a\npost \"x\" in a: y", "#a is not a forum"},
		{"post with an unknown tag", "guild d: a:forum\npost \"x\" in a [bug]: y", "#a has no tag bug"},
		{"overwrite for nobody", "guild d: #a\ndeny #a bob: View Channel", "no member and no role bob"},
		{"overwrite without permissions", "guild d: #a\ndeny #a ada", "a colon"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := fakediscord.New(tt.layout)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("New(%q) = %v, want an error with %q", tt.layout, err, tt.want)
			}
		})
	}
}
