package discord

import (
	"context"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// Viewers returns the audience of a channel. It sends no request for a channel that is known.
func (c *Client) Viewers(ctx context.Context, g chat.GuildID, id chat.ChannelID) (chat.Audience, error) {
	if err := c.untilNow(ctx, g); err != nil {
		return chat.Audience{}, err
	}
	ch, err := c.channelOf(ctx, g, id)
	switch {
	case err != nil:
		return chat.Audience{}, err
	case ch.Private:
		return chat.Audience{Invited: true}, nil // its members would take a request
	}
	roles, err := c.rolesOf(ctx, g)
	if err != nil {
		return chat.Audience{}, err
	}
	c.cache.mu.RLock()
	defer c.cache.mu.RUnlock()
	known := c.cache.guilds[g]
	if known == nil {
		return chat.Audience{}, unknownServer(g)
	}
	return known.viewers(g, ch, roles), nil
}

// viewers goes by roles one by one: a role lets its members in, or shuts out those who another role lets in.
func (g *guild) viewers(id chat.GuildID, ch channel, roles []role) chat.Audience {
	see := func(roles ...chat.RoleID) bool {
		return g.rights(id, "", chat.Member{Roles: roles}, &ch, time.Time{})&discordgo.PermissionViewChannel != 0
	}
	everyone := chat.RoleID(id)
	a := chat.Audience{Everyone: see(everyone)}
	in := []chat.RoleID{everyone}
	if !a.Everyone {
		in = nil
		for _, r := range roles {
			if see(r.ID) {
				a.Roles, in = append(a.Roles, r.Role), append(in, r.ID)
			}
		}
	}
	for _, r := range roles {
		shutsOut := func(other chat.RoleID) bool { return !see(r.ID, other) }
		if r.ID != everyone && !see(r.ID) && slices.ContainsFunc(in, shutsOut) {
			a.ExceptRoles = append(a.ExceptRoles, r.Role)
		}
	}
	for _, o := range g.ruling(ch).overwrites {
		switch {
		case o.member == "" || o.member == g.owner:
		case o.deny&discordgo.PermissionViewChannel != 0:
			a.ExceptMembers = append(a.ExceptMembers, o.member)
		case o.allow&discordgo.PermissionViewChannel != 0 && !a.Everyone:
			a.Members = append(a.Members, o.member)
		}
	}
	return a
}
