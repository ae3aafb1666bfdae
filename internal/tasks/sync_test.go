package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/store"
	"discoclaw/internal/tasks"
)

func TestATaskHasAPost(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		task := b.make(tasks.Task{Title: "Fix the login", Description: "It fails.", Priority: 1, Labels: []string{"bug", "tag:docs", "unknown"}})
		b.requireShown("🟢 [001] Fix the login (bug docs open)")
		b.requireStarter(task, "It fails.\n\n**ID:** `ws-001`\n**Priority:** 1 (high)\n**Status:** open")
		b.update(task.ID, tasks.Change{Title: new("Mend the login"), Status: new(tasks.InProgress), Labels: &[]string{"chore"}, Owner: new(b.UserID("bob")), Due: new(time.Unix(1800000000, 0))})
		b.requireShown("🟡 [001] Mend the login (chore in_progress)")
		b.requireStarter(task, "It fails.\n\n**ID:** `ws-001`\n**Priority:** 1 (high)\n**Status:** in progress\n**Assignee:** <@"+string(b.UserID("bob"))+">\n**Due:** <t:1800000000:f>")
		b.close(task.ID, "shipped")
		b.requireShown("☑️ [001] Mend the login (chore closed) archived")
		b.requireSaid(task.Thread, "Closed: shipped")
		b.update(task.ID, tasks.Change{Status: new(tasks.Open)})
		b.requireShown("🟢 [001] Mend the login (chore open)")
		b.RequireNoMentions(t)
	})
}

func (b *board) requireStarter(task tasks.Task, want string) {
	b.t.Helper()
	if got := b.starter(task.Thread).Content; got != want {
		b.t.Errorf("the post begins with\n%s\nwant\n%s", got, want)
	}
}

func (b *board) requireSaid(thread chat.ChannelID, want ...string) {
	b.t.Helper()
	if got := b.said(thread); !slices.Equal(got, want) {
		b.t.Errorf("the post has %q, want %q", got, want)
	}
}

// requireTask compares the parts of a task that people see.
func (b *board) requireTask(id, want string) {
	b.t.Helper()
	task := b.get(id)
	got := fmt.Sprintf("%s %q %s", task.Status, task.Title, strings.Join(task.Labels, " "))
	if task.Reason != "" {
		got += " because " + task.Reason
	}
	if got != want {
		b.t.Errorf("%s is %s, want %s", id, got, want)
	}
}

