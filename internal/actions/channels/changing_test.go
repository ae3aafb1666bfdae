package channels_test

import (
	"strings"
	"testing"

	"discoclaw/internal/fakediscord"
)

func TestChannelCreate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, made, under, topic string
		kind                         fakediscord.ChannelType
	}{
		{"alone", `"name":"plans"`, "plans", "", "", fakediscord.TextChannel},
		{"with its mark", `"name":" #plans "`, "plans", "", "", fakediscord.TextChannel},
		{"with a topic", `"name":"plans","topic":"What next?"`, "plans", "", "What next?", fakediscord.TextChannel},
		{"in a category", `"name":"plans","parent":"projects"`, "plans", "Projects", "", fakediscord.TextChannel},
		{"in a category by ID", `"name":"plans","parent":"{Projects}"`, "plans", "Projects", "", fakediscord.TextChannel},
		{"in a category by mention", `"name":"plans","parent":"<#{Projects}>"`, "plans", "Projects", "", fakediscord.TextChannel},
		{"in a category by the field's other name", `"name":"plans","category":"PROJECTS"`, "plans", "Projects", "", fakediscord.TextChannel},
		{"no category", `"name":"plans","parent":""`, "plans", "", "", fakediscord.TextChannel},
		{"for voices", `"name":"Lounge","channelType":"Voice"`, "Lounge", "", "", fakediscord.VoiceChannel},
		{"for announcements", `"name":"plans","channelType":"announcement","topic":"x"`, "plans", "", "x", fakediscord.AnnouncementChannel},
		{"a stage", `"name":"Show","channelType":"stage","parent":"Projects"`, "Show", "Projects", "", fakediscord.StageChannel},
		{"as Discord likes to write it", `"name":"Big  Plans"`, "big-plans", "", "", fakediscord.TextChannel},
		{"with emoji", `"name":"büro-🌻"`, "büro-🌻", "", "", fakediscord.TextChannel},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onServer(t, layout, func(t *testing.T, w *world) {
				got := w.Run("ada", w.WithIDs(`{"type":"channelCreate",`+tt.in+`}`))[0]
				ch, ok := w.Channel(tt.made)
				if !ok {
					t.Fatalf("%s, but there is no channel %s", got, tt.made)
				}
				under, parent := "", ""
				if tt.under != "" {
					under, parent = " in **"+tt.under+"**", string(w.ChannelID(tt.under))
				}
				if want := "Done: created " + ch.ID.Mention() + under; got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				if ch.Type != tt.kind || ch.Topic != tt.topic || string(ch.Parent) != parent {
					t.Errorf("made %+v", ch)
				}
			})
		})
	}
}

func TestChannelCreateRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, `
guild disco: #general #ops Projects:category Twins:category Twins:category
member ada: owner
`, func(t *testing.T, w *world) {
		before := w.Channels()
		w.requireEach([]example{
			{"nothing given", `{"type":"channelCreate"}`, "Failed: channelCreate: name: missing"},
			{"a blank name", `{"type":"channelCreate","name":" "}`, "Failed: channelCreate: name: empty"},
			{"nothing but a mark", `{"type":"channelCreate","name":"#"}`, "Failed: channelCreate: name: empty"},
			{"a long name", `{"type":"channelCreate","name":"` + strings.Repeat("x", 101) + `"}`, "Failed: channelCreate: name: has 101 characters, must have at most 100"},
			{"a long topic", `{"type":"channelCreate","name":"x","topic":"` + strings.Repeat("x", 1025) + `"}`, "Failed: channelCreate: topic: has 1025 characters, must have at most 1024"},
			{"an unknown kind", `{"type":"channelCreate","name":"x","channelType":"constructor"}`, `Failed: channelCreate: channelType: "constructor" is not one of text, voice, announcement, stage, forum`},
			{"a topic for voices", `{"type":"channelCreate","name":"x","channelType":"voice","topic":"x"}`, "Failed: channelCreate: a voice channel has no topic; leave it out"},
			{"no such category", `{"type":"channelCreate","name":"x","parent":"basement"}`, `Failed: channelCreate: I can't see a category “basement”`},
			{"the ID of a channel", `{"type":"channelCreate","name":"x","parent":"{ops}"}`, "Failed: channelCreate: <#{ops}> is not a category"},
			{"a channel for a category", `{"type":"channelCreate","name":"x","parent":"ops"}`, `Failed: channelCreate: I can't see a category “ops”`},
		})
		w.RequirePart("ada", `{"type":"channelCreate","name":"x","parent":"twins"}`, "Failed: channelCreate: which “twins”, <#", "> or <#")
		w.requireUnchanged(before)
	})
}

