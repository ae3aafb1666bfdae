package messaging_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func TestThreadCreate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, want string
		kind           fakediscord.ChannelType
		minutes        int
	}{
		{"in a channel", `"channelId":"ops","name":" Release  2.0 "`, `"Release 2.0" in #ops`, fakediscord.PublicThread, 1440},
		{"in an announcement channel", `"channel":"#news","name":"Release 2.0"`, `"Release 2.0" in #news`, fakediscord.AnnouncementThread, 1440},
		{"with another pause", `"channelId":"ops","name":"Release 2.0","autoArchiveMinutes":10080`, `"Release 2.0" in #ops`, fakediscord.PublicThread, 10080},
		{"a pause in quotes", `"channelId":"ops","name":"Release 2.0","autoArchiveMinutes":"60"`, `"Release 2.0" in #ops`, fakediscord.PublicThread, 60},
		{"with quotes in its name", `"channelId":"ops","name":"the \"new\" one"`, `"the "new" one" in #ops`, fakediscord.PublicThread, 1440},
		{"with a long name", `"channelId":"ops","name":"` + strings.Repeat("x", 150) + `"`, `"` + strings.Repeat("x", 99) + `…" in #ops`, fakediscord.PublicThread, 1440},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onServer(t, layout, func(t *testing.T, w *world) {
				got := w.Run("ada", `{"type":"threadCreate",`+tt.in+`}`)[0]
				name := tt.want[1:strings.LastIndex(tt.want, `"`)]
				thread, ok := w.Channel(name)
				if !ok {
					t.Fatalf("%s, but there is no thread %q", got, name)
				}
				if want := w.WithIDs("Done: started the thread " + thread.ID.Mention() + " in <#{" + tt.want[strings.LastIndex(tt.want, "#")+1:] + "}>"); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				if thread.Type != tt.kind || thread.AutoArchive != tt.minutes {
					t.Errorf("type %d, archived after %d minutes; want %d and %d", thread.Type, thread.AutoArchive, tt.kind, tt.minutes)
				}
			})
		})
	}
}

func TestThreadCreateFromAMessage(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		id := w.say("bob", "#ops", "it is broken")
		got := w.Run("ada", `{"type":"threadCreate","channelId":"ops","messageId":"`+id+`","name":"Broken"}`)[0]
		m, _ := w.Message(chat.MessageID(id))
		if want := w.WithIDs(fmt.Sprintf("Done: started the thread <#%s> in <#{ops}>", m.Thread)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		w.Require("ada", `{"type":"threadCreate","channelId":"ops","messageId":"`+id+`","name":"Again"}`,
			"Failed: threadCreate: there is a thread on this message already; write there")
		got = w.Run("ada", `{"type":"sendMessage","channel":"ops","content":"any news?"}`, `{"type":"threadCreate","channelId":"ops","messageId":"last","name":"News"}`)[1]
		if !strings.HasPrefix(got, "Done: started the thread <#") {
			t.Error(got)
		}
	})
}

// TestANewThreadCanBeUsedAtOnce: by its name, in the same reply.
func TestANewThreadCanBeUsedAtOnce(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		got := w.Run("ada",
			`{"type":"threadCreate","channelId":"ops","name":"Release 2.0"}`,
			`{"type":"sendMessage","channel":"release 2.0","content":"welcome"}`,
			`{"type":"pinMessage","channelId":"Release 2.0","messageId":"last"}`)
		if !strings.HasPrefix(got[2], "Done: pinned ") {
			t.Errorf("got %q", got)
		}
	})
}

func TestThreadCreateRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`thread "Help me" in #general`, func(t *testing.T, w *world) {
		w.requireEach([]example{
			{"nothing given", `{"type":"threadCreate"}`, "Failed: threadCreate: name: missing"},
			{"a blank name", `{"type":"threadCreate","channelId":"ops","name":" "}`, "Failed: threadCreate: name: empty"},
			{"a pause that Discord does not know", `{"type":"threadCreate","channelId":"ops","name":"x","autoArchiveMinutes":90}`, "Failed: threadCreate: autoArchiveMinutes: 90 is not one of 60, 1440, 4320, 10080"},
			{"a forum without content", `{"type":"threadCreate","channelId":"ideas","name":"x","content":" "}`, "Failed: threadCreate: <#{ideas}> is a forum channel, where a thread begins with a message; say what that is"},
			{"a forum and a message", `{"type":"threadCreate","channelId":"ideas","name":"x","content":"x","messageId":"last"}`, "Failed: threadCreate: <#{ideas}> is a forum channel, where a thread begins with a text of its own, not with another message"},
			{"a long content", `{"type":"threadCreate","channelId":"ideas","name":"x","content":"` + strings.Repeat("x", 2001) + `"}`, "Failed: threadCreate: content: has 2001 characters, must have at most 2000"},
			{"too many tags", `{"type":"threadCreate","channelId":"ideas","name":"x","content":"x","appliedTags":["a","b","c","d","e","f"]}`, "Failed: threadCreate: appliedTags: has 6 items, must have at most 5"},
			{"content outside of a forum", `{"type":"threadCreate","channelId":"ops","name":"x","content":"x"}`, "Failed: threadCreate: <#{ops}> is no forum, and only threads in a forum begin with a text; leave it out, then send it to the thread"},
			{"tags outside of a forum", `{"type":"threadCreate","channelId":"news","name":"x","appliedTags":["bug"]}`, "Failed: threadCreate: <#{news}> is no forum, and only threads in a forum have tags; leave them out"},
			{"a voice channel", `{"type":"threadCreate","channelId":"talk","name":"x"}`, "Failed: threadCreate: <#{talk}> is a voice channel, which has no threads; choose a text channel or a forum"},
			{"a thread", `{"type":"threadCreate","channelId":"help me","name":"x"}`, "Failed: threadCreate: <#{Help me}> is a thread itself, and threads have none; choose the channel around it"},
			{"no such channel", `{"type":"threadCreate","channelId":"basement","name":"x"}`, `Failed: threadCreate: I can't see a channel #basement`},
			{"no such message", `{"type":"threadCreate","channelId":"ops","messageId":"111111111111111111","name":"x"}`, "Failed: threadCreate: there is no such message in <#{ops}>; it may have been deleted"},
		})
	})
}

const forum = layout + `
tag bug in ideas
tag "good idea" in ideas
tag staff in ideas: moderated
`

func TestThreadCreateInAForum(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, post, text string
		minutes              int
		tags                 string
	}{
		{"with its first message", `"name":"Dark mode","content":"It is so bright."`, "Dark mode", "It is so bright.", 1440, ""},
		{"with tags by name", `"name":"Dark mode","content":"x","appliedTags":["Bug","good idea"]`, "Dark mode", "x", 1440, "bug, good idea"},
		{"with a tag alone", `"name":"Dark mode","content":"x","appliedTags":"bug"`, "Dark mode", "x", 1440, "bug"},
		{"with no tags", `"name":"Dark mode","content":"x","appliedTags":[]`, "Dark mode", "x", 1440, ""},
		{"with a reserved tag", `"name":"Dark mode","content":"x","appliedTags":["staff"]`, "Dark mode", "x", 1440, "staff"},
		{"with another pause", `"name":"Dark mode","content":"x","autoArchiveMinutes":60`, "Dark mode", "x", 60, ""},
		{"with a long name", `"content":"x","name":"` + strings.Repeat("x", 150) + `"`, strings.Repeat("x", 99) + "…", "x", 1440, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onServer(t, forum, func(t *testing.T, w *world) {
				got := w.Run("ada", `{"type":"threadCreate","channelId":"ideas",`+tt.in+`}`)[0]
				post, ok := w.Channel(tt.post)
				if !ok {
					t.Fatalf("%s, but there is no post %q", got, tt.post)
				}
				if want := w.WithIDs("Done: started the post " + post.ID.Mention() + " in <#{ideas}>"); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				if tags := w.tagNames(post); post.Parent != w.ChannelID("ideas") || post.AutoArchive != tt.minutes || tags != tt.tags {
					t.Errorf("in %s, archived after %d minutes, tagged %s", post.Parent, post.AutoArchive, tags)
				}
				w.requireTexts(string(post.ID), tt.text)
			})
		})
	}
}

