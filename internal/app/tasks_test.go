package app

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/tasks"
)

const taskWorld = `
guild disco: #general tasks:forum
member ada: owner
member bob
member eve
bot DiscoClaw: Administrator
tag bug in tasks
tag docs in tasks
tag closed in tasks
`

// TestTheBotKeepsATaskForum: posts of people whom it serves become tasks, those of others do not, a model chooses tags, and people
// who may be mentioned are when a task is due.
func TestTheBotKeepsATaskForum(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, taskWorld)
		model := script.New(script.Say("docs, nonsense"))
		bot, stop := begins(t, apptest.Env(t, w, "DISCOCLAW_RESPOND=mentions"), Externals{HTTP: w.HTTP(), Runtime: model, Log: t.Output()})
		mine, err := w.StartPost("ada", "tasks", "Write the page", "About tasks.")
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := w.StartPost("eve", "tasks", "Buy now", "Cheap.")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		task, err := bot.core.tasks.InThread(t.Context(), mine.ID)
		if err != nil || task.Creator != w.UserID("ada") || len(task.Labels) != 1 || task.Labels[0] != "docs" {
			t.Errorf("%+v, %v", task, err)
		}
		for id, want := range map[string]string{string(mine.ID): "🟢 [001] Write the page false", string(theirs.ID): "Buy now true"} {
			c, _ := w.Channel(id)
			if got := fmt.Sprint(c.Name, " ", c.Archived); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		if asked := model.Requests(); len(asked) != 1 || !strings.Contains(asked[0].Messages[0].Text, "Tags: bug, docs\n") {
			t.Errorf("the model was asked %+v", asked)
		}
		due := time.Now().Add(time.Minute)
		_, _, err = bot.core.tasks.Update(t.Context(), w.GuildID(), task.ID, tasks.Change{Owner: new(w.UserID("bob")), Due: &due, By: w.UserID("ada")})
		if err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Minute)
		list := w.Messages(string(mine.ID))
		if last := list[len(list)-1]; !strings.HasSuffix(last.Content, "this task is due.") || len(last.Mentions) != 1 {
			t.Errorf("%q mentions %d people", last.Content, len(last.Mentions))
		}
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}
