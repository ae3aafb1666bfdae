package posts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/store"
)

// shown are the names of the posts, with their tags.
func (b *board) shown() string {
	forum, _ := b.Channel("crons")
	var lines []string
	for _, c := range b.posts() {
		line := c.Name
		for _, tag := range forum.Tags {
			if slices.Contains(c.AppliedTags, tag.ID) {
				line += " " + tag.Name
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, ", ")
}

func (b *board) requireShown(want string) {
	b.t.Helper()
	if got := b.shown(); got != want {
		b.t.Errorf("the forum has %s, want %s", got, want)
	}
}

// TestTheTagMapIsReadAgain when the file was replaced as a whole, and stays in force if the new one is damaged.
func TestTheTagMapIsReadAgain(t *testing.T) {
	onBoard(t, func(t *testing.T, b *board) {
		j := b.make("Disk", "0 7 * * *")
		_, _, err := b.jobs.Update(t.Context(), j.Guild, j.ID, func(j *cron.Job) error { j.Tags = []string{"watch"}; return nil })
		b.must(err)
		b.soon()
		b.requireShown("🌅 Disk daily")
		forum, _ := b.Channel("crons")
		path := filepath.Join(b.dir, "tag-map.json")
		b.must(os.WriteFile(path+".tmp", []byte(`{"watch": "`+forum.Tags[4].ID+`"}`), 0o600))
		b.must(os.Rename(path+".tmp", path))
		if _, now, err := b.ReloadTags(); err != nil || !slices.Equal(now, []string{"watch"}) {
			t.Errorf("%q, %v", now, err)
		}
		b.soon()
		b.requireShown("🌅 Disk daily monitor")
		b.must(os.WriteFile(path, []byte(`[]`), 0o600))
		if _, now, err := b.ReloadTags(); err == nil || !slices.Equal(now, []string{"watch"}) {
			t.Errorf("a damaged file: %q, %v", now, err)
		}
	})
}

// TestARestoredCopyMakesNoSecondPost of a job whose post was made after the copy.
func TestARestoredCopyMakesNoSecondPost(t *testing.T) {
	onBoard(t, func(t *testing.T, b *board) {
		b.make("Disk", "0 7 * * *")
		old := filepath.Join(t.TempDir(), "old")
		b.stop() // before the post is made
		b.must(os.CopyFS(old, os.DirFS(b.dir)))
		b.start()
		b.soon()
		b.requireShown("🌅 Disk daily")
		b.stop()
		b.dir = old
		b.open(func(db *store.DB) { b.must(db.Adopt(t.Context())) })
		b.start()
		b.soon()
		b.requireShown("🌅 Disk daily")
		if _, err := b.InThread(t.Context(), b.posts()[0].ID); err != nil {
			t.Errorf("the post is not the job's: %v", err)
		}
	})
}

// TestAPostThatMayExistIsClosed: Discord made it without saying so, and meanwhile its job was deleted, or its channel closed to the forum's
// readers.
func TestAPostThatMayExistIsClosed(t *testing.T) {
	for name, change := range map[string]func(*board, cron.Job){
		"deleted": func(b *board, j cron.Job) {
			_, err := b.jobs.Delete(b.t.Context(), j.Guild, j.ID)
			b.must(err)
		},
		"hidden": func(b *board, _ cron.Job) {
			b.must(b.Deny("general", "bob", chat.ViewChannel))
		},
	} {
		t.Run(name, func(t *testing.T) {
			onBoard(t, func(t *testing.T, b *board) {
				b.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/threads", Times: 1, Kind: fakediscord.BadStatus, Accepted: true})
				j := b.make("Disk", "0 7 * * *")
				b.pass(2 * time.Second)
				if b.requireShown("🌅 Disk daily"); t.Failed() {
					return
				}
				change(b, j)
				b.soon()
				c := b.posts()[0]
				if first, _ := b.Message(chat.MessageID(c.ID)); strings.Contains(first.Content, j.Prompt) {
					t.Errorf("its post says %s", first.Content)
				}
			})
		})
	}
}

// TestAnEditLosesNoPrompt: a model that reads a new text may lose what it is about.
func TestAnEditLosesNoPrompt(t *testing.T) {
	onBoard(t, func(t *testing.T, b *board) {
		c, err := b.StartPost("bob", "crons", "Tea", "0 7 * * *")
		b.must(err)
		b.soon()
		b.confirm(b.waiting()[0])
		b.soon()
		b.must(b.EditAs("bob", chat.MessageID(c.ID), "0 8 * * *"))
		b.soon()
		if got := b.list()[0]; got.Schedule != "0 7 * * *" {
			t.Errorf("before it is confirmed, it runs %s", got.Schedule)
		}
		b.confirm(b.waiting()[0])
		b.soon()
		if got := b.list()[0]; got.Schedule != "0 8 * * *" || got.Prompt != "Do it." {
			t.Errorf("it runs %s: %q", got.Schedule, got.Prompt)
		}
	})
}

// TestPostsCostLittle: many of them cost a bounded number of model calls, and what does not change costs none.
func TestPostsCostLittle(t *testing.T) {
	onBoard(t, func(t *testing.T, b *board) {
		for i := range 40 {
			_, err := b.StartPost("bob", "crons", fmt.Sprint("post ", i), "0 7 * * *")
			b.must(err)
		}
		b.pass(5 * time.Minute)
		if n := b.read.Load(); n != 30 {
			t.Errorf("%d texts were read", n)
		}
		b.stop()
		b.start()
		b.pass(time.Hour)
		if n := b.read.Load(); n != 30 {
			t.Errorf("%d texts were read after a restart", n)
		}
	})
}

// TestATextIsPaidForOnce, even if what is wrong with it cannot be said.
func TestATextIsPaidForOnce(t *testing.T) {
	onBoard(t, func(t *testing.T, b *board) {
		b.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Times: 100, Kind: fakediscord.BadStatus, Status: 503})
		_, err := b.StartPost("bob", "crons", "Tea", "mumble")
		b.must(err)
		b.pass(2 * time.Hour)
		b.Recover()
		b.pass(20 * time.Minute)
		if n := b.read.Load(); n != 1 {
			t.Errorf("it was read %d times", n)
		}
		if said := b.said(b.posts()[0].ID); len(said) != 1 || !strings.HasPrefix(said[0], "I can't make a scheduled job of this:") {
			t.Errorf("the bot has said %q", said)
		}
	})
}