func (w *world) tagNames(post fakediscord.Channel) string {
	forum, _ := w.Channel(string(post.Parent))
	var names []string
	for _, id := range post.AppliedTags {
		for _, tag := range forum.Tags {
			if tag.ID == id {
				names = append(names, tag.Name)
			}
		}
	}
	return strings.Join(names, ", ")
}

// TestANewPostCanBeUsedAtOnce: its first message is the last one.
func TestANewPostCanBeUsedAtOnce(t *testing.T) {
	t.Parallel()
	onServer(t, forum, func(t *testing.T, w *world) {
		got := w.Run("ada",
			`{"type":"threadCreate","channelId":"ideas","name":"Dark mode","content":"welcome"}`,
			`{"type":"pinMessage","channelId":"dark mode","messageId":"last"}`,
			`{"type":"sendMessage","channel":"Dark mode","content":"more"}`,
			`{"type":"react","channelId":"Dark mode","messageId":"last","emoji":"👍"}`)
		if !strings.HasPrefix(got[1], "Done: pinned ") || !strings.HasPrefix(got[3], "Done: reacted with 👍 ") {
			t.Errorf("got %q", got)
		}
		if pins := w.Pins("Dark mode"); len(pins) != 1 || pins[0].Content != "welcome" {
			t.Errorf("pinned: %+v", pins)
		}
	})
}

// TestModeratedTagsNeedManageThreads, though the bot itself could set them.
func TestModeratedTagsNeedManageThreads(t *testing.T) {
	t.Parallel()
	onServer(t, forum, func(t *testing.T, w *world) {
		w.Guard = access.Guard(access.Policy{}, w.Bot)
		ideas, _ := w.Channel("ideas")
		for _, tag := range []string{"staff", " STAFF ", ideas.Tags[2].ID} {
			w.Require("bob", `{"type":"threadCreate","channelId":"ideas","name":"x","content":"x","appliedTags":["bug","`+tag+`"]}`,
				fmt.Sprintf("Failed: threadCreate: you need *Manage Threads* in <#%s> for that", ideas.ID))
		}
		w.RequirePart("bob", `{"type":"threadCreate","channelId":"ideas","name":"x","content":"x","appliedTags":["bug"]}`, "Done: ")
		w.RequirePart("bob", `{"type":"threadCreate","channelId":"ideas","name":"y","content":"x","appliedTags":["nonsense"]}`, "Failed: threadCreate: <#{ideas}> has no tag **nonsense**")
		if err := w.RequireTag("ideas"); err != nil {
			t.Fatal(err)
		}
		w.RequirePart("bob", `{"type":"threadCreate","channelId":"ideas","name":"z","content":"x"}`, "Failed: threadCreate: a post in <#{ideas}> needs a tag")
	})
}

// TestPostsNeedTheirOwnRight: in a forum another right counts than in a channel.
func TestPostsNeedTheirOwnRight(t *testing.T) {
	t.Parallel()
	for denied, allowed := range map[chat.Permission]bool{chat.SendMessages: false, chat.CreateThreads: true} {
		t.Run(string(denied), func(t *testing.T) {
			t.Parallel()
			onServer(t, forum+"deny ideas bob: "+string(denied), func(t *testing.T, w *world) {
				where, err := w.NeedsIn(`{"type":"threadCreate","channelId":"ideas","name":"x","content":"x"}`)
				if err != nil {
					t.Fatal(err)
				}
				missing, err := w.Bot.MissingPermissions(t.Context(), w.GuildID(), w.UserID("bob"), where, []chat.Permission{chat.ViewChannel, chat.CreateThreads})
				if err != nil || (len(missing) == 0) != allowed {
					t.Errorf("bob lacks %v, %v", missing, err)
				}
			})
		})
	}
}

