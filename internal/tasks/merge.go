package tasks

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/forum"
)

// merge returns a task with what people have changed in its post since it and the record last agreed, and the post as it
// is now the base. A field that has the value of the base, or of an edit whose outcome was unknown, was changed by
// nobody. Where both sides have changed a field, the person's change in Discord wins, except that a status that was set
// in the record wins over the post's place in the archive.
func (r record) merge(s forum.Observed, tags tagSet) (Task, forum.Post) {
	t, now := r.Task, s.Post
	now.Status = r.Base.Status
	said, title := r.mergeName(s)
	if title != "" {
		t.Title = title
		t.Outside.Add(s.Renamed)
	}
	labels, tagged := r.mergeTags(s, tags)
	t.Labels = labels
	status, why := said, ""
	if tagged != "" {
		status = tagged
	}
	if status == "" {
		status, why = r.mergeArchive(s)
	}
	if s.Text != nil && forum.Hash(*s.Text) != r.Base.Starter {
		t.Description = chat.Shorten(strings.TrimSpace(*s.Text), MaxDescription)
		t.Outside.Add(s.Outside)
		now.Starter = forum.Hash(*s.Text)
	}
	change := Change{Reason: why}
	if status != "" {
		change.Status, now.Status = &status, string(status)
	}
	merged, err := change.apply(t)
	if err != nil { // only what a record can hold is taken
		return r.Task, now
	}
	return merged, now
}

// mergeName returns the status and the title that somebody gave a post by its name.
func (r record) mergeName(s forum.Observed) (Status, string) {
	if !r.RenamedTo(s.Name) {
		return "", ""
	}
	status, _, _ := parseName(s.Name)
	was, _, _ := parseName(r.Base.Name)
	if status == was {
		status = ""
	}
	title := r.titleIn(s.Name)
	if title == r.titleIn(r.Base.Name) { // which may be cut
		title = ""
	}
	return status, title
}

// mergeTags returns the labels of a task with the tags that somebody put on its post or took from it, and the status that one of them
// stands for.
func (r record) mergeTags(s forum.Observed, tags tagSet) (labels []string, status Status) {
	labels = r.Labels
	added, removed := r.Retagged(s.Tags)
	for _, id := range added {
		switch name := tags.Names[id]; {
		case name == "":
		case tags.status(id) != "":
			status = tags.status(id)
		case !slices.ContainsFunc(labels, func(l string) bool { return tags.ofLabel(l) == id }):
			labels = append(slices.Clone(labels), name)
		}
	}
	for _, id := range removed {
		if _, exists := tags.Names[id]; exists { // a tag that was deleted takes no label with it
			labels = slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return tags.ofLabel(l) == id })
		}
	}
	return labels, status
}

// archivedByPerson is the reason of tasks whose post somebody has archived, deletedThread of those whose post is gone.
const (
	archivedByPerson = "its post was archived"
	deletedThread    = "its post was deleted"
)

// mergeArchive returns the status that somebody gave a task by archiving its post, or by taking it out of the archive.
func (r record) mergeArchive(s forum.Observed) (status Status, why string) {
	switch {
	case !r.MovedTo(s.Archived), string(r.Status) != r.Base.Status:
		return "", ""
	case s.Archived && !s.ByInactivity(r.Base):
		return Closed, archivedByPerson
	case !s.Archived && r.Status == Closed && !s.ByMessage():
		return Open, ""
	}
	return "", ""
}

// emojis stand for the status at the beginning of a name.
var emojis = map[Status]string{Open: "🟢", InProgress: "🟡", Blocked: "⚠️", Closed: "☑️"}

// named takes a name apart. The variation selector of an emoji may be lost when somebody types it.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(🟢|🟡|⚠|☑)\x{FE0F}?\s*)?(?:\[(\d{1,15})\]\s*)?(.*)$`)
})

// name is the name of a task's post.
func (r record) name() string {
	head := fmt.Sprintf("%s [%03d] ", emojis[r.Status], r.number)
	return head + chat.Shorten(r.Title, forum.MaxName-chat.Length(head))
}

