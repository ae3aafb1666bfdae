package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// maxDeletionAge is how far back a ban can delete messages.
const maxDeletionAge = 7 * 24 * time.Hour

type banBody struct {
	Seconds int `json:"delete_message_seconds,omitempty"`
}

// Ban bans a user from the server, whether or not they are a member, and deletes their messages of
// some time back, a week at most.
func (c *Client) Ban(ctx context.Context, g chat.GuildID, u chat.UserID, deleted time.Duration, why string) error {
	if deleted < 0 || deleted > maxDeletionAge {
		return fmt.Errorf("a ban cannot delete the messages of %v; Discord takes up to 7 days", deleted)
	}
	return c.callAbout(ctx, u, why, banRequest(http.MethodPut, g, u).WithBody(banBody{Seconds: int(deleted / time.Second)}))
}

// Banned fetches a banned user. For others the error is ErrNotFound.
func (c *Client) Banned(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.User, error) {
	wire, err := fetch[wireBan](ctx, c, banRequest(http.MethodGet, g, u))
	if err == nil && wire.User == nil {
		err = errors.New("who is banned is missing from Discord's answer; try again")
	}
	if err != nil {
		return chat.User{}, err
	}
	return userFrom(*wire.User, nil), nil
}

// Unban lifts a ban.
func (c *Client) Unban(ctx context.Context, g chat.GuildID, u chat.UserID, why string) error {
	q := banRequest(http.MethodDelete, g, u)
	q.Body, q.Reason = struct{}{}, why // Discord's description of it wants a body
	return c.rest.Do(ctx, q, nil)
}

func banRequest(method string, g chat.GuildID, u chat.UserID) rest.Request {
	return onServer(method, g, "/bans/{user}", string(u)).Needing(chat.BanMembers)
}