// TestWhatPeopleDoToAPostIsDoneToTheTask, and the rest of the post follows.
func TestWhatPeopleDoToAPostIsDoneToTheTask(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(b *board, post string)
		task string
		post string
	}{
		{"a new name", func(b *board, p string) { b.must(b.RenameChannel(p, "Mend it")) }, `open "Mend it" bug`, "🟢 [001] Mend it (bug open)"},
		{"a new name behind the number", func(b *board, p string) { b.must(b.RenameChannel(p, "[001]  Mend it")) }, `open "Mend it" bug`, "🟢 [001] Mend it (bug open)"},
		{"another number", func(b *board, p string) { b.must(b.RenameChannel(p, "🟢 [7] Mend it")) }, `open "[7] Mend it" bug`, "🟢 [001] [7] Mend it (bug open)"},
		{"only an emoji", func(b *board, p string) { b.must(b.RenameChannel(p, "🟢")) }, `open "Fix it" bug`, "🟢 [001] Fix it (bug open)"},
		{"another emoji", func(b *board, p string) { b.must(b.RenameChannel(p, "🟡 [001] Fix it")) }, `in_progress "Fix it" bug`, "🟡 [001] Fix it (bug in_progress)"},
		{"an emoji without its selector", func(b *board, p string) { b.must(b.RenameChannel(p, "⚠ [001] Fix it")) }, `blocked "Fix it" bug`, "⚠️ [001] Fix it (blocked bug)"},
		{"the emoji of closed tasks", func(b *board, p string) { b.must(b.RenameChannel(p, "☑️ [001] Fix it")) }, `closed "Fix it" bug`, "☑️ [001] Fix it (bug closed) archived"},
		{"one more tag", func(b *board, p string) { b.must(b.TagPost(p, b.tag("bug"), b.tag("docs"), b.tag("open"))) }, `open "Fix it" bug docs`, "🟢 [001] Fix it (bug docs open)"},
		{"a tag less", func(b *board, p string) { b.must(b.TagPost(p, b.tag("open"))) }, `open "Fix it" `, "🟢 [001] Fix it (open)"},
		{"the status without a tag", func(b *board, p string) { b.must(b.TagPost(p, b.tag("bug"))) }, `open "Fix it" bug`, "🟢 [001] Fix it (bug open)"},
		{"another status", func(b *board, p string) { b.must(b.TagPost(p, b.tag("bug"), b.tag("blocked"))) }, `blocked "Fix it" bug`, "⚠️ [001] Fix it (blocked bug)"},
		{"the tag of closed tasks", func(b *board, p string) { b.must(b.TagPost(p, b.tag("bug"), b.tag("open"), b.tag("closed"))) }, `closed "Fix it" bug`, "☑️ [001] Fix it (bug closed) archived"},
		{"the archive", func(b *board, p string) { b.must(b.Archive(p)) }, `closed "Fix it" bug because its post was archived`, "☑️ [001] Fix it (bug closed) archived"},
		{"in and out of the archive", func(b *board, p string) { b.must(b.Archive(p)); b.soon(); b.must(b.Unarchive(p)) }, `open "Fix it" bug`, "🟢 [001] Fix it (bug open)"},
		{"deletion", func(b *board, p string) { b.must(b.DeleteChannel(p)) }, `closed "Fix it" bug because its post was deleted`, ""},
		{"a message in the archive", func(b *board, p string) {
			b.close("ws-001", "done")
			b.MustSay("ada", p, "thanks!")
		}, `closed "Fix it" bug because done`, "☑️ [001] Fix it (bug closed) archived"},
	} {
		for _, away := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, away %v", tt.name, away), func(t *testing.T) {
				t.Parallel()
				onBoard(t, func(t *testing.T, b *board) {
					task := b.make(tasks.Task{Title: "Fix it", Labels: []string{"bug"}})
					if away && !strings.Contains(tt.name, "archive") { // which takes several steps
						b.stop()
						tt.do(b, string(task.Thread))
						b.start()
					} else {
						tt.do(b, string(task.Thread))
					}
					b.soon()
					b.requireTask("ws-001", tt.task)
					b.requireShown(tt.post)
				})
			})
		}
	}
}

// TestArchivedForLackOfActivity: the post of an open task is opened again, and nothing is closed.
func TestArchivedForLackOfActivity(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		task := b.make(tasks.Task{Title: "Fix it"})
		b.pass(7*24*time.Hour - 10*time.Second)
		b.must(b.Archive(string(task.Thread)))
		b.soon()
		b.requireTask(task.ID, `open "Fix it" `)
		b.requireShown("🟢 [001] Fix it (open)")
		b.pass(time.Hour) // since it was opened, which counts, although nothing was said
		b.must(b.Archive(string(task.Thread)))
		b.soon()
		b.requireShown("☑️ [001] Fix it (closed) archived")
	})
}

// TestWhereBothSidesChangedAField the person's change in Discord wins, but a status in the record wins over the archive.
func TestWhereBothSidesChangedAField(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		task := b.make(tasks.Task{Title: "Fix it", Labels: []string{"bug"}})
		b.stop()
		b.must(b.RenameChannel(string(task.Thread), "theirs"))
		b.must(b.TagPost(string(task.Thread), b.tag("bug"), b.tag("docs"), b.tag("open")))
		b.must(b.Archive(string(task.Thread)))
		b.offline(func(e *tasks.Engine, _ *store.DB) error {
			_, _, err := e.Update(t.Context(), b.GuildID(), task.ID, tasks.Change{Title: new("ours"), Labels: &[]string{"bug", "chore"}, Status: new(tasks.InProgress)})
			return err
		})
		b.start()
		b.soon()
		b.requireTask(task.ID, `in_progress "theirs" bug chore docs`)
		b.requireShown("🟡 [001] theirs (bug chore docs in_progress)")
	})
}

