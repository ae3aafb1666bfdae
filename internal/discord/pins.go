package discord

import (
	"context"
	"net/http"

	"discoclaw/internal/chat"
)

// Pin pins a message in its channel.
func (c *Client) Pin(ctx context.Context, ch chat.ChannelID, id chat.MessageID) error {
	return c.pin(ctx, http.MethodPut, ch, id)
}

// Unpin unpins a message.
func (c *Client) Unpin(ctx context.Context, ch chat.ChannelID, id chat.MessageID) error {
	return c.pin(ctx, http.MethodDelete, ch, id)
}

func (c *Client) pin(ctx context.Context, method string, ch chat.ChannelID, id chat.MessageID) error {
	return c.rest.Do(ctx, onChannel(method, ch, "/messages/pins/{message}", string(id)).Needing(chat.PinMessages), nil)
}

// Pins fetches all pinned messages of a channel, the one pinned last first.
func (c *Client) Pins(ctx context.Context, ch chat.ChannelID) ([]chat.Message, error) {
	place, err := c.placeOf(ctx, ch)
	if err != nil {
		return nil, err
	}
	var pins []chat.Message
	for before := ""; ; {
		page, err := c.pinsBefore(ctx, ch, before)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			pins = append(pins, item.Message.message(place))
		}
		if !page.More || len(page.Items) == 0 {
			return pins, nil
		}
		before = page.Items[len(page.Items)-1].At
	}
}

type pinPage struct {
	Items []struct {
		At      string      `json:"pinned_at"`
		Message wireMessage `json:"message"`
	} `json:"items"`
	More bool `json:"has_more"`
}

func (c *Client) pinsBefore(ctx context.Context, ch chat.ChannelID, before string) (pinPage, error) {
	q := onChannel(http.MethodGet, ch, "/messages/pins").Needing(chat.ReadHistory).WithQuery(pageOf(maxPins, "before", before))
	page, err := fetch[pinPage](ctx, c, q)
	if err == nil && len(page.Items) == 0 {
		err = c.blindness(q)
	}
	return page, err
}
