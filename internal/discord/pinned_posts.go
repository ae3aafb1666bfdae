package discord

import (
	"context"
	"errors"
	"fmt"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

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
