package foreign

import (
	"errors"

	"github.com/bwmarrin/discordgo"
)

// goThreads starts and changes threads and posts.
var goThreads = []goStep{
	{"a thread below a message", func(g *gopher) error {
		m, err := g.said("ada", "#general", "let us talk")
		if err != nil {
			return err
		}
		return g.hears("THREAD_CREATE", nil, func() (err error) {
			g.thread, err = g.s.MessageThreadStart(m.ChannelID, m.ID, "talk", 60)
			return errors.Join(err, is("its ID", g.thread != nil && g.thread.ID == m.ID, true))
		})
	}},
	{"a message in a thread", func(g *gopher) error { return g.sends(g.thread.ID, &discordgo.MessageSend{Content: "here"}) }},
	{"a thread without a message", func(g *gopher) error {
		c, err := g.s.ThreadStart(g.id("#general"), "loose", discordgo.ChannelTypeGuildPublicThread, 1440)
		return errors.Join(err, is("archived after", c != nil && c.ThreadMetadata.AutoArchiveDuration == 1440, true))
	}},
	{"a private thread", func(g *gopher) error {
		c, err := g.s.ThreadStartComplex(g.id("#general"), &discordgo.ThreadStart{Name: "secret", Type: discordgo.ChannelTypeGuildPrivateThread, Invitable: false, RateLimitPerUser: 5})
		return errors.Join(err, is("its slowmode", c != nil && c.RateLimitPerUser == 5, true))
	}},
	{"a post in a forum", func(g *gopher) error {
		forum, _ := g.Channel("ideas")
		c, err := g.s.ForumThreadStartComplex(string(forum.ID), &discordgo.ThreadStart{Name: "Dark mode", AutoArchiveDuration: 60, AppliedTags: []string{forum.Tags[0].ID}}, &discordgo.MessageSend{Content: "my eyes"})
		return errors.Join(err, is("tags", c != nil && len(c.AppliedTags) == 1, true))
	}},
	{"other tags of a post", func(g *gopher) error {
		forum, _ := g.Channel("ideas")
		c, err := g.s.ChannelEditComplex(g.id("Dark mode"), &discordgo.ChannelEdit{AppliedTags: &[]string{forum.Tags[0].ID, forum.Tags[1].ID}})
		return errors.Join(err, is("tags", c != nil && len(c.AppliedTags) == 2, true))
	}},
	{"the name of a thread", func(g *gopher) error {
		return g.hears("THREAD_UPDATE", nil, func() error {
			c, err := g.s.ChannelEdit(g.thread.ID, &discordgo.ChannelEdit{Name: "talk about it"})
			return errors.Join(err, is("its name", c != nil && c.Name == "talk about it", true))
		})
	}},
	{"joining a thread", func(g *gopher) error {
		made, err := g.StartThread("ada", "#general", "hers")
		if err != nil {
			return err
		}
		return g.s.ThreadJoin(string(made.ID))
	}},
	{"a member of a thread", func(g *gopher) error {
		m, err := g.s.ThreadMember(g.id("hers"), g.user("bot"), false)
		return errors.Join(err, is("the user", m != nil && m.UserID == g.user("bot"), true))
	}},
	{"members of a thread", func(g *gopher) error { _, err := g.s.ThreadMembers(g.id("hers"), 10, false, ""); return err }},
	{"members of a thread page by page", func(g *gopher) error {
		var found []string
		for after := ""; ; after = found[len(found)-1] {
			page, err := g.s.ThreadMembers(g.id("hers"), 1, true, after)
			if err != nil || len(page) == 0 {
				return errors.Join(err, is("members", found, []string{g.user("ada"), g.user("bot")}))
			}
			if err := errors.Join(is("on a page", len(page), 1), is("as a member of the server", page[0].Member != nil, true)); err != nil {
				return err
			}
			found = append(found, page[0].UserID)
		}
	}},
	{"a member of a thread as one of the server", func(g *gopher) error {
		m, err := g.s.ThreadMember(g.id("hers"), g.user("ada"), true)
		return errors.Join(err, is("the name", m != nil && m.Member != nil && m.Member.User.Username == "ada", true))
	}},
	{"someone else in a thread", func(g *gopher) error {
		var told struct {
			Added []map[string]any `json:"added_members"`
		}
		err := g.hears("THREAD_MEMBERS_UPDATE", &told, func() error { return g.s.ThreadMemberAdd(g.id("hers"), g.user("bob")) })
		if err != nil || len(told.Added) != 1 {
			return errors.Join(err, is("added", len(told.Added), 1))
		}
		presence, there := told.Added[0]["presence"]
		return errors.Join(is("a member", told.Added[0]["member"] != nil, true), is("no presence", there && presence == nil, true))
	}},
	{"someone out of a thread", func(g *gopher) error { return g.s.ThreadMemberRemove(g.id("hers"), g.user("bob")) }},
	{"leaving a thread", func(g *gopher) error { return g.s.ThreadLeave(g.id("hers")) }},
	{"active threads", func(g *gopher) error {
		all, err := g.s.GuildThreadsActive(g.guild)
		return errors.Join(err, is("threads", all != nil && len(all.Threads) == 5, true))
	}},
	{"an archived thread", func(g *gopher) error {
		yes := true
		c, err := g.s.ChannelEdit(g.thread.ID, &discordgo.ChannelEdit{Archived: &yes, Locked: &yes})
		return errors.Join(err, is("archived", c != nil && c.ThreadMetadata.Archived && c.ThreadMetadata.Locked, true))
	}},
	{"a message in an archived thread that is unlocked", func(g *gopher) error {
		no := false
		if _, err := g.s.ChannelEdit(g.thread.ID, &discordgo.ChannelEdit{Archived: &no, Locked: &no}); err != nil {
			return err
		}
		_, err := g.s.ChannelMessageSend(g.thread.ID, "back")
		return err
	}},
	{"archived threads", func(g *gopher) error {
		all, err := g.s.ThreadsArchived(g.id("#general"), nil, 10)
		return errors.Join(err, is("threads", all != nil && len(all.Threads) == 1, true))
	}},
	{"archived private threads", func(g *gopher) error { _, err := g.s.ThreadsPrivateArchived(g.id("#general"), nil, 10); return err }},
	{"a deleted thread", func(g *gopher) error {
		return g.hears("THREAD_DELETE", nil, func() error { _, err := g.s.ChannelDelete(g.thread.ID); return err })
	}},
}

