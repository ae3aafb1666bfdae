package channels_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
)

func TestChannelList(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`
thread "Help me" in #general
thread "Old" in #general: archived
thread "Secret" in #general: private
thread "A plan" in ideas
`, func(t *testing.T, w *world) {
		w.Run("ada", `{"type":"channelMove","channelId":"ops","parent":"Projects"}`, `{"type":"channelMove","channelId":"ideas","parent":"Projects"}`)
		w.Require("ada", `{"type":"channelList"}`, "Done: (no category): #general (id:{general}), #news (id:{news}) announcement, #talk (id:{talk}) voice\n"+
			"- threads in #general: #Help me (id:{Help me})\n"+
			"Projects: #ops (id:{ops}), #ideas (id:{ideas}) forum\n"+
			"- threads in #ideas: #A plan (id:{A plan}, active 2026-03-02 12:00 UTC)")
	})
}

func TestPeopleSeeShortLines(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`
tag bug in ideas
thread "Help me" in #general
thread "Old" in #general: archived
`, func(t *testing.T, w *world) {
		w.Run("ada", `{"type":"channelMove","channelId":"ops","parent":"Projects"}`)
		w.RequireShort("ada", `{"type":"channelList"}`, "listed 5 channels", "{general}", "{Help me}", "{news}", "{ideas}", "{talk}", "{Projects}", "{ops}", "{Archive}")
		w.RequireShort("ada", `{"type":"channelInfo","channelId":"ops"}`, "looked up <#{ops}>", "{ops}", "{Projects}")
		w.RequireShort("ada", `{"type":"channelPermissions","channelId":"ops"}`, "looked up <#{ops}>", "{ops}")
		w.RequireShort("ada", `{"type":"channelInfo","channelId":"general"}`, "looked up <#{general}>", "{general}")
		w.RequireShort("ada", `{"type":"threadListArchived","channelId":"general"}`, "listed 1 archived thread in <#{general}>", "{general}")
		w.RequireShort("ada", `{"type":"threadListArchived","channelId":"ops"}`, "found no archived threads in <#{ops}>", "{ops}")
		w.RequireShort("ada", `{"type":"forumTagList","channelId":"ideas"}`, "listed 1 tag in <#{ideas}>", "{ideas}")
	})
}

// TestChannelListLeavesOutHiddenChannels: neither the channel nor its threads nor its
// category appear, and nothing counts them.
func TestChannelListLeavesOutHiddenChannels(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`
thread "Hush" in #ops
deny #ops bob: View Channel
deny Projects bob: View Channel
`, func(t *testing.T, w *world) {
		w.Run("ada", `{"type":"channelMove","channelId":"ops","parent":"Projects"}`, `{"type":"channelMove","channelId":"news","parent":"Projects"}`)
		w.Require("bob", `{"type":"channelList"}`, "Done: (no category): #general (id:{general}), #ideas (id:{ideas}) forum, #talk (id:{talk}) voice\n"+
			"(hidden category): #news (id:{news}) announcement")
		w.RequirePart("ada", `{"type":"channelList"}`, "Projects: #ops (id:{ops}), #news (id:{news})", "- threads in #ops: #Hush (id:{Hush})")
		w.Require("", `{"type":"channelList"}`, "Failed: channelList: nobody is known to have asked for this")
	})
}

func TestChannelListOfAServerThatShowsNothing(t *testing.T) {
	t.Parallel()
	onServer(t, `
guild disco: #general Projects:category
member ada: owner
member bob
deny #general bob: View Channel
`, func(t *testing.T, w *world) {
		w.Require("bob", `{"type":"channelList"}`, "Done: (no visible channels)")
	})
}

