package discord

import (
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/chat"
)

// TakeName makes name the bot's nickname on every server on which it has another. An error on one
// server does not keep it from the next.
func (c *Client) TakeName(ctx context.Context, name string) error {
	if err := c.undescribed.wait(ctx, c.undescribed.all()...); err != nil {
		return err
	}
	var failed []error
	for _, g := range c.cache.knownOtherwise(name) {
		if err := c.SetNickname(ctx, g, c.Self().ID, name, "its name was set in DISCOCLAW_BOT_NAME"); err != nil {
			failed = append(failed, fmt.Errorf("on server %s: %w", g, err))
		}
	}
	return errors.Join(failed...)
}

// knownOtherwise returns the servers on which the bot has another name.
func (c *cache) knownOtherwise(name string) []chat.GuildID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var list []chat.GuildID
	for id, g := range c.guilds {
		if g.bot != nil && g.bot.Name != name {
			list = append(list, id)
		}
	}
	return list
}