// TestANewChannelCanBeUsedAtOnce: by its name, in the same reply, before its event has
// arrived.
func TestANewChannelCanBeUsedAtOnce(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		got := w.Run("ada",
			`{"type":"categoryCreate","name":"Team A"}`,
			`{"type":"channelCreate","name":"welcome","parent":"team a","topic":"Hello"}`,
			`{"type":"sendMessage","channel":"welcome","content":"Hello there"}`,
			`{"type":"pinMessage","channelId":"#welcome","messageId":"last"}`,
			`{"type":"channelEdit","channelId":"welcome","name":"lobby"}`,
			`{"type":"sendMessage","channel":"lobby","content":"still here"}`,
			`{"type":"channelDelete","channelId":"lobby"}`,
			`{"type":"sendMessage","channel":"lobby","content":"gone"}`,
		)
		want := []string{
			"Done: created the category <#", "Done: created <#", "Done: sent [a message](", "Done: pinned [a message](",
			"Done: renamed **#welcome** to **#lobby**", "Done: sent [a message](", "Done: deleted **#lobby**", `Failed: sendMessage: I can't see a channel #lobby`,
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("got %s, want %s", got[i], want[i])
			}
		}
	})
}

func TestCategoryCreate(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		got := w.Run("ada", `{"type":"categoryCreate","name":" Büro  Süd "}`)[0]
		made := w.must("Büro Süd")
		if want := "Done: created the category " + made.ID.Mention(); got != want || made.Type != fakediscord.CategoryChannel {
			t.Errorf("got %s for %+v, want %s", got, made, want)
		}
		w.RequirePart("ada", `{"type":"categoryCreate","name":"First","position":0}`, "Done: created the category <#")
		w.requireEach([]example{
			{"nothing given", `{"type":"categoryCreate"}`, "Failed: categoryCreate: name: missing"},
			{"a long name", `{"type":"categoryCreate","name":"` + strings.Repeat("x", 101) + `"}`, "Failed: categoryCreate: name: has 101 characters, must have at most 100"},
			{"a place before the first", `{"type":"categoryCreate","name":"x","position":-1}`, "Failed: categoryCreate: position: -1 is not at least 0"},
		})
	})
}

func TestChannelEdit(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.requireEach([]example{
			{"its topic", `{"type":"channelEdit","channelId":"ops","topic":"Machines"}`, "Done: changed <#{ops}>’s topic"},
			{"its name", `{"type":"channelEdit","channel":"#ops","name":"#machines"}`, "Done: renamed **#ops** to **#machines**"},
		})
		if ch := w.must("machines"); ch.Topic != "Machines" {
			t.Errorf("the topic is %q", ch.Topic)
		}
		w.requireEach([]example{
			{"both", `{"type":"channelEdit","channelId":"{machines}","name":"Big Machines","topic":"Noise"}`, "Done: renamed **#machines** to **#big-machines** and changed its topic"},
			{"a blank name stays", `{"type":"channelEdit","channelId":"big-machines","name":"","topic":""}`, "Done: removed <#{machines}>’s topic"},
			{"a category's name", `{"type":"channelEdit","channelId":"projects","name":"Work"}`, "Done: renamed **Projects** to **Work**"},
			{"a forum's topic", `{"type":"channelEdit","channelId":"ideas","topic":"Be nice"}`, "Done: changed <#{ideas}>’s topic"},
		})
		if ch := w.must("big-machines"); ch.Topic != "" {
			t.Errorf("the topic is %q", ch.Topic)
		}
		w.must("Work")
	})
}

