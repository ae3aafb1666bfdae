package discord

import (
	"context"
	"net/http"

	"discoclaw/internal/chat"
)

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
