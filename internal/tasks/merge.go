package tasks

import (
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// A sight is a post as Discord has it.
type sight struct {
	post
	text    *string      // of its first message, if that is a person's and was read
	outside chat.Sources // that it is, if its author is not served any more
	renamed chat.Sources // that its name is outside text, unless its author is known and served
	active  time.Time    // when something was last said there
	changed time.Time    // when it was last archived or taken out of the archive
	idle    time.Duration
}

// look describes a thread. What a thread does not say stays as it was.
func look(thread chat.Channel, base post) sight {
	s := sight{post: base, active: thread.Active, changed: thread.ArchivedAt, idle: thread.ArchiveAfter}
	s.Forum, s.Name, s.Archived = thread.Parent, thread.Name, thread.Archived
	s.Tags = slices.Sorted(slices.Values(thread.AppliedTags))
	if !s.Archived {
		s.Opened = thread.ArchivedAt
	}
	return s
}

// byInactivity reports whether Discord itself has archived a thread: it does so when nothing has happened there for the
// thread's idle time, and who archives one earlier is a person. What happens there are messages and that it is taken out of the archive, of which Discord
// tells the time only until it is archived again, so that the base remembers it.
func (s sight) byInactivity(base post) bool {
	last := s.active
	if base.Opened.After(last) {
		last = base.Opened
	}
	return s.idle > 0 && s.changed.Sub(last) >= s.idle-time.Second
}

// byMessage reports whether a thread left the archive because somebody wrote in it, which Discord does by itself.
func (s sight) byMessage() bool { return s.active.Sub(s.changed).Abs() < 2*time.Second }

// merge returns a task with what people have changed in its post since it and the record last agreed, and the post as it
// is now the base. A field that has the value of the base, or of an edit whose outcome was unknown, was changed by nobody. Where both sides have changed a
// field, the person's change in Discord wins, except that a status that was set in the record wins over the post's place in the archive.
func (r record) merge(s sight, tags tagSet) (Task, post) {
	t, now := r.Task, s.post
	now.Status = r.base.Status
	said, title := r.mergeName(s)
	if title != "" {
		t.Title = title
		t.Outside.Add(s.renamed)
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
	if s.text != nil && hash(*s.text) != r.base.Starter {
		t.Description = chat.Shorten(strings.TrimSpace(*s.text), MaxDescription)
		t.Outside.Add(s.outside)
		now.Starter = hash(*s.text)
	}
	change := Change{Reason: why}
	if status != "" {
		change.Status, now.Status = &status, status
	}
	merged, err := change.apply(t)
	if err != nil { // only what a record can hold is taken
		return r.Task, now
	}
	return merged, now
}

// ours reports whether a field of a post is as the record left it.
func ours[T any](r record, seen T, field func(post) T, equal func(a, b T) bool) bool {
	return equal(seen, field(r.base)) || r.sent != nil && equal(seen, field(*r.sent))
}

func same[T comparable](a, b T) bool { return a == b }

// mergeName returns the status and the title that somebody gave a post by its name.
func (r record) mergeName(s sight) (Status, string) {
	if ours(r, s.Name, func(p post) string { return p.Name }, same) {
		return "", ""
	}
	status, _, _ := parseName(s.Name)
	was, _, _ := parseName(r.base.Name)
	if status == was {
		status = ""
	}
	title := r.titleIn(s.Name)
	if title == r.titleIn(r.base.Name) { // which may be cut
		title = ""
	}
	return status, title
}

// mergeTags returns the labels of a task with the tags that somebody put on its post or took from it, and the status that one of them
// stands for.
func (r record) mergeTags(s sight, tags tagSet) (labels []string, status Status) {
	labels = r.Labels
	if ours(r, s.Tags, func(p post) []string { return p.Tags }, slices.Equal) {
		return labels, ""
	}
	before, certain := r.base.Tags, r.base.Tags
	if r.sent != nil { // only what both have, or neither, is a person's doing
		before = slices.Concat(before, r.sent.Tags)
		certain = slices.DeleteFunc(slices.Clone(certain), func(id string) bool { return !slices.Contains(r.sent.Tags, id) })
	}
	for _, id := range s.Tags {
		switch name := tags.names[id]; {
		case slices.Contains(before, id) || name == "":
		case tags.status(id) != "":
			status = tags.status(id)
		case !slices.ContainsFunc(labels, func(l string) bool { return tags.ofLabel(l) == id }):
			labels = append(slices.Clone(labels), name)
		}
	}
	for _, id := range certain {
		if _, exists := tags.names[id]; exists && !slices.Contains(s.Tags, id) { // a tag that was deleted takes no label with it
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
func (r record) mergeArchive(s sight) (status Status, why string) {
	switch {
	case ours(r, s.Archived, func(p post) bool { return p.Archived }, same), r.Status != r.base.Status:
		return "", ""
	case s.Archived && !s.byInactivity(r.base):
		return Closed, archivedByPerson
	case !s.Archived && r.Status == Closed && !s.byMessage():
		return Open, ""
	}
	return "", ""
}