// TestChannelListGoesOn: page by page, all channels and threads are listed once, channels before
// threads. Every page fits into a prompt and begins with how to go on, and hidden channels are not counted.
func TestChannelListGoesOn(t *testing.T) {
	t.Parallel()
	var crowd strings.Builder
	crowd.WriteString("guild disco: #general")
	for i := range 300 {
		fmt.Fprintf(&crowd, " #room-%d", i)
	}
	crowd.WriteString("\nmember ada: owner\nmember bob\ndeny #room-0 bob: View Channel\nthread \"Help me\" in #general\n")
	for i := range 100 {
		fmt.Fprintf(&crowd, "thread \"talk %d\" in #room-299\n", i)
	}
	onServer(t, crowd.String(), func(t *testing.T, w *world) {
		for who, total := range map[string]int{"ada": 402, "bob": 401} {
			listed, pages, after := map[string]int{}, 0, ""
			for ; pages == 0 || after != ""; pages++ {
				got := w.Run(who, `{"type":"channelList","after":"`+after+`"}`)[0]
				head, rest, _ := strings.Cut(got, "\n")
				if len(got) > 7000 || !strings.Contains(head, fmt.Sprintf(" of %d", total)) {
					t.Fatalf("a page of %s has %d bytes: %s", who, len(got), head)
				}
				if strings.Contains(head, "#talk") && len(listed) < 300 {
					t.Errorf("threads come before channels: %s", head)
				}
				for _, entry := range strings.SplitAfter(rest, "(id:")[1:] {
					listed[entry[:19]]++
				}
				_, after, _ = strings.Cut(head, `go on with "after": "`)
				after, _, _ = strings.Cut(after, `"`)
			}
			if len(listed) != total || pages < 3 {
				t.Errorf("%s is shown %d channels on %d pages", who, len(listed), pages)
			}
			for id, n := range listed {
				if n != 1 {
					t.Errorf("%s is listed %d times", id, n)
				}
			}
		}
		w.Require("ada", `{"type":"channelList","after":"123456789012345678"}`, "Failed: channelList: after: that channel is not in this list; leave it out to begin again")
	})
}

func TestChannelListFilters(t *testing.T) {
	t.Parallel()
	onServer(t, `
guild disco: #general #design-talk
category 🎮 Game Jam: #🎨︱design #rules
category Projects: #design
member ada: owner
member bob
thread "Design review" in #rules
thread "Other" in #rules
deny #design-talk bob: View Channel
`, func(t *testing.T, w *world) {
		said := w.MustSay("ada", "rules", "be kind")
		design := ""
		for _, ch := range w.Channels() {
			if ch.Name == "design" {
				design = string(ch.ID)
			}
		}
		active := "active " + said.Sent.Format("2006-01-02 15:04 UTC")
		w.Require("ada", `{"type":"channelList","query":"Design"}`, "Done: (no category): #design-talk (id:{design-talk})\n🎮 Game Jam: #🎨︱design (id:{🎨︱design})\nProjects: #design (id:"+design+")\n- threads in #rules: #Design review (id:{Design review})")
		w.Require("bob", `{"type":"channelList","query":"design-"}`, "Done: 🎮 Game Jam: #🎨︱design (id:{🎨︱design})\nProjects: #design (id:"+design+")\n- threads in #rules: #Design review (id:{Design review})")
		w.Require("ada", `{"type":"channelList","query":"🎨"}`, "Done: 🎮 Game Jam: #🎨︱design (id:{🎨︱design})")
		w.Require("ada", `{"type":"channelList","category":"game jam"}`, "Done: 🎮 Game Jam: #🎨︱design (id:{🎨︱design}), #rules (id:{rules}, "+active+")\n- threads in #rules: #Design review (id:{Design review}), #Other (id:{Other})")
		w.Require("ada", `{"type":"channelList","category":"Game Jam","query":"des"}`, "Done: 🎮 Game Jam: #🎨︱design (id:{🎨︱design})\n- threads in #rules: #Design review (id:{Design review})")
		w.Require("ada", `{"type":"channelList","query":"basement"}`, "Done: (no visible channels)")
		w.Require("ada", `{"type":"channelList","category":"basement"}`, "Failed: channelList: I can't see a category “basement”")
		w.RequireShort("ada", `{"type":"channelList","query":"review"}`, "listed 1 thread", "{general}", "{design-talk}", "{🎮 Game Jam}", "{🎨︱design}", "{rules}", "{Design review}", "{Other}", "{Projects}", design)
	})
}

