package fakediscord

import "discoclaw/internal/chat"

// ourGuild finds the guild of the path, if the bot is on it.
func (c *call) ourGuild() error {
	g := c.World.guild(chat.GuildID(c.vars["guild"]))
	switch {
	case g == nil:
		return errUnknownGuild
	case !c.hasBot(g):
		return errMissingAccess
	}
	c.guild, c.bot = g, c.botOn(g)
	return nil
}

func getGuild(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		// Only here Discord does not say whether the guild exists.
		return answer{}, errUnknownGuild
	}
	o := c.guildJSON(c.guild)
	if c.yes("with_counts") {
		o["approximate_member_count"], o["approximate_presence_count"] = c.count(), c.count()
	}
	return ok(o)
}

// listChannels leaves out threads, and channels that the bot does not see.
func listChannels(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	out := []object{}
	for _, id := range c.channelOrder {
		if ch := c.channels[id]; ch.Guild == c.ID && !ch.Type.IsThread() && c.sees(c.bot, ch) {
			out = append(out, c.channelJSON(ch))
		}
	}
	return ok(out)
}

func listRoles(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	return ok(c.guildJSON(c.guild)["roles"])
}

func getMember(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	m := c.person(chat.UserID(c.vars["user"]))
	if m == nil || m.Left {
		return answer{}, errUnknownMember
	}
	return ok(c.memberJSON(m))
}

func getChannel(c *call) (answer, error) {
	ch, _, err := c.place()
	if err != nil {
		return answer{}, err
	}
	return ok(c.channelJSON(ch))
}

func startTyping(c *call) (answer, error) {
	ch, may, err := c.place()
	if err != nil {
		return answer{}, err
	}
	if err := c.mayType(ch, may); err != nil {
		return answer{}, err
	}
	c.emitTyping(ch, c.bot)
	return done()
}
