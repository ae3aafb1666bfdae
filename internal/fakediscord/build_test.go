package fakediscord_test

import (
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
