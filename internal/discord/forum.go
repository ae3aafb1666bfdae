package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// Limits of a forum, as Discord documents them.
const (
	maxTags      = 20
	maxTagLength = 20 // in UTF-16 units
)

// tagBody is a tag of a forum. An edit has all of them: a tag or field that is left out is lost.
type tagBody struct {
	ID        string  `json:"id,omitempty"` // none for a new one
	Name      string  `json:"name"`
	Moderated bool    `json:"moderated"`
	EmojiID   *string `json:"emoji_id"`
	EmojiName *string `json:"emoji_name"`
}

func newTagBody(t chat.Tag) tagBody {
	body := tagBody{ID: t.ID, Name: t.Name, Moderated: t.Moderated}
	emoji := string(t.Emoji)
	if _, id, own := strings.Cut(emoji, ":"); own {
		body.EmojiID = &id
	} else if emoji != "" {
		body.EmojiName = &emoji
	}
	return body
}

// newTagBodies checks the tags of a new forum.
func newTagBodies(tags []chat.Tag) ([]tagBody, error) {
	var all []tagBody
	for i, t := range tags {
		t, err := newTag(t)
		if err != nil {
			return nil, err
		}
		if len(tagsCalled(tags[:i], t.Name)) > 0 {
			return nil, fmt.Errorf("the tag %s stands there twice", chat.Bold(t.Name))
		}
		all = append(all, newTagBody(t))
	}
	return all, nil
}

// newTag checks a tag that is to be made.
func newTag(t chat.Tag) (chat.Tag, error) {
	t.ID = ""
	return checkedTag(t)
}

// checkedTag checks a tag that is to be made or changed.
func checkedTag(t chat.Tag) (chat.Tag, error) {
	t.Name = strings.TrimSpace(t.Name)
	switch n := chat.Length(t.Name); {
	case n == 0:
		return t, errors.New("a tag needs a name")
	case n > maxTagLength:
		return t, fmt.Errorf("the tag's name has %d characters, and Discord takes %d at most; shorten it", n, maxTagLength)
	}
	return t, nil
}

// postBody is a post with its first message.
type postBody struct {
	threadBody
	Tags    []string    `json:"applied_tags,omitempty"`
	Message postMessage `json:"message"`
}

type postMessage struct {
	Content         string     `json:"content"`
	AllowedMentions noMentions `json:"allowed_mentions"`
	Flags           int        `json:"flags,omitempty"`
}

// Tags returns the tags of a forum.
func (c *Client) Tags(ctx context.Context, forum chat.ChannelID) ([]chat.Tag, error) {
	ch, err := c.channelByID(ctx, forum)
	if err != nil {
		return nil, err
	}
	return slices.Clone(ch.Tags), checkForum(ch.Channel)
}

// Tag finds a tag of a forum by its ID, or else by its name.
func (c *Client) Tag(ctx context.Context, forum chat.ChannelID, ref string) (chat.Tag, error) {
	ch, err := c.channelByID(ctx, forum)
	if err == nil {
		err = checkForum(ch.Channel)
	}
	if err != nil {
		return chat.Tag{}, err
	}
	return findTag(ch.Channel, ref)
}

// CreateTag adds a tag to a forum and returns it with its ID.
func (c *Client) CreateTag(ctx context.Context, forum chat.ChannelID, t chat.Tag) (chat.Tag, error) {
	t, err := newTag(t)
	if err != nil {
		return chat.Tag{}, err
	}
	var before []chat.Tag
	changed, err := c.changeTags(ctx, forum, func(ch chat.Channel) ([]chat.Tag, error) {
		before = ch.Tags
		if same := tagsCalled(ch.Tags, t.Name); len(same) > 0 {
			return nil, hasTag(ch, same[0])
		}
		if len(ch.Tags) >= maxTags {
			return nil, fmt.Errorf("%s has %d tags, and Discord allows no more; delete one first", ch.ID.Mention(), len(ch.Tags))
		}
		return append(slices.Clone(ch.Tags), t), nil
	})
	if err != nil {
		return chat.Tag{}, err
	}
	for _, made := range changed.Tags {
		if !slices.ContainsFunc(before, func(old chat.Tag) bool { return old.ID == made.ID }) {
			return made, nil
		}
	}
	return t, nil // it was deleted meanwhile
}

// EditTag changes a tag of a forum, given by name or ID, which all posts keep. It returns the tag as it was and as it is.
func (c *Client) EditTag(ctx context.Context, forum chat.ChannelID, tag string, e chat.TagEdit) (was, now chat.Tag, err error) {
	_, err = c.changeTags(ctx, forum, func(ch chat.Channel) ([]chat.Tag, error) {
		if was, err = findTag(ch, tag); err != nil {
			return nil, err
		}
		now = was
		if e.Name != nil {
			now.Name = *e.Name
		}
		if e.Emoji != nil {
			now.Emoji = *e.Emoji
		}
		if now, err = checkedTag(now); err != nil {
			return nil, err
		}
		tags := slices.Clone(ch.Tags)
		at := slices.IndexFunc(tags, func(t chat.Tag) bool { return t.ID == was.ID })
		others := slices.Delete(slices.Clone(tags), at, at+1)
		if same := tagsCalled(others, now.Name); len(same) > 0 {
			return nil, hasTag(ch, same[0])
		}
		tags[at] = now
		return tags, nil
	})
	return was, now, err
}

