package discord

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// MissingPermissions returns the needed permissions that a member lacks in a channel, or on the
// whole server if ch is empty. If they cannot be looked up, for instance because the user is
// not a member, it returns an error, and nothing should be done on their behalf.
func (c *Client) MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
	needs []chat.Permission) ([]chat.Permission, error) {
	if err := c.untilNow(ctx, g); err != nil {
		return nil, err
	}
	var in *channel
	if ch != "" {
		found, err := c.channelOf(ctx, g, ch)
		if err != nil {
			return nil, err
		}
		in = &found
	}
	m, err := c.member(ctx, g, u)
	if err != nil {
		return nil, err
	}
	have, known := c.cache.rights(g, u, m, in)
	if !known {
		return nil, unknownServer(g)
	}
	if in == nil {
		return lacking(have, "", needs), nil
	}
	if in.Private && have&discordgo.PermissionManageThreads == 0 {
		inside, err := c.inThread(ctx, ch, u)
		if err != nil {
			return nil, err
		}
		if !inside {
			return slices.Clone(needs), nil
		}
	}
	return lacking(have, in.Kind, needs), nil
}

// KnownToLack reports whether a user is known to lack a permission in a place. It sends no request,
// so it is for decisions in which a wrong answer does no harm.
func (c *Client) KnownToLack(at chat.Place, u chat.UserID, p chat.Permission) bool {
	in, found := c.cache.channel(at.Channel)
	m, met := c.members.guess(memberKey{at.Guild, u})
	if !found || !met {
		return false
	}
	have, known := c.cache.rights(at.Guild, u, m, &in)
	return known && len(lacking(have, in.Kind, []chat.Permission{p})) > 0
}

// rights returns a member's permissions, if the server is known.
func (c *cache) rights(id chat.GuildID, who chat.UserID, m chat.Member, in *channel) (have int64, known bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g := c.guilds[id]
	if g == nil {
		return 0, false
	}
	return g.rights(id, who, m, in, c.now()), true
}

// member returns a member from the cache, or fetches them: in a round of actions once in any case.
func (c *Client) member(ctx context.Context, g chat.GuildID, u chat.UserID) (chat.Member, error) {
	key := memberKey{g, u}
	if m, ok := c.members.get(key); ok && !chat.FirstLook(ctx, g, u) {
		return m, nil
	}
	if !chat.IsID(string(u)) {
		return chat.Member{}, rest.NotFound("%q is not a user's ID (15 to 20 digits)", chat.Clip(string(u), 40))
	}
	wire, err := fetch[wireMember](ctx, c, onServer(http.MethodGet, g, "/members/{user}", string(u)).Needing(onTheServer))
	if errors.Is(err, ErrNotFound) {
		return chat.Member{}, rest.NotFound("<@%s> is not a member of this server", u)
	}
	if err != nil {
		return chat.Member{}, err
	}
	m := memberFrom(wire)
	c.members.put(key, m, false)
	return m, nil
}

// inThread reports whether a user is in a private thread.
func (c *Client) inThread(ctx context.Context, thread chat.ChannelID, u chat.UserID) (bool, error) {
	err := c.rest.Do(ctx, onChannel(http.MethodGet, thread, "/thread-members/{user}", string(u)), nil)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
