package channels_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func TestThreadListArchived(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`
thread "First" in #ops
thread "Second" in #ops
thread "Open" in #ops
thread "Secret" in #ops: private, archived
thread "A plan" in ideas: archived
`, func(t *testing.T, w *world) {
		for _, name := range []string{"First", "Second"} {
			time.Sleep(time.Minute)
			if err := w.Archive(name); err != nil {
				t.Fatal(err)
			}
		}
		w.requireEach([]example{
			{"the latest first", `{"type":"threadListArchived","channelId":"ops"}`, "Done: Archived threads in #ops (2):\n• Second (id:{Second})\n• First (id:{First})"},
			{"as many as asked for", `{"type":"threadListArchived","channel":"#ops","limit":1}`, "Done: Archived threads in #ops (1):\n• Second (id:{Second})\nthere may be older ones, which a higher limit shows"},
			{"of a forum", `{"type":"threadListArchived","channelId":"{ideas}"}`, "Done: Archived threads in #ideas (1):\n• A plan (id:{A plan})"},
			{"none", `{"type":"threadListArchived","channelId":"news"}`, "Done: No archived threads in #news"},
			{"nothing given", `{"type":"threadListArchived"}`, "Failed: threadListArchived: channelId: missing"},
			{"too many", `{"type":"threadListArchived","channelId":"ops","limit":101}`, "Failed: threadListArchived: limit: 101 is not 1 to 100"},
			{"too few", `{"type":"threadListArchived","channelId":"ops","limit":0}`, "Failed: threadListArchived: limit: 0 is not 1 to 100"},
			{"a voice channel", `{"type":"threadListArchived","channelId":"talk"}`, "Failed: threadListArchived: <#{talk}> is a voice channel, which has no threads; choose a text channel or a forum"},
			{"a category", `{"type":"threadListArchived","channelId":"Projects"}`, "Failed: threadListArchived: <#{Projects}> is a category, which has no threads; choose a text channel or a forum"},
			{"a thread", `{"type":"threadListArchived","channelId":"Open"}`, "Failed: threadListArchived: <#{Open}> is a thread, which has no threads; choose a text channel or a forum"},
			{"no such channel", `{"type":"threadListArchived","channelId":"basement"}`, `Failed: threadListArchived: I can't see a channel #basement`},
		})
	})
}

const forumLayout = layout + `
tag bug in ideas: 🐛
tag "good idea" in ideas
tag staff in ideas: moderated
post "Dark mode" in ideas [bug]: please
post "Light mode" in ideas: please
thread "Help me" in #ops
`

func TestThreadEdit(t *testing.T) {
	t.Parallel()
	onServer(t, forumLayout, func(t *testing.T, w *world) {
		bug, idea := w.tag("bug"), w.tag("good idea")
		w.requireEach([]example{
			{"a thread's name", `{"type":"threadEdit","threadId":"help me","name":" Helped  you "}`, "Done: renamed **Help me** to **Helped you**"},
			{"by another name of the field", `{"type":"threadEdit","channelId":"{Helped you}","name":"Help"}`, "Done: renamed **Helped you** to **Help**"},
			{"a post's tags by name", `{"type":"threadEdit","thread":"dark mode","appliedTags":["Good Idea"]}`, "Done: changed the tags of <#{Dark mode}>"},
			{"a post's tags by ID", `{"type":"threadEdit","threadId":"{Light mode}","appliedTags":["` + idea + `","` + bug + `"]}`, "Done: changed the tags of <#{Light mode}>"},
			{"one tag is a list too", `{"type":"threadEdit","threadId":"<#{Light mode}>","appliedTags":"bug"}`, "Done: changed the tags of <#{Light mode}>"},
		})
		for post, want := range map[string][]string{"Dark mode": {idea}, "Light mode": {bug}} {
			if got := w.must(post).AppliedTags; !slices.Equal(got, want) {
				t.Errorf("%s has %v, want %v", post, got, want)
			}
		}
		w.Require("ada", `{"type":"threadEdit","threadId":"dark mode","name":"Darker","appliedTags":[]}`, "Done: renamed **Dark mode** to **Darker** and changed its tags")
		if post := w.must("Darker"); len(post.AppliedTags) > 0 {
			t.Errorf("the post has %v", post.AppliedTags)
		}
	})
}

