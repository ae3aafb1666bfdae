package tasks

import (
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/forum"
)

// merge returns a task with what people have changed in its post since it and the record last agreed, and the post as it
// is now the base. A field that has the value of the base, or of an edit whose outcome was unknown, was changed by
// nobody. Where both sides have changed a field, the person's change in Discord wins, except that a status that was set
// in the record wins over the post's place in the archive.
func (r record) merge(s forum.Sight, tags tagSet) (Task, forum.Post) {
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
func (r record) mergeName(s forum.Sight) (Status, string) {
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
func (r record) mergeTags(s forum.Sight, tags tagSet) (labels []string, status Status) {
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
func (r record) mergeArchive(s forum.Sight) (status Status, why string) {
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