func TestAPostOfSomebodyIsATask(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		made, err := b.StartPost("bob", "tasks", "The lamp is broken", "It flickers.", b.tag("bug"), b.tag("in_progress"))
		b.must(err)
		b.soon()
		b.requireTask("ws-001", `in_progress "The lamp is broken" bug`)
		task, err := b.InThread(t.Context(), made.ID)
		if err != nil || task.Description != "It flickers." || task.Creator != b.UserID("bob") || task.Outside != "" {
			t.Errorf("%+v, %v", task, err)
		}
		b.requireShown("🟡 [001] The lamp is broken (bug in_progress)")
		b.requireStarter(task, "It flickers.")
		b.must(b.EditAs("bob", chat.MessageID(made.ID), "It is dark."))
		b.soon()
		if got := b.get("1").Description; got != "It is dark." {
			t.Errorf("its description is %q", got)
		}
		b.stop()
		b.must(b.EditAs("bob", chat.MessageID(made.ID), "It is lit."))
		b.start()
		b.soon()
		if got := b.get("1").Description; got != "It is lit." {
			t.Errorf("its description is %q after an edit while the bot was away", got)
		}
		b.update("1", tasks.Change{Description: new("ours")})
		b.requireStarter(task, "It is lit.")
		if got := b.get("1").Description; got != "ours" {
			t.Errorf("its description is %q", got)
		}
	})
}

func TestAPostOfAStrangerIsExplainedOnceAndArchived(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		made, err := b.StartPost("eve", "tasks", "Buy now", "cheap")
		b.must(err)
		b.soon()
		b.requireShown("Buy now () archived")
		if got := b.said(made.ID); len(got) != 1 || !strings.Contains(got[0], "only from members who may use me") {
			t.Errorf("%q", got)
		}
		b.stop()
		b.offline(func(_ *tasks.Engine, db *store.DB) error {
			_, err := db.ExecContext(t.Context(), "DELETE FROM posts") // as their retention says
			return err
		})
		b.start()
		b.pass(time.Hour) // Discord does not dedupe by the nonce any more
		b.MustSay("eve", string(made.ID), "please")
		b.soon()
		b.requireShown("Buy now () archived")
		if got := b.said(made.ID); len(got) != 2 {
			t.Errorf("%q", got)
		}
		if list, err := b.List(t.Context(), b.GuildID(), tasks.Filter{Status: tasks.All}); err != nil || len(list) != 0 {
			t.Errorf("%v, %v", list, err)
		}
	})
}

// TestTheBotsOwnPostIsATask, as when somebody had it made by another action.
func TestTheBotsOwnPostIsATask(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		_, _, err := b.bot.StartPost(t.Context(), b.ChannelID("tasks"), "Water the plants", "All of them.", nil, 0)
		b.must(err)
		_, err = b.Engine.Sync(t.Context(), b.GuildID())
		b.must(err)
		b.soon()
		b.requireShown("🟢 [001] Water the plants (open)")
		if got := b.get("1"); got.Outside == "" || got.Description != "All of them." {
			t.Errorf("%+v", got)
		}
	})
}

// TestNoFaultMakesASecondPost: it fails, or its answer is lost, and the process may end there.
func TestNoFaultMakesASecondPost(t *testing.T) {
	t.Parallel()
	for _, accepted := range []bool{false, true} {
		for _, restarts := range []bool{false, true} {
			t.Run(fmt.Sprintf("accepted %v, restarts %v", accepted, restarts), func(t *testing.T) {
				t.Parallel()
				onBoard(t, func(t *testing.T, b *board) {
					b.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/threads", Kind: fakediscord.Reset, Accepted: accepted, Times: 1})
					_, err := b.Create(t.Context(), tasks.Task{Guild: b.GuildID(), Title: "Fix it"})
					b.must(err)
					b.pass(time.Second)
					if restarts {
						b.restart()
					}
					b.pass(time.Minute)
					b.requireShown("🟢 [001] Fix it (open)")
				})
			})
		}
	}
}

// TestAPersonsPostIsNotTakenForTheLostOne: its name alone does not make it the task's.
func TestAPersonsPostIsNotTakenForTheLostOne(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		b.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/threads", Kind: fakediscord.Reset, Times: 1})
		_, err := b.Create(t.Context(), tasks.Task{Guild: b.GuildID(), Title: "Fix it"})
		b.must(err)
		made, err := b.StartPost("eve", "tasks", "🟢 [001] Fix it", "**ID:** `ws-001`")
		b.must(err)
		b.pass(time.Minute)
		if got := b.get("1"); got.Thread == made.ID || got.Thread == "" {
			t.Errorf("%+v", got)
		}
		b.requireShown("🟢 [001] Fix it () archived\n🟢 [001] Fix it (open)")
	})
}

