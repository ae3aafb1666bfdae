package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// A guide gives package rest access to the cache.
type guide struct{ *Client }

// Describe names a channel for people.
func (g guide) Describe(id chat.ChannelID) string { return g.cache.describe(id) }

// UploadLimit returns the limit of a channel's server.
func (g guide) UploadLimit(id chat.ChannelID) int {
	ch, _ := g.cache.channel(id) // an unknown one has no server, so the lowest limit
	return g.Client.UploadLimit(ch.Guild)
}

// Asked names who asked for a request, since the audit log itself names only the bot, and the message
// in which they did.
func (g guide) Asked(ctx context.Context, q rest.Request) string {
	who, ok := chat.AskerOf(ctx)
	if !ok {
		return ""
	}
	server := q.Guild
	if ch, known := g.cache.channel(q.Channel); known {
		server = ch.Guild
	}
	text := "asked by " + string(who.User)
	if m, err := g.member(ctx, server, who.User); err == nil {
		text = fmt.Sprintf("asked by %s (%s)", chat.OneLine(m.Name), who.User)
	}
	if who.Message != "" {
		text += " in " + who.Link()
	}
	return text
}

// Forbidden names the permissions that the bot lacks for a request, as far as its roles show, and
// where to grant them.
func (g guide) Forbidden(q rest.Request) string { return g.forbidden(q) }

// CheckOwn returns what the bot lacks in a channel, as far as its roles show, and where to grant it. It is nil if
// nothing is missing.
func (c *Client) CheckOwn(ch chat.ChannelID, needs ...chat.Permission) error {
	q := rest.Request{Channel: ch, Needs: needs}
	if byRole, byChannel := c.cache.botLacks(q); len(byRole)+len(byChannel) == 0 {
		return nil
	}
	return errors.New(c.forbidden(q))
}

func (c *Client) forbidden(q rest.Request) string {
	byRole, byChannel := c.cache.botLacks(q)
	where := ""
	if q.Channel != "" {
		where = " in " + q.Channel.Mention()
	}
	need := fmt.Sprintf("I need %s%s for that; an admin can", chat.Rights(slices.Concat(byRole, byChannel)), where)
	refused := "Discord does not let me do that" + where
	switch {
	case len(byRole) > 0 && len(byChannel) > 0:
		return fmt.Sprintf("%s give my role %s under %s, and allow it %s under %s", need, chat.Rights(byRole), rest.InItsRole, chat.Rights(byChannel), rest.InTheChannel)
	case len(byRole) > 0:
		return fmt.Sprintf("%s give %s to my role under %s", need, it(byRole), rest.InItsRole)
	case len(byChannel) > 0:
		return fmt.Sprintf("%s allow %s for my role %s, under %s", need, it(byChannel), c.cache.ruledBy(q.Channel), rest.InTheChannel)
	case len(q.Needs) == 0: // an answer to an interaction, which needs no permission
		return fmt.Sprintf("%s; an admin can look at my role under %s", refused, rest.InItsRole)
	case q.Channel == "":
		return fmt.Sprintf("%s; an admin can check that my role has %s, under %s", refused, chat.Rights(q.Needs), rest.InItsRole)
	default:
		return fmt.Sprintf("%s; an admin can check that my role has %s there, under %s and under %s", refused, chat.Rights(q.Needs), rest.InItsRole, rest.InTheChannel)
	}
}

// it returns the pronoun for permissions that were named just before.
func it(names []string) string {
	if len(names) > 1 {
		return "them"
	}
	return "it"
}

// Outranks reports whether a member stands above another member, and above a role; empty
// arguments are not compared. The owner stands above all, and no member above the owner. Others
// stand as high as the highest of their roles, so no member stands above themselves. A user who
// is not a member stands below all.
func (c *Client) Outranks(ctx context.Context, g chat.GuildID, who, member chat.UserID, role chat.RoleID) (bool, error) {
	if err := c.untilNow(ctx, g); err != nil {
		return false, err
	}
	mine, err := c.standing(ctx, g, who)
	if err != nil {
		return false, err
	}
	theirs, err := c.standing(ctx, g, member)
	if err != nil {
		return false, err
	}
	return look(c.cache, g, func(known *guild) bool {
		switch {
		case member != "" && member == known.owner || mine == nil:
			return false
		case who == known.owner:
			return true
		}
		_, stopped := known.above(g, mine, theirs, role)
		return !stopped
	})
}

// standing returns a member, or nil for a user who is not one.
func (c *Client) standing(ctx context.Context, g chat.GuildID, u chat.UserID) (*chat.Member, error) {
	if u == "" {
		return nil, nil
	}
	m, err := c.member(ctx, g, u)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return &m, err
}

// above returns the role that keeps a member from standing above another and a role, if there is
// one: the other's highest, or the role itself. An unknown role stands above all.
func (g *guild) above(id chat.GuildID, mine, theirs *chat.Member, over chat.RoleID) (obstacle role, stopped bool) {
	top := g.highest(id, mine)
	if theirs != nil {
		if other := g.highest(id, theirs); compareRoles(top, other) <= 0 {
			return other, true
		}
	}
	if over != "" {
		r, known := g.roles[over]
		if !known || compareRoles(top, r) <= 0 {
			return r, true
		}
	}
	return role{}, false
}

// highest returns a member's highest role.
func (g *guild) highest(id chat.GuildID, m *chat.Member) role {
	top := g.roles[chat.RoleID(id)]
	for _, r := range m.Roles {
		if have, known := g.roles[r]; known && compareRoles(have, top) > 0 {
			top = have
		}
	}
	return top
}

// tooLow explains a refusal for which the bot lacks no permission: the target stands too high for
// it. Any other error stays as it is.
func (c *Client) tooLow(ctx context.Context, q rest.Request, err error, target chat.UserID, role chat.RoleID) error {
	refused := (*Error)(nil)
	if !errors.As(err, &refused) || refused.Code != discordgo.ErrCodeMissingPermissions {
		return err
	}
	if !c.cache.botMeets(q) {
		return err
	}
	theirs, problem := c.standing(ctx, q.Guild, target)
	if problem != nil {
		return err // without an explanation
	}
	text := c.cache.whyTooLow(q.Guild, target, theirs, role)
	if text == "" {
		return err
	}
	return refused.Explained(text)
}

func (c *cache) whyTooLow(id chat.GuildID, target chat.UserID, theirs *chat.Member, role chat.RoleID) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g := c.guilds[id]
	switch {
	case g == nil || g.bot == nil:
		return ""
	case target != "" && target == g.owner:
		return "that is the owner of the server, whom Discord lets nobody touch"
	}
	mine := g.highest(id, g.bot)
	if obstacle, stopped := g.above(id, g.bot, theirs, role); stopped {
		return fmt.Sprintf("my role %s is too low for that; an admin can drag it above %s under Server Settings → Roles", chat.Bold(mine.Name), chat.Bold(obstacle.Name))
	}
	return ""
}
