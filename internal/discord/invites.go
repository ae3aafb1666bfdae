package discord

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

type inviteBody struct {
	MaxAge    int  `json:"max_age"` // seconds
	MaxUses   int  `json:"max_uses"`
	Temporary bool `json:"temporary"`
	Unique    bool `json:"unique"`
}

// wireInvite has those parts of an invite that are used.
type wireInvite struct {
	Code    string    `json:"code"`
	Inviter *wireUser `json:"inviter" wire:"optional"`
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	Uses      int        `json:"uses" wire:"optional"`
	MaxUses   int        `json:"max_uses" wire:"optional"`
	Expires   *time.Time `json:"expires_at" wire:"optional"`
	Temporary bool       `json:"temporary" wire:"optional"`
}

func (w wireInvite) invite() chat.Invite {
	i := chat.Invite{Code: w.Code, Channel: chat.ChannelID(w.Channel.ID), Uses: w.Uses, MaxUses: w.MaxUses, Temporary: w.Temporary}
	if w.Inviter != nil {
		i.Inviter = userFrom(*w.Inviter, nil)
	}
	if w.Expires != nil {
		i.Expires = w.Expires.UTC()
	}
	return i
}

// CreateInvite makes an invite to a channel, or returns the bot's own that is just like it. An
// attempt with an unclear outcome is not retried.
func (c *Client) CreateInvite(ctx context.Context, ch chat.ChannelID, n chat.NewInvite) (chat.Invite, error) {
	body := inviteBody{MaxAge: int(n.MaxAge / time.Second), MaxUses: n.MaxUses, Temporary: n.Temporary, Unique: n.Unique}
	wire, err := fetch[wireInvite](ctx, c, onChannel(http.MethodPost, ch, "/invites").Needing(chat.CreateInvite).WithBody(body))
	i := wire.invite()
	i.Channel = cmp.Or(i.Channel, ch)
	return i, err
}

// Invites returns the valid invites to a server.
func (c *Client) Invites(ctx context.Context, g chat.GuildID) ([]chat.Invite, error) {
	return fetchAll(ctx, c, onServer(http.MethodGet, g, "/invites").Needing(chat.ManageServer), wireInvite.invite)
}

// ChannelInvites returns the valid invites to a channel.
func (c *Client) ChannelInvites(ctx context.Context, ch chat.ChannelID) ([]chat.Invite, error) {
	return fetchAll(ctx, c, onChannel(http.MethodGet, ch, "/invites").Needing(chat.ManageChannels), wireInvite.invite)
}

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
