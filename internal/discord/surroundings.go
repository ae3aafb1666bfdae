package discord

import (
	"cmp"
	"slices"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/order"
)

// telling are the permissions that say what a member may ask the bot for, unless everyone may.
var telling = []chat.Permission{
	chat.ManageServer, chat.ManageChannels, chat.ManageRoles, chat.ManageMessages, chat.PinMessages, chat.ManageThreads, chat.ManageNicknames,
	chat.CreateEvents, chat.ManageEvents, chat.ModerateMembers, chat.KickMembers, chat.BanMembers, chat.ViewAuditLog,
}

// Surroundings returns what the cache knows for a user about a place. It sends no request; without
// a server or for an unknown member, it is empty.
func (c *Client) Surroundings(at chat.Place, who chat.UserID) chat.Surroundings {
	m, met := c.members.guess(memberKey{at.Guild, who})
	if !met {
		return chat.Surroundings{}
	}
	s := c.cache.surroundings(at, who, m)
	if s.Name != "" {
		s.People = c.cache.described(at.Guild, who, c.members.seen(at.Guild))
	}
	return s
}

func (c *cache) surroundings(at chat.Place, who chat.UserID, m chat.Member) (s chat.Surroundings) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g := c.guilds[at.Guild]
	if g == nil || g.bot == nil {
		return s
	}
	s.Name, s.Members = cmp.Or(g.bot.Nickname, c.self.Name), g.size
	now := c.now()
	sees := func(u chat.UserID, m chat.Member, ch channel) bool {
		return g.rights(at.Guild, u, m, &ch, now)&discordgo.PermissionViewChannel != 0
	}
	for _, ch := range g.channels {
		if ch.Kind != chat.Thread && ch.Name != "" && sees(c.self.ID, *g.bot, ch) && sees(who, m, ch) {
			s.Channels = append(s.Channels, ch.Channel)
			if !sees("", chat.Member{}, ch) {
				s.Private = append(s.Private, ch.ID)
			}
		}
	}
	s.Channels, s.Threads = inOrder(s.Channels), g.openThreads(s.Channels)
	s.Roles, s.AllRoles = g.roleNames(m), g.givenRoles(at.Guild)
	var in *channel
	kind := chat.Kind("")
	if ch, ok := g.channels[at.Channel]; ok {
		in, kind = &ch, ch.Kind
	}
	have, everyone := g.rights(at.Guild, who, m, in, now), g.rights(at.Guild, "", chat.Member{}, in, now)
	s.All = have == everything
	for _, p := range telling {
		one := []chat.Permission{p}
		if !s.All && len(lacking(have, kind, one)) == 0 && len(lacking(everyone, kind, one)) > 0 {
			s.Rights = append(s.Rights, p)
		}
	}
	return s
}

// openThreads returns the threads in some channels that are neither private nor archived.
func (g *guild) openThreads(in []chat.Channel) (threads []chat.Channel) {
	seen := map[chat.ChannelID]bool{}
	for _, ch := range in {
		seen[ch.ID] = true
	}
	for _, ch := range g.channels {
		if ch.Kind == chat.Thread && seen[ch.Parent] && !ch.Private && !ch.Archived && ch.Name != "" {
			threads = append(threads, ch.Channel)
		}
	}
	order.By(threads, func(a, b chat.Channel) int { return cmp.Compare(a.ID, b.ID) })
	return threads
}

// roleNames returns the names of a member's roles, highest first.
func (g *guild) roleNames(m chat.Member) (names []string) {
	roles := slices.DeleteFunc(slices.Clone(m.Roles), func(r chat.RoleID) bool { return g.roles[r].Name == "" }) // deleted since
	slices.SortFunc(roles, func(a, b chat.RoleID) int {
		return cmp.Or(cmp.Compare(g.roles[b].Position, g.roles[a].Position), cmp.Compare(a, b))
	})
	for _, r := range roles {
		names = append(names, g.roles[r].Name)
	}
	return names
}

// givenRoles returns the names of the roles that people can give and take, highest first.
func (g *guild) givenRoles(id chat.GuildID) (names []string) {
	var roles []chat.RoleID
	for r, role := range g.roles {
		if r != chat.RoleID(id) && !role.Managed && role.Name != "" {
			roles = append(roles, r)
		}
	}
	return g.roleNames(chat.Member{Roles: roles})
}

// described returns members, without one, with the names of their roles.
func (c *cache) described(id chat.GuildID, without chat.UserID, list []chat.Member) (people []chat.Person) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g := c.guilds[id]
	if g == nil {
		return nil
	}
	for _, m := range list {
		if m.ID != without && m.ID != c.self.ID {
			people = append(people, chat.Person{Member: m, RoleNames: g.roleNames(m), All: g.rights(id, m.ID, m, nil, c.now()) == everything})
		}
	}
	return people
}
