package fakediscord

import (
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// A Guild is a server.
type Guild struct {
	ID    chat.GuildID `json:"id"`
	Name  string       `json:"name"`
	Owner chat.UserID  `json:"owner"`
	Bot   chat.UserID  `json:"bot"` // the same on all guilds

	// Of the first guild only, for the bot's application.
	WithoutMessageContent bool `json:"withoutMessageContent,omitempty"`
	WithoutMemberList     bool `json:"withoutMemberList,omitempty"`
}

// A guild is a Guild with its members, and all it has besides channels. Channels, roles
// and members have the ID of their guild.
type guild struct {
	Guild
	roles     []*Role   // @everyone first
	members   []*Member // also former ones
	scheduled []*ScheduledEvent
	auditLog  []*AuditEntry
	emojis    []*GuildEmoji
	voice     map[chat.UserID]VoiceState
	passes    map[chat.UserID]VoicePass // of those in voice channels, unless there is no voice server
	outage    bool                      // it is unavailable
}

// addGuild makes a guild without members.
func (w *World) addGuild(from Guild) *guild {
	g := &guild{Guild: from, voice: map[chat.UserID]VoiceState{}, passes: map[chat.UserID]VoicePass{}}
	w.guilds = append(w.guilds, g)
	return g
}

// guild finds a guild by its ID.
func (w *World) guild(id chat.GuildID) *guild {
	for _, g := range w.guilds {
		if g.ID == id {
			return g
		}
	}
	return nil
}

// first is the guild of methods without a name, and of Views. A change never falls back to
// it; see names.go.
func (w *World) first() *guild { return w.guilds[0] }

// guildNamed finds a guild by name or ID.
func (w *World) guildNamed(nameOrID string) *guild {
	for _, g := range w.guilds {
		if strings.EqualFold(g.Name, nameOrID) {
			return g
		}
	}
	return w.guild(chat.GuildID(nameOrID))
}

// person finds a current or former member of the guild.
func (g *guild) person(id chat.UserID) *Member {
	for _, m := range g.members {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// count is the number of its members.
func (g *guild) count() int { return len(g.current()) }

// current are its members, without former ones.
func (g *guild) current() []*Member {
	return slices.DeleteFunc(slices.Clone(g.members), func(m *Member) bool { return m.Left })
}

// everyone is the role of all members. Its ID is the guild's.
func (g *guild) everyone() *Role { return g.roles[0] }

func (g *guild) role(id chat.RoleID) *Role {
	for _, r := range g.roles {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// roleNamed finds a role by name or ID; "bot" is the bot's own.
func (g *guild) roleNamed(name string) *Role {
	plain := strings.TrimPrefix(name, "@")
	for _, r := range g.roles {
		if strings.EqualFold(strings.TrimPrefix(r.Name, "@"), plain) || r.Managed && name == "bot" {
			return r
		}
	}
	return g.role(chat.RoleID(name))
}

// byHeight are the roles from low to high, @everyone first.
func (g *guild) byHeight() []*Role {
	return slices.SortedFunc(slices.Values(g.roles), compareRoles)
}

// botOn is the bot as a member of a guild.
func (w *World) botOn(g *guild) *Member { return g.person(w.bot) }

// hasBot reports whether the bot is on the guild.
func (w *World) hasBot(g *guild) bool {
	bot := w.botOn(g)
	return bot != nil && !bot.Left
}

// guildJSON is a guild without its channels, members and threads.
func (w *World) guildJSON(g *guild) object {
	roles := []object{}
	for _, r := range g.roles {
		roles = append(roles, w.roleJSON(r))
	}
	o := object{
		"id": g.ID, "name": g.Name, "owner_id": g.Owner, "roles": roles, "region": "deprecated",
		"features": []string{}, "emojis": g.emojisJSON(), "stickers": []any{}, "preferred_locale": "en-US",
		"afk_timeout": 300, "system_channel_flags": 0, "widget_enabled": false, "verification_level": 0,
		"default_message_notifications": 0, "mfa_level": 0, "explicit_content_filter": 0, "max_members": 500000,
		"max_stage_video_channel_users": 50, "max_video_channel_users": 25, "premium_tier": 0,
		"premium_subscription_count": 0, "premium_progress_bar_enabled": false, "nsfw": false, "nsfw_level": 0,
	}
	for _, none := range []string{
		"icon", "description", "home_header", "splash", "discovery_splash", "banner", "application_id",
		"afk_channel_id", "system_channel_id", "widget_channel_id", "max_presences", "vanity_url_code",
		"rules_channel_id", "safety_alerts_channel_id", "public_updates_channel_id", "incidents_data",
	} {
		o[none] = nil
	}
	for _, c := range w.guildChannels(g) {
		if c.Rules {
			o["rules_channel_id"] = c.ID
		}
	}
	return o
}
