package foreign

import (
	"errors"
	"time"

	"github.com/bwmarrin/discordgo"
)

// soon is in an hour.
func soon() time.Time { return time.Now().Add(time.Hour) }

// goRoles makes and changes roles.
var goRoles = []goStep{
	{"a new role", func(g *gopher) error {
		colour, yes := 0xFF0000, true
		return g.hears("GUILD_ROLE_CREATE", nil, func() (err error) {
			g.role, err = g.s.GuildRoleCreate(g.guild, &discordgo.RoleParams{Name: "red", Color: &colour, Hoist: &yes, Mentionable: &yes})
			return errors.Join(err, is("its colour", g.role != nil && g.role.Color == colour && g.role.Hoist, true))
		})
	}},
	{"one role", func(g *gopher) error {
		r, err := g.s.GuildRole(g.guild, g.role.ID)
		return errors.Join(err, is("its name", r != nil && r.Name == "red", true))
	}},
	{"a change of a role", func(g *gopher) error {
		rights := int64(discordgo.PermissionKickMembers)
		return g.hears("GUILD_ROLE_UPDATE", nil, func() error {
			r, err := g.s.GuildRoleEdit(g.guild, g.role.ID, &discordgo.RoleParams{Name: "crimson", Permissions: &rights})
			return errors.Join(err, is("its rights", r != nil && r.Permissions == rights, true))
		})
	}},
	{"the order of roles", func(g *gopher) error {
		g.role.Position = 2
		_, err := g.s.GuildRoleReorder(g.guild, []*discordgo.Role{g.role})
		return err
	}},
	{"a role in the cache", func(g *gopher) error {
		return within(func() error {
			r, err := g.s.State.Role(g.guild, g.role.ID)
			return errors.Join(err, is("its name", r != nil && r.Name == "crimson", true))
		})
	}},
	{"a role less on the server", func(g *gopher) error {
		return g.hears("GUILD_ROLE_DELETE", nil, func() error { return g.s.GuildRoleDelete(g.guild, g.role.ID) })
	}},
}

