package discord

import (
	"context"
	"net/http"

	"discoclaw/internal/chat"
)

type wireEmoji struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Animated  bool   `json:"animated"`
	Available bool   `json:"available"`
}

// Emojis fetches a server's own emoji.
func (c *Client) Emojis(ctx context.Context, g chat.GuildID) ([]chat.ServerEmoji, error) {
	q := onServer(http.MethodGet, g, "/emojis").Needing(onTheServer)
	return fetchAll(ctx, c, q, func(w wireEmoji) chat.ServerEmoji { return chat.ServerEmoji(w) })
}
