package fakediscord_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

const forumWorld = `
	guild d: #a ideas:forum
	tag bug in ideas: 🐛
	tag "good idea" in ideas
	tag accepted in ideas: moderated
	post "Dark mode" in ideas [bug, good idea]: my eyes hurt
`

func TestTagsOfAForumAreReplaced(t *testing.T) {
	t.Parallel()
	r := newRig(t, forumWorld)
	bug := r.channel("ideas").Tags[0].ID
	body := fmt.Sprintf(`{"available_tags":[{"name":" new ","emoji_name":"✨","emoji_id":null},{"id":%q,"name":"BUG","moderated":true,"emoji_id":"123456789012345678"},{"id":null,"name":"last","moderated":null}]}`, bug)
	got := r.send("PATCH", r.in("ideas", ""), body).want(200, 0)
	want := []fakediscord.Tag{
		{Name: "new", Emoji: "✨"},
		{ID: bug, Name: "BUG", Emoji: "123456789012345678", Moderated: true},
		{Name: "last"},
	}
	tags := r.channel("ideas").Tags
	if diff := cmp.Diff(want[1], tags[1]); diff != "" {
		t.Errorf("a tag that was there (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, tags, cmpopts.IgnoreFields(fakediscord.Tag{}, "ID")); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if tags[0].ID == "" || tags[0].ID == tags[2].ID {
		t.Errorf("new tags have the IDs %q and %q", tags[0].ID, tags[2].ID)
	}
	var told []string
	for _, tag := range got["available_tags"].([]any) {
		told = append(told, tag.(map[string]any)["name"].(string))
	}
	if diff := cmp.Diff([]string{"new", "BUG", "last"}, told); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{bug}, r.channel("Dark mode").AppliedTags); diff != "" {
		t.Errorf("a post still has a tag that is gone (-want +got):\n%s", diff)
	}
	made := r.send("POST", r.guildPath("/channels"), `{"name":"wishes","type":15,"available_tags":[{"name":"big","emoji_name":"🐘"},{"name":"small"}]}`).want(201, 0)
	if tags := made["available_tags"].([]any); len(tags) != 2 {
		t.Errorf("a new forum has the tags %v", tags)
	}
}

func TestTagsAreRefusedWithDiscordsCode(t *testing.T) {
	t.Parallel()
	r := newRig(t, forumWorld)
	many := make([]map[string]any, 21)
	for i := range many {
		many[i] = map[string]any{"name": fmt.Sprint("tag ", i)}
	}
	for _, tt := range []struct {
		name, tags   string
		status, code int
	}{
		{"too many", encode(many), 400, 50035},
		{"no name", `[{"name":" "}]`, 400, 50035},
		{"a long name", `[{"name":"` + strings.Repeat("x", 21) + `"}]`, 400, 50035},
		{"two of a name", `[{"name":"same"},{"name":"Same"}]`, 400, 40061},
		{"two emoji", `[{"name":"x","emoji_id":"123456789012345678","emoji_name":"✨"}]`, 400, 50035},
		{"one that is not there", `[{"id":"123456789012345678","name":"x"}]`, 404, 10087},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply := r.sendAnyway("PATCH", r.in("ideas", ""), `{"available_tags":`+tt.tags+`}`)
			reply.t = t
			reply.want(tt.status, tt.code)
		})
	}
	if got := r.channel("ideas").Tags; len(got) != 3 {
		t.Errorf("a refused request changed the tags to %+v", got)
	}
}

func TestPostsHaveTags(t *testing.T) {
	t.Parallel()
	r := newRig(t, forumWorld+"member bob\nbot B: View Channel, Send Messages, Read Message History")
	ideas := r.channel("ideas")
	bug, accepted := ideas.Tags[0].ID, ideas.Tags[2].ID
	start := func(tags string) reply {
		t.Helper()
		return r.send("POST", r.in("ideas", "/threads"), `{"name":"x",`+tags+`"message":{"content":"y",`+quiet+`}}`)
	}
	got := start(`"applied_tags":["`+bug+`"],`).want(201, 0)
	if tags := got["applied_tags"].([]any); len(tags) != 1 || tags[0] != bug {
		t.Errorf("the post has the tags %v", tags)
	}
	start(`"applied_tags":null,`).want(201, 0)
	start(`"applied_tags":["123456789012345678"],`).want(404, 10087)
	start(`"applied_tags":["`+accepted+`"],`).want(403, 50013)
	six := strings.Repeat(`"`+bug+`",`, 5) + `"` + bug + `"`
	r.sendAnyway("POST", r.in("ideas", "/threads"), `{"name":"x","applied_tags":[`+six+`],"message":{"content":"y"}}`).want(400, 50035)
	r.must(r.RequireTag("ideas"))
	if flags := r.send("GET", r.in("ideas", ""), "").want(200, 0)["flags"]; flags != float64(1<<4) {
		t.Errorf("flags = %v", flags)
	}
	start("").want(400, 40067)
	start(`"applied_tags":["`+bug+`"],`).want(201, 0)
	r.send("PATCH", r.in("ideas", ""), `{"flags":0}`).want(403, 50013)
	r.must(r.Allow("ideas", "bot", chat.ManageChannels))
	r.send("PATCH", r.in("ideas", ""), `{"flags":0}`).want(200, 0)
	start("").want(201, 0)
	r.send("PATCH", r.in("ideas", ""), `{"flags":16}`).want(200, 0)
	start("").want(400, 40067)
	r.must(r.Allow("#a", "bot", chat.ManageChannels))
	r.send("PATCH", r.in("#a", ""), `{"flags":16}`).want(400, 50035)
	if err := r.RequireTag("#a"); err == nil {
		t.Error("a text channel can require tags")
	}
	r.must(r.Deny("ideas", "bot", chat.SendMessages))
	start(`"applied_tags":["`+bug+`"],`).want(403, 50013)
}

