package fakediscord

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// Limits of a forum.
// https://discord.com/developers/docs/resources/channel#forum-tag-object
const (
	maxTags        = 20
	maxTagName     = 20
	maxAppliedTags = 5
)

// Flags of forums and their posts.
// https://discord.com/developers/docs/resources/channel#channel-object-channel-flags
const (
	flagPinned     = 1 << 1 // of a post: it is on top of its forum
	flagRequireTag = 1 << 4 // of a forum: its posts need a tag
)

// A Tag sorts the posts of a forum.
type Tag struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Emoji     string `json:"emoji,omitempty"`     // a Unicode emoji, the ID of one of the guild's own, or empty
	Moderated bool   `json:"moderated,omitempty"` // only members who manage threads may add or remove it
}

func (t Tag) json() object {
	o := object{"id": t.ID, "name": t.Name, "moderated": t.Moderated, "emoji_id": nil, "emoji_name": nil}
	switch {
	case isSnowflake(t.Emoji):
		o["emoji_id"] = t.Emoji
	case t.Emoji != "":
		o["emoji_name"] = t.Emoji
	}
	return o
}

func tagsJSON(all []Tag) []object {
	out := []object{}
	for _, t := range all {
		out = append(out, t.json())
	}
	return out
}

// flags are Discord's flags of a channel that is not a thread.
func (c *Channel) flags() int {
	if c.RequireTag {
		return c.Flags | flagRequireTag
	}
	return c.Flags
}

// setFlags sets the flags of a channel that is not a thread. Discord documents that only forums can require a tag, but not with
// which error it refuses other channels.
func (c *Channel) setFlags(flags int) error {
	switch {
	case (flags^c.Flags)&^flagRequireTag != 0:
		return notBuiltError(fmt.Sprintf("the flags %d", flags))
	case flags&flagRequireTag != 0 && c.Type != ForumChannel:
		return invalid("flags", "CHANNEL_FLAGS_NOT_SUPPORTED", "Only forums can require a tag.")
	}
	c.RequireTag = flags&flagRequireTag != 0
	return nil
}

// tag finds a tag of a forum by its ID.
func (c *Channel) tag(id string) (Tag, bool) {
	i := slices.IndexFunc(c.Tags, func(t Tag) bool { return t.ID == id })
	if i < 0 {
		return Tag{}, false
	}
	return c.Tags[i], true
}

// RequireTag makes a forum refuse posts without a tag.
func (w *World) RequireTag(forum string) error {
	return w.changeChannel(forum, func(c *Channel) error {
		if c.Type != ForumChannel {
			return fmt.Errorf("%s is not a forum", c)
		}
		c.RequireTag = true
		return nil
	})
}

// Pinned reports whether a thread is on top of its forum.
func (c *Channel) Pinned() bool { return c.Flags&flagPinned != 0 }

// archive puts a thread into the archive or takes it out. A pinned one loses its pin in the archive.
// https://discord.com/developers/docs/topics/threads#forum-and-media-channel-thread-fields
func (c *Channel) archive(archived bool, now time.Time) {
	c.Archived, c.ArchivedAt = archived, now
	if archived {
		c.Flags &^= flagPinned
	}
}

// Flag replaces the flags of a thread or channel, also those that no bot can set. Whether a forum requires a tag is not among them.
func (w *World) Flag(channel string, flags int) error {
	return w.changeChannel(channel, func(c *Channel) error {
		c.Flags = flags
		return nil
	})
}

// checkFlags refuses flags that a thread cannot have. Discord documents that only posts of forums can be pinned, but not with
// which error it refuses others.
func (w *World) checkFlags(thread *Channel, flags int) error {
	pins := flags&flagPinned != 0 && !thread.Pinned()
	switch {
	case (flags^thread.Flags)&^flagPinned != 0:
		return notBuiltError(fmt.Sprintf("the flags %d", flags))
	case pins && w.channels[thread.Parent].Type != ForumChannel:
		return invalid("flags", "CHANNEL_FLAGS_NOT_SUPPORTED", "Only posts of a forum can be pinned.")
	case pins && w.pinnedPost(thread.Parent) != nil:
		return errTooManyPinnedPosts
	}
	return nil
}

// pinnedPost is the post on top of a forum; nil if there is none.
func (w *World) pinnedPost(forum chat.ChannelID) *Channel {
	for _, c := range w.channels {
		if c.Parent == forum && c.Pinned() {
			return c
		}
	}
	return nil
}

// A tagInput is the JSON of a forum's tag.
type tagInput struct {
	ID        *string `json:"id"` // none for a new one
	Name      string  `json:"name"`
	Moderated bool    `json:"moderated"`
	EmojiID   *string `json:"emoji_id"`
	EmojiName *string `json:"emoji_name"`
}

// tags are the forum's tags after a request. Entries with an ID change existing tags;
// existing tags that are not in the list are deleted.
func (w *World) tags(forum *Channel, list []tagInput) ([]Tag, error) {
	if len(list) > maxTags {
		return nil, invalid("available_tags", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxTags)
	}
	var all []Tag
	for i, in := range list {
		field := fmt.Sprintf("available_tags.%d", i)
		t := Tag{Name: strings.TrimSpace(in.Name), Moderated: in.Moderated}
		switch {
		case t.Name == "" || chat.Length(t.Name) > maxTagName:
			return nil, invalid(field+".name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxTagName)
		case in.EmojiID != nil && in.EmojiName != nil:
			return nil, invalid(field, "FORUM_TAG_EMOJI", "Only one of emoji_id and emoji_name can be set.")
		case slices.ContainsFunc(all, func(other Tag) bool { return strings.EqualFold(other.Name, t.Name) }):
			return nil, errTagNames
		case in.EmojiID != nil:
			t.Emoji = *in.EmojiID
		case in.EmojiName != nil:
			t.Emoji = *in.EmojiName
		}
		if in.ID == nil {
			t.ID = w.newID()
		} else if _, known := forum.tag(*in.ID); known {
			t.ID = *in.ID
		} else {
			return nil, errUnknownTag
		}
		all = append(all, t)
	}
	return all, nil
}

// dropTags removes deleted tags from the posts of a forum.
func (w *World) dropTags(forum *Channel) {
	for _, c := range w.channels {
		if c.Parent == forum.ID {
			c.AppliedTags = slices.DeleteFunc(c.AppliedTags, func(id string) bool {
				_, known := forum.tag(id)
				return !known
			})
		}
	}
}

// checkApplied refuses tags that a post cannot have, or that its author may not add or
// remove.
func (w *World) checkApplied(forum *Channel, before, after []string, may Permissions) error {
	switch {
	case forum.Type != ForumChannel:
		return invalid("applied_tags", "CHANNEL_TAGS_NOT_SUPPORTED", "Tags can only be applied to posts of a forum.")
	case len(after) > maxAppliedTags:
		return invalid("applied_tags", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxAppliedTags)
	}
	for _, id := range slices.Concat(before, after) {
		t, known := forum.tag(id)
		kept := slices.Contains(before, id) && slices.Contains(after, id)
		switch {
		case !known:
			return errUnknownTag
		case t.Moderated && !kept && !may.Has(manageThreads):
			return errMissingPermissions
		}
	}
	return nil
}
