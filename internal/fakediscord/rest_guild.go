package fakediscord

import "discoclaw/internal/chat"

// ourGuild refuses every guild but the one there is.
func (c *call) ourGuild() error {
	if chat.GuildID(c.vars["guild"]) != c.guild {
		return errUnknownGuild
	}
	return nil
}

func getGuild(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	o := c.guildJSON()
	if c.r.URL.Query().Get("with_counts") == "true" {
		o["approximate_member_count"], o["approximate_presence_count"] = len(c.members), len(c.members)
	}
	return ok(o)
}

// listChannels leaves out threads, and what the bot does not see.
func listChannels(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	out := []object{}
	for _, id := range c.channelOrder {
		if ch := c.channels[id]; ch.Type != DMChannel && !ch.Type.IsThread() && c.sees(c.bot, ch) {
			out = append(out, c.channelJSON(ch))
		}
	}
	return ok(out)
}

func listRoles(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	return ok(c.guildJSON()["roles"])
}

func getMember(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	m := c.user(chat.UserID(c.vars["user"]))
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