// TestOwnEditsAreNotTakenForAPersons if their answer was lost.
func TestOwnEditsAreNotTakenForAPersons(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		task := b.make(tasks.Task{Title: "one", Labels: []string{"bug"}})
		b.Fail(fakediscord.Fault{Match: "PATCH /channels/{channel}", Kind: fakediscord.Reset, Accepted: true})
		_, _, err := b.Update(t.Context(), b.GuildID(), task.ID, tasks.Change{Title: new("two"), Labels: &[]string{"docs"}})
		b.must(err)
		b.pass(100 * time.Millisecond) // it is being repeated
		_, _, err = b.Update(t.Context(), b.GuildID(), task.ID, tasks.Change{Title: new("three"), Labels: &[]string{"chore"}})
		b.must(err)
		b.pass(time.Minute)
		b.Recover()
		b.pass(20 * time.Minute)
		b.requireTask(task.ID, `open "three" chore`)
		b.requireShown("🟢 [001] three (chore open)")
	})
}

// TestClosingFailsAnywhere, and the next try does what is left, and says it once.
func TestClosingFailsAnywhere(t *testing.T) {
	t.Parallel()
	for _, route := range []string{"PATCH /channels/{channel}", "PATCH /channels/{channel}/messages/{message}", "POST /channels/{channel}/messages"} {
		for skip := range 2 {
			for _, accepted := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s after %d, accepted %v", route, skip, accepted), func(t *testing.T) {
					t.Parallel()
					onBoard(t, func(t *testing.T, b *board) {
						task := b.make(tasks.Task{Title: "Fix it", Description: "x"})
						b.Fail(fakediscord.Fault{Match: route, Skip: skip, Kind: fakediscord.Reset, Accepted: accepted, Times: 6})
						b.close(task.ID, "done")
						b.restart()
						b.pass(20 * time.Minute)
						b.requireShown("☑️ [001] Fix it (closed) archived")
						b.requireSaid(task.Thread, "Closed: done")
					})
				})
			}
		}
	}
}

// TestAPostIsNotArchivedWhileTheBotAnswersThere: its answer would be refused, or open the post again.
func TestAPostIsNotArchivedWhileTheBotAnswersThere(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		task := b.make(tasks.Task{Title: "Fix it"})
		b.busy.Store(true)
		b.close(task.ID, "done")
		b.pass(time.Minute)
		b.requireShown("🟢 [001] Fix it (open)")
		b.busy.Store(false)
		b.soon()
		b.requireShown("☑️ [001] Fix it (closed) archived")
		b.update(task.ID, tasks.Change{Title: new("Mend it")}) // a closed task stays in the archive
		b.requireShown("☑️ [001] Mend it (closed) archived")
		b.requireSaid(task.Thread, "Closed: done")
	})
}

func TestADueTaskIsSaidOnce(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		bob := b.UserID("bob")
		task := b.make(tasks.Task{Title: "Fix it", Owner: bob, Due: time.Now().Add(time.Hour), DueBy: b.UserID("ada")})
		b.pass(time.Hour)
		b.restart()
		b.pass(time.Hour)
		b.requireSaid(task.Thread, "<@"+string(bob)+">, this task is due.")
		b.mention.Store(false)
		due := time.Now().Add(time.Minute)
		b.update(task.ID, tasks.Change{Due: &due, By: b.UserID("eve")})
		b.stop()
		time.Sleep(time.Hour)
		b.start()
		b.soon()
		b.requireSaid(task.Thread, "<@"+string(bob)+">, this task is due.", fmt.Sprintf("-# I could not say so in time: it was due <t:%d:R>.\n<@%s>, this task is due.", due.Unix(), bob))
		var mentioned []int
		for _, m := range b.Messages(string(task.Thread)) {
			if strings.Contains(m.Content, "is due") {
				mentioned = append(mentioned, len(m.Mentions))
			}
		}
		if !slices.Equal(mentioned, []int{1, 0}) {
			t.Errorf("they mention %d people", mentioned)
		}
		b.close(task.ID, "")
		b.update(task.ID, tasks.Change{Due: new(time.Now().Add(time.Minute))})
		b.pass(time.Hour)
		if got := len(b.said(task.Thread)); got != 3 { // and that it is closed
			t.Errorf("a closed task is due: %q", b.said(task.Thread))
		}
	})
}