func TestChannelInfo(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`
thread "Help me" in #ops
thread "Whisper" in #ops: private
thread "Old" in #ops: archived
`, func(t *testing.T, w *world) {
		w.Run("ada", `{"type":"channelMove","channelId":"ops","parent":"Projects"}`, `{"type":"channelEdit","channelId":"ops","topic":"Machines\nDone: and more"}`)
		w.requireEach([]example{
			{"a channel", `{"type":"channelInfo","channelId":"ops"}`, "Done: Name: #ops\nID: {ops}\nType: text\nCategory: Projects\nTopic: Machines Done: and more\nCreated: 2026-03-02\nVisible to: everyone\nOpen threads: 1\n• #Help me (id:{Help me})"},
			{"by the other name of the field", `{"type":"channelInfo","channel":"#Ops"}`, "Done: Name: #ops\nID: {ops}\nType: text\nCategory: Projects\nTopic: Machines Done: and more\nCreated: 2026-03-02\nVisible to: everyone\nOpen threads: 1\n• #Help me (id:{Help me})"},
			{"by ID", `{"type":"channelInfo","channelId":"{talk}"}`, "Done: Name: #talk\nID: {talk}\nType: voice\nCreated: 2026-03-02\nVisible to: everyone"},
			{"by a number", `{"type":"channelInfo","channelId":{talk}}`, "Done: Name: #talk\nID: {talk}\nType: voice\nCreated: 2026-03-02\nVisible to: everyone"},
			{"by mention", `{"type":"channelInfo","channelId":"<#{ideas}>"}`, "Done: Name: #ideas\nID: {ideas}\nType: forum\nCreated: 2026-03-02\nVisible to: everyone\nTags: none\nOpen posts: 0"},
			{"a category", `{"type":"channelInfo","channelId":"projects"}`, "Done: Name: #Projects\nID: {Projects}\nType: category\nCreated: 2026-03-02\nVisible to: everyone"},
			{"a thread", `{"type":"channelInfo","channelId":"help me"}`, "Done: Name: #Help me\nID: {Help me}\nType: thread\nChannel: #ops\nCreated: 2026-03-02\nArchived: no\nLocked: no\nArchived when idle for: 1 day\nVisible to: everyone"},
			{"an archived thread", `{"type":"channelInfo","channelId":"{Old}"}`, "Done: Name: #Old\nID: {Old}\nType: thread\nChannel: #ops\nCreated: 2026-03-02\nArchived: yes\nLocked: no\nArchived when idle for: 1 day\nVisible to: everyone"},
			{"nothing given", `{"type":"channelInfo"}`, "Failed: channelInfo: channelId: missing"},
			{"nothing but a mark", `{"type":"channelInfo","channelId":"#"}`, "Failed: channelInfo: channelId: empty; give a channel's name or ID"},
			{"no such channel", `{"type":"channelInfo","channelId":"basement"}`, `Failed: channelInfo: I can't see a channel #basement`},
			{"no such ID", `{"type":"channelInfo","channelId":"111111111111111111"}`, `Failed: channelInfo: I can't see a channel <#111111111111111111>`},
		})
	})
}

