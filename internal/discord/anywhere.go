package discord

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// ChannelAnywhere finds what ref means, for somebody who owns the bot: an ID on any
// server, or else a name on server g. If g is empty the name is looked for on all
// servers, and must be there once: anybody may take the bot to a server of their own
// and give a channel there the same name. While one of the servers is out of order,
// nobody can say that it is.
func (c *Client) ChannelAnywhere(ctx context.Context, g chat.GuildID, ref chat.ChannelRef) (chat.Channel, error) {
	if err := ref.UnmarshalText([]byte(ref)); err != nil {
		return chat.Channel{}, err
	}
	if id, ok := ref.ID(); ok {
		return c.ChannelByID(ctx, id)
	}
	if g != "" {
		return c.Channel(ctx, g, "", ref)
	}
	if err := c.undescribed.wait(ctx, c.undescribed.all()...); err != nil {
		return chat.Channel{}, err
	}
	var found []chat.Channel
	for _, g := range c.cache.servers() {
		found = append(found, c.cache.named(g, string(ref), forMessages, func(channel) bool { return true })...)
	}
	switch unknown := c.cache.unknown(); {
	case unknown > 0:
		return chat.Channel{}, fmt.Errorf("%d of the bot's servers are out of order, so %q may not be the channel that is meant; give its ID, or wait", unknown, chat.Clip(string(ref), 100))
	case len(found) == 0:
		return chat.Channel{}, rest.NotFound("there is no channel %q on any of the bot's servers", chat.Clip(string(ref), 100))
	case len(found) == 1:
		return found[0], nil
	}
	return chat.Channel{}, fmt.Errorf("%d channels are called %q; give one of their IDs instead: %s", len(found), string(ref), ids(found))
}

// servers are those of which anything is known.
func (c *cache) servers() []chat.GuildID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Sorted(maps.Keys(c.guilds))
}

// GuildPending says whether the bot is on a server about which Discord has told nothing yet,
// because it is out of order. A server of a resumed session is not: it is described as soon as anybody asks.
func (c *Client) GuildPending(g chat.GuildID) bool { return c.cache.awaits(g) && !c.undescribed.has(g) }

func (c *cache) awaits(g chat.GuildID) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.absent[g]
}

// unknown is how many of the bot's servers Discord has told nothing about.
func (c *cache) unknown() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.absent)
}
