package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
