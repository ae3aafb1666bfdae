package fakediscord

import "fmt"

// Outage makes all guilds unavailable while on: the bot gets none of their events, and a
// GUILD_CREATE when they are back.
// https://discord.com/developers/docs/events/gateway#guild-availability
func (w *World) Outage(on bool) {
	_ = w.change(func() error { // which never fails
		for _, g := range w.guilds {
			w.setOutage(g, on)
		}
		return nil
	})
}

// OutageOf is Outage for one guild.
func (w *World) OutageOf(guild string, on bool) error {
	return w.change(func() error {
		g := w.guildNamed(guild)
		if g == nil {
			return fmt.Errorf("there is no guild %s", guild)
		}
		w.setOutage(g, on)
		return nil
	})
}

func (w *World) setOutage(g *guild, on bool) {
	if g.outage == on {
		return
	}
	if on {
		w.emitOn(g, "GUILD_DELETE", intentGuilds, object{"id": g.ID, "unavailable": true})
	}
	g.outage = on
	if !on && w.hasBot(g) {
		w.emitOn(g, "GUILD_CREATE", intentGuilds, w.guildCreate(g))
	}
}

// ExpelBot removes the bot from a guild. From then on it gets no events from there and has
// no rights.
func (w *World) ExpelBot(guild string) error {
	return w.change(func() error {
		g := w.guildNamed(guild)
		if g == nil || !w.hasBot(g) {
			return fmt.Errorf("the bot is not on a guild %s", guild)
		}
		w.emitOn(g, "GUILD_DELETE", intentGuilds, object{"id": g.ID})
		w.leave(w.botOn(g))
		return nil
	})
}

// InviteBot brings the bot back to a guild that it was removed from, with the rights of
// its role there.
func (w *World) InviteBot(guild string) error {
	return w.change(func() error {
		g := w.guildNamed(guild)
		if g == nil || w.hasBot(g) {
			return fmt.Errorf("there is no guild %s that the bot is not on", guild)
		}
		bot := w.botOn(g)
		bot.Left, bot.Joined = false, w.now()
		for _, r := range g.roles {
			if r.Managed {
				bot.Roles = append(bot.Roles, r.ID)
			}
		}
		w.emitOn(g, "GUILD_CREATE", intentGuilds, w.guildCreate(g))
		return nil
	})
}
