package discord

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// Readable reports whether everybody who may see the channel here may read the messages of source as
// well. The roles of members are not known, so it goes by every combination of roles that somebody
// could have: if one of them sees here and cannot read source, it is not readable.
func (c *Client) Readable(ctx context.Context, g chat.GuildID, here, source chat.ChannelID) (bool, error) {
	return c.open(ctx, g, here, source, toRead)
}

// Enterable is Readable for the call in a voice channel.
func (c *Client) Enterable(ctx context.Context, g chat.GuildID, here, room chat.ChannelID) (bool, error) {
	return c.open(ctx, g, here, room, discordgo.PermissionViewChannel|discordgo.PermissionVoiceConnect)
}

// open reports whether everybody who may see the channel here has some rights in source.
func (c *Client) open(ctx context.Context, g chat.GuildID, here, source chat.ChannelID, needs int64) (bool, error) {
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
	return look(c.cache, g, func(known *guild) bool { return known.readable(g, c.cache.self.ID, in, from, needs) })
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

// readable looks for somebody who sees here and lacks what they need in source: any member, or one whom an
// overwrite names. It takes one role at most to see here, and one at most to lack that; further
// ones cannot help with either. So pairs of roles are enough.
func (g *guild) readable(id chat.GuildID, self chat.UserID, here, source channel, needs int64) bool {
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
				if sees && g.rights(id, who, m, &source, time.Time{})&needs != needs {
					return false
				}
			}
		}
	}
	return true
}

// toRead is what it takes to read what was said in a channel.
const toRead int64 = discordgo.PermissionViewChannel | discordgo.PermissionReadMessageHistory

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
	return look(c.cache, g, func(known *guild) chat.Audience { return known.viewers(g, ch, roles) })
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
	c.mu.Lock() // not for reading: the server remembers views
	defer c.mu.Unlock()
	g := c.guilds[at.Guild]
	if g == nil || g.bot == nil {
		return s
	}
	s.Name, s.Members = cmp.Or(g.bot.Nickname, c.self.Name), g.size
	v, now := g.view(at.Guild, c.self.ID, who, m), c.now()
	known := func(id chat.ChannelID) chat.Channel { return g.channels[id].Channel }
	s.Channels, s.Private, s.Threads = v.channels, v.private, each(v.threads, known)
	s.Roles, s.AllRoles = g.roleNames(m), g.givenRoles(at.Guild)
	var in *channel
	kind := chat.Kind("")
	if ch, ok := g.channels[at.Channel]; ok {
		in, kind = &ch, ch.Kind
	}
	have, everyone := g.rights(at.Guild, who, m, in, now), g.rights(at.Guild, "", chat.Member{}, in, now)
	s.All, s.Owner = have == everything, who == g.owner
	for _, p := range telling {
		one := []chat.Permission{p}
		if !s.All && len(lacking(have, kind, one)) == 0 && len(lacking(everyone, kind, one)) > 0 {
			s.Rights = append(s.Rights, p)
		}
	}
	return s
}

// A viewer is whom a view is for. Whether a member is timed out makes no difference: that takes no channel out of sight.
type viewer struct {
	who   chat.UserID
	roles string
}

// A view is what a member sees of a server, as far as the bot sees it too. To compute it takes all overwrites of all channels.
type view struct {
	channels []chat.Channel   // in order
	private  []chat.ChannelID // those of them that not everybody sees
	threads  []chat.ChannelID // open ones in those channels, without private ones
}

// maxViews is how many views a server remembers.
const maxViews = 20

// view returns the view of a member, and remembers it until the server changes. The caller holds the lock for writing.
func (g *guild) view(id chat.GuildID, self, who chat.UserID, m chat.Member) view {
	key := viewer{who, fmt.Sprintf("%q", m.Roles)}
	v, known := g.views[key]
	if known {
		return v
	}
	sees := func(u chat.UserID, m chat.Member, ch channel) bool {
		return g.rights(id, u, m, &ch, time.Time{})&discordgo.PermissionViewChannel != 0
	}
	in := map[chat.ChannelID]bool{}
	for _, ch := range g.channels {
		if ch.Kind != chat.Thread && ch.Name != "" && sees(self, *g.bot, ch) && sees(who, m, ch) {
			if !sees("", chat.Member{}, ch) {
				v.private = append(v.private, ch.ID)
			}
			ch.Active = day(ch.Active)
			v.channels, in[ch.ID] = append(v.channels, ch.Channel), true
		}
	}
	v.channels = inOrder(v.channels)
	for _, ch := range g.channels {
		if ch.Kind == chat.Thread && in[ch.Parent] && !ch.Private && !ch.Archived && ch.Name != "" {
			v.threads = append(v.threads, ch.ID)
		}
	}
	slices.Sort(v.threads)
	if g.views == nil || len(g.views) >= maxViews {
		g.views = map[viewer]view{}
	}
	g.views[key] = v
	return v
}

// day is the day of a time. With the exact time, views would change with every message, and so would the channels of prompts.
func day(at time.Time) time.Time { return at.Truncate(24 * time.Hour) }

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
			all := g.rights(id, m.ID, m, nil, c.now()) == everything
			people = append(people, chat.Person{Member: m, RoleNames: g.roleNames(m), All: all, Owner: m.ID == g.owner})
		}
	}
	return people
}

// ChosenNames returns the names on a server that members chose, each with who did: titles of threads, and names of members seen lately.
func (c *Client) ChosenNames(g chat.GuildID) (names []chat.ChosenName) {
	for _, m := range c.members.seen(g) {
		for _, name := range []string{m.DisplayName, m.Name, m.Handle} {
			names = append(names, chat.ChosenName{Name: name, By: m.ID})
		}
	}
	c.cache.mu.RLock()
	defer c.cache.mu.RUnlock()
	if on := c.cache.guilds[g]; on != nil {
		for _, ch := range on.channels {
			if ch.Kind == chat.Thread {
				names = append(names, chat.ChosenName{Name: ch.Name, By: ch.Owner, Thread: ch.ID})
			}
		}
	}
	return names
}