// goMembers changes members.
var goMembers = []goStep{
	{"a nickname", func(g *gopher) error {
		return g.hears("GUILD_MEMBER_UPDATE", nil, func() error { return g.s.GuildMemberNickname(g.guild, g.user("bob"), "bobby") })
	}},
	{"one's own nickname", func(g *gopher) error { return g.s.GuildMemberNickname(g.guild, "@me", "claw") }},
	{"a role for a member", func(g *gopher) error { return g.s.GuildMemberRoleAdd(g.guild, g.user("bob"), g.roleID("mods")) }},
	{"a role less", func(g *gopher) error { return g.s.GuildMemberRoleRemove(g.guild, g.user("bob"), g.roleID("mods")) }},
	{"several changes of a member", func(g *gopher) error {
		roles := []string{g.roleID("mods"), g.roleID("artists")}
		m, err := g.s.GuildMemberEdit(g.guild, g.user("bob"), &discordgo.GuildMemberParams{Nick: "bobo", Roles: &roles})
		return errors.Join(err, is("roles", m != nil && len(m.Roles) == 2 && m.Nick == "bobo", true))
	}},
	{"a timeout", func(g *gopher) error {
		until := soon()
		if err := g.s.GuildMemberTimeout(g.guild, g.user("bob"), &until); err != nil {
			return err
		}
		m, err := g.s.GuildMember(g.guild, g.user("bob"))
		return errors.Join(err, is("timed out", m != nil && m.CommunicationDisabledUntil != nil, true))
	}},
	{"a timeout less", func(g *gopher) error { return g.s.GuildMemberTimeout(g.guild, g.user("bob"), nil) }},
	{"muting a member", func(g *gopher) error { return g.s.GuildMemberMute(g.guild, g.user("bob"), true) }},
	{"a kick", func(g *gopher) error {
		return g.hears("GUILD_MEMBER_REMOVE", nil, func() error { return g.s.GuildMemberDeleteWithReason(g.guild, g.user("zoe"), "spam") })
	}},
	{"a ban", func(g *gopher) error {
		return g.hears("GUILD_BAN_ADD", nil, func() error {
			return g.s.GuildBanCreateWithReason(g.guild, g.user("zoe"), "", 0, discordgo.WithAuditLogReason("more spam"))
		})
	}},
	{"bans", func(g *gopher) error {
		all, err := g.s.GuildBans(g.guild, 10, "", "")
		return errors.Join(err, is("bans", len(all), 1))
	}},
	{"bans before one", func(g *gopher) error { _, err := g.s.GuildBans(g.guild, 10, g.user("bot"), ""); return err }},
	{"one ban", func(g *gopher) error {
		b, err := g.s.GuildBan(g.guild, g.user("zoe"))
		return errors.Join(err, is("the reason", b != nil && b.Reason == "more spam", true))
	}},
	{"a ban less", func(g *gopher) error {
		return g.hears("GUILD_BAN_REMOVE", nil, func() error { return g.s.GuildBanDelete(g.guild, g.user("zoe")) })
	}},
	{"what is logged of a kick", func(g *gopher) error {
		log, err := g.s.GuildAuditLog(g.guild, "", "", int(discordgo.AuditLogActionMemberKick), 10)
		return errors.Join(err, is("the reason", log != nil && len(log.AuditLogEntries) == 1 && log.AuditLogEntries[0].Reason == "spam", true))
	}},
}

// roleID is the ID of a role.
func (g *gopher) roleID(name string) string {
	for _, r := range g.Roles() {
		if r.Name == name {
			return string(r.ID)
		}
	}
	g.Fatalf("there is no role %s", name)
	return ""
}
