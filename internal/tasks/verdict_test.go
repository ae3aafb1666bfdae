package tasks_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/tasks"
)

var emojis = map[tasks.Status]string{tasks.Open: "🟢", tasks.InProgress: "🟡", tasks.Blocked: "⚠️", tasks.Closed: "☑️"}

// disagreements lists what tasks and posts differ in, and what is there twice.
func (d *day) disagreements() (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	list, err := d.List(d.t.Context(), d.GuildID(), tasks.Filter{Status: tasks.All})
	d.must(err)
	linked := map[chat.ChannelID]string{}
	for _, task := range list {
		if task.Thread == "" {
			if task.Status != tasks.Closed {
				say("%s is %s, and has no post", task.ID, task.Status)
			}
			continue
		}
		if other := linked[task.Thread]; other != "" {
			say("%s and %s share a post", other, task.ID)
		}
		linked[task.Thread] = task.ID
		c, there := d.Channel(string(task.Thread))
		if !there {
			if task.Status != tasks.Closed {
				say("%s is %s, and its post is gone", task.ID, task.Status)
			}
			continue
		}
		wrong = append(wrong, d.differences(task, c)...)
	}
	for _, c := range d.posts() {
		wrong = append(wrong, d.strays(c, linked[c.ID])...)
	}
	return wrong
}

// differences lists what a task and its post differ in.
func (d *day) differences(task tasks.Task, c fakediscord.Channel) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, task.ID+": "+fmt.Sprintf(format, args...)) }
	if want := fmt.Sprintf("%s [%s] %s", emojis[task.Status], strings.TrimPrefix(task.ID, "ws-"), task.Title); c.Name != want {
		say("its post is called %q, want %q", c.Name, want)
	}
	if c.Archived != (task.Status == tasks.Closed) {
		say("it is %s, and its post is archived: %v", task.Status, c.Archived)
	}
	want := []string{string(task.Status)}
	for _, l := range task.Labels {
		if name := strings.TrimPrefix(l, "tag:"); name != "unmapped" {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	if got := d.tagNames(c); !slices.Equal(got, want) {
		say("its post has the tags %q, want %q", got, want)
	}
	starter := d.starter(c.ID).Content
	if c.Owner == d.bot.Self().ID {
		if !strings.HasPrefix(starter, task.Description+"\n\n**ID:** `"+task.ID+"`\n**Priority:**") || !strings.Contains(starter, "**Status:** "+task.Status.Words()) {
			say("its post begins with %q, and its description is %q", starter, task.Description)
		}
	}
	closings := map[string]int{}
	dues := 0
	for _, text := range d.said(c.ID) {
		if strings.HasPrefix(text, "Closed") {
			closings[text]++
		}
		if strings.Contains(text, "task is due") {
			dues++
		}
	}
	for text, n := range closings {
		if n > 1 && text != "Closed." {
			say("%q was said %d times", text, n)
		}
	}
	if task.Status == tasks.Closed && strings.HasPrefix(task.Reason, "reason") && closings["Closed: "+task.Reason] != 1 {
		say("%q was said %d times", "Closed: "+task.Reason, closings["Closed: "+task.Reason])
	}
	if dues > 1 {
		say("it was said %d times that it is due", dues)
	}
	if task.Status != tasks.Closed && !task.Due.IsZero() && dues == 0 && !d.gone {
		say("it is due, and nobody was told")
	}
	return wrong
}

var mark = regexp.MustCompile("\\*\\*ID:\\*\\* `(ws-\\d+)`")

// strays lists what is wrong with a post, given the task that it belongs to.
func (d *day) strays(c fakediscord.Channel, task string) (wrong []string) {
	switch {
	case c.Owner == d.UserID("eve"):
		told := 0
		for _, text := range d.said(c.ID) {
			if strings.HasPrefix(text, "This forum holds the tasks") {
				told++
			}
		}
		if task != "" || !c.Archived || told > 1 {
			wrong = append(wrong, fmt.Sprintf("eve's post %q: task %q, archived %v, explained %d times", c.Name, task, c.Archived, told))
		}
	case task == "" && !c.Archived:
		wrong = append(wrong, fmt.Sprintf("no task has the post %q", c.Name))
	case task == "" && c.Owner == d.bot.Self().ID:
		wrong = append(wrong, fmt.Sprintf("no task has the bot's post %q", c.Name))
	case task != "" && c.Owner == d.bot.Self().ID:
		if found := mark.FindStringSubmatch(d.starter(c.ID).Content); found == nil || found[1] != task {
			wrong = append(wrong, fmt.Sprintf("the post %q of %s names %q", c.Name, task, found))
		}
	}
	return wrong
}
