package tasks_test

import (
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/tasks"
)

// TestWhatASyncMakesOfAPost that no task has: a number in a name links nothing, only a whole ID in the bot's own words does.
func TestWhatASyncMakesOfAPost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, by, post, text string
		want                 string // of the post
		orphans              int
	}{
		{"no number", "ada", "Paint it", "x", "🟢 [003] Paint it (open)", 0},
		{"the number of no task", "ada", "🟡 [099] Paint it", "x", "🟡 [003] Paint it (in_progress)", 0},
		{"the number of another post's task", "ada", "🟢 [001] Fix it", "x", "🟢 [003] Fix it (open)", 0},
		{"a task's ID in a person's words", "ada", "Paint it", "**ID:** `ws-002`", "🟢 [003] Paint it (open)", 0},
		{"another post's task", "", "🟢 [001] Fix it", "**ID:** `ws-001`", "🟢 [001] Fix it ()", 1},
		{"the same number with another prefix", "", "🟢 [001] Fix it", "**ID:** `dev-001`", "🟢 [001] Fix it (open)", 0},
		{"a task without a post", "", "🟢 [002] anything", "**ID:** `ws-002`", "🟢 [002] anything (open)", 0}, // its name is newer than what the database knows
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onBoard(t, func(t *testing.T, b *board) {
				first := b.make(tasks.Task{Title: "Fix it"})
				b.make(tasks.Task{Title: "Hide it", Labels: []string{"no-thread"}})
				var err error
				if tt.by != "" {
					_, err = b.StartPost(tt.by, "tasks", tt.post, tt.text)
				} else {
					_, _, err = b.bot.StartPost(t.Context(), b.ChannelID("tasks"), tt.post, tt.text, nil, 0)
				}
				b.must(err)
				b.soon()
				done, err := b.Engine.Sync(t.Context(), b.GuildID())
				b.must(err)
				b.requireShown("🟢 [001] Fix it (open)\n" + tt.want)
				if got := b.get("1").Thread; got != first.Thread || done.Orphans != tt.orphans {
					t.Errorf("the first task has %s instead of %s, %d posts are another's", got, first.Thread, done.Orphans)
				}
			})
		})
	}
}

// TestManySyncsAtOnceMakeOnePost: they wait for each other.
func TestManySyncsAtOnceMakeOnePost(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		b.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/threads", Kind: fakediscord.Reset, Accepted: true, Times: 1})
		made, err := b.Create(t.Context(), tasks.Task{Guild: b.GuildID(), Title: "Fix it"})
		b.must(err)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { _, _ = b.Engine.Sync(t.Context(), b.GuildID()) }) // one of them fails
			wg.Go(func() { _, _ = b.Settle(t.Context(), b.GuildID(), made.ID) })
		}
		wg.Wait()
		b.soon()
		b.requireShown("🟢 [001] Fix it (open)")
	})
}

// TestAPostIsOneTasks, whatever is written.
func TestAPostIsOneTasks(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		first := b.make(tasks.Task{Title: "one"})
		second := b.make(tasks.Task{Title: "two"})
		if _, err := b.db.ExecContext(t.Context(), "UPDATE tasks SET thread = ? WHERE id = ?", first.Thread, second.ID); err == nil {
			t.Error("two tasks share a post")
		}
	})
}

// TestClosingByAChangeIsAClosing: its post says so, and is archived. A change of the closed task leaves it there.
func TestClosingByAChangeIsAClosing(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		task := b.make(tasks.Task{Title: "Fix it"})
		b.update(task.ID, tasks.Change{Status: new(tasks.Closed), Reason: "shipped"})
		b.requireShown("☑️ [001] Fix it (closed) archived")
		b.update(task.ID, tasks.Change{Title: new("Mend it"), Labels: &[]string{"bug"}})
		b.requireShown("☑️ [001] Mend it (bug closed) archived")
		b.requireSaid(task.Thread, "Closed: shipped")
	})
}

// TestABadLineStopsNoImport, and a second import changes nothing.
func TestABadLineStopsNoImport(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		files := fstest.MapFS{"tasks/tasks.jsonl": {Data: []byte(`{"id":"ws-007","title":"Fix it","status":"open","priority":1}
{"id":"ws-008","ti
{"id":"ws-009","title":"Paint it","status":"done"}
{"id":"ws-010","title":"Ship it","status":"closed","close_reason":"done"}
`)}}
		for _, want := range []tasks.Imported{{Taken: 2}, {Known: 2}} {
			done, err := b.Import(t.Context(), b.GuildID(), files)
			if err != nil || done.Taken != want.Taken || done.Known != want.Known || len(done.Left) != 2 || !strings.Contains(done.Left[0], "line 2") {
				t.Errorf("%+v, %v", done, err)
			}
		}
		b.restart()
		b.soon()
		b.requireShown("🟢 [007] Fix it (open)")
		b.make(tasks.Task{Title: "new"})
		b.requireShown("🟢 [007] Fix it (open)\n🟢 [011] new (open)")
	})
}
