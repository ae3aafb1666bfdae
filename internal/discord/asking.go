package discord

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// onTheServer is what it takes to look at a server as a whole. Being there is enough;
// a bot that is refused nevertheless sees nothing of it.
var onTheServer = []chat.Permission{chat.ViewChannel}

// fetchAll calls for a list and reads all that is on it.
func fetchAll[Wire, Thing any](ctx context.Context, c *Client, q rest.Request, read func(Wire) Thing) ([]Thing, error) {
	var wire []Wire
	if err := c.rest.Do(ctx, q, &wire); err != nil {
		return nil, err
	}
	var all []Thing
	for _, w := range wire {
		all = append(all, read(w))
	}
	return all, nil
}

// Counting returns a context, and how many requests have been sent with it so far,
// those that were repeated included.
func (c *Client) Counting(ctx context.Context) (context.Context, func() int) {
	return rest.Counting(ctx)
}

// Now is the time on Discord, as far as it has told. It has by the time that Run has
// logged in, and tells again with every answer.
func (c *Client) Now() time.Time { return c.rest.Now() }

// An Error says in one sentence what Discord did not do, why, and what helps.
type Error = rest.Error

// What callers tell apart with errors.Is.
var (
	ErrNotFound = rest.ErrNotFound
	ErrArchived = rest.ErrArchived
)

// unknownServer is the error for a server that the cache does not have. It may have it
// in a while: a server with an outage is described when that is over.
func unknownServer(g chat.GuildID) error {
	return rest.Refused(0, fmt.Sprintf("the bot knows nothing about server %s; invite it there, or wait until Discord has described it", g))
}