func TestThreadsAreEdited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, forumWorld+"thread \"t\" in #a")
		good, accepted := r.channel("ideas").Tags[1].ID, r.channel("ideas").Tags[2].ID
		began := r.channel("t").ArchivedAt
		time.Sleep(time.Second)
		got := r.send("PATCH", r.in("t", ""), `{"name":" New Title ","auto_archive_duration":60,"locked":true,"archived":true}`).want(200, 0)
		thread := r.channel("New Title")
		if !thread.Archived || !thread.Locked || thread.AutoArchive != 60 || !thread.ArchivedAt.After(began) || got["name"] != "New Title" {
			t.Errorf("the thread is %+v, and the answer was %v", thread, got)
		}
		if last := r.Messages("New Title"); len(last) != 1 || last[0].Type != fakediscord.NameChange || last[0].Content != "New Title" {
			t.Errorf("the thread has %+v, want a notice of its new name", last)
		}
		if got := r.Transcript("New Title"); got != "" {
			t.Errorf("the notice is in the transcript:\n%s", got)
		}
		r.send("PATCH", r.in("New Title", ""), `{"archived":true}`).want(200, 0)
		r.send("PATCH", r.in("New Title", ""), `{"name":"x"}`).want(400, 50083)
		r.send("PATCH", r.in("New Title", ""), `{"archived":false,"name":"x"}`).want(200, 0)
		r.send("PATCH", r.in("x", ""), `{"locked":null,"applied_tags":null}`).want(200, 0)

		r.send("PATCH", r.in("Dark mode", ""), `{"applied_tags":["`+accepted+`","`+good+`"]}`).want(200, 0)
		if diff := cmp.Diff([]string{accepted, good}, r.channel("Dark mode").AppliedTags); diff != "" {
			t.Errorf("tags (-want +got):\n%s", diff)
		}
		r.send("PATCH", r.in("Dark mode", ""), `{"applied_tags":[]}`).want(200, 0)
		if got := r.channel("Dark mode").AppliedTags; len(got) > 0 {
			t.Errorf("tags = %v, want none", got)
		}
	})
}

// TestAForumHasOnePinnedPost, which loses its pin in the archive, and keeps its other flags.
func TestAForumHasOnePinnedPost(t *testing.T) {
	t.Parallel()
	r := newRig(t, forumWorld+"post \"Light mode\" in ideas: mine too")
	const other = 1 << 9
	r.must(r.Flag("Light mode", other))
	pin := func(post string, flags, status, code int) {
		t.Helper()
		r.send("PATCH", r.in(post, ""), fmt.Sprintf(`{"flags":%d}`, flags)).want(status, code)
	}
	pin("Dark mode", 2, 200, 0)
	pin("Dark mode", 2, 200, 0)
	if got := r.send("GET", r.in("Dark mode", ""), "").want(200, 0); got["flags"] != 2.0 {
		t.Errorf("the pinned post is %v", got)
	}
	pin("Light mode", other|2, 400, 30047)
	pin("Dark mode", 0, 200, 0)
	pin("Light mode", other|2, 200, 0)
	r.send("PATCH", r.in("Light mode", ""), `{"archived":true}`).want(200, 0)
	if got := r.channel("Light mode"); got.Pinned() || got.Flags != other {
		t.Errorf("in the archive, the post is %+v", got)
	}
	pin("Light mode", other|2, 400, 50083)
	pin("Dark mode", 2, 200, 0)
	r.must(r.Archive("Dark mode"))
	if got := r.channel("Dark mode"); got.Pinned() {
		t.Errorf("in the archive, the post is %+v", got)
	}
}

