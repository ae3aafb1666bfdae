package fakediscord

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// category makes channels in a category, and the category itself unless the guild's
// line has: category Old Projects: #plans talk:voice.
func (b *builder) category(s string) error {
	name, channels, _ := strings.Cut(s, ":")
	if name = strings.TrimSpace(name); name == "" {
		return errors.New("the category's name is missing")
	}
	for _, c := range b.w.guildChannels(b.on) {
		if c.Type == CategoryChannel && strings.EqualFold(c.Name, name) {
			return b.channels(channels, c.ID)
		}
	}
	return b.channels(channels, b.w.addChannel(&Channel{Guild: b.on.ID, Type: CategoryChannel, Name: name}).ID)
}

var tagLine = regexp.MustCompile(`^(?:"([^"]+)"|(\S+)) in (\S+?)(?:: *(.*))?$`)

// tag makes a tag of a forum: tag bug in ideas, or tag "good idea" in ideas, either
// with ": 💡, moderated".
func (b *builder) tag(s string) error {
	parts := tagLine.FindStringSubmatch(s)
	if parts == nil {
		return errors.New(`write tag "name" in forum`)
	}
	forum, err := b.forum(parts[3])
	if err != nil {
		return err
	}
	t := Tag{ID: b.w.newID(), Name: parts[1] + parts[2]}
	for item := range strings.SplitSeq(parts[4], ",") {
		switch item = strings.TrimSpace(item); {
		case item == "moderated":
			t.Moderated = true
		case item != "" && t.Emoji != "":
			return fmt.Errorf("a tag has one emoji, and %s would be the second", item)
		case item != "":
			t.Emoji = item
		}
	}
	forum.Tags = append(forum.Tags, t)
	return nil
}

func (b *builder) forum(name string) (*Channel, error) {
	forum := b.channel(name)
	switch {
	case forum == nil:
		return nil, fmt.Errorf("there is no channel %s", name)
	case forum.Type != ForumChannel:
		return nil, fmt.Errorf("%s is not a forum", forum)
	}
	return forum, nil
}

var postLine = regexp.MustCompile(`^"([^"]+)" in (\S+?)(?: \[([^\]]*)\])?: *(.+)$`)

// post makes a post that the owner wrote earlier: post "Dark mode" in ideas: please,
// with tags as in post "Dark mode" in ideas [bug, good idea]: please.
func (b *builder) post(s string) error {
	parts := postLine.FindStringSubmatch(s)
	if parts == nil {
		return errors.New(`write post "title" in forum, a colon, and its text`)
	}
	forum, err := b.forum(parts[2])
	if err != nil {
		return err
	}
	c := &Channel{Type: PublicThread, Name: parts[1], Parent: forum.ID}
	for item := range strings.SplitSeq(parts[3], ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		i := slices.IndexFunc(forum.Tags, func(t Tag) bool { return strings.EqualFold(t.Name, item) })
		if i < 0 {
			return fmt.Errorf("%s has no tag %s; make it with a tag line", forum, item)
		}
		c.AppliedTags = append(c.AppliedTags, forum.Tags[i].ID)
	}
	owner := b.on.person(b.on.Owner)
	b.w.startThread(c, owner)
	b.w.post(draft{author: owner, channel: c, content: parts[4], id: chat.MessageID(c.ID)})
	return nil
}