const privateThreads = layout + `
member mia
member eve
category Hidden: #cellar
deny #cellar @everyone: View Channel
allow #cellar bob: View Channel
allow #cellar DiscoClaw: View Channel
`

// TestPrivateThreads have the requester and the named members in them; undo is to delete them.
func TestPrivateThreads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, with string }{
		{"with others", `"members":["mia","<@{eve}>"]`, "<@{mia}> (`mia`), <@{eve}> and <@{bob}>"},
		{"with one", `"members":"{mia}"`, "<@{mia}> and <@{bob}>"},
		{"with some twice", `"members":["mia","bob","{mia}","{bot}"]`, "<@{mia}> (`mia`) and <@{bob}> (`bob`)"},
		{"alone", `"autoArchiveMinutes":60`, "<@{bob}>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onServer(t, privateThreads, func(t *testing.T, w *world) {
				w.Guard = access.Guard(access.Policy{}, w.Bot)
				out := w.Do("bob", w.WithIDs(`{"type":"threadCreate","channelId":"ops","name":"Logo contract","private":true,`+tt.in+`}`))[0]
				thread, _ := w.Channel("Logo contract")
				if got, want := out.Result.Summary, w.WithIDs("started the private thread "+thread.ID.Mention()+" in <#{ops}> with "+tt.with); out.Err != nil || got != want {
					t.Fatalf("got %s, %v\nwant %s", got, out.Err, want)
				}
				if thread.Type != fakediscord.PrivateThread {
					t.Errorf("it is of type %d", thread.Type)
				}
				for _, who := range []string{"bob", "mia", "eve"} {
					inside := strings.Contains(tt.with, "{"+who+"}")
					if p, err := w.Permissions(who, "Logo contract"); err != nil || p != 0 != inside {
						t.Errorf("%s has %v there, %v", who, p, err)
					}
				}
				w.requireTexts("#ops")
				if len(out.Result.Undo) != 1 || !strings.Contains(string(out.Result.Undo[0].Request.Args), string(thread.ID)) {
					t.Errorf("undo: %+v", out.Result.Undo)
				}
			})
		})
	}
}

// TestAPrivateThreadCanBeUsedAtOnce, by those who are in it alone.
func TestAPrivateThreadCanBeUsedAtOnce(t *testing.T) {
	t.Parallel()
	onServer(t, privateThreads, func(t *testing.T, w *world) {
		w.Guard = access.Guard(access.Policy{}, w.Bot)
		got := w.Run("bob",
			`{"type":"threadCreate","channelId":"ops","name":"Logo contract","private":true,"members":["mia"]}`,
			`{"type":"sendMessage","channel":"logo contract","content":"welcome"}`)
		if !strings.HasPrefix(got[1], "Done") {
			t.Errorf("got %q", got)
		}
		w.requireTexts("Logo contract", "welcome")
		w.RequirePart("mia", `{"type":"readMessages","channel":"Logo contract"}`, "welcome")
		w.Require("eve", `{"type":"readMessages","channel":"Logo contract"}`, "Failed: readMessages: I can't see a channel #Logo contract")
	})
}

