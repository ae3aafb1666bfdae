package fakediscord

import (
	"fmt"
	"slices"

	"discoclaw/internal/chat"
)

// A Webhook lets a program write in a channel.
type Webhook struct {
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Channel chat.ChannelID `json:"channel"`
	Creator chat.UserID    `json:"creator"`
	Token   string         `json:"token"` // the only credential that it needs
}

// AddWebhook makes a webhook of a member, whatever their rights.
func (w *World) AddWebhook(by, channel, name string) (Webhook, error) {
	var made Webhook
	err := w.change(func() error {
		who, c := w.member(by), w.channel(channel)
		switch {
		case who == nil:
			return fmt.Errorf("there is no member %s", by)
		case c == nil || c.Type.IsThread() || c.Type == CategoryChannel || c.Type == DMChannel:
			return fmt.Errorf("%s cannot have webhooks", channel)
		}
		h := &Webhook{ID: w.newID(), Name: name, Channel: c.ID, Creator: who.ID}
		h.Token = "fake-webhook-token-" + h.ID
		w.webhooks = append(w.webhooks, h)
		w.audit(w.guild(c.Guild), auditWebhookCreate, who.ID, h.ID, "", of(AuditChange{Key: "name", New: name}, c.ID)...)
		w.emit("WEBHOOKS_UPDATE", intentWebhooks, c, object{"guild_id": c.Guild, "channel_id": c.ID})
		made = *h
		return nil
	})
	return made, err
}

// closeChannel removes the invites, webhooks and events of a deleted channel.
func (w *World) closeChannel(id chat.ChannelID) {
	w.webhooks = slices.DeleteFunc(w.webhooks, func(h *Webhook) bool { return h.Channel == id })
	w.invites = slices.DeleteFunc(w.invites, func(i *Invite) bool { return i.Channel == id })
	for _, e := range w.allScheduled() {
		if e.Channel == id {
			w.unschedule(e)
		}
	}
}

func (w *World) webhookJSON(h *Webhook) object {
	return object{
		"id": h.ID, "type": 1, "name": h.Name, "channel_id": h.Channel, "guild_id": w.channels[h.Channel].Guild, "avatar": nil, "application_id": nil,
		"user": w.userJSON(w.user(h.Creator)), "token": h.Token, "url": w.base + "/api/webhooks/" + h.ID + "/" + h.Token,
	}
}

func listGuildWebhooks(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	if !c.guildPermissions(c.bot).Has(manageWebhooks) {
		return answer{}, errMissingPermissions
	}
	return ok(c.webhooksOf(func(ch *Channel) bool { return ch.Guild == c.ID }))
}

func listChannelWebhooks(c *call) (answer, error) {
	ch, may, err := c.place()
	switch {
	case err != nil:
		return answer{}, err
	case !may.Has(manageWebhooks):
		return answer{}, errMissingPermissions
	}
	return ok(c.webhooksOf(func(of *Channel) bool { return of == ch }))
}

// webhooksOf are the webhooks of some channels.
func (w *World) webhooksOf(meant func(*Channel) bool) []object {
	out := []object{}
	for _, h := range w.webhooks {
		if meant(w.channels[h.Channel]) {
			out = append(out, w.webhookJSON(h))
		}
	}
	return out
}
