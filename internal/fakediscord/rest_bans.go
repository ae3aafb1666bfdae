package fakediscord

import (
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// maxDeletion is how far back a ban can delete messages.
const maxDeletion = 7 * 24 * time.Hour

func (w *World) banJSON(m *Member) object {
	return object{"user": w.userJSON(m), "reason": idOrNull(m.BanReason)}
}

// banTarget is the user of the path, on the guild or not, if the bot may ban.
func (c *call) banTarget() (*Member, error) {
	if err := c.ourGuild(); err != nil {
		return nil, err
	}
	if err := c.may(banMembers); err != nil {
		return nil, err
	}
	id := chat.UserID(c.vars["user"])
	if m := c.person(id); m != nil {
		return m, nil
	}
	// A user who never was a member can be banned as well.
	if c.World.user(id) == nil {
		return nil, errUnknownUser
	}
	m := c.newcomer(string(id))
	m.Guild, m.Left = c.ID, true
	return m, nil
}

func listBans(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	if err := c.may(banMembers); err != nil {
		return answer{}, err
	}
	limit, err := c.number("limit", 1000, 1, 1000)
	if err != nil {
		return answer{}, err
	}
	after, err := c.snowflake("after")
	if err != nil {
		return answer{}, err
	}
	out := []object{}
	for _, m := range slices.SortedFunc(slices.Values(c.members), byUserID) {
		if m.Banned && compareIDs(string(m.ID), after) > 0 && len(out) < limit {
			out = append(out, c.banJSON(m))
		}
	}
	return ok(out)
}

func getBan(c *call) (answer, error) {
	m, err := c.banTarget()
	if err != nil {
		return answer{}, err
	}
	if !m.Banned {
		return answer{}, errUnknownBan
	}
	return ok(c.banJSON(m))
}

// ban bans a user, and removes them if they are a member. It is idempotent.
func ban(c *call) (answer, error) {
	m, err := c.banTarget()
	if err != nil {
		return answer{}, err
	}
	var in struct {
		Seconds int  `json:"delete_message_seconds"`
		Days    *int `json:"delete_message_days"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	since := time.Duration(in.Seconds) * time.Second
	switch {
	case in.Days != nil:
		return answer{}, notBuiltError("delete_message_days, which Discord wants no more")
	case since < 0 || since > maxDeletion:
		return answer{}, invalid("delete_message_seconds", "NUMBER_TYPE_RANGE", "int value should be between 0 and 604800.")
	case !c.outranks(c.bot, m):
		return answer{}, errMissingPermissions
	}
	if !m.Banned {
		if c.person(m.ID) == nil {
			c.addMember(c.guild, m)
		}
		if !m.Left {
			c.leave(m)
		}
		m.Banned, m.BanReason = true, c.reason()
		c.emitOn(c.guild, "GUILD_BAN_ADD", intentModeration, object{"guild_id": c.ID, "user": c.userJSON(m)})
		c.audit(auditBan, c.bot.ID, string(m.ID), c.reason())
	}
	if since > 0 {
		c.deleteAllOf(m, c.now().Add(-since))
	}
	return done()
}

// deleteAllOf deletes a member's messages on the guild since a time.
func (w *World) deleteAllOf(m *Member, since time.Time) {
	for _, id := range w.channelOrder {
		ch := w.channels[id]
		if ch.Guild != m.Guild {
			continue
		}
		var gone []*Message
		for _, id := range w.history[id] {
			if written := w.messages[id]; written.Author == m.ID && !written.Sent.Before(since) {
				gone = append(gone, written)
			}
		}
		if len(gone) > 0 {
			w.deleteMessages(ch, gone...)
		}
	}
}

func unban(c *call) (answer, error) {
	m, err := c.banTarget()
	if err != nil {
		return answer{}, err
	}
	if !m.Banned {
		return answer{}, errUnknownBan
	}
	m.Banned, m.BanReason = false, ""
	c.emitOn(c.guild, "GUILD_BAN_REMOVE", intentModeration, object{"guild_id": c.ID, "user": c.userJSON(m)})
	c.audit(auditUnban, c.bot.ID, string(m.ID), c.reason())
	return done()
}