func TestEditsOfThreadsAreRefusedWithDiscordsCode(t *testing.T) {
	t.Parallel()
	const world = forumWorld + "thread \"t\" in #a\nthread \"old\" in #a: archived\nthread \"shut\" in #a: archived, locked\nbot B: View Channel, Send Messages in Threads, Create Public Threads"
	r := newRig(t, world)
	bug, good, accepted := r.channel("ideas").Tags[0].ID, r.channel("ideas").Tags[1].ID, r.channel("ideas").Tags[2].ID
	r.send("POST", r.in("#a", "/threads"), `{"name":"mine","type":11}`).want(201, 0)
	edit := func(thread, body string, status, code int) {
		t.Helper()
		r.sendAnyway("PATCH", r.in(thread, ""), body).want(status, code)
	}
	edit("t", `{"name":"x"}`, 403, 50013)
	edit("t", `{"archived":true}`, 403, 50013)
	edit("old", `{"archived":false,"name":"x"}`, 403, 50013)
	r.must(r.Deny("#a", "bot", "Send Messages in Threads"))
	edit("old", `{"archived":false}`, 403, 50013)
	r.must(r.Allow("#a", "bot", "Send Messages in Threads"))
	edit("old", `{"archived":false}`, 200, 0) // every member who can write can unarchive it
	edit("shut", `{"archived":false}`, 403, 160005)
	edit("mine", `{"name":"still mine","auto_archive_duration":1440}`, 200, 0)
	edit("still mine", `{"locked":true}`, 403, 50013)
	edit("still mine", `{"flags":0}`, 403, 50013)
	edit("still mine", `{"archived":true}`, 200, 0)

	r.must(r.SetPermission("bot", chat.ManageThreads, true))
	edit("shut", `{"archived":false}`, 200, 0)
	edit("t", `{"name":" "}`, 400, 50035)
	edit("t", `{"name":"`+strings.Repeat("x", 101)+`"}`, 400, 50035)
	edit("t", `{"auto_archive_duration":61}`, 400, 50035)
	edit("t", `{"applied_tags":[]}`, 400, 50035)
	edit("Dark mode", `{"applied_tags":["123456789012345678"]}`, 404, 10087)
	edit("Dark mode", `{"applied_tags":["1","2","3","4","5","6"]}`, 400, 50035)
	edit("Dark mode", `{"applied_tags":["`+bug+`","`+good+`","`+accepted+`"]}`, 200, 0)
	edit("t", `{"flags":2}`, 400, 50035)
	edit("Dark mode", `{"flags":4}`, 501, 0)
}

func TestArchivedThreadsAreListedByPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "guild d: #a news:announcement ideas:forum talk:voice #mute\ndeny #mute bot: Read Message History\nthread \"open\" in #a\nthread \"private\" in #a: private, archived\nthread \"n\" in news: archived\nthread \"i\" in ideas: archived")
		for i := range 5 {
			r.must(second(r.StartThread("ada", "#a", fmt.Sprint("t", i))))
		}
		for _, i := range []int{3, 1, 4, 0, 2} {
			time.Sleep(time.Minute)
			r.must(r.Archive(fmt.Sprint("t", i)))
		}
		page := func(channel, query string) (names []string, last time.Time, more bool) {
			t.Helper()
			var got struct {
				Threads []struct {
					Name     string
					Metadata struct {
						At time.Time `json:"archive_timestamp"`
					} `json:"thread_metadata"`
				}
				More bool `json:"has_more"`
			}
			reply := r.send("GET", r.in(channel, "/threads/archived/public")+query, "")
			reply.want(200, 0)
			if err := json.Unmarshal(reply.body, &got); err != nil {
				t.Fatal(err)
			}
			for _, thread := range got.Threads {
				names, last = append(names, thread.Name), thread.Metadata.At
			}
			return names, last, got.More
		}
		first, last, more := page("#a", "?limit=2")
		next, _, moreAfter := page("#a", "?limit=3&before="+last.UTC().Format("2006-01-02T15:04:05.000000Z"))
		if got := fmt.Sprint(first, more, next, moreAfter); got != "[t2 t0] true [t4 t1 t3] false" {
			t.Errorf("pages = %s", got)
		}
		for channel, want := range map[string]string{"news": "[n]", "ideas": "[i]", "#a": "[t2 t0 t4 t1 t3]"} {
			if got, _, _ := page(channel, ""); fmt.Sprint(got) != want {
				t.Errorf("%s has %v in the archive, want %s", channel, got, want)
			}
		}
		r.send("GET", r.in("talk", "/threads/archived/public"), "").want(400, 50024)
		r.send("GET", r.in("#mute", "/threads/archived/public"), "").want(403, 50001)
		for _, query := range []string{"?limit=1", "?limit=101", "?limit=x", "?before=yesterday"} {
			r.sendAnyway("GET", r.in("#a", "/threads/archived/public")+query, "").want(400, 50035)
		}
	})
}
