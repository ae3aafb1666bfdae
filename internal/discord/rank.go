package discord

import (
	"context"
	"errors"

	"discoclaw/internal/chat"
)

// Outranks is not known yet: the one who adds roles to the cache replaces this file.
func (c *Client) Outranks(context.Context, chat.GuildID, chat.UserID, chat.UserID, chat.RoleID) (bool, error) {
	return false, errors.New("roles are not compared yet")
}
