package discord

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
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
	return c.rest.Do(ctx, rest.Request{
		Method:  method,
		Route:   "/channels/{channel}/messages/pins/{message}",
		Address: discordgo.EndpointChannelMessagePin(string(ch), string(id)),
		Channel: ch,
		Needs:   []chat.Permission{chat.ViewChannel, chat.PinMessages},
	}, nil)
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
	query := url.Values{"limit": {strconv.Itoa(maxPins)}}
	if before != "" {
		query.Set("before", before)
	}
	var page pinPage
	q := rest.Request{
		Method:  http.MethodGet,
		Address: discordgo.EndpointChannelMessagesPins(string(ch)),
		Query:   query,
		Route:   "/channels/{channel}/messages/pins",
		Channel: ch,
		Needs:   []chat.Permission{chat.ViewChannel, chat.ReadHistory},
	}
	if err := c.rest.Do(ctx, q, &page); err != nil || len(page.Items) > 0 {
		return page, err
	}
	return page, c.blindness(q)
}
