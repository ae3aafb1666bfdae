package forum

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
)

// archiveAfter is how long a post may be idle until Discord archives it: the longest time there is, since the bot takes the
// posts of records that are in use out again.
const archiveAfter = 7 * 24 * time.Hour

// Skew is by how much clocks may differ.
const Skew = time.Minute

// Posts makes and edits posts.
type Posts struct {
	Server Server
	Outbox *outbox.Outbox
	// Allowed reports whether a user is served in a place. If it is nil, everybody is.
	Allowed func(who chat.UserID, at chat.Place) bool
}

// A Save changes what is known of a post where it is stored.
type Save func(do func(*Link)) error

// Make makes a post.
func (p Posts) Make(ctx context.Context, want Post, text string, save Save) (chat.ChannelID, error) {
	begun := time.UnixMicro(p.Server.Now().UnixMicro()) // as the database rounds it
	if err := save(func(l *Link) { l.Begun, l.Sent = begun, &want }); err != nil {
		return "", err
	}
	thread, _, err := p.Server.StartPost(ctx, want.Forum, want.Name, text, want.Tags, archiveAfter)
	if err != nil {
		if chat.IsPermanent(err) {
			err = errors.Join(err, save(func(l *Link) { l.Begun, l.Sent = time.Time{}, nil }))
		}
		return "", fmt.Errorf("make a post: %w", err)
	}
	return thread.ID, nil
}

// Made writes down that a post was made. It is in the state in which it was asked for, if that is known.
func (l *Link) Made() {
	base := Post{Own: true}
	if l.Sent != nil {
		base = *l.Sent
	}
	*l = Link{Base: base}
}

// FindMade searches for a post of the bot that an earlier try may have made: of those that may be it, the one whose first message says so.
func (p Posts) FindMade(ctx context.Context, forum chat.Channel, since time.Time, mayBe func(chat.Channel) bool,
	is func(starter string) bool) (chat.ChannelID, error) {
	active, err := p.Server.ActiveThreads(ctx, forum.Guild)
	if err != nil {
		return "", err
	}
	archived, err := p.Server.ArchivedSince(ctx, forum.ID, since.Add(-Skew))
	if err != nil {
		return "", err
	}
	for _, thread := range append(active, archived...) {
		if thread.Parent != forum.ID || thread.Owner != p.Server.Self().ID || !mayBe(thread) {
			continue
		}
		m, err := p.Server.Message(ctx, thread.ID, chat.MessageID(thread.ID))
		if err != nil && !chat.IsGone(err) {
			return "", err
		}
		if is(m.Text) {
			return thread.ID, nil
		}
	}
	return "", nil
}

// Patch edits the thread of a post.
func (p Posts) Patch(ctx context.Context, thread chat.ChannelID, base Post, edit chat.ThreadEdit, save Save) error {
	sent := base
	set(&sent.Name, edit.Name)
	set(&sent.Tags, edit.Tags)
	set(&sent.Archived, edit.Archived)
	if err := save(func(l *Link) { l.Sent = &sent }); err != nil {
		return err
	}
	now, err := p.Server.ChangeThread(ctx, thread, edit)
	if err != nil {
		return fmt.Errorf("change its post: %w", err)
	}
	if !now.Archived {
		sent.Opened = now.ArchivedAt
	}
	return save(func(l *Link) { l.Base, l.Sent = sent, nil })
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// Rewrite edits the bot's message in a post. One that was deleted is not written again. What it says is unknown until Discord has
// confirmed an edit, so that one whose outcome was unknown is repeated even if the message should say again what it said before.
func (p Posts) Rewrite(ctx context.Context, thread chat.ChannelID, message chat.MessageID, text string, save Save) error {
	if err := save(func(l *Link) { l.Base.Starter = "" }); err != nil {
		return err
	}
	err := p.Server.Edit(ctx, thread, message, chat.Outgoing{Text: text})
	if err != nil && !chat.IsGone(err) {
		return fmt.Errorf("change the first message of its post: %w", err)
	}
	return save(func(l *Link) { l.Base.Starter = Hash(text) })
}

// searchedForName is how many messages of a post are searched for the one that tells of its new name.
const searchedForName = 100

// Namer returns the outside text that the name of a post is: nothing if the person who chose it is served, and the given one if that person
// is unknown. Discord's events do not say who has renamed a post, but a message of Discord's own in it does, which
// cannot be deleted.
func (p Posts) Namer(ctx context.Context, thread chat.Channel, unknown chat.Sources) (chat.Sources, error) {
	list, err := p.Server.Messages(ctx, thread.ID, "", searchedForName)
	if err != nil && !chat.IsPermanent(err) { // the bot may not read there
		return "", fmt.Errorf("look up who has renamed it: %w", err)
	}
	for _, m := range list {
		if !m.System || chat.OneLine(m.Text) != chat.OneLine(thread.Name) {
			continue
		}
		own := m.Author.ID == p.Server.Self().ID // whoever had asked for it, and whatever had been read then
		if !own && p.allowed(m.Author.ID, thread.Place()) {
			return "", nil
		}
		return chat.Sources("a title by " + m.Author.ID.Mention()), nil
	}
	return unknown, nil
}

func (p Posts) allowed(who chat.UserID, at chat.Place) bool {
	return p.Allowed == nil || p.Allowed(who, at)
}

// Stranger reports whether a thread was opened by a user who is not served.
func (p Posts) Stranger(thread chat.Channel) bool {
	return thread.Owner != p.Server.Self().ID && !p.allowed(thread.Owner, thread.Place())
}

// Threads returns the posts of a forum that may differ from what was last seen: those that are not archived, and those that were archived
// since.
func (p Posts) Threads(ctx context.Context, forum chat.Channel, since time.Time) ([]chat.Channel, error) {
	list, err := p.Server.Channels(ctx, forum.Guild)
	if err != nil {
		return nil, err
	}
	var posts []chat.Channel
	for _, ch := range list {
		if ch.Parent == forum.ID && ch.Kind == chat.Thread {
			posts = append(posts, ch)
		}
	}
	archived, err := p.Server.ArchivedSince(ctx, forum.ID, since.Add(-Skew))
	return append(posts, archived...), err
}

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

// An Observed is a post as Discord has it.
type Observed struct {
	Post
	Text    *string      // of its first message, if that is a person's and was read
	Outside chat.Sources // that it is, if its author is not served any more
	Renamed chat.Sources // that its name is outside text, unless its author is known and served

	active  time.Time // when something was last said there
	changed time.Time // when it was last archived or taken out of the archive
	idle    time.Duration
}

// Look describes a thread. What a thread does not say stays as it was.
func Look(thread chat.Channel, base Post) Observed {
	s := Observed{Post: base, active: thread.Active, changed: thread.ArchivedAt, idle: thread.ArchiveAfter}
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
func (s Observed) ByInactivity(base Post) bool {
	last := s.active
	if base.Opened.After(last) {
		last = base.Opened
	}
	return s.idle > 0 && s.changed.Sub(last) >= s.idle-time.Second
}

// ByMessage reports whether a thread left the archive because of a message in it, which is what Discord does by itself.
func (s Observed) ByMessage() bool { return s.active.Sub(s.changed).Abs() < 2*time.Second }

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
