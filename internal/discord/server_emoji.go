package discord

import (
	"context"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

type wireEmoji struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Animated  bool   `json:"animated"`
	Available bool   `json:"available"`
}

// Emojis fetches a server's own emoji.
func (c *Client) Emojis(ctx context.Context, g chat.GuildID) ([]chat.ServerEmoji, error) {
	return fetchAll(ctx, c, rest.Request{
		Method:  http.MethodGet,
		Route:   "/guilds/{guild}/emojis",
		Address: discordgo.EndpointGuildEmojis(string(g)),
		Guild:   g,
		Needs:   onTheServer,
	}, func(w wireEmoji) chat.ServerEmoji { return chat.ServerEmoji(w) })
}
