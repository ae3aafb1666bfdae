package discord

import "discoclaw/internal/chat"

// UploadLimit returns how many bytes a file may have on a server. Discord allows 10 MiB, 50 from
// boost level 2 on, and 100 from level 3 on; in direct messages 10.
func (c *Client) UploadLimit(g chat.GuildID) int {
	switch boost := c.cache.boost(g); {
	case boost >= 3:
		return 100 << 20
	case boost == 2:
		return 50 << 20
	default:
		return 10 << 20
	}
}
