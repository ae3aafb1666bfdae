package app

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/tasks"
)

// Wishes about tasks. The number of the task follows the last two.
const (
	chore  wish = "chore"  // a task
	revise wish = "revise" // another description
	finish wish = "finish" // a task is closed
)

// taskAction returns the action of a wish about tasks; empty for others.
func (w wish) taskAction(n string) string {
	switch what, id := w.task(); what {
	case chore:
		return `{"type":"taskCreate","title":"chore ` + n + `"}`
	case revise:
		return `{"type":"taskUpdate","taskId":"` + id + `","description":"revised by ` + n + `"}`
	case finish:
		return `{"type":"taskClose","taskId":"` + id + `","reason":"finished by ` + n + `"}`
	}
	return ""
}

// task takes a wish about tasks apart.
func (w wish) task() (what wish, id string) {
	for _, what := range []wish{chore, revise, finish} {
		if number, ok := strings.CutPrefix(string(w), string(what)); ok {
			return what, "ws-" + number
		}
	}
	return "", ""
}

// work is what people do about tasks on a bad day. It has random numbers of its own, so that a day has the same mishaps as it would
// have without.
type work struct {
	r                 *rand.Rand
	revised, finished int // the last task, by its number, of which that was asked; it need not exist
	posts             []chat.ChannelID
	archived          map[chat.ChannelID]bool
	list              []tasks.Task // all of them, in the end
}

func newWork(seed uint64) work {
	return work{r: rand.New(rand.NewPCG(seed, 2)), archived: map[chat.ChannelID]bool{}}
}

// work has a person do something about tasks: by asking for it, or in the forum.
func (d *badDay) work() {
	who, where := []string{"ada", "bob"}[d.tasks.r.IntN(2)], []string{"general", "other"}[d.tasks.r.IntN(2)]
	switch k := d.tasks.r.IntN(8); {
	case k < 3:
		d.tell(who, where, chore)
	case k < 4:
		d.tasks.revised++
		d.tell(who, where, wish(fmt.Sprintf("%s%03d", revise, d.tasks.revised)))
	case k < 5:
		d.tasks.finished++
		d.tell(who, where, wish(fmt.Sprintf("%s%03d", finish, d.tasks.finished)))
	case k < 7:
		post, err := d.world.StartPost(who, "tasks", fmt.Sprintf("post %d", len(d.tasks.posts)), "as it says")
		if err != nil {
			d.t.Fatal(err)
		}
		d.note("%s starts %q in the task forum", who, post.Name)
		d.tasks.posts = append(d.tasks.posts, post.ID)
	case len(d.tasks.posts) > 0:
		id := d.tasks.posts[d.tasks.r.IntN(len(d.tasks.posts))]
		d.note("post %s is archived", id)
		d.tasks.archived[id] = true
		if err := d.world.Archive(string(id)); err != nil {
			d.t.Fatal(err)
		}
	}
}

// fulfilled returns how often a wish about tasks was fulfilled.
func (j *judge) fulfilled(n int) (count int) {
	what, id := j.people.said[n].wish.task()
	for _, t := range j.tasks.list {
		if what == chore && t.Title == fmt.Sprintf("chore %d", n) ||
			what == revise && t.ID == id && t.Description == fmt.Sprintf("revised by %d", n) ||
			what == finish && t.ID == id && t.Status == tasks.Closed {
			count++
		}
	}
	return count
}

// byArchive reports whether a wish is to close a task whose post was archived, which also closes it.
func (j *judge) byArchive(w wish) bool {
	what, id := w.task()
	return what == finish && slices.ContainsFunc(j.tasks.list, func(t tasks.Task) bool { return t.ID == id && j.tasks.archived[t.Thread] })
}

var statusEmojis = map[tasks.Status]string{tasks.Open: "🟢", tasks.InProgress: "🟡", tasks.Blocked: "⚠️", tasks.Closed: "☑️"}

// judgeTasks checks that tasks and posts agree, that each has one of the other, and that each closing was told once.
func (j *judge) judgeTasks() {
	of := map[chat.ChannelID][]string{}
	for _, t := range j.tasks.list {
		of[t.Thread] = append(of[t.Thread], t.ID)
		j.judgeTask(t)
	}
	for _, ch := range j.world.Channels() {
		early := ch.Archived && len(of[ch.ID]) == 0 && j.tasks.archived[ch.ID] // before it could become a task
		if ch.Parent == j.world.ChannelID("tasks") && len(of[ch.ID]) != 1 && !early {
			j.wrong("the post %q belongs to the tasks %q", ch.Name, of[ch.ID])
		}
	}
}

func (j *judge) judgeTask(t tasks.Task) {
	if t.Thread == "" {
		if t.Status != tasks.Closed {
			j.wrong("%s is %s and has no post", t.ID, t.Status)
		}
		return
	}
	ch, _ := j.world.Channel(string(t.Thread))
	want := fmt.Sprintf("%s [%s] %s", statusEmojis[t.Status], strings.TrimPrefix(t.ID, "ws-"), t.Title)
	if ch.Name != want || ch.Archived != (t.Status == tasks.Closed) {
		j.wrong("the post of %s is called %q, archived: %v; want %q for a task that is %s", t.ID, ch.Name, ch.Archived, want, t.Status)
	}
	told := 0
	for _, m := range j.own {
		if m.Channel == t.Thread && m.Content == "Closed: "+t.Reason {
			told++
		}
	}
	if strings.HasPrefix(t.Reason, "finished") && told != 1 {
		j.wrong("the post of %s, which is %s, says %d times that it is closed", t.ID, t.Status, told)
	}
}