// goChannels makes and changes channels.
var goChannels = []goStep{
	{"a new channel", func(g *gopher) error {
		return g.hears("CHANNEL_CREATE", nil, func() (err error) {
			g.channel, err = g.s.GuildChannelCreate(g.guild, "New Channel", discordgo.ChannelTypeGuildText)
			return errors.Join(err, is("its name", g.channel != nil && g.channel.Name == "new-channel", true))
		})
	}},
	{"a channel in a category", func(g *gopher) error {
		c, err := g.s.GuildChannelCreateComplex(g.guild, discordgo.GuildChannelCreateData{
			Name: "nested", Type: discordgo.ChannelTypeGuildText, Topic: "things", ParentID: g.id("Projects"),
			PermissionOverwrites: []*discordgo.PermissionOverwrite{{ID: g.roleID("mods"), Type: discordgo.PermissionOverwriteTypeRole, Allow: discordgo.PermissionViewChannel}},
		})
		return errors.Join(err, is("its category", c != nil && c.ParentID == g.id("Projects") && len(c.PermissionOverwrites) == 1, true))
	}},
	{"a voice channel", func(g *gopher) error {
		c, err := g.s.GuildChannelCreateComplex(g.guild, discordgo.GuildChannelCreateData{Name: "Lounge", Type: discordgo.ChannelTypeGuildVoice, UserLimit: 5})
		return errors.Join(err, is("its limit", c != nil && c.UserLimit == 5, true))
	}},
	{"a forum", func(g *gopher) error {
		c, err := g.s.GuildChannelCreateComplex(g.guild, discordgo.GuildChannelCreateData{Name: "wishes", Type: discordgo.ChannelTypeGuildForum})
		return errors.Join(err, is("its kind", c != nil && c.Type == discordgo.ChannelTypeGuildForum, true))
	}},
	{"a media channel", func(g *gopher) error {
		_, err := g.s.GuildChannelCreate(g.guild, "art", discordgo.ChannelTypeGuildMedia)
		return err
	}},
	{"a category", func(g *gopher) error {
		_, err := g.s.GuildChannelCreate(g.guild, "Archive", discordgo.ChannelTypeGuildCategory)
		return err
	}},
	{"a change of a channel", func(g *gopher) error {
		slow := 10
		return g.hears("CHANNEL_UPDATE", nil, func() error {
			c, err := g.s.ChannelEdit(g.channel.ID, &discordgo.ChannelEdit{Name: "renamed", Topic: "about", RateLimitPerUser: &slow})
			return errors.Join(err, is("its topic", c != nil && c.Topic == "about" && c.RateLimitPerUser == 10, true))
		})
	}},
	{"a channel for adults", func(g *gopher) error {
		yes := true
		_, err := g.s.ChannelEdit(g.channel.ID, &discordgo.ChannelEdit{NSFW: &yes})
		return err
	}},
	{"the order of channels", func(g *gopher) error {
		general, err := g.s.Channel(g.id("#general"))
		if err != nil {
			return err
		}
		general.Position, g.channel.Position = 5, 4
		return g.s.GuildChannelsReorder(g.guild, []*discordgo.Channel{general, g.channel})
	}},
	{"rights of a role in a channel", func(g *gopher) error {
		return g.s.ChannelPermissionSet(g.channel.ID, g.roleID("mods"), discordgo.PermissionOverwriteTypeRole, discordgo.PermissionViewChannel, discordgo.PermissionSendMessages)
	}},
	{"rights of a member in a channel", func(g *gopher) error {
		return g.s.ChannelPermissionSet(g.channel.ID, g.user("bob"), discordgo.PermissionOverwriteTypeMember, 0, discordgo.PermissionViewChannel)
	}},
	{"what the rights are", func(g *gopher) error {
		c, err := g.s.Channel(g.channel.ID)
		return errors.Join(err, is("overwrites", c != nil && len(c.PermissionOverwrites) == 2, true))
	}},
	{"rights less in a channel", func(g *gopher) error { return g.s.ChannelPermissionDelete(g.channel.ID, g.roleID("mods")) }},
	{"an invite", func(g *gopher) error {
		return g.hears("INVITE_CREATE", nil, func() (err error) {
			g.invite, err = g.s.ChannelInviteCreate(g.channel.ID, discordgo.Invite{MaxAge: 3600, MaxUses: 1, Unique: true})
			return errors.Join(err, is("a code", g.invite != nil && g.invite.Code != "" && g.invite.MaxAge == 3600, true))
		})
	}},
	{"invites of a channel", func(g *gopher) error {
		all, err := g.s.ChannelInvites(g.channel.ID)
		return errors.Join(err, is("invites", len(all), 1))
	}},
	{"an invite by its code", func(g *gopher) error { _, err := g.s.Invite(g.invite.Code); return err }},
	{"an invite less", func(g *gopher) error { _, err := g.s.InviteDelete(g.invite.Code); return err }},
	{"what is logged of an invite", func(g *gopher) error {
		log, err := g.s.GuildAuditLog(g.guild, "", "", int(discordgo.AuditLogActionInviteCreate), 10)
		if err != nil || len(log.AuditLogEntries) != 1 {
			return errors.Join(err, errors.New("it is not logged"))
		}
		return is("fields", len(log.AuditLogEntries[0].Changes), 8)
	}},
	{"webhooks of a channel", func(g *gopher) error {
		all, err := g.s.ChannelWebhooks(g.channel.ID)
		return errors.Join(err, is("webhooks", len(all), 0))
	}},
	{"a deleted channel", func(g *gopher) error {
		return g.hears("CHANNEL_DELETE", nil, func() error { _, err := g.s.ChannelDelete(g.channel.ID); return err })
	}},
	{"a deleted channel in the cache", func(g *gopher) error {
		return within(func() error {
			if _, err := g.s.State.Channel(g.channel.ID); err == nil {
				return errors.New("it is still there")
			}
			return nil
		})
	}},
	{"voice", func(g *gopher) error {
		return g.hears("VOICE_SERVER_UPDATE", nil, func() error { return g.s.ChannelVoiceJoinManual(g.guild, g.id("talk"), true, true) })
	}},
	{"leaving voice", func(g *gopher) error {
		return g.hears("VOICE_STATE_UPDATE", nil, func() error { return g.s.ChannelVoiceJoinManual(g.guild, "", true, true) })
	}},
}