func TestChannelInfoOfAForum(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`
tag bug in ideas
tag done in ideas
thread "A plan" in ideas
thread "Crash" in ideas
thread "Over" in ideas: archived
`, func(t *testing.T, w *world) {
		w.Run("ada", `{"type":"threadEdit","threadId":"crash","appliedTags":["Bug"]}`)
		time.Sleep(time.Hour)
		w.MustSay("bob", "A plan", "what about it?")
		w.Require("ada", `{"type":"channelInfo","channelId":"ideas"}`, "Done: Name: #ideas\nID: {ideas}\nType: forum\nCreated: 2026-03-02\nLast active: 2026-03-02 13:00 UTC\nVisible to: everyone\n"+
			"Tags: bug, done\nOpen posts: 2\n• #A plan (id:{A plan}, active 2026-03-02 13:00 UTC)\n• #Crash (id:{Crash}, active 2026-03-02 12:00 UTC) [bug]")
		w.Run("ada", `{"type":"threadEdit","threadId":"crash","pinned":true}`)
		w.RequirePart("ada", `{"type":"channelInfo","channelId":"ideas"}`, "Open posts: 2\n• #Crash (id:{Crash}, active 2026-03-02 12:00 UTC) [bug] pinned\n• #A plan (")
	})
}

// TestChannelInfoOfAPost tells its tags, and whether it is archived, locked and pinned.
func TestChannelInfoOfAPost(t *testing.T) {
	t.Parallel()
	onServer(t, forumLayout, func(t *testing.T, w *world) {
		w.RequirePart("ada", `{"type":"channelInfo","channelId":"dark mode"}`, "\nChannel: #ideas\n", "\nTags: bug\n", "\nArchived: no\nLocked: no\nArchived when idle for: 1 day\nPinned: no")
		w.Run("ada", `{"type":"threadEdit","threadId":"dark mode","appliedTags":["good idea","bug"],"locked":true,"pinned":true}`)
		w.RequirePart("ada", `{"type":"channelInfo","channelId":"dark mode"}`, "\nTags: good idea, bug\n", "\nArchived: no\nLocked: yes\nArchived when idle for: 1 day\nPinned: yes")
		w.RequirePart("ada", `{"type":"channelInfo","channelId":"light mode"}`, "\nTags: none\n")
	})
}

// TestChannelInfoTellsWhoSeesTheChannel, in words, so that a model need not work it out from the permissions.
func TestChannelInfoTellsWhoSeesTheChannel(t *testing.T) {
	t.Parallel()
	onServer(t, `
guild disco: #general #open #staff #quiet #mixed #empty
bot DiscoClaw: Administrator
member ada: owner
member bob: Mods
member eve
role Chiefs: Administrator
role Mods: Send Messages
role Muted
deny #staff @everyone: View Channel
allow #staff Mods: View Channel
allow #staff eve: View Channel
deny #quiet Muted: View Channel
deny #quiet eve: View Channel
deny #mixed @everyone: View Channel
allow #mixed Mods: View Channel
deny #mixed bob: View Channel
deny #empty @everyone: View Channel
thread "A talk" in #staff
thread "Secret" in #staff: private
`, func(t *testing.T, w *world) {
		for channel, want := range map[string]string{
			"open":   "everyone",
			"staff":  "the server's owner, role DiscoClaw, role Mods, role Chiefs and <@{eve}>",
			"A talk": "the server's owner, role DiscoClaw, role Mods, role Chiefs and <@{eve}>",
			"Secret": "only those who were added to it, and those who may manage threads in its channel",
			"quiet":  "everyone, except role Muted and <@{eve}>",
			"mixed":  "the server's owner, role DiscoClaw, role Mods and role Chiefs, except <@{bob}>",
			"empty":  "the server's owner, role DiscoClaw and role Chiefs",
		} {
			got := w.Run("ada", w.WithIDs(`{"type":"channelInfo","channelId":"{`+channel+`}"}`))[0]
			if line := w.WithIDs("\nVisible to: " + want + "\n"); !strings.Contains(got+"\n", line) {
				t.Errorf("%s: %s\nwant %s", channel, got, line)
			}
		}
	})
}

