package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/store"
	"discoclaw/internal/tasks"
	"discoclaw/internal/turn/gather"
)

// A crowd is a server with so many tasks, of which a tenth is open.
type crowd struct {
	*Core
	world *discordtest.World
}

// loggedIn is told when a client is.
type loggedIn struct {
	discordtest.Deaf
	done chan struct{}
}

func (l loggedIn) Ready(chat.User) { close(l.done) }

func newCrowd(b *testing.B, n int) crowd {
	b.Helper()
	w := discordtest.New(b, taskWorld)
	core, err := newCore(apptest.Env(b, w), Externals{HTTP: w.HTTP()})
	if err != nil {
		b.Fatal(err)
	}
	if err := core.db.Open(b.Context(), filepath.Join(core.dataDir, store.FileName)); err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- core.discord.Run(ctx, loggedIn{done: ready}) }()
	<-ready
	b.Cleanup(func() {
		stop()
		<-ended
		_ = core.db.Close()
	})
	_, err = core.db.ExecContext(b.Context(), fmt.Sprintf(`INSERT INTO tasks (id, number, guild, dedupe, title, description, status, done, priority, labels, owner, due, due_by, creator, thread, outside, created, updated, closed, reason, version, synced)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT printf('ws-%%03d', i), i, ?, '', 'Look after matter number ' || i, printf('%%.1900c', 'x'), CASE i %% 10 WHEN 0 THEN 'open' ELSE 'closed' END, i %% 10 > 0, i %% 5, '', '', 0, '', '', 'thread ' || i, '', i, i, 0, '', 1, 1 FROM n`, n), w.GuildID())
	if err != nil {
		b.Fatal(err)
	}
	return crowd{core, w}
}

// BenchmarkTasksInPrompt measures what a prompt tells of tasks, with so many on the server: in a channel those that are open, in the
// post of one all of it. Time and size do not grow with them.
func BenchmarkTasksInPrompt(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		c := newCrowd(b, n)
		o := actions.Origin{Flow: actions.FlowMessage, Requester: c.world.UserID("bob"), Place: chat.Place{Guild: c.world.GuildID(), Channel: c.world.ChannelID("general")}}
		post := o
		post.Place.Channel, post.Place.Parent = chat.ChannelID(fmt.Sprint("thread ", n)), c.world.ChannelID("tasks")
		for _, section := range []struct {
			name string
			at   actions.Origin
		}{{"open", o}, {"post", post}} {
			b.Run(fmt.Sprintf("%s/%d", section.name, n), func(b *testing.B) {
				size := 0
				for b.Loop() {
					known, err := c.taskFace.Knows(b.Context(), gather.Asked{Origin: section.at})
					if err != nil || len(known) == 0 {
						b.Fatal(known, err)
					}
					last := known[len(known)-1]
					size = len(last.Heading + "\n" + last.Text)
				}
				b.ReportMetric(float64(size), "bytes")
			})
		}
	}
}

func TestOpenTasksTakeLittleOfAPrompt(t *testing.T) {
	inCourtOf(t, trialWorld+"deny tasks gus: View Channel\n", func(c *court) {
		for i := range 100 {
			if _, err := c.core.tasks.Create(c.t.Context(), tasks.Task{Guild: c.GuildID(), Title: fmt.Sprintf("%d %s", i, strings.Repeat("ü ", 80)), Priority: 1}); err != nil {
				t.Fatal(err)
			}
		}
		told, err := c.core.taskFace.Knows(c.t.Context(), gather.Asked{Origin: c.from("bob")})
		if err != nil || len(told) != 1 {
			t.Fatal(told, err)
		}
		known := told[0]
		if n := chat.Length(known.Heading + "\n" + known.Text); err != nil || n > 600 || n < 450 || !strings.HasSuffix(known.Text, "of 100; taskList has all)") {
			t.Errorf("%d characters: %s\n%s, %v", n, known.Heading, known.Text, err)
		}
		if hidden, err := c.core.taskFace.Knows(c.t.Context(), gather.Asked{Origin: c.from("gus")}); err != nil || len(hidden) > 0 {
			t.Errorf("gus, who may not look into the forum, is told: %+v, %v", hidden, err)
		}
	})
}

// TestAPromptHasTheTaskThatIsNamed for certain, open or not; one in whose post the message stands is told once.
func TestAPromptHasTheTaskThatIsNamed(t *testing.T) {
	inCourtOf(t, trialWorld+"deny tasks gus: View Channel\n", func(c *court) {
		task := func(title string, change tasks.Task) tasks.Task {
			change.Guild, change.Title, change.Description = c.GuildID(), title, "About "+title
			made, err := c.core.tasks.Create(c.t.Context(), change)
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
		login, done := task("Fix the login", tasks.Task{}), task("Buy cake", tasks.Task{Status: tasks.Closed})
		marked := task("Obey", tasks.Task{Outside: "a message by zed"})
		const post = "1477998909849699999"
		if _, err := c.core.db.ExecContext(c.t.Context(), "UPDATE tasks SET thread = ? WHERE id = ?", post, login.ID); err != nil {
			t.Fatal(err)
		}
		deferred, inPost := c.from("bob"), c.from("bob")
		deferred.Flow = actions.FlowDefer
		inPost.Place.Channel, inPost.Place.Parent = post, c.ChannelID("disco/tasks")
		for _, tt := range []struct {
			name string
			from actions.Origin
			text string
			want string
		}{
			{"its title, in another language", c.from("bob"), "schließe „fix the LOGIN“ bitte", login.ID},
			{"a part of its title", c.from("bob"), "close the login task", ""},
			{"its ID, of one that is closed", c.from("bob"), "open " + strings.ToUpper(done.ID) + " again", done.ID},
			{"its ID without zeros, and a link to another one", c.from("bob"), "ws-2 before <#" + post + ">", login.ID + " " + done.ID},
			{"the title of one that is closed", c.from("bob"), "buy cake", ""},
			{"a short title that outsiders may have chosen", c.from("bob"), "obey", ""},
			{"the ID of such a one", c.from("bob"), marked.ID, marked.ID},
			{"in its post", inPost, "close " + login.ID, login.ID},
			{"by a person who does not see the forum", c.from("gus"), "fix the login", ""},
			{"no chat", deferred, "fix the login", ""},
		} {
			told, err := c.core.taskFace.Knows(c.t.Context(), gather.Asked{Origin: tt.from, About: tt.text})
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, k := range told {
				if k.Name != "task" {
					continue
				}
				_, id, _ := strings.Cut(k.Text, `"taskId":"`)
				id, _, _ = strings.Cut(id, `"`)
				ids = append(ids, id)
				if (k.Outside != "") != (id == marked.ID) || (k.Open != nil) == (tt.from.Place.Channel == post) || (k.Open != nil) == strings.Contains(k.Text, "About ") {
					t.Errorf("%s: %+v", tt.name, k)
				}
			}
			if got := strings.Join(ids, " "); got != tt.want {
				t.Errorf("%s: %q has %q, want %q", tt.name, tt.text, got, tt.want)
			}
		}
	})
}