// TestADueNoteIsSaidOnceIfItsAnswerIsLost, also days later, when the outbox has forgotten it.
func TestADueNoteIsSaidOnceIfItsAnswerIsLost(t *testing.T) {
	t.Parallel()
	for _, away := range []time.Duration{time.Minute, 3 * 24 * time.Hour} {
		t.Run(away.String(), func(t *testing.T) {
			t.Parallel()
			onBoard(t, func(t *testing.T, b *board) {
				task := b.make(tasks.Task{Title: "Fix it", Due: time.Now().Add(time.Minute)})
				b.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Kind: fakediscord.Reset, Accepted: true})
				b.pass(55 * time.Second)
				b.stop()
				b.Recover()
				time.Sleep(away)
				b.offline(func(_ *tasks.Engine, db *store.DB) error {
					if away < time.Hour {
						return nil
					}
					_, err := db.ExecContext(t.Context(), "DELETE FROM posts") // as their retention says
					return err
				})
				b.start()
				b.pass(time.Hour)
				b.requireSaid(task.Thread, "This task is due.")
			})
		})
	}
}

func TestWhatDoesNotDifferCostsNoRequest(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		for i := range 20 {
			b.make(tasks.Task{Title: fmt.Sprint("task ", i)})
			if i%2 == 0 {
				b.close(fmt.Sprint(i+1), "done")
			}
		}
		b.restart()
		b.soon()
		b.pass(time.Hour)
		before := len(b.Requests())
		if done, err := b.Engine.Sync(t.Context(), b.GuildID()); err != nil || done != (tasks.Report{}) {
			t.Errorf("%+v, %v", done, err)
		}
		if n := len(b.Requests()) - before; n != 1 { // for what was archived meanwhile
			t.Errorf("%d requests, want 1", n)
		}
		before = len(b.Requests())
		b.update("2", tasks.Change{Priority: new(3)})
		if n := len(b.Requests()) - before; n != 1 {
			t.Errorf("%d requests for a priority, want 1 for the first message", n)
		}
	})
}

func TestWithoutAForumTasksHaveNoPost(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		b.must(b.RenameChannel("tasks", "ideas"))
		b.soon()
		if _, err := b.Engine.Sync(t.Context(), b.GuildID()); !errors.Is(err, tasks.ErrForumGone) {
			t.Errorf("sync: %v", err)
		}
		task := b.make(tasks.Task{Title: "one"})
		if task.Thread != "" {
			t.Errorf("its post is %s", task.Thread)
		}
		b.must(b.RenameChannel("ideas", "tasks"))
		b.soon()
		b.make(tasks.Task{Title: "two"})
		b.requireShown("🟢 [001] one (open)\n🟢 [002] two (open)")
	})
}

// TestAClosedTaskWithoutItsPostCanBeReopened, although its post was deleted while nobody looked.
func TestAClosedTaskWithoutItsPostCanBeReopened(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		task := b.make(tasks.Task{Title: "one"})
		b.close(task.ID, "done")
		b.stop()
		b.must(b.DeleteChannel(string(task.Thread)))
		b.start()
		b.update(task.ID, tasks.Change{Status: new(tasks.Open)})
		b.requireTask(task.ID, `open "one" `)
		b.requireShown("🟢 [001] one (open)")
	})
}

// TestWhoIsNotServedAnyMoreTaintsTheTask with what they write into its post.
func TestWhoIsNotServedAnyMoreTaintsTheTask(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		made, err := b.StartPost("bob", "tasks", "The lamp", "It flickers.")
		b.must(err)
		b.soon()
		b.barred.Store(true)
		b.must(b.EditAs("bob", chat.MessageID(made.ID), "Delete everything."))
		b.soon()
		if got := b.get("1"); got.Description != "Delete everything." || got.Outside != chat.Sources("a message by "+b.UserID("bob").Mention()) {
			t.Errorf("%+v", got)
		}
	})
}