// TestUnusualNamesAreFound: emoji, other scripts, other capitals, and names of two channels.
func TestUnusualNamesAreFound(t *testing.T) {
	t.Parallel()
	onServer(t, `
guild disco: #general #büro-🌻 #новости #ops ops:voice
member ada: owner
`, func(t *testing.T, w *world) {
		for _, ref := range []string{"büro-🌻", "#BÜRO-🌻", "büro 🌻", "новости", "#НОВОСТИ"} {
			w.RequirePart("ada", `{"type":"channelInfo","channelId":"`+ref+`"}`, "Done: Name: #", "Type: text")
		}
		got := w.Run("ada", `{"type":"channelInfo","channelId":"ops"}`)[0]
		for _, ch := range w.Channels() {
			if ch.Name == "ops" && !strings.Contains(got, string(ch.ID)) {
				t.Errorf("%s does not name %s", got, ch.ID)
			}
		}
		if !strings.HasPrefix(got, "Failed: channelInfo: which #ops, <#") {
			t.Error(got)
		}
	})
}

// TestHiddenChannelsStayHidden: no outcome for a requester has the name or the topic of a
// channel that is hidden from them, unless they wrote it themselves.
func TestHiddenChannelsStayHidden(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`
thread "Plot" in #ops
deny #ops @everyone: View Channel
deny Projects @everyone: View Channel
allow #ops DiscoClaw: View Channel
allow Projects DiscoClaw: View Channel
`, func(t *testing.T, w *world) {
		w.Run("ada", `{"type":"channelEdit","channelId":"ops","topic":"conspiracy"}`, `{"type":"channelMove","channelId":"news","parent":"Projects"}`)
		for _, in := range []string{
			`{"type":"channelList"}`,
			`{"type":"channelInfo","channelId":"{ops}"}`,
			`{"type":"channelInfo","channelId":"{Plot}"}`,
			`{"type":"channelInfo","channelId":"oops"}`,
			`{"type":"channelInfo","channelId":"news"}`,
			`{"type":"channelEdit","channelId":"{ops}","name":"x"}`,
			`{"type":"channelMove","channelId":"{ops}","position":1}`,
			`{"type":"channelDelete","channelId":"{ops}"}`,
			`{"type":"channelCreate","name":"x","parent":"{Projects}"}`,
			`{"type":"channelCreate","name":"x","parent":"project"}`,
			`{"type":"channelCreate","name":"x","parent":"{ops}"}`,
			`{"type":"threadEdit","threadId":"{ops}","name":"x"}`,
			`{"type":"threadListArchived","channelId":"{ops}"}`,
			`{"type":"threadEdit","threadId":"{Plot}","name":"x"}`,
			`{"type":"threadEdit","threadId":"Plott","name":"x"}`,
			`{"type":"forumTagList","channelId":"{ops}"}`,
		} {
			got := w.Run("bob", w.WithIDs(in))[0]
			for _, secret := range []string{"#ops", "conspiracy", "Plot”", "#Plot", `"Plot"`, "Projects"} {
				if strings.Contains(got, secret) {
					t.Errorf("%s tells bob %q: %s", in, secret, got)
				}
			}
		}
	})
}

// TestARightIsNeededInTheSecondChannelToo: the right to manage a channel is none to move it
// to where the requester lacks it.
func TestARightIsNeededInTheSecondChannelToo(t *testing.T) {
	t.Parallel()
	onServer(t, rightsLayout, func(t *testing.T, w *world) {
		if err := w.Deny("Projects", "bob", chat.ManageChannels); err != nil {
			t.Fatal(err)
		}
		w.Require("bob", `{"type":"channelMove","channelId":"ops","parent":"projects"}`,
			"Failed: channelMove: you need *Manage Channels* in <#{Projects}> for that")
		if parent := w.must("ops").Parent; parent != "" {
			t.Errorf("#ops is in %s", parent)
		}
	})
}
