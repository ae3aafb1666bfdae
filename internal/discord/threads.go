package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// maxNameLength is how long the name of a channel or thread may be, in UTF-16 units.
const maxNameLength = 100

type threadBody struct {
	Name         string                `json:"name"`
	ArchiveAfter int                   `json:"auto_archive_duration,omitempty"` // minutes
	Type         discordgo.ChannelType `json:"type,omitempty"`                  // not for a thread on a message
}

// StartThread opens a public thread in a channel, on the message from unless that is empty.
// Discord archives it when nothing was written for archiveAfter, which is an hour or one,
// three or seven days, or 0 for the channel's own setting. An attempt with an unclear outcome
// is not retried.
func (c *Client) StartThread(ctx context.Context, ch chat.ChannelID, from chat.MessageID, name string,
	archiveAfter time.Duration) (chat.Channel, error) {
	parent, err := c.channelByID(ctx, ch)
	if err != nil {
		return chat.Channel{}, err
	}
	kind := discordgo.ChannelTypeGuildPublicThread
	switch parent.Kind {
	case chat.TextChannel:
	case chat.Announcements:
		kind = discordgo.ChannelTypeGuildNewsThread
	default:
		return chat.Channel{}, fmt.Errorf("%s; threads can be started in text and announcement channels", nature(parent.Channel))
	}
	q := onChannel(http.MethodPost, ch, "/threads")
	if from != "" {
		kind = 0 // follows from the message's channel
		q = onChannel(http.MethodPost, ch, "/messages/{message}/threads", string(from))
	}
	return c.startThread(ctx, parent.Guild, q.Needing(chat.CreateThreads), kind, name, archiveAfter)
}

func (c *Client) startThread(ctx context.Context, g chat.GuildID, q rest.Request, kind discordgo.ChannelType, name string,
	archiveAfter time.Duration) (chat.Channel, error) {
	body, err := newThread("thread", name, archiveAfter)
	if err != nil {
		return chat.Channel{}, err
	}
	body.Type = kind
	thread, err := c.sendChannel(ctx, g, q.WithBody(body))
	return thread.Channel, err
}

// StartPrivateThread opens a private thread in a text channel, with the bot as its only member. For archiveAfter see
// StartThread. An attempt with an unclear outcome is not retried.
func (c *Client) StartPrivateThread(ctx context.Context, ch chat.ChannelID, name string, archiveAfter time.Duration) (chat.Channel, error) {
	parent, err := c.channelByID(ctx, ch)
	switch {
	case err != nil:
		return chat.Channel{}, err
	case parent.Kind != chat.TextChannel:
		return chat.Channel{}, fmt.Errorf("%s; private threads can be started in text channels", nature(parent.Channel))
	}
	q := onChannel(http.MethodPost, ch, "/threads").Needing(chat.CreatePrivateThreads)
	return c.startThread(ctx, parent.Guild, q, discordgo.ChannelTypeGuildPrivateThread, name, archiveAfter)
}

// AddToThread makes a user a member of a thread. It is idempotent.
func (c *Client) AddToThread(ctx context.Context, thread chat.ChannelID, u chat.UserID) error {
	return c.rest.Do(ctx, onChannel(http.MethodPut, thread, "/thread-members/{user}", string(u)).Needing(chat.SendMessages), nil)
}

// newThread checks a thread or a post and returns its body.
func newThread(what, name string, archiveAfter time.Duration) (threadBody, error) {
	name, err := checkName(what, name)
	return threadBody{Name: name, ArchiveAfter: int(archiveAfter / time.Minute)}, err
}

// checkName trims a name, and refuses one that Discord would.
func checkName(what, name string) (string, error) {
	name = strings.TrimSpace(name)
	switch n := chat.Length(name); {
	case n == 0:
		return "", fmt.Errorf("a %s needs a name", what)
	case n > maxNameLength:
		return "", fmt.Errorf("the name has %d characters, and Discord takes %d at most; shorten it", n, maxNameLength)
	}
	return name, nil
}

// JoinThread makes the bot a member of a thread, so that people see it there. It gets the events of
// public threads without that. It is idempotent; a private thread cannot be joined without
// an invitation.
func (c *Client) JoinThread(ctx context.Context, thread chat.ChannelID) error {
	if ch, known := c.cache.channel(thread); known && ch.joined {
		return nil
	}
	err := c.rest.Do(ctx, onChannel(http.MethodPut, thread, "/thread-members/@me"), nil)
	if err == nil {
		c.cache.join(thread)
	}
	return err
}

