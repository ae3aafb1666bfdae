package fakediscord

import "fmt"

// Outage takes guilds out of order while on, as it happens at Discord: the bot is not
// told what goes on there, and learns of a guild again when it is back. Without names
// it is all of them.
// https://discord.com/developers/docs/events/gateway#guild-availability
func (w *World) Outage(on bool, guilds ...string) {
	_ = w.change(func() error { // which never fails
		for _, g := range w.guilds {
			if len(guilds) > 0 && !w.isNamed(g, guilds) || g.outage == on {
				continue
			}
			if on {
				w.emitOn(g, "GUILD_DELETE", intentGuilds, object{"id": g.id, "unavailable": true})
			}
			g.outage = on
			if !on && w.hasBot(g) {
				w.emitOn(g, "GUILD_CREATE", intentGuilds, w.guildCreate(g))
			}
		}
		return nil
	})
}

func (w *World) isNamed(g *guild, names []string) bool {
	for _, name := range names {
		if w.guildNamed(name) == g {
			return true
		}
	}
	return false
}

// ExpelBot throws the bot off a guild. From then on it is told nothing of it and may do
// nothing there.
func (w *World) ExpelBot(guild string) error {
	return w.change(func() error {
		g := w.guildNamed(guild)
		if g == nil || !w.hasBot(g) {
			return fmt.Errorf("the bot is not on a guild %s", guild)
		}
		w.emitOn(g, "GUILD_DELETE", intentGuilds, object{"id": g.id})
		w.leave(w.botOn(g))
		return nil
	})
}

// InviteBot brings the bot back to a guild that it was thrown off, with the rights that
// its role has there.
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