// TestThreadsAreLockedAndUnlocked, also in the archive, and undo restores what was.
func TestThreadsAreLockedAndUnlocked(t *testing.T) {
	t.Parallel()
	onServer(t, forumLayout+"thread \"Old\" in #ops: archived\n", func(t *testing.T, w *world) {
		for _, tt := range []struct {
			name, more       string
			want             string
			locked, archived bool
		}{
			{"Help me", `"locked":true`, "Done: locked <#{Help me}>", true, false},
			{"Dark mode", `"locked":true,"archived":true`, "Done: locked <#{Dark mode}> and archived it", true, true},
			{"Light mode", `"appliedTags":["bug"],"locked":true`, "Done: changed the tags of <#{Light mode}> and locked it", true, false},
			{"Old", `"locked":true`, "Done: locked <#{Old}>", true, true},
		} {
			before := w.must(tt.name)
			out := w.Require("ada", `{"type":"threadEdit","threadId":"{`+tt.name+`}",`+tt.more+`}`, tt.want)
			if got := w.must(tt.name); got.Locked != tt.locked || got.Archived != tt.archived {
				t.Errorf("%s: %+v", tt.more, got)
			}
			w.Undo(out)
			if got := w.must(tt.name); got.Locked != before.Locked || got.Archived != before.Archived || !slices.Equal(got.AppliedTags, before.AppliedTags) {
				t.Errorf("%s, undone: %+v, was %+v", tt.more, got, before)
			}
		}
		w.Run("ada", `{"type":"threadEdit","threadId":"help me","locked":true}`)
		w.Require("ada", `{"type":"threadEdit","threadId":"help me","locked":false}`, "Done: unlocked <#{Help me}>")
		if w.must("Help me").Locked {
			t.Error("it is still locked")
		}
	})
}

// TestIdleTimesOfThreads are changed, also in the archive, shown, and restored by undo.
func TestIdleTimesOfThreads(t *testing.T) {
	t.Parallel()
	onServer(t, forumLayout+"thread \"Old\" in #ops: archived\n", func(t *testing.T, w *world) {
		for _, tt := range []struct{ name, more, want string }{
			{"Help me", `"autoArchiveMinutes":10080`, "Done: set <#{Help me}> to be archived when it is idle for 7 days"},
			{"Dark mode", `"appliedTags":["bug"],"autoArchiveMinutes":60`, "Done: changed the tags of <#{Dark mode}> and set it to be archived when it is idle for 1 hour"},
			{"Old", `"autoArchiveMinutes":4320,"locked":true`, "Done: locked <#{Old}> and set it to be archived when it is idle for 3 days"},
		} {
			before := w.must(tt.name)
			out := w.Require("ada", `{"type":"threadEdit","threadId":"{`+tt.name+`}",`+tt.more+`}`, tt.want)
			after := w.must(tt.name)
			if after.AutoArchive == before.AutoArchive || after.Archived != before.Archived {
				t.Errorf("%s: %+v", tt.more, after)
			}
			idle := chat.Span(time.Duration(after.AutoArchive) * time.Minute)
			w.RequirePart("ada", `{"type":"channelInfo","channelId":"{`+tt.name+`}"}`, "\nArchived when idle for: "+idle)
			w.Undo(out)
			if got := w.must(tt.name).AutoArchive; got != before.AutoArchive {
				t.Errorf("%s, undone: %d minutes, was %d", tt.more, got, before.AutoArchive)
			}
		}
	})
}

// TestPostsArePinnedAndUnpinned, one at a time and out of the archive, and undo restores what was.
func TestPostsArePinnedAndUnpinned(t *testing.T) {
	t.Parallel()
	onServer(t, forumLayout+"post \"Old\" in ideas: long ago\n", func(t *testing.T, w *world) {
		if err := w.Archive("Old"); err != nil {
			t.Fatal(err)
		}
		states := func() map[string][2]bool {
			all := map[string][2]bool{}
			for _, name := range []string{"Dark mode", "Light mode", "Old"} {
				post := w.must(name)
				all[name] = [2]bool{post.Pinned(), post.Archived}
			}
			return all
		}
		for _, tt := range []struct{ post, more, want, pinned string }{
			{"Old", `"pinned":true`, "Done: pinned <#{Old}>", "Old"},
			{"Dark mode", `"pinned":true`, "Done: pinned <#{Dark mode}>", "Dark mode"},
			{"Light mode", `"pinned":true`, "Done: pinned <#{Light mode}> in place of <#{Dark mode}>", "Light mode"},
			{"Old", `"locked":true,"pinned":true`, "Done: locked <#{Old}> and pinned it in place of <#{Dark mode}>", "Old"},
			{"Dark mode", `"pinned":false`, "Done: unpinned <#{Dark mode}>", ""},
			{"Dark mode", `"archived":true`, "Done: archived <#{Dark mode}>", ""},
			{"Old", `"pinned":false`, "Done: unpinned <#{Old}>", "Dark mode"},
		} {
			before := states()
			out := w.Require("ada", `{"type":"threadEdit","threadId":"{`+tt.post+`}",`+tt.more+`}`, tt.want)
			for name, state := range states() {
				if pinned := state[0]; pinned != (name == tt.pinned) {
					t.Errorf("%s, %s: %s is pinned: %v", tt.post, tt.more, name, pinned)
				}
			}
			w.Undo(out)
			if got := states(); !maps.Equal(got, before) {
				t.Errorf("%s, %s, undone: %v, was %v", tt.post, tt.more, got, before)
			}
			if tt.pinned == "Dark mode" {
				w.Run("ada", `{"type":"threadEdit","threadId":"dark mode","pinned":true}`)
			}
		}
	})
}

