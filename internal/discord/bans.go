package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

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
	q := banRequest(http.MethodPut, g, u)
	q.Body, q.Reason = banBody{Seconds: int(deleted / time.Second)}, why
	return c.callAbout(ctx, u, q)
}

// Banned fetches a banned user. For others the error is ErrNotFound.
func (c *Client) Banned(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.User, error) {
	var wire wireBan
	err := c.rest.Do(ctx, banRequest(http.MethodGet, g, u), &wire)
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
	return rest.Request{
		Method:  method,
		Route:   "/guilds/{guild}/bans/{user}",
		Address: discordgo.EndpointGuildBan(string(g), string(u)),
		Guild:   g,
		Needs:   []chat.Permission{chat.BanMembers},
	}
}
