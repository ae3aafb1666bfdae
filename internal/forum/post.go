package forum

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// Limits of a post, as Discord documents them.
const (
	MaxName    = 100
	MaxStarter = 2000
	MaxTags    = 5
)

// A Post is a record in the forum: what the record says that it should be, or what it was when it was looked at.
type Post struct {
	Forum    chat.ChannelID `json:"forum"`
	Name     string         `json:"name"`
	Tags     []string       `json:"tags,omitempty"` // IDs, sorted
	Archived bool           `json:"archived,omitempty"`
	Own      bool           `json:"own,omitempty"`     // its first message is the bot's
	Starter  string         `json:"starter,omitempty"` // hash of its first message; empty if unknown
	Opened   time.Time      `json:"opened,omitzero"`   // when it was last taken out of the archive, or made
	Status   string         `json:"status,omitempty"`  // that it showed when it and the record last agreed
}

// Edit returns what makes a post of base, in its name and tags.
func (p Post) Edit(base Post) (e chat.ThreadEdit) {
	if p.Name != base.Name {
		e.Name = &p.Name
	}
	if !slices.Equal(p.Tags, base.Tags) {
		e.Tags = &p.Tags
	}
	return e
}

// A Link is what is known of the post of a record.
type Link struct {
	Begun time.Time // when a post was asked for of which it is unknown whether it was made
	Base  Post      // the post when it and the record last agreed
	Sent  *Post     // the post as an edit leaves it of which it is unknown whether it was made
}

// Hash is a text in a Post.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(text))) // as Discord trims it
	return hex.EncodeToString(sum[:8])
}

// A Sight is a post as Discord has it.
type Sight struct {
	Post
	Text    *string      // of its first message, if that is a person's and was read
	Outside chat.Sources // that it is, if its author is not served any more
	Renamed chat.Sources // that its name is outside text, unless its author is known and served

	active  time.Time // when something was last said there
	changed time.Time // when it was last archived or taken out of the archive
	idle    time.Duration
}

// Look describes a thread. What a thread does not say stays as it was.
func Look(thread chat.Channel, base Post) Sight {
	s := Sight{Post: base, active: thread.Active, changed: thread.ArchivedAt, idle: thread.ArchiveAfter}
	s.Forum, s.Name, s.Archived = thread.Parent, thread.Name, thread.Archived
	s.Tags = slices.Sorted(slices.Values(thread.AppliedTags))
	if !s.Archived {
		s.Opened = thread.ArchivedAt
	}
	return s
}

// ByInactivity reports whether Discord itself has archived a thread: it does so when nothing has happened there for the
// thread's idle time, and who archives one earlier is a person. What happens there are messages and that it is taken
// out of the archive, of which Discord tells the time only until it is archived again, so that the base remembers it.
func (s Sight) ByInactivity(base Post) bool {
	last := s.active
	if base.Opened.After(last) {
		last = base.Opened
	}
	return s.idle > 0 && s.changed.Sub(last) >= s.idle-time.Second
}

// ByMessage reports whether a thread left the archive because of a message in it, which is what Discord does by itself.
func (s Sight) ByMessage() bool { return s.active.Sub(s.changed).Abs() < 2*time.Second }

// RenamedTo reports whether a name was given to a post by a person. What has the value of the base, or of an edit whose outcome was
// unknown, was not.
func (l Link) RenamedTo(name string) bool {
	return name != l.Base.Name && (l.Sent == nil || name != l.Sent.Name)
}

// MovedTo reports whether a person has archived a post, or taken it out of the archive.
func (l Link) MovedTo(archived bool) bool {
	return archived != l.Base.Archived && (l.Sent == nil || archived != l.Sent.Archived)
}

// Retagged returns the tags that a person has put on a post, and those that a person has taken from it.
func (l Link) Retagged(now []string) (added, removed []string) {
	if slices.Equal(now, l.Base.Tags) || l.Sent != nil && slices.Equal(now, l.Sent.Tags) {
		return nil, nil
	}
	before, certain := l.Base.Tags, l.Base.Tags
	if l.Sent != nil { // only what both have, or neither, is a person's doing
		before = slices.Concat(before, l.Sent.Tags)
		certain = slices.DeleteFunc(slices.Clone(certain), func(id string) bool { return !slices.Contains(l.Sent.Tags, id) })
	}
	added = slices.DeleteFunc(slices.Clone(now), func(id string) bool { return slices.Contains(before, id) })
	removed = slices.DeleteFunc(slices.Clone(certain), func(id string) bool { return slices.Contains(now, id) })
	return added, removed
}