// DeleteTag removes a tag, given by name or ID, from a forum and all its posts. It returns the
// deleted tag.
func (c *Client) DeleteTag(ctx context.Context, forum chat.ChannelID, tag string) (chat.Tag, error) {
	var gone chat.Tag
	_, err := c.changeTags(ctx, forum, func(ch chat.Channel) ([]chat.Tag, error) {
		found, err := findTag(ch, tag)
		gone = found
		return slices.DeleteFunc(slices.Clone(ch.Tags), func(t chat.Tag) bool { return t.ID == found.ID }), err
	})
	if err != nil {
		return chat.Tag{}, err
	}
	return gone, nil
}

// changeTags replaces the tags of a forum by f's result. It holds a lock meanwhile, and fetches the
// old ones instead of using the cache: a tag that was just made must not be lost because
// the cache lacks it.
func (c *Client) changeTags(ctx context.Context, forum chat.ChannelID, f func(chat.Channel) ([]chat.Tag, error)) (chat.Channel, error) {
	leave, err := c.rest.InTurn(ctx, "tags of "+string(forum))
	if err != nil {
		return chat.Channel{}, err
	}
	defer leave()
	ch, err := c.fetchChannel(ctx, forum)
	if err != nil {
		return chat.Channel{}, err
	}
	if err := checkForum(ch.Channel); err != nil {
		return chat.Channel{}, err
	}
	tags, err := f(ch.Channel)
	if err != nil {
		return chat.Channel{}, err
	}
	bodies := each(tags, newTagBody)
	changed, err := c.patchChannel(ctx, ch, editChannelBody{Tags: &bodies})
	return changed.Channel, err
}

func hasTag(forum chat.Channel, t chat.Tag) error {
	return fmt.Errorf("%s has a tag %s already", forum.ID.Mention(), chat.Bold(t.Name))
}

func checkForum(ch chat.Channel) error {
	if !ch.Kind.HasPosts() {
		return fmt.Errorf("%s, and only forums have tags and posts", nature(ch))
	}
	return nil
}

func tagsCalled(tags []chat.Tag, name string) []chat.Tag {
	var found []chat.Tag
	for _, t := range tags {
		if strings.EqualFold(t.Name, name) {
			found = append(found, t)
		}
	}
	return found
}

// findTag finds a tag of a forum by its ID, or else by its name.
func findTag(forum chat.Channel, ref string) (chat.Tag, error) {
	ref = strings.TrimSpace(ref)
	for _, t := range forum.Tags {
		if t.ID == ref || t.Name == ref {
			return t, nil
		}
	}
	switch found := tagsCalled(forum.Tags, ref); len(found) {
	case 0:
		return chat.Tag{}, rest.NotFound("%s has no tag %s; %s", forum.ID.Mention(), chat.Bold(chat.Clip(ref, 40)), choice(forum.Tags))
	case 1:
		return found[0], nil
	default:
		return chat.Tag{}, fmt.Errorf("%s has %d tags that are called %s; give one of their IDs instead", forum.ID.Mention(), len(found), chat.Bold(chat.Clip(ref, 40)))
	}
}

func choice(tags []chat.Tag) string {
	if len(tags) == 0 {
		return "it has no tags"
	}
	return "it has " + chat.And(each(tags, func(t chat.Tag) string { return chat.Bold(t.Name) }))
}

// tagIDs finds the tags for a post, each once.
func tagIDs(forum chat.Channel, refs []string) ([]string, error) {
	if err := checkForum(forum); err != nil {
		return nil, err
	}
	ids := []string{} // never null, which Discord ignores
	for _, ref := range refs {
		t, err := findTag(forum, ref)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, t.ID) {
			ids = append(ids, t.ID)
		}
	}
	return ids, nil
}

// StartPost opens a post in a forum and returns it with its first message, which mentions no
// user. Tags are names or IDs; for archiveAfter see StartThread. An attempt with an unclear
// outcome is not retried.
func (c *Client) StartPost(ctx context.Context, forum chat.ChannelID, name, content string, tags []string,
	archiveAfter time.Duration) (chat.Channel, chat.MessageID, error) {
	parent, err := c.channelByID(ctx, forum)
	if err != nil {
		return chat.Channel{}, "", err
	}
	body, err := newPost(parent.Channel, name, content, tags, archiveAfter)
	if err != nil {
		return chat.Channel{}, "", err
	}
	body.Message.Flags = c.previews(ctx, forum)
	var wire struct {
		wireChannel
		Message struct {
			ID chat.MessageID `json:"id"`
		} `json:"message"`
	}
	err = c.rest.Do(ctx, onChannel(http.MethodPost, forum, "/threads").Needing(chat.CreateThreads).WithBody(body), &wire)
	if err != nil {
		return chat.Channel{}, "", err
	}
	post := channelFrom(wire.wireChannel, parent.Guild)
	c.cache.put(post)
	c.own.finished(post.ID, wire.Message.ID)
	return post.Channel, wire.Message.ID, nil
}

// newPost checks a post and returns its body.
func newPost(forum chat.Channel, name, content string, tags []string, archiveAfter time.Duration) (postBody, error) {
	thread, err := newThread("post", name, archiveAfter)
	if err != nil {
		return postBody{}, err
	}
	ids, err := tagIDs(forum, tags)
	if err != nil {
		return postBody{}, err
	}
	if strings.TrimSpace(content) == "" {
		return postBody{}, errors.New("a post needs a text, which becomes its first message")
	}
	if err := checkText(content); err != nil {
		return postBody{}, err
	}
	return postBody{threadBody: thread, Tags: ids, Message: postMessage{Content: content, AllowedMentions: mentionNobody()}}, nil
}