// OpenedThread reports whether the bot is known to have opened a thread of a text channel. Posts of forums do not count: they
// are tasks, jobs and notices, in which people talk to each other. It does not ask Discord.
func (c *Client) OpenedThread(thread chat.ChannelID) bool {
	ch, known := c.cache.channel(thread)
	if !known || ch.Owner != c.Self().ID {
		return false
	}
	parent, known := c.cache.channel(ch.Parent)
	return known && !parent.Kind.HasPosts()
}

// join records in the cache that the bot is a member of a thread.
func (c *cache) join(thread chat.ChannelID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.guilds {
		if ch, ok := g.channels[thread]; ok {
			ch.joined = true
			g.channels[thread] = ch
		}
	}
}

// wireThreadMember is the bot's own membership of a thread.
type wireThreadMember struct {
	Thread chat.ChannelID `json:"id"`
}

func (l *listener) threadJoined(w wireThreadMember) error {
	l.cache.join(w.Thread)
	return nil
}

// threadOpened passes a new thread on. The bot is a member of its own already.
func (l *listener) threadOpened(ctx context.Context, w wireChannel) error {
	if err := l.channelChanged(w, true); err != nil {
		return err
	}
	if chat.UserID(w.Owner) == l.Self().ID {
		l.cache.join(chat.ChannelID(w.ID))
		l.handler.ThreadChanged(channelFrom(w, chat.GuildID(w.Guild)).Channel)
		return nil
	}
	l.handler.ThreadCreated(ctx, channelFrom(w, chat.GuildID(w.Guild)).Channel)
	return nil
}

// SetPinned pins a post to the top of its forum, or unpins it. Discord allows one pinned post in each forum: another one is
// unpinned for the new one, and returned as replaced. An archived post is opened to be pinned and stays open, because
// archiving it would unpin it.
func (c *Client) SetPinned(ctx context.Context, id chat.ChannelID, pinned bool) (replaced chat.ChannelID, err error) {
	post, err := c.postByID(ctx, id)
	if err != nil {
		return "", err
	}
	err = c.patchPinned(ctx, post, pinned)
	refused := (*Error)(nil)
	switch {
	case !pinned && errors.Is(err, ErrArchived):
		return "", nil // no post is pinned in the archive
	case !errors.As(err, &refused) || refused.Code != discordgo.ErrCodeMaximumNumberOfPinnedThreadsInForumChannelHasBeenReached:
		return "", err
	}
	other, found := c.pinnedPost(ctx, post)
	if !found {
		return "", err
	}
	if err := c.patchPinned(ctx, other, false); err != nil {
		return "", err
	}
	if err := c.patchPinned(ctx, post, true); err != nil {
		return "", fmt.Errorf("%s is no longer pinned, and pinning %s did not work: %w", other.ID.Mention(), post.ID.Mention(), err)
	}
	return other.ID, nil
}

// postByID finds a post of a forum.
func (c *Client) postByID(ctx context.Context, id chat.ChannelID) (channel, error) {
	errNoPost := fmt.Errorf("%s is not a post of a forum, and only posts can be pinned to the top", id.Mention())
	post, err := c.channelByID(ctx, id)
	switch {
	case err != nil:
		return channel{}, err
	case post.Kind != chat.Thread:
		return channel{}, errNoPost
	}
	forum, err := c.channelByID(ctx, post.Parent)
	if err == nil && !forum.Kind.HasPosts() {
		err = errNoPost
	}
	return post, err
}

// pinnedPost finds the post that is pinned in the forum of another post. Pinned posts are never archived.
func (c *Client) pinnedPost(ctx context.Context, post channel) (channel, bool) {
	active, err := c.ActiveThreads(ctx, post.Guild) // the cache may be behind
	if err != nil {
		return channel{}, false
	}
	for _, other := range active {
		if other.Parent == post.Parent && other.Pinned && other.ID != post.ID {
			return c.cache.channel(other.ID)
		}
	}
	return channel{}, false
}

// patchPinned changes whether a post is pinned, and none of its other flags.
func (c *Client) patchPinned(ctx context.Context, post channel, pinned bool) error {
	flags := post.flags &^ discordgo.ChannelFlagPinned
	if pinned {
		flags |= discordgo.ChannelFlagPinned
	}
	_, err := c.patchThread(ctx, post, editThreadBody{Flags: &flags}, pinned)
	return err
}
