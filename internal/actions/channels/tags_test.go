package channels_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/fakediscord"
)

func TestForumTagList(t *testing.T) {
	t.Parallel()
	onServer(t, strings.Replace(forumLayout, "talk:voice", "talk:voice plans:forum", 1)+`
tag own in ideas: 123456789012345678
`, func(t *testing.T, w *world) {
		list := fmt.Sprintf("Done: Tags on #ideas (4):\n• bug 🐛 (id:%s)\n• good idea (id:%s)\n• staff (id:%s)\n• own (emoji:123456789012345678) (id:%s)",
			w.tag("bug"), w.tag("good idea"), w.tag("staff"), w.tag("own"))
		w.requireEach([]example{
			{"by name", `{"type":"forumTagList","channelId":"ideas"}`, list},
			{"by mention", `{"type":"forumTagList","channel":"<#{ideas}>"}`, list},
			{"none", `{"type":"forumTagList","channelId":"plans"}`, "Done: No tags on forum #plans"},
			{"nothing given", `{"type":"forumTagList"}`, "Failed: forumTagList: channelId: missing"},
			{"not a forum", `{"type":"forumTagList","channelId":"ops"}`, "Failed: forumTagList: <#{ops}> is a text channel, and only forums have tags and posts"},
			{"a category", `{"type":"forumTagList","channelId":"Projects"}`, "Failed: forumTagList: <#{Projects}> is a category, and only forums have tags and posts"},
			{"no such channel", `{"type":"forumTagList","channelId":"basement"}`, `Failed: forumTagList: I can't see a channel #basement`},
		})
	})
}

func TestForumTagCreate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, emoji string
	}{
		{"plain", `"name":"done"`, ""},
		{"with an emoji", `"name":"done","emoji":{"name":"✅"}`, "✅"},
		{"with an emoji as a text", `"name":"done","emoji":"✅"`, "✅"},
		{"with the emoji's short name", `"name":" done ","emoji":{"name":":white_check_mark:"}`, "✅"},
		{"with the server's own emoji", `"name":"done","emoji":{"id":"123456789012345678","name":"party"}`, "123456789012345678"},
		{"with the server's own emoji as people write it", `"name":"done","emoji":{"name":"<:party:123456789012345678>"}`, "123456789012345678"},
		{"with an empty emoji", `"name":"done","emoji":{}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onServer(t, forumLayout, func(t *testing.T, w *world) {
				before := w.must("ideas").Tags
				got := w.Run("ada", `{"type":"forumTagCreate","channelId":"ideas",`+tt.in+`}`)[0]
				if want := w.WithIDs("Done: created the tag **done** in <#{ideas}>"); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				after := w.must("ideas").Tags
				if n := len(after) - 1; !slices.Equal(after[:n], before) || string(after[n].Emoji) != tt.emoji {
					t.Errorf("the tags were %v and are %v", before, after)
				}
			})
		})
	}
}

func TestForumTagCreateRefuses(t *testing.T) {
	t.Parallel()
	full := ""
	for i := range 17 {
		full += fmt.Sprintf("tag t%d in ideas\n", i)
	}
	onServer(t, forumLayout+full, func(t *testing.T, w *world) {
		w.requireEach([]example{
			{"nothing given", `{"type":"forumTagCreate"}`, "Failed: forumTagCreate: channelId: missing; name: missing"},
			{"a long name", `{"type":"forumTagCreate","channelId":"ideas","name":"` + strings.Repeat("x", 21) + `"}`, "Failed: forumTagCreate: name: has 21 characters, must have at most 20"},
			{"an emoji that is none", `{"type":"forumTagCreate","channelId":"ideas","name":"x","emoji":{"name":"nonsense"}}`, `Failed: forumTagCreate: emoji.name: there is no emoji "nonsense" here; write the character itself, such as 👍`},
			{"an ID that is none", `{"type":"forumTagCreate","channelId":"ideas","name":"x","emoji":{"id":"12"}}`, `Failed: forumTagCreate: emoji.id: "12" is not an emoji's ID (15 to 20 digits)`},
			{"not a forum", `{"type":"forumTagCreate","channelId":"ops","name":"x"}`, "Failed: forumTagCreate: <#{ops}> is a text channel, and only forums have tags and posts"},
			{"no such channel", `{"type":"forumTagCreate","channelId":"basement","name":"x"}`, `Failed: forumTagCreate: I can't see a channel #basement`},
		})
		w.RequirePart("ada", `{"type":"forumTagCreate","channelId":"ideas","name":"one too many"}`, "Failed: forumTagCreate: <#{ideas}> has 20 tags")
		if n := len(w.must("ideas").Tags); n != 20 {
			t.Errorf("there are %d tags", n)
		}
	})
	onServer(t, forumLayout, func(t *testing.T, w *world) {
		w.RequirePart("ada", `{"type":"forumTagCreate","channelId":"ideas","name":"Bug"}`, "Failed: forumTagCreate: <#{ideas}> has a tag **bug** already")
	})
}

