package discord

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// maxPages bounds a search for the bot's own messages in a busy channel.
const maxPages = 20

// FindOwn returns the bot's messages in a channel that were written after a time and look like
// m: the same text and buttons, and as many files. Placeholders are among them. The oldest
// come first.
func (c *Client) FindOwn(ctx context.Context, ch chat.ChannelID, after time.Time, m chat.Outgoing) ([]chat.MessageID, error) {
	var found []chat.MessageID
	self, from := c.Self().ID, snowflakeAt(after)
	if self == "" {
		return nil, errors.New("the bot does not know yet which messages are its own; wait until it has logged in")
	}
	for range maxPages {
		page, err := c.page(ctx, ch, pageOf(maxMessages, "after", from))
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

// looksLike reports whether the message could be m. Discord trims the text.
func (w wireMessage) looksLike(m chat.Outgoing) bool {
	same := func(have button, want chat.Button) bool { return have.ID == want.ID }
	return strings.TrimSpace(w.Content) == strings.TrimSpace(m.Text) &&
		len(w.Attachments) == len(m.Files) && slices.EqualFunc(w.buttons(), m.Buttons, same)
}

// epoch is the epoch of Discord's IDs, in milliseconds since 1970.
// https://discord.com/developers/docs/reference#snowflakes
const epoch = 1420070400000

// snowflakeAt returns the lowest ID of a time.
func snowflakeAt(t time.Time) string {
	return strconv.FormatInt(max(t.UnixMilli()-epoch, 0)<<22, 10)
}
