package discord

import (
	"context"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// Emojis are those that a server made.
func (c *Client) Emojis(ctx context.Context, g chat.GuildID) ([]chat.ServerEmoji, error) {
	var wire []struct {
		ID        string `json:"id"`
		Name      string `json:"name"`
		Animated  bool   `json:"animated"`
		Available bool   `json:"available"`
	}
	err := c.call(ctx, request{
		method:  http.MethodGet,
		route:   "/guilds/{guild}/emojis",
		address: discordgo.EndpointGuildEmojis(string(g)),
		guild:   g,
		needs:   onTheServer,
	}, &wire)
	if err != nil {
		return nil, err
	}
	var list []chat.ServerEmoji
	for _, w := range wire {
		list = append(list, chat.ServerEmoji(w))
	}
	return list, nil
}
