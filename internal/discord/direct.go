package discord

import (
	"context"
	"net/http"

	"discoclaw/internal/chat"
)

type directBody struct {
	Recipient chat.UserID `json:"recipient_id"`
}

// OpenDirect opens the direct messages with a user, and returns their place with the latest message, which is empty if
// there is none. The user does not notice. Discord returns the same channel each time, but may refuse a bot that opens many in a
// short time.
// https://discord.com/developers/docs/resources/user#create-dm
func (c *Client) OpenDirect(ctx context.Context, u chat.UserID) (chat.Place, error) {
	var opened struct {
		ID   chat.ChannelID `json:"id"`
		Last chat.MessageID `json:"last_message_id"`
	}
	q := request(http.MethodPost, "/users/@me/channels").WithBody(directBody{u})
	q.Unique = true
	err := c.rest.Do(ctx, q, &opened)
	return chat.Place{Channel: opened.ID, Message: opened.Last}, err
}
