package discord

import (
	"context"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// wireWebhook leaves out the token and the address, with which any program can post on the server.
// A field that is not read cannot be leaked.
type wireWebhook struct {
	ID      string                `json:"id"`
	Type    discordgo.WebhookType `json:"type"`
	Name    string                `json:"name" wire:"optional"`
	Channel string                `json:"channel_id"`
	User    *wireUser             `json:"user" wire:"optional"`
	App     string                `json:"application_id" wire:"optional"`
}

func (w wireWebhook) webhook() chat.Webhook {
	h := chat.Webhook{
		ID: w.ID, Name: w.Name, Channel: chat.ChannelID(w.Channel),
		Follows: w.Type == discordgo.WebhookTypeChannelFollower, App: w.App != "",
	}
	if w.User != nil {
		h.Creator = userFrom(*w.User, nil)
	}
	return h
}

// Webhooks fetches the webhooks of a server.
func (c *Client) Webhooks(ctx context.Context, g chat.GuildID) ([]chat.Webhook, error) {
	return fetchAll(ctx, c, onServer(http.MethodGet, g, "/webhooks").Needing(chat.ManageWebhooks), wireWebhook.webhook)
}

// ChannelWebhooks fetches the webhooks of one channel.
func (c *Client) ChannelWebhooks(ctx context.Context, ch chat.ChannelID) ([]chat.Webhook, error) {
	return fetchAll(ctx, c, onChannel(http.MethodGet, ch, "/webhooks").Needing(chat.ManageWebhooks), wireWebhook.webhook)
}
