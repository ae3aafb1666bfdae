package foreign

import (
	"errors"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/fakediscord"
)

// goGuild looks at the server and its users.
var goGuild = []goStep{
	{"oneself", func(g *gopher) error {
		u, err := g.s.User("@me")
		return errors.Join(err, is("a bot", u != nil && u.Bot, true))
	}},
	{"another user", func(g *gopher) error {
		u, err := g.s.User(g.user("bob"))
		return errors.Join(err, is("the name", u != nil && u.Username == "bob", true))
	}},
	{"one's servers", func(g *gopher) error {
		all, err := g.s.UserGuilds(10, "", "", false)
		return errors.Join(err, is("servers", len(all), 2))
	}},
	{"one's servers with counts", func(g *gopher) error {
		all, err := g.s.UserGuilds(10, "", "", true)
		if err != nil {
			return err
		}
		return is("members", all[0].ApproximateMemberCount, 5)
	}},
	{"one's servers before one", func(g *gopher) error { _, err := g.s.UserGuilds(10, g.guild, "", false); return err }},
	{"a server", func(g *gopher) error {
		guild, err := g.s.Guild(g.guild)
		return errors.Join(err, is("its owner", guild != nil && guild.OwnerID == g.user("ada"), true))
	}},
	{"a server with counts", func(g *gopher) error {
		guild, err := g.s.GuildWithCounts(g.guild)
		if err != nil {
			return err
		}
		return is("members", guild.ApproximateMemberCount, 5)
	}},
	{"a preview of a server", func(g *gopher) error { _, err := g.s.GuildPreview(g.guild); return err }},
	{"a change of a server", func(g *gopher) error {
		_, err := g.s.GuildEdit(g.guild, &discordgo.GuildParams{Description: "new"})
		return err
	}},
	{"channels", func(g *gopher) error {
		all, err := g.s.GuildChannels(g.guild)
		return errors.Join(err, is("channels", names(all), "general ops news ideas talk stage hidden doomed Projects plans"))
	}},
	{"members", func(g *gopher) error {
		all, err := g.s.GuildMembers(g.guild, "", 100)
		return errors.Join(err, is("members", len(all), 5))
	}},
	{"members on a second page", func(g *gopher) error {
		first, err := g.s.GuildMembers(g.guild, "", 2)
		if err != nil || len(first) != 2 {
			return errors.Join(err, is("members", len(first), 2))
		}
		rest, err := g.s.GuildMembers(g.guild, first[1].User.ID, 100)
		return errors.Join(err, is("members", len(rest), 3))
	}},
	{"a search for members", func(g *gopher) error {
		all, err := g.s.GuildMembersSearch(g.guild, "e", 10)
		return errors.Join(err, is("members", len(all), 1))
	}},
	{"a member", func(g *gopher) error {
		m, err := g.s.GuildMember(g.guild, g.user("eve"))
		return errors.Join(err, is("roles", m != nil && len(m.Roles) == 1, true))
	}},
	{"rights in a channel", func(g *gopher) error {
		can, err := g.s.State.UserChannelPermissions(g.user("bot"), g.id("#hidden"))
		return errors.Join(err, is("administrator", can&discordgo.PermissionAdministrator != 0, true))
	}},
	{"roles", func(g *gopher) error {
		all, err := g.s.GuildRoles(g.guild)
		return errors.Join(err, is("roles", len(all), 4))
	}},
	{"how many have each role", func(g *gopher) error {
		counts, err := g.s.GuildRoleMemberCounts(g.guild)
		return errors.Join(err, is("roles", len(counts), 3))
	}},
	{"the audit log", func(g *gopher) error {
		log, err := g.s.GuildAuditLog(g.guild, "", "", 0, 10)
		return errors.Join(err, is("a log", log != nil, true))
	}},
	{"the audit log after an entry", func(g *gopher) error {
		for _, target := range []string{"1", "2", "3"} {
			if err := g.AddAuditEntry("disco/ada", fakediscord.AuditEntry{Action: 22, Target: target}); err != nil {
				return err
			}
		}
		all := g.AuditLog()
		var log discordgo.GuildAuditLog
		err := g.asks("GET", discordgo.EndpointGuildAuditLogs(g.guild)+"?after="+all[len(all)-3].ID, nil, &log)
		return errors.Join(err, is("the oldest first", len(log.AuditLogEntries) == 2 && log.AuditLogEntries[0].TargetID == "2", true))
	}},
	{"invites of a server", func(g *gopher) error {
		all, err := g.s.GuildInvites(g.guild)
		return errors.Join(err, is("invites", len(all), 0))
	}},
	{"webhooks of a server", func(g *gopher) error {
		_, err := g.AddWebhook("ada", "#general", "news")
		if err != nil {
			return err
		}
		all, err := g.s.GuildWebhooks(g.guild)
		return errors.Join(err, is("webhooks", len(all), 1))
	}},
	{"a new webhook", func(g *gopher) error { _, err := g.s.WebhookCreate(g.id("#general"), "mine", ""); return err }},
	{"executing a webhook", func(g *gopher) error {
		all, err := g.s.ChannelWebhooks(g.id("#general"))
		if err != nil {
			return err
		}
		_, err = g.s.WebhookExecute(all[0].ID, all[0].Token, true, &discordgo.WebhookParams{Content: "hello"})
		return err
	}},
	{"emoji", func(g *gopher) error {
		made, err := g.AddEmoji(fakediscord.GuildEmoji{Name: "party"})
		if err != nil {
			return err
		}
		g.emoji = made
		all, err := g.s.GuildEmojis(g.guild)
		return errors.Join(err, is("emoji", len(all), 1))
	}},
	{"an emoji", func(g *gopher) error {
		e, err := g.s.GuildEmoji(g.guild, g.emoji.ID)
		return errors.Join(err, is("its name", e != nil && e.Name == "party", true))
	}},
	{"an emoji in the cache", func(g *gopher) error {
		return within(func() error { _, err := g.s.State.Emoji(g.guild, g.emoji.ID); return err })
	}},
	{"a new emoji", func(g *gopher) error {
		_, err := g.s.GuildEmojiCreate(g.guild, &discordgo.EmojiParams{Name: "dance", Image: "data:image/png;base64,iVBORw0KGgo="})
		return err
	}},
	{"integrations", func(g *gopher) error { _, err := g.s.GuildIntegrations(g.guild); return err }},
	{"how many could be pruned", func(g *gopher) error { _, err := g.s.GuildPruneCount(g.guild, 7); return err }},
	{"rules of auto-moderation", func(g *gopher) error { _, err := g.s.AutoModerationRules(g.guild); return err }},
	{"an event", func(g *gopher) error {
		start, end := time.Now().Add(time.Hour), time.Now().Add(2*time.Hour)
		var told discordgo.GuildScheduledEvent
		err := g.hears("GUILD_SCHEDULED_EVENT_CREATE", &told, func() (err error) {
			g.event, err = g.s.GuildScheduledEventCreate(g.guild, &discordgo.GuildScheduledEventParams{
				Name: "party", ScheduledStartTime: &start, ScheduledEndTime: &end, PrivacyLevel: discordgo.GuildScheduledEventPrivacyLevelGuildOnly,
				EntityType: discordgo.GuildScheduledEventEntityTypeExternal, EntityMetadata: &discordgo.GuildScheduledEventEntityMetadata{Location: "garden"},
			})
			return err
		})
		return errors.Join(err, is("its name", told.Name, "party"))
	}},
	{"a change of an event", func(g *gopher) error {
		e, err := g.s.GuildScheduledEventEdit(g.guild, g.event.ID, &discordgo.GuildScheduledEventParams{Name: "feast"})
		return errors.Join(err, is("its name", e != nil && e.Name == "feast", true))
	}},
	{"events", func(g *gopher) error {
		all, err := g.s.GuildScheduledEvents(g.guild, false)
		return errors.Join(err, is("events", len(all), 1))
	}},
	{"one event", func(g *gopher) error {
		e, err := g.s.GuildScheduledEvent(g.guild, g.event.ID, false)
		return errors.Join(err, is("its place", e != nil && e.EntityMetadata.Location == "garden", true))
	}},
	{"events with how many are interested", func(g *gopher) error {
		var all []map[string]any
		err := g.asks("GET", discordgo.EndpointGuildScheduledEvents(g.guild)+"?with_user_count=true", nil, &all)
		return errors.Join(err, is("interested", len(all) == 1 && all[0]["user_count"] == 0.0, true))
	}},
	{"an event less", func(g *gopher) error {
		return g.hears("GUILD_SCHEDULED_EVENT_DELETE", nil, func() error { return g.s.GuildScheduledEventDelete(g.guild, g.event.ID) })
	}},
}