// TestPeopleAreAddedToPublicThreads, but not the requester, who finds them anyway.
func TestPeopleAreAddedToPublicThreads(t *testing.T) {
	t.Parallel()
	onServer(t, privateThreads, func(t *testing.T, w *world) {
		w.Guard = access.Guard(access.Policy{}, w.Bot)
		got := w.Run("bob", `{"type":"threadCreate","channelId":"ops","name":"Logo","members":["mia"]}`)[0]
		thread, _ := w.Channel("Logo")
		if want := w.WithIDs("Done: started the thread " + thread.ID.Mention() + " in <#{ops}> with <@{mia}> (`mia`)"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if want := []chat.UserID{w.UserID("bot"), w.UserID("mia")}; !slices.Equal(thread.Members, want) {
			t.Errorf("its members are %v, want %v", thread.Members, want)
		}
	})
}

func TestPrivateThreadsAreRefused(t *testing.T) {
	t.Parallel()
	onServer(t, privateThreads, func(t *testing.T, w *world) {
		w.Guard = access.Guard(access.Policy{}, w.Bot)
		id, before := w.say("bob", "#ops", "it is broken"), len(w.Channels())
		for in, want := range map[string]string{
			`"channelId":"ops","messageId":"` + id + `"`:            "a thread on a message cannot be private; make it public, or start a private one without a message",
			`"channelId":"ideas","content":"x"`:                     "<#{ideas}> is no text channel, and private threads exist in these alone; choose one, or leave out private",
			`"channelId":"news"`:                                    "<#{news}> is no text channel, and private threads exist in these alone; choose one, or leave out private",
			`"channelId":"talk"`:                                    "<#{talk}> is a voice channel, which has no threads; choose a text channel or a forum",
			`"channelId":"cellar","members":["mia"]`:                "<@{mia}> does not see <#{cellar}>, and so would not see the thread; leave them out, or choose another channel",
			`"channelId":"ops","members":["111111111111111111"]`:    "<@111111111111111111> is not a member of this server",
			`"channelId":"ideas","private":false,"members":["mia"]`: "<#{ideas}> is a forum channel, where no members are added to a new thread; leave them out",
		} {
			w.Require("bob", `{"type":"threadCreate","name":"x","private":true,`+in+`}`, "Failed: threadCreate: "+want)
		}
		w.RequirePart("bob", `{"type":"threadCreate","name":"x","private":true,"channelId":"ops","members":["nobody"]}`, "Failed: threadCreate: ", "nobody")
		if after := len(w.Channels()); after != before {
			t.Errorf("there are %d channels, were %d", after, before)
		}
	})
}

// TestWhoCannotBeAddedIsNamed: the thread is there all the same, and undo can delete it.
func TestWhoCannotBeAddedIsNamed(t *testing.T) {
	t.Parallel()
	onServer(t, privateThreads, func(t *testing.T, w *world) {
		w.Fail(fakediscord.Fault{Match: "PUT /channels/{channel}/thread-members/{user}", Times: 1, Status: 400})
		out := w.Do("bob", w.WithIDs(`{"type":"threadCreate","channelId":"ops","name":"Logo","private":true,"members":["{mia}"]}`))[0]
		if want := w.WithIDs(" with <@{bob}>; <@{mia}> could not be added: "); out.Err != nil || !strings.Contains(out.Result.Summary, want) {
			t.Errorf("got %q, %v", out.Result.Summary, out.Err)
		}
		if len(out.Result.Undo) != 1 {
			t.Errorf("undo: %+v", out.Result.Undo)
		}
	})
}

// TestThreadsNeedTheRightOfTheirKind: neither right is as good as the other one.
func TestThreadsNeedTheRightOfTheirKind(t *testing.T) {
	t.Parallel()
	const public, private = `{"type":"threadCreate","channelId":"ops","name":"x"}`, `{"type":"threadCreate","channelId":"ops","name":"x","private":true}`
	const members = `{"type":"threadCreate","channelId":"ops","name":"x","private":true,"members":["mia"]}`
	for _, tt := range []struct {
		denied           chat.Permission
		allowed, refused []string
	}{
		{chat.CreateThreads, []string{private, members}, []string{public}},
		{chat.CreatePrivateThreads, []string{public}, []string{private, members}},
		{chat.SendInThreads, []string{public, private}, []string{members}},
	} {
		t.Run(string(tt.denied), func(t *testing.T) {
			t.Parallel()
			onServer(t, privateThreads+"deny #ops bob: "+string(tt.denied), func(t *testing.T, w *world) {
				w.Guard = access.Guard(access.Policy{}, w.Bot)
				for _, in := range tt.allowed {
					w.RequirePart("bob", in, "Done: started the ")
				}
				for _, in := range tt.refused {
					w.Require("bob", in, fmt.Sprintf("Failed: threadCreate: you need *%s* in <#{ops}> for that", tt.denied))
				}
			})
		})
	}
}