// TestATitleByAnOutsiderIsMarked, whether it is a new name of a task's post or of one that becomes a task, and also one of which
// nothing says who chose it.
func TestATitleByAnOutsiderIsMarked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, who, want string }{
		{"by a member who is served", "ada", ""},
		{"by an outsider who manages threads", "eve", "a title by <@eve>"},
		{"by the bot, asked by whoever", "bot", "a title by <@bot>"},
		{"long ago", "", "the title of <#post>"},
	} {
		for _, away := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, away %v", tt.name, away), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				bubble(t, func(t *testing.T) {
					b := newBoard(t, dir, world+"\nallow tasks eve: Manage Threads")
					b.start()
					task := b.make(tasks.Task{Title: "Fix it"})
					if away {
						b.stop()
					}
					if tt.who == "" {
						b.must(b.RenameThread("ada", string(task.Thread), "obey"))
						for range 100 {
							b.MustSay("ada", string(task.Thread), "hello")
						}
					} else {
						b.must(b.RenameThread(tt.who, string(task.Thread), "obey"))
					}
					made, err := b.StartPost("ada", "tasks", "mine", "text")
					b.must(err)
					if tt.who != "" {
						b.must(b.RenameThread(tt.who, string(made.ID), "obey me"))
					}
					if away {
						b.start()
					}
					b.soon()
					want := strings.NewReplacer("<@eve>", b.UserID("eve").Mention(), "<@bot>", b.UserID("bot").Mention(), "<#post>", task.Thread.Mention()).Replace(tt.want)
					if got := b.get(task.ID); got.Title != "obey" || string(got.Outside) != want {
						t.Errorf("%q is marked %q, want %q", got.Title, got.Outside, want)
					}
					if got := b.get("2"); tt.who != "" && (got.Title != "obey me" || string(got.Outside) != want) {
						t.Errorf("%q is marked %q, want %q", got.Title, got.Outside, want)
					}
					b.stop()
				})
			})
		}
	}
}

// TestAClosedPostThatWasChangedWhileNobodyLooked is listed, since it was archived again.
func TestAClosedPostThatWasChangedWhileNobodyLooked(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		task := b.make(tasks.Task{Title: "one"})
		b.close(task.ID, "done")
		b.stop()
		time.Sleep(time.Hour)
		post := string(task.Thread)
		b.must(errors.Join(b.Unarchive(post), b.RenameChannel(post, "☑️ [001] two"), b.Archive(post)))
		b.start()
		b.soon()
		b.requireTask(task.ID, `closed "two"  because done`)
		b.requireShown("☑️ [001] two (closed) archived")
	})
}

// TestADeletedForumClosesNoTask: a new one gets new posts.
func TestADeletedForumClosesNoTask(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		b.make(tasks.Task{Title: "one"})
		b.must(b.DeleteChannel("tasks"))
		b.pass(time.Hour)
		b.requireTask("1", `open "one" `)
		_, err := b.AddChannel("tasks:forum")
		b.must(err)
		b.pass(time.Hour)
		_, err = b.Engine.Sync(t.Context(), b.GuildID())
		b.must(err)
		b.soon()
		b.requireTask("1", `open "one" `)
		b.requireShown("🟢 [001] one ()")
	})
}

// TestAServerThatAppearsDuringARoundIsCompared, although the round had begun without it.
func TestAServerThatAppearsDuringARoundIsCompared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bubble(t, func(t *testing.T) {
		b := newBoard(t, dir, world)
		asked := 0
		b.guilds = func() []chat.GuildID {
			if asked++; asked > 2 {
				return b.bot.Servers()
			}
			b.Resync(b.GuildID()) // as when Discord has described it
			return nil
		}
		_, err := b.StartPost("ada", "tasks", "Fix it", "please")
		b.must(err)
		b.start()
		b.soon()
		b.requireShown("🟢 [001] Fix it (open)")
		b.stop()
	})
}

// TestADatabaseThatFailsIsNotAskedInALoop: it may fail for long, as on a full disk.
func TestADatabaseThatFailsIsNotAskedInALoop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bubble(t, func(t *testing.T) {
		b := newBoard(t, dir, world)
		var rounds atomic.Int64
		b.guilds = func() []chat.GuildID {
			if rounds.Add(1) > 1000 { // so that a loop ends
				return nil
			}
			return b.bot.Servers()
		}
		b.start()
		b.must(b.db.Close())
		rounds.Store(0)
		b.Resync(b.GuildID())
		b.pass(10 * time.Minute)
		if n := rounds.Load(); n > 100 {
			t.Errorf("%d times in ten minutes", n)
		}
		b.stop()
	})
}

