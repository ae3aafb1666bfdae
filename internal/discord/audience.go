package discord

import (
	"context"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// Readable reports whether everybody who may see the channel here may read the messages of source as
// well. The roles of members are not known, so it goes by every combination of roles that somebody
// could have: if one of them sees here and cannot read source, it is not readable.
func (c *Client) Readable(ctx context.Context, g chat.GuildID, here, source chat.ChannelID) (bool, error) {
	if err := c.untilNow(ctx, g); err != nil {
		return false, err
	}
	in, err := c.channelOf(ctx, g, here)
	if err != nil {
		return false, err
	}
	from, err := c.channelOf(ctx, g, source)
	if err != nil {
		return false, err
	}
	if from.Private && source != here {
		return false, nil // its members would take a request, and so would those of a private thread here
	}
	c.cache.mu.RLock()
	defer c.cache.mu.RUnlock()
	if known := c.cache.guilds[g]; known != nil {
		return known.readable(g, c.cache.self.ID, in, from), nil
	}
	return false, unknownServer(g)
}

// Public reports whether every member of a server may read what is said in a place. It sends no request; of what is
// unknown it is not known, so that is not public.
func (c *Client) Public(at chat.Place) bool {
	c.cache.mu.RLock()
	defer c.cache.mu.RUnlock()
	known := c.cache.guilds[at.Guild]
	ch, found := c.cache.find(at.Channel)
	if known == nil || !found || ch.Private || known.ruling(ch).Name == "" || known.ruling(ch).adults {
		return false
	}
	everyone := chat.Member{Roles: []chat.RoleID{chat.RoleID(at.Guild)}}
	return known.rights(at.Guild, "", everyone, &ch, time.Time{})&toRead == toRead
}

// readable looks for somebody who sees here and cannot read source: any member, or one whom an
// overwrite names. It takes one role at most to see here, and one at most not to read source; further
// ones cannot help with either. So pairs of roles are enough.
func (g *guild) readable(id chat.GuildID, self chat.UserID, here, source channel) bool {
	if g.ruling(here).Name == "" {
		return false // unknown, or hidden from the bot: then it is not told who sees it
	}
	if g.ruling(source).adults && !g.ruling(here).adults {
		return false // no permission tells who is old enough
	}
	everyone := chat.RoleID(id)
	members, roles := []chat.UserID{""}, []chat.RoleID{everyone}
	for _, o := range slices.Concat(g.ruling(here).overwrites, g.ruling(source).overwrites) {
		bots := o.member == self || g.bot != nil && g.bot.Has(o.role) && g.roles[o.role].Managed // nobody else has that
		switch {
		case bots:
		case o.member != "":
			members = append(members, o.member)
		default:
			roles = append(roles, o.role)
		}
	}
	for r, role := range g.roles {
		if role.rights&^g.roles[everyone].rights&discordgo.PermissionViewChannel != 0 {
			roles = append(roles, r)
		}
	}
	for _, who := range members {
		for i, one := range roles {
			for _, other := range roles[i:] {
				m := chat.Member{Roles: []chat.RoleID{one, other}}
				sees := g.rights(id, who, m, &here, time.Time{})&discordgo.PermissionViewChannel != 0
				if sees && g.rights(id, who, m, &source, time.Time{})&toRead != toRead {
					return false
				}
			}
		}
	}
	return true
}

// toRead is what it takes to read what was said in a channel.
const toRead int64 = discordgo.PermissionViewChannel | discordgo.PermissionReadMessageHistory