func TestSlowmode(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		out := w.Do("ada", `{"type":"channelEdit","channelId":"ops","slowmode":30}`)[0]
		if got, want := out.Result.Summary, "set slow mode to 30 seconds in "+w.must("ops").ID.Mention(); got != want || w.must("ops").Slowmode != 30 {
			t.Errorf("got %s for %+v, want %s", got, w.must("ops"), want)
		}
		w.RequirePart("ada", `{"type":"channelInfo","channelId":"ops"}`, "Slow mode: 30 seconds")
		w.Undo(out)
		if n := w.must("ops").Slowmode; n != 0 {
			t.Errorf("%d seconds after the undo", n)
		}
		w.requireEach([]example{
			{"off", `{"type":"channelEdit","channelId":"ops","slowmode":0}`, "Done: switched slow mode off in <#{ops}>"},
			{"with a topic", `{"type":"channelEdit","channelId":"ops","topic":"x","slowmode":21600}`, "Done: changed <#{ops}>’s topic and set its slow mode to 6 hours"},
			{"of a forum", `{"type":"channelEdit","channelId":"ideas","slowmode":60}`, "Done: set slow mode to 1 minute in <#{ideas}>"},
			{"too long", `{"type":"channelEdit","channelId":"ops","slowmode":21601}`, "Failed: channelEdit: slowmode: 21601 is not 0 to 21600"},
			{"of a category", `{"type":"channelEdit","channelId":"Projects","slowmode":5}`, "Failed: channelEdit: a category has no slow mode; set it in its channels"},
			{"of announcements", `{"type":"channelEdit","channelId":"news","slowmode":5}`, "Failed: channelEdit: an announcement channel has no slow mode"},
		})
	})
}

func TestUserLimit(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		out := w.Do("ada", `{"type":"channelEdit","channelId":"talk","userLimit":5}`)[0]
		if got, want := out.Result.Summary, "limited "+w.must("talk").ID.Mention()+" to 5 people"; got != want || w.must("talk").UserLimit != 5 {
			t.Errorf("got %s for %+v, want %s", got, w.must("talk"), want)
		}
		w.RequirePart("ada", `{"type":"channelInfo","channelId":"talk"}`, "User limit: 5")
		w.Undo(out)
		if n := w.must("talk").UserLimit; n != 0 {
			t.Errorf("a limit of %d after the undo", n)
		}
		w.requireEach([]example{
			{"one", `{"type":"channelEdit","channelId":"talk","userLimit":1}`, "Done: limited <#{talk}> to 1 person"},
			{"none", `{"type":"channelEdit","channelId":"talk","userLimit":0}`, "Done: removed the user limit of <#{talk}>"},
			{"with a name", `{"type":"channelEdit","channelId":"talk","name":"Talk","userLimit":99}`, "Done: renamed **#talk** to **#Talk** and limited it to 99 people"},
			{"too many", `{"type":"channelEdit","channelId":"Talk","userLimit":100}`, "Failed: channelEdit: userLimit: 100 is not 0 to 99"},
			{"of a text channel", `{"type":"channelEdit","channelId":"ops","userLimit":5}`, "Failed: channelEdit: only a voice channel has a user limit; leave it out"},
			{"from the beginning", `{"type":"channelCreate","name":"Duo","channelType":"voice","userLimit":2}`, "Done: created <#{Duo}> for up to 2 people"},
			{"of a new text channel", `{"type":"channelCreate","name":"x","userLimit":2}`, "Failed: channelCreate: only a voice channel has a user limit; set channelType to voice, or leave userLimit out"},
		})
		if n := w.must("Duo").UserLimit; n != 2 {
			t.Errorf("the new channel has a limit of %d", n)
		}
		w.RequireCase("without the right", "bob", `{"type":"channelEdit","channelId":"Talk","userLimit":2}`, "Failed: channelEdit: you need *Manage Channels* in <#{talk}> for that")
	})
}

func TestChannelEditRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`thread "Help me" in #ops`, func(t *testing.T, w *world) {
		before := w.Channels()
		w.requireEach([]example{
			{"nothing given", `{"type":"channelEdit","name":"x"}`, "Failed: channelEdit: channelId: missing"},
			{"nothing to change", `{"type":"channelEdit","channelId":"ops"}`, "Failed: channelEdit: nothing to change; give a name, a topic, a slowmode, a userLimit or requireTag"},
			{"a blank name alone", `{"type":"channelEdit","channelId":"ops","name":" "}`, "Failed: channelEdit: nothing to change; give a name, a topic, a slowmode, a userLimit or requireTag"},
			{"a long name", `{"type":"channelEdit","channelId":"ops","name":"` + strings.Repeat("x", 101) + `"}`, "Failed: channelEdit: name: has 101 characters, must have at most 100"},
			{"a long topic", `{"type":"channelEdit","channelId":"ops","topic":"` + strings.Repeat("x", 1025) + `"}`, "Failed: channelEdit: topic: has 1025 characters, must have at most 1024"},
			{"a topic for voices", `{"type":"channelEdit","channelId":"talk","topic":"x"}`, "Failed: channelEdit: a voice channel has no topic; leave it out"},
			{"a topic for a category", `{"type":"channelEdit","channelId":"projects","topic":"x"}`, "Failed: channelEdit: a category has no topic; leave it out"},
			{"a thread", `{"type":"channelEdit","channelId":"help me","name":"x"}`, "Failed: channelEdit: <#{Help me}> is a thread, and is edited as one"},
			{"no such channel", `{"type":"channelEdit","channelId":"basement","name":"x"}`, `Failed: channelEdit: I can't see a channel #basement`},
		})
		w.requireUnchanged(before)
	})
}

func TestChannelDelete(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`
thread "Help me" in #ops
thread "Old" in #general
`, func(t *testing.T, w *world) {
		w.Run("ada", `{"type":"channelMove","channelId":"news","parent":"Projects"}`)
		w.requireEach([]example{
			{"a channel", `{"type":"channelDelete","channelId":"ops"}`, "Done: deleted **#ops**"},
			{"again", `{"type":"channelDelete","channelId":"ops"}`, `Failed: channelDelete: I can't see a channel #ops`},
			{"a thread", `{"type":"channelDelete","channelId":"Old"}`, "Done: deleted **Old**"},
			{"a category", `{"type":"channelDelete","channelId":"Projects"}`, "Done: deleted **Projects**"},
			{"nothing given", `{"type":"channelDelete"}`, "Failed: channelDelete: channelId: missing"},
		})
		for _, gone := range []string{"#ops", "Help me", "Old", "Projects"} {
			if _, there := w.Channel(gone); there {
				t.Errorf("%s is still there", gone)
			}
		}
		if news := w.must("news"); news.Parent != "" {
			t.Errorf("#news is in %s", news.Parent)
		}
	})
}

func TestChannelMove(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.requireEach([]example{
			{"into a category", `{"type":"channelMove","channelId":"ops","parent":"PROJECTS"}`, "Done: moved <#{ops}> to **Projects**"},
			{"into a category by ID", `{"type":"channelMove","channel":"ideas","parent":"{Projects}"}`, "Done: moved <#{ideas}> to **Projects**"},
		})
		for _, name := range []string{"ops", "ideas"} {
			if parent := w.must(name).Parent; parent != w.ChannelID("Projects") {
				t.Errorf("#%s is in %s", name, parent)
			}
		}
		w.requireEach([]example{
			{"out of it", `{"type":"channelMove","channelId":"ops","parent":""}`, "Done: moved <#{ops}> out of **Projects**"},
			{"from one category to another", `{"type":"channelMove","channelId":"ideas","parent":"Archive"}`, "Done: moved <#{ideas}> from **Projects** to **Archive**"},
			{"and to a place there", `{"type":"channelMove","channelId":"ideas","parent":"Projects","position":0}`, "Done: moved <#{ideas}> from **Archive** to the top of **Projects**"},
			{"up", `{"type":"channelMove","channelId":"ops","position":0}`, "Done: moved <#{ops}> to the top"},
			{"both", `{"type":"channelMove","channelId":"general","parent":"Archive","position":0}`, "Done: moved <#{general}> to the top of **Archive**"},
			{"a category", `{"type":"channelMove","channelId":"Archive","position":0}`, "Done: moved <#{Archive}> to the top"},
		})
		if parent := w.must("ops").Parent; parent != "" {
			t.Errorf("#ops is in %s", parent)
		}
		w.Require("ada", `{"type":"channelList"}`, "Done: (no category): #ops (id:{ops}), #news (id:{news}) announcement, #talk (id:{talk}) voice\n"+
			"Archive: #general (id:{general})\n"+
			"Projects: #ideas (id:{ideas}) forum")
	})
}

func TestChannelMoveRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`thread "Help me" in #ops`, func(t *testing.T, w *world) {
		before := w.Channels()
		w.requireEach([]example{
			{"nothing given", `{"type":"channelMove","parent":"Projects"}`, "Failed: channelMove: channelId: missing"},
			{"nothing to change", `{"type":"channelMove","channelId":"ops"}`, "Failed: channelMove: nothing to change; give a parent, a position or both"},
			{"a place before the first", `{"type":"channelMove","channelId":"ops","position":-1}`, "Failed: channelMove: position: -1 is not at least 0"},
			{"half a place", `{"type":"channelMove","channelId":"ops","position":1.5}`, "Failed: channelMove: position: must be a whole number, not 1.5"},
			{"a thread", `{"type":"channelMove","channelId":"help me","position":1}`, "Failed: channelMove: <#{Help me}> is a thread, which stays where it was started"},
			{"a category into another", `{"type":"channelMove","channelId":"Projects","parent":"Archive"}`, "Failed: channelMove: a category cannot be inside another"},
			{"no such channel", `{"type":"channelMove","channelId":"basement","parent":"Projects"}`, `Failed: channelMove: I can't see a channel #basement`},
			{"no such category", `{"type":"channelMove","channelId":"ops","parent":"basement"}`, `Failed: channelMove: I can't see a category “basement”`},
			{"a channel for a category", `{"type":"channelMove","channelId":"ops","parent":"general"}`, `Failed: channelMove: I can't see a category “general”`},
		})
		w.requireUnchanged(before)
	})
}

// TestForumsRequireTags of new posts or not; undo restores it.
func TestForumsRequireTags(t *testing.T) {
	t.Parallel()
	onServer(t, forumLayout, func(t *testing.T, w *world) {
		const info, other = `{"type":"channelInfo","channelId":"ideas"}`, 1 << 15
		w.Must(w.Flag("ideas", other)) // the fake refuses edits that lose it
		out := w.Require("ada", `{"type":"channelEdit","channelId":"ideas","requireTag":true}`, "Done: made a tag required for new posts in <#{ideas}>")
		w.RequirePart("ada", info, "\nNew posts need a tag\nOpen posts: 2")
		if !w.must("ideas").RequireTag {
			t.Error("no tag is required")
		}
		w.Undo(out)
		w.RequirePart("ada", info, "staff\nOpen posts: 2")
		if w.must("ideas").RequireTag {
			t.Error("undone, a tag is still required")
		}
		w.Run("ada", `{"type":"channelEdit","channelId":"ideas","requireTag":true}`)
		w.Require("ada", `{"type":"channelEdit","channelId":"ideas","topic":"x","requireTag":false}`, "Done: changed <#{ideas}>’s topic and made tags optional for new posts in it")
		if w.must("ideas").RequireTag {
			t.Error("a tag is still required")
		}
		w.Require("ada", `{"type":"channelEdit","channelId":"ops","requireTag":true}`, "Failed: channelEdit: <#{ops}> is a text channel, and only posts of a forum can need a tag")
	})
}