// parseName takes the name of a post apart. The status is empty and the number 0 if it does not say them.
func parseName(name string) (status Status, number int64, title string) {
	parts := named().FindStringSubmatch(chat.OneLine(name))
	for s, emoji := range emojis {
		if parts[1] != "" && strings.HasPrefix(emoji, parts[1]) {
			status = s
		}
	}
	number, _ = strconv.ParseInt(parts[2], 10, 64) // empty is 0
	return status, number, strings.TrimSpace(parts[3])
}

// titleIn is the title in a name of this task's post. A number in brackets that is not the task's own belongs to the title.
func (r record) titleIn(name string) string {
	_, number, title := parseName(name)
	if number != 0 && number != r.number {
		return strings.TrimSpace(fmt.Sprintf("[%d] %s", number, title))
	}
	return title
}

// idMark stands in the bot's first message of a post, and in no other's: the number in a name can be anybody's.
func idMark(id string) string { return "**ID:** `" + id + "`" }

var marked = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?m)^\\*\\*ID:\\*\\* `([a-z]+-\\d{3,15})`$") })

// markedID is the ID of the task whose post begins with a text of the bot, or empty.
func markedID(starter string) string {
	found := marked().FindAllStringSubmatch(starter, -1)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1][1] // a description comes before it
}

// starter is the first message of a task's post.
func (r record) starter() string {
	lines := []string{idMark(r.ID), "**Priority:** " + priorityWords(r.Priority), "**Status:** " + r.Status.Words()}
	if r.Owner != "" {
		lines = append(lines, "**Assignee:** "+r.Owner.Mention())
	}
	if !r.Due.IsZero() {
		lines = append(lines, fmt.Sprintf("**Due:** <t:%d:f>", r.Due.Unix()))
	}
	facts := strings.Join(lines, "\n")
	if r.Description == "" {
		return facts
	}
	return chat.Shorten(r.Description, forum.MaxStarter-chat.Length(facts)-2) + "\n\n" + facts
}

// project returns the post that a record should have.
func (r record) project(tags tagSet) forum.Post {
	p := forum.Post{Forum: tags.Forum, Name: r.name(), Tags: tags.of(r.Task), Archived: r.Status == Closed,
		Own: r.Base.Own, Starter: r.Base.Starter, Status: string(r.Status)}
	if p.Own {
		p.Starter = forum.Hash(r.starter())
	}
	return p
}

// A tagSet is what the tags of a forum of tasks mean.
type tagSet struct{ forum.TagSet }

// newTagSet names the tags of a forum: as the map does, or else as the forum does.
func newTagSet(of chat.Channel, named map[string]string) tagSet {
	plain := make(map[string]string, len(named))
	for name, id := range named {
		plain[labelName(name)] = id
	}
	return tagSet{forum.NewTagSet(of, plain)}
}

// content are the names of the tags that are not a status.
func (s tagSet) content() []string {
	var names []string
	for id, name := range s.Names {
		if s.status(id) == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// status is the status that a tag stands for, or empty.
func (s tagSet) status(id string) Status {
	name := strings.ReplaceAll(strings.ToLower(s.Names[id]), " ", "_")
	if i := slices.Index(Statuses, Status(name)); i >= 0 {
		return Statuses[i]
	}
	return ""
}

// ofStatus is the tag of a status, or empty.
func (s tagSet) ofStatus(status Status) string {
	if id := s.IDs[string(status)]; id != "" {
		return id
	}
	return s.IDs[status.Words()]
}

// ofLabel is the tag of a label, or empty. Labels called like a status mean none.
func (s tagSet) ofLabel(label string) string {
	for _, name := range []string{labelName(label), label} {
		if id := s.IDs[strings.ToLower(name)]; id != "" && s.status(id) == "" {
			return id
		}
	}
	return ""
}

// of returns the tags of a task, sorted: those of its labels, as many as Discord takes, and that of its status.
func (s tagSet) of(t Task) []string {
	var ids []string
	status, room := s.ofStatus(t.Status), forum.MaxTags
	if status != "" {
		room--
	}
	for _, l := range t.Labels {
		if id := s.ofLabel(l); id != "" && len(ids) < room && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if status != "" {
		ids = append(ids, status)
	}
	slices.Sort(ids)
	return ids
}