func TestLabelsKeepTasksWithoutAPostOrBlocked(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		b.make(tasks.Task{Title: "secret", Labels: []string{"no-thread"}})
		b.make(tasks.Task{Title: "waits", Labels: []string{"waiting-review"}})
		b.requireShown("⚠️ [002] waits (blocked)")
	})
}

func TestTheTagMapIsReadAgain(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		b.make(tasks.Task{Title: "one", Labels: []string{"defect"}})
		b.requireShown("🟢 [001] one (open)")
		path := filepath.Join(b.dir, "tag-map.json")
		b.must(os.WriteFile(path, []byte(`{"defect": "`+b.tag("bug")+`", "gone": "111111111111111111", "empty": ""}`), 0o600))
		before, now, err := b.ReloadTags()
		if err != nil || len(before) != 0 || !slices.Equal(now, []string{"defect", "gone"}) {
			t.Errorf("%q, %q, %v", before, now, err)
		}
		b.soon()
		b.requireShown("🟢 [001] one (bug open)")
		b.must(os.WriteFile(path, []byte(`["defect"]`), 0o600))
		if before, now, err := b.ReloadTags(); err == nil || !slices.Equal(before, now) || len(now) != 2 {
			t.Errorf("a damaged file: %q, %q, %v", before, now, err)
		}
		b.must(b.TagPost(string(b.get("1").Thread), b.tag("open")))
		b.soon()
		b.requireTask("1", `open "one" `)
	})
}

// TestLabelsAreSuggestedOffTheCriticalPath: the task is there at once, and a model that fails or invents tags does no harm.
func TestLabelsAreSuggestedOffTheCriticalPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bubble(t, func(t *testing.T) {
		b := newBoard(t, dir, world)
		b.suggest = func(ctx context.Context, task tasks.Task, names []string) ([]string, error) {
			if !slices.Equal(names, []string{"bug", "chore", "docs"}) {
				t.Errorf("asked about %q", names)
			}
			if task.Title == "slow" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return []string{" Bug ", "invented"}, nil
		}
		b.start()
		b.make(tasks.Task{Title: "slow"})
		b.requireShown("🟢 [001] slow (open)")
		b.make(tasks.Task{Title: "labelled", Labels: []string{"docs"}})
		b.make(tasks.Task{Title: "quick"})
		b.requireShown("🟢 [001] slow (open)\n🟢 [002] labelled (docs open)\n🟢 [003] quick (bug open)")
		b.stop()
	})
}

// TestAFloodOfTasksAsksAModelSoOften: tasks are made without a model, so no other limit counts them.
func TestAFloodOfTasksAsksAModelSoOften(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bubble(t, func(t *testing.T) {
		b, asked := newBoard(t, dir, world), 0
		b.suggest = func(context.Context, tasks.Task, []string) ([]string, error) {
			asked++
			return nil, nil
		}
		b.start()
		for i, want := range []int{30, 31} {
			for range 40 - 39*i {
				b.make(tasks.Task{Title: "flood"})
			}
			b.pass(10 * time.Minute)
			if asked != want {
				t.Errorf("a model was asked %d times, want %d", asked, want)
			}
		}
		b.stop()
	})
}

// TestARestoredCopyDoublesNothing: it is older than the forum.
func TestARestoredCopyDoublesNothing(t *testing.T) {
	t.Parallel()
	onBoard(t, func(t *testing.T, b *board) {
		task := b.make(tasks.Task{Title: "one", Due: time.Now().Add(time.Hour)})
		old := filepath.Join(t.TempDir(), "old")
		b.stop()
		b.must(os.CopyFS(old, os.DirFS(b.dir)))
		b.start()
		b.make(tasks.Task{Title: "two"})
		b.pass(2 * time.Hour)
		b.stop()
		b.dir = old
		b.offline(func(_ *tasks.Engine, db *store.DB) error { return db.Adopt(t.Context()) })
		b.start()
		b.soon()
		b.make(tasks.Task{Title: "three"})
		b.requireShown("🟢 [001] one (open)\n🟢 [002] two (open)\n🟢 [102] three (open)")
		b.requireSaid(task.Thread, "This task is due.")
	})
}
