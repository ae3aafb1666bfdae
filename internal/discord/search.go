package discord

import (
	"context"

	"discoclaw/internal/chat"
)

// HistoryPage fetches 100 messages of a channel, newest first: the latest, or those before a
// message. next is the start of the next page, or empty if there is none. Placeholders are left
// out.
func (c *Client) HistoryPage(ctx context.Context, ch chat.ChannelID, before chat.MessageID) (page []chat.Message, next chat.MessageID, err error) {
	place, err := c.placeOf(ctx, ch)
	if err != nil {
		return nil, "", err
	}
	wire, err := c.history(ctx, ch, "before", before, maxMessages)
	if err != nil {
		return nil, "", err
	}
	for _, w := range wire {
		if !w.hasStop() {
			page = append(page, w.message(place))
		}
	}
	if len(wire) == maxMessages {
		next = chat.MessageID(wire[len(wire)-1].ID)
	}
	return page, next, nil
}