// TestADeletedQuestionIsAskedAgain at the next comparison.
func TestADeletedQuestionIsAskedAgain(t *testing.T) {
	onBoard(t, func(t *testing.T, b *board) {
		_, err := b.StartPost("bob", "crons", "Tea", "0 7 * * *")
		b.must(err)
		b.soon()
		old := b.waiting()[0]
		b.must(b.DeleteAs("ada", old.Message))
		_, err = b.Engine.Sync(t.Context(), b.GuildID())
		b.must(err)
		b.soon()
		if said := b.said(old.Channel); len(said) != 1 {
			t.Fatalf("the bot has said %q", said)
		}
		list := b.waiting()
		b.confirm(list[len(list)-1])
		b.soon()
		if jobs := b.list(); len(jobs) != 1 {
			t.Errorf("there are %d jobs", len(jobs))
		}
	})
}

// TestAnArchivedPostIsHidden when its readers may not read the job's channel any more.
func TestAnArchivedPostIsHidden(t *testing.T) {
	onBoard(t, func(t *testing.T, b *board) {
		b.make("Plans", "0 7 * * *")
		b.soon()
		post := b.posts()[0]
		b.must(b.Archive(string(post.ID)))
		b.soon()
		b.must(b.Deny("general", "bob", chat.ViewChannel))
		b.soon() // the bot learns of it by an event
		_, err := b.Engine.Sync(t.Context(), b.GuildID())
		b.must(err)
		b.soon()
		post = b.posts()[0]
		first, _ := b.Message(chat.MessageID(post.ID))
		if !post.Archived || strings.Contains(first.Content+post.Name, "Plans") {
			t.Errorf("archived: %v, %q: %s", post.Archived, post.Name, first.Content)
		}
	})
}

// said are the bot's messages in a post, besides its first one.
func (b *board) said(thread chat.ChannelID) (texts []string) {
	for _, m := range b.Messages(string(thread)) {
		if m.Author == b.UserID("DiscoClaw") && m.Type == fakediscord.DefaultMessage && string(m.ID) != string(thread) {
			texts = append(texts, m.Content)
		}
	}
	return texts
}
