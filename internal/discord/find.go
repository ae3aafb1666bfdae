package discord

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// maxPages is how far a search for the bot's own messages goes. It bounds what a busy
// channel costs.
const maxPages = 20

// FindOwn finds the bot's messages in a channel that were written after a time and look
// like m: the same text and buttons, and as many files. Those that are still being
// written are among them. The oldest come first.
func (c *Client) FindOwn(ctx context.Context, ch chat.ChannelID, after time.Time, m chat.Outgoing) ([]chat.MessageID, error) {
	var found []chat.MessageID
	self, from := c.Self().ID, snowflakeAt(after)
	if self == "" {
		return nil, errors.New("the bot does not know yet which messages are its own; wait until it has logged in")
	}
	for range maxPages {
		page, err := c.page(ctx, ch, url.Values{"limit": {strconv.Itoa(maxMessages)}, "after": {from}})
		if err != nil {
			return nil, err
		}
		for _, w := range slices.Backward(page) {
			if w.Author != nil && chat.UserID(w.Author.ID) == self && w.looksLike(m) {
				found = append(found, chat.MessageID(w.ID))
			}
		}
		if len(page) < maxMessages {
			break
		}
		from = page[0].ID
	}
	return found, nil
}

// looksLike says whether the message could be m. Discord cuts space off around a text.
func (w wireMessage) looksLike(m chat.Outgoing) bool {
	same := func(have button, want chat.Button) bool { return have.ID == want.ID }
	return strings.TrimSpace(w.Content) == strings.TrimSpace(m.Text) &&
		len(w.Attachments) == len(m.Files) && slices.EqualFunc(w.buttons(), m.Buttons, same)
}

// epoch is when Discord's IDs begin, in milliseconds since 1970.
// https://discord.com/developers/docs/reference#snowflakes
const epoch = 1420070400000

// snowflakeAt is the lowest ID of a time.
func snowflakeAt(t time.Time) string {
	return strconv.FormatInt(max(t.UnixMilli()-epoch, 0)<<22, 10)
}
