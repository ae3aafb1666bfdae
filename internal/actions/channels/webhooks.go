package channels

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// A WebhookList shows webhooks.
type WebhookList struct {
	Channel chat.ChannelRef `json:"channelId,omitempty" alias:"channel" doc:"Only those of this channel, name or ID."`
}

func (c *Category) webhookList() *actions.Action {
	return actions.Define(actions.Spec[WebhookList]{
		Name:     "webhookList",
		Rare:     true,
		Summary:  "List the webhooks of this server or of a channel, without their secrets.",
		Effect:   actions.Queries,
		Reads:    actions.Names,
		Needs:    []chat.Permission{chat.ManageWebhooks},
		Examples: []WebhookList{{Channel: "general"}},
		NeedsIn: func(ctx context.Context, call actions.Call, in WebhookList) (chat.ChannelID, error) {
			if in.Channel == "" {
				return "", nil
			}
			ch, err := c.channel(ctx, call, in.Channel)
			return ch.ID, err
		},
		Do: func(ctx context.Context, call actions.Call, in WebhookList) (actions.Result, error) {
			all, err := c.webhooksOf(ctx, call, in.Channel)
			if err != nil {
				return actions.Result{}, err
			}
			seen, err := c.seen(ctx, call)
			if err != nil {
				return actions.Result{}, err
			}
			lines := webhookLines(all, seen)
			found := "No webhooks"
			if len(lines) > 0 {
				found = fmt.Sprintf("Webhooks (%d):\n%s", len(lines), strings.Join(lines, "\n"))
			}
			return actions.Result{Found: found, Summary: actions.Listed("listed", len(lines), "webhook", "webhooks")}, nil
		},
	})
}

func (c *Category) webhooksOf(ctx context.Context, call actions.Call, ref chat.ChannelRef) ([]chat.Webhook, error) {
	g, err := call.Guild()
	if err != nil {
		return nil, err
	}
	if ref == "" {
		return c.server.Webhooks(ctx, g)
	}
	ch, err := c.channel(ctx, call, ref)
	if err != nil {
		return nil, err
	}
	return c.server.ChannelWebhooks(ctx, ch.ID)
}

// webhookLines lists the webhooks of channels that are visible to the requester.
func webhookLines(all []chat.Webhook, seen []chat.Channel) []string {
	var lines []string
	for _, h := range all {
		for _, ch := range seen {
			if ch.ID != h.Channel {
				continue
			}
			line := fmt.Sprintf("%s (id:%s) in %s", chat.Name(h.Name), h.ID, called(ch))
			if by := cmp.Or(h.Creator.Handle, h.Creator.Name); by != "" {
				line += " by " + chat.Name(by)
			}
			switch {
			case h.Follows:
				line += ", brings the news of another server"
			case h.App:
				line += ", of an application"
			}
			lines = append(lines, line)
		}
	}
	return lines
}