func TestForumTagEdit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want, called, emoji string }{
		{"both", `"tagId":"bug","name":"defect","emoji":"🔧"`, "renamed the tag **bug** of <#{ideas}> to **defect** and gave it the emoji 🔧", "defect", "🔧"},
		{"the name", `"tag":"Bug","name":" defect "`, "renamed the tag **bug** of <#{ideas}> to **defect**", "defect", "🐛"},
		{"its capitals", `"tagId":"bug","name":"Bug"`, "renamed the tag **bug** of <#{ideas}> to **Bug**", "Bug", "🐛"},
		{"the emoji", `"tagId":"bug","emoji":{"name":"🔧"}`, "gave the tag **bug** of <#{ideas}> the emoji 🔧", "bug", "🔧"},
		{"an emoji of the server", `"tagId":"bug","emoji":{"id":"123456789012345678"}`, "gave the tag **bug** of <#{ideas}> the emoji <:emoji:123456789012345678>", "bug", "123456789012345678"},
		{"no emoji", `"tagId":"bug","emoji":""`, "removed the emoji of the tag **bug** of <#{ideas}>", "bug", ""},
		{"no emoji, as an object", `"tagId":"bug","name":"defect","emoji":{}`, "renamed the tag **bug** of <#{ideas}> to **defect** and removed its emoji", "defect", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onServer(t, forumLayout, func(t *testing.T, w *world) {
				before := w.must("ideas").Tags
				out := w.Require("ada", `{"type":"forumTagEdit","channelId":"ideas",`+tt.in+`}`, "Done: "+tt.want)
				after := w.must("ideas").Tags
				if want := (fakediscord.Tag{ID: before[0].ID, Name: tt.called, Emoji: tt.emoji}); after[0] != want || !slices.Equal(after[1:], before[1:]) {
					t.Errorf("the tags were %v and are %v", before, after)
				}
				if post := w.must("Dark mode"); !slices.Equal(post.AppliedTags, []string{before[0].ID}) {
					t.Errorf("the post has %v", post.AppliedTags)
				}
				w.Undo(out)
				if got := w.must("ideas").Tags; !slices.Equal(got, before) {
					t.Errorf("the tags were %v and are, undone, %v", before, got)
				}
			})
		})
	}
}

// TestForumTagEditGivesBackWhatWasNotThere: undo removes an emoji, and restores one of the server.
func TestForumTagEditGivesBackWhatWasNotThere(t *testing.T) {
	t.Parallel()
	onServer(t, forumLayout+"tag own in ideas: 123456789012345678\n", func(t *testing.T, w *world) {
		before := w.must("ideas").Tags
		for _, tag := range []string{"own", "staff"} {
			w.Undo(w.Require("ada", `{"type":"forumTagEdit","channelId":"ideas","tagId":"`+tag+`","emoji":"🔧"}`, "Done: gave the tag **"+tag+"** of <#{ideas}> the emoji 🔧"))
		}
		if got := w.must("ideas").Tags; !slices.Equal(got, before) {
			t.Errorf("the tags were %v and are, undone, %v", before, got)
		}
	})
}

func TestForumTagEditRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, forumLayout, func(t *testing.T, w *world) {
		before := w.must("ideas").Tags
		w.requireEach([]example{
			{"nothing given", `{"type":"forumTagEdit"}`, "Failed: forumTagEdit: channelId: missing; tagId: missing"},
			{"nothing to change", `{"type":"forumTagEdit","channelId":"ideas","tagId":"bug"}`, "Failed: forumTagEdit: nothing to change; give a name or an emoji"},
			{"a name that is taken", `{"type":"forumTagEdit","channelId":"ideas","tagId":"bug","name":"Staff"}`, "Failed: forumTagEdit: <#{ideas}> has a tag **staff** already"},
			{"a long name", `{"type":"forumTagEdit","channelId":"ideas","tagId":"bug","name":"` + strings.Repeat("x", 21) + `"}`, "Failed: forumTagEdit: name: has 21 characters, must have at most 20"},
			{"an emoji that is none", `{"type":"forumTagEdit","channelId":"ideas","tagId":"bug","emoji":"nonsense"}`, `Failed: forumTagEdit: emoji.name: there is no emoji "nonsense" here; write the character itself, such as 👍`},
			{"not a forum", `{"type":"forumTagEdit","channelId":"ops","tagId":"x","name":"y"}`, "Failed: forumTagEdit: <#{ops}> is a text channel, and only forums have tags and posts"},
		})
		w.RequirePart("ada", `{"type":"forumTagEdit","channelId":"ideas","tagId":"nonsense","name":"x"}`, "Failed: forumTagEdit: <#{ideas}> has no tag **nonsense**; it has **bug**")
		if got := w.must("ideas").Tags; !slices.Equal(got, before) {
			t.Errorf("the tags were %v and are %v", before, got)
		}
	})
}

func TestForumTagDelete(t *testing.T) {
	t.Parallel()
	onServer(t, forumLayout, func(t *testing.T, w *world) {
		bug, staff := w.tag("bug"), w.tag("staff")
		w.requireEach([]example{
			{"by ID", `{"type":"forumTagDelete","channelId":"ideas","tagId":"` + bug + `"}`, "Done: deleted the tag **bug** of <#{ideas}>"},
			{"by name", `{"type":"forumTagDelete","channel":"ideas","tag":"Good Idea"}`, "Done: deleted the tag **good idea** of <#{ideas}>"},
			{"nothing given", `{"type":"forumTagDelete"}`, "Failed: forumTagDelete: channelId: missing; tagId: missing"},
			{"not a forum", `{"type":"forumTagDelete","channelId":"ops","tagId":"x"}`, "Failed: forumTagDelete: <#{ops}> is a text channel, and only forums have tags and posts"},
			{"no such channel", `{"type":"forumTagDelete","channelId":"basement","tagId":"x"}`, `Failed: forumTagDelete: I can't see a channel #basement`},
		})
		w.RequirePart("ada", `{"type":"forumTagDelete","channelId":"ideas","tagId":"`+bug+`"}`, "Failed: forumTagDelete: <#{ideas}> has no tag ", bug)
		if left := w.must("ideas").Tags; !slices.Equal(left, []fakediscord.Tag{{ID: staff, Name: "staff", Moderated: true}}) {
			t.Errorf("left are %v", left)
		}
		if post := w.must("Dark mode"); len(post.AppliedTags) > 0 {
			t.Errorf("the post still has %v", post.AppliedTags)
		}
	})
}