// TestThreadEditLeavesTheArchiveAsItWas: an archived thread is opened to be changed.
func TestThreadEditLeavesTheArchiveAsItWas(t *testing.T) {
	t.Parallel()
	onServer(t, forumLayout, func(t *testing.T, w *world) {
		for _, name := range []string{"Dark mode", "Light mode"} {
			if err := w.Archive(name); err != nil {
				t.Fatal(err)
			}
		}
		w.RequirePart("ada", `{"type":"threadEdit","threadId":"dark mode","name":"Done"}`, "Done: renamed **Dark mode** to **Done**")
		if !w.must("Done").Archived {
			t.Error("the thread is no longer archived")
		}
		w.Fail(fakediscord.Fault{Match: "PATCH /channels/{channel}", Skip: 1, Status: 400})
		w.RequirePart("ada", `{"type":"threadEdit","threadId":"light mode","name":"Bright"}`, "Done: renamed **Light mode** to **Bright**", "; the thread could not be archived again")
		w.Recover()
	})
}

func TestThreadEditRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, forumLayout, func(t *testing.T, w *world) {
		before := w.Channels()
		w.requireEach([]example{
			{"nothing given", `{"type":"threadEdit","name":"x"}`, "Failed: threadEdit: threadId: missing"},
			{"nothing to change", `{"type":"threadEdit","threadId":"help me"}`, "Failed: threadEdit: nothing to change; give a name, appliedTags, archived, locked, pinned or autoArchiveMinutes"},
			{"an idle time that Discord does not know", `{"type":"threadEdit","threadId":"help me","autoArchiveMinutes":90}`, "Failed: threadEdit: autoArchiveMinutes: 90 is not one of 60, 1440, 4320, 10080"},
			{"a pin in the archive", `{"type":"threadEdit","threadId":"dark mode","pinned":true,"archived":true}`, "Failed: threadEdit: a post cannot be archived and pinned at the same time; leave one of the two out"},
			{"a pin of a thread", `{"type":"threadEdit","threadId":"help me","pinned":true}`, "Failed: threadEdit: <#{Help me}> is not a post of a forum, and only posts can be pinned to the top"},
			{"a long name", `{"type":"threadEdit","threadId":"help me","name":"` + strings.Repeat("x", 101) + `"}`, "Failed: threadEdit: name: has 101 characters, must have at most 100"},
			{"too many tags", `{"type":"threadEdit","threadId":"dark mode","appliedTags":["a","b","c","d","e","f"]}`, "Failed: threadEdit: appliedTags: has 6 items, must have at most 5"},
			{"another kind of channel", `{"type":"threadEdit","threadId":"{ops}","name":"x"}`, "Failed: threadEdit: <#{ops}> is not a thread"},
			{"an empty tag", `{"type":"threadEdit","threadId":"dark mode","appliedTags":["bug",""]}`, "Failed: threadEdit: appliedTags[1]: empty"},
		})
		for in, parts := range map[string][]string{
			`{"type":"threadEdit","threadId":"help me","appliedTags":["bug"]}`:        {"Failed: threadEdit: <#{ops}> is a text channel", "forum"},
			`{"type":"threadEdit","threadId":"dark mode","appliedTags":["nonsense"]}`: {"Failed: threadEdit: <#{ideas}> has no tag **nonsense**"},
			`{"type":"threadEdit","threadId":"nonsense","name":"x"}`:                  {"Failed: threadEdit: I can't see a thread “nonsense”"},
			`{"type":"threadEdit","threadId":"ops","name":"x"}`:                       {"Failed: threadEdit: I can't see a thread “ops”"},
			`{"type":"threadEdit","threadId":"111111111111111111","name":"x"}`:        {"Failed: threadEdit: I can't see a thread <#111111111111111111>"},
		} {
			w.RequirePart("ada", in, parts...)
		}
		w.requireUnchanged(before)
	})
}

// tag is the ID of a tag of #ideas.
func (w *world) tag(name string) string {
	w.t.Helper()
	for _, tag := range w.must("ideas").Tags {
		if tag.Name == name {
			return tag.ID
		}
	}
	w.t.Fatalf("there is no tag %s", name)
	return ""
}

// TestPrivateThreadsAreForTheirMembers, and for those who manage threads.
func TestPrivateThreadsAreForTheirMembers(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`thread "Secret" in #ops: private`, func(t *testing.T, w *world) {
		w.Require("bob", w.WithIDs(`{"type":"channelInfo","channelId":"{Secret}"}`), w.WithIDs(`Failed: channelInfo: I can't see a channel <#{Secret}>`))
		if err := w.Allow("ops", "bob", chat.ManageThreads); err != nil {
			t.Fatal(err)
		}
		w.RequirePart("bob", w.WithIDs(`{"type":"channelInfo","channelId":"{Secret}"}`), "Done: Name: #Secret")
	})
}
