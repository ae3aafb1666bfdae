package discord

import (
	"context"
	"net/http"
	"net/url"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// React adds the bot's reaction to a message.
func (c *Client) React(ctx context.Context, ch chat.ChannelID, id chat.MessageID, e chat.Emoji) error {
	return c.reaction(ctx, http.MethodPut, ch, id, e, chat.AddReactions)
}

// Unreact takes the bot's own reaction away.
func (c *Client) Unreact(ctx context.Context, ch chat.ChannelID, id chat.MessageID, e chat.Emoji) error {
	return c.reaction(ctx, http.MethodDelete, ch, id, e)
}

func (c *Client) reaction(ctx context.Context, method string, ch chat.ChannelID, id chat.MessageID, e chat.Emoji, needs ...chat.Permission) error {
	return c.call(ctx, request{
		method:  method,
		route:   "/channels/{channel}/messages/{message}/reactions/{emoji}/@me",
		address: discordgo.EndpointMessageReaction(string(ch), string(id), url.PathEscape(string(e)), "@me"),
		channel: ch,
		needs:   append([]chat.Permission{chat.ViewChannel, chat.ReadHistory}, needs...),
	}, nil)
}
