package discord

import (
	"context"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// onTheServer is needed to read a server as a whole. Being a member is enough; a bot that is
// refused nevertheless sees nothing of it.
var onTheServer = []chat.Permission{chat.ViewChannel}

// fetchAll fetches a list and converts its elements.
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

// Counting returns a context, and a function that counts the requests sent with it so far,
// retries included.
func (c *Client) Counting(ctx context.Context) (context.Context, func() int) {
	return rest.Counting(ctx)
}

// Sparing returns a context for another try of work that Discord did not answer: the first request that is not answered either
// is the last. See [rest.Sparing].
func (c *Client) Sparing(ctx context.Context) context.Context { return rest.Sparing(ctx) }

// Succeeded returns how many requests Discord has certainly carried out, and how many of them have posted a message.
func (c *Client) Succeeded() (all, posts int) { return c.rest.Succeeded() }

// Now returns Discord's time, as of its latest response. Run has had one by the time it has
// logged in.
func (c *Client) Now() time.Time { return c.rest.Now() }

// Paused returns the latest time in which Discord took no requests of the bot at all. It is zero if there was none.
func (c *Client) Paused() rest.Pause { return c.rest.Paused() }

// An Error says in one sentence what Discord did not do, why, and what helps.
type Error = rest.Error

// Kinds of errors, for errors.Is.
var (
	ErrNotFound = rest.ErrNotFound
	ErrArchived = rest.ErrArchived
)

// unknownServer returns the error for a server that is not in the cache. It may be later: a server with
// an outage is described when that is over.
func unknownServer(g chat.GuildID) error {
	return rest.Refused(0, fmt.Sprintf("I know nothing about server %s; invite me there, or wait until Discord has described it", g))
}
