package discord

import (
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// Permissions that discordgo does not know yet.
const (
	setVoiceStatus int64 = 1 << 48
	pinMessages    int64 = 1 << 51
	bypassSlowmode int64 = 1 << 52
)

// A right is a chat.Permission as Discord has it.
type right struct {
	bits int64  // any of them will do
	name string // in Discord's settings
}

// usualBits are the bits of permissions in most channels. One that Discord does not have is
// missing, so no member holds it.
var usualBits = map[chat.Permission]int64{
	chat.ViewChannel:    discordgo.PermissionViewChannel,
	chat.ReadHistory:    discordgo.PermissionReadMessageHistory,
	chat.SendMessages:   discordgo.PermissionSendMessages,
	chat.AttachFiles:    discordgo.PermissionAttachFiles,
	chat.AddReactions:   discordgo.PermissionAddReactions,
	chat.ManageMessages: discordgo.PermissionManageMessages,
	chat.PinMessages:    pinMessages, // since February 2026, Manage Messages is no longer as good
	chat.CreateThreads:  discordgo.PermissionCreatePublicThreads,
	chat.ManageThreads:  discordgo.PermissionManageThreads,
	chat.ManageChannels: discordgo.PermissionManageChannels,
	chat.CreatePolls:    discordgo.PermissionSendPolls,
	chat.CreateInvite:   discordgo.PermissionCreateInstantInvite,
	chat.ManageWebhooks: discordgo.PermissionManageWebhooks,
	chat.Connect:        discordgo.PermissionVoiceConnect,

	chat.ManagePermissions: discordgo.PermissionManageRoles,

	chat.ManageServer:    discordgo.PermissionManageGuild,
	chat.ManageRoles:     discordgo.PermissionManageRoles,
	chat.ManageNicknames: discordgo.PermissionManageNicknames,
	chat.ChangeNickname:  discordgo.PermissionChangeNickname,
	chat.ModerateMembers: discordgo.PermissionModerateMembers,
	chat.KickMembers:     discordgo.PermissionKickMembers,
	chat.BanMembers:      discordgo.PermissionBanMembers,
	chat.CreateEvents:    discordgo.PermissionCreateEvents,
	chat.ManageEvents:    discordgo.PermissionManageEvents,
	chat.ViewAuditLog:    discordgo.PermissionViewAuditLogs,

	chat.Administrator:          discordgo.PermissionAdministrator,
	chat.ViewInsights:           discordgo.PermissionViewGuildInsights,
	chat.ViewMonetization:       discordgo.PermissionViewCreatorMonetizationAnalytics,
	chat.CreateExpressions:      discordgo.PermissionCreateGuildExpressions,
	chat.ManageExpressions:      discordgo.PermissionManageGuildExpressions,
	chat.SendInThreads:          discordgo.PermissionSendMessagesInThreads,
	chat.CreatePrivateThreads:   discordgo.PermissionCreatePrivateThreads,
	chat.EmbedLinks:             discordgo.PermissionEmbedLinks,
	chat.UseExternalEmojis:      discordgo.PermissionUseExternalEmojis,
	chat.UseExternalStickers:    discordgo.PermissionUseExternalStickers,
	chat.MentionEveryone:        discordgo.PermissionMentionEveryone,
	chat.BypassSlowmode:         bypassSlowmode,
	chat.SendTTS:                discordgo.PermissionSendTTSMessages,
	chat.SendVoiceMessages:      discordgo.PermissionSendVoiceMessages,
	chat.Speak:                  discordgo.PermissionVoiceSpeak,
	chat.Video:                  discordgo.PermissionVoiceStreamVideo,
	chat.UseSoundboard:          discordgo.PermissionUseSoundboard,
	chat.UseExternalSounds:      discordgo.PermissionUseExternalSounds,
	chat.UseVoiceActivity:       discordgo.PermissionVoiceUseVAD,
	chat.PrioritySpeaker:        discordgo.PermissionVoicePrioritySpeaker,
	chat.MuteMembers:            discordgo.PermissionVoiceMuteMembers,
	chat.DeafenMembers:          discordgo.PermissionVoiceDeafenMembers,
	chat.MoveMembers:            discordgo.PermissionVoiceMoveMembers,
	chat.SetVoiceStatus:         setVoiceStatus,
	chat.RequestToSpeak:         discordgo.PermissionVoiceRequestToSpeak,
	chat.UseApplicationCommands: discordgo.PermissionUseApplicationCommands,
	chat.UseActivities:          discordgo.PermissionUseEmbeddedActivities,
	chat.UseExternalApps:        discordgo.PermissionUseExternalApps,
}

// rightFor returns the right for a permission in a kind of channel.
func rightFor(p chat.Permission, in chat.Kind) right {
	thread := in == chat.Thread
	forum := in == chat.Forum || in == chat.Media
	switch {
	case p == chat.SendMessages && thread:
		return right{discordgo.PermissionSendMessagesInThreads, "Send Messages in Threads"}
	case p == chat.CreateThreads && forum:
		return right{discordgo.PermissionSendMessages, "Create Posts"}
	}
	return right{usualBits[p], string(p)}
}

// everything has all bits, for owners and administrators.
const everything int64 = -1

// rights returns a member's bits on the whole server, or in ch if that is not nil. An empty who has
// those of @everyone.
func (g *guild) rights(id chat.GuildID, who chat.UserID, m chat.Member, ch *channel, now time.Time) int64 {
	if who != "" && who == g.owner {
		return everything
	}
	everyone := chat.RoleID(id) // has the server's ID
	have := g.roles[everyone].rights
	for _, r := range m.Roles {
		have |= g.roles[r].rights
	}
	if have&discordgo.PermissionAdministrator != 0 {
		return everything
	}
	if ch != nil {
		have = g.rightsIn(*ch, have, everyone, who, m)
	}
	if m.TimedOutUntil.After(now) {
		have &= discordgo.PermissionViewChannel | discordgo.PermissionReadMessageHistory
	}
	return have
}

// rightsIn applies a channel's overwrites, in Discord's order, and what one right
// implies for others.
func (g *guild) rightsIn(ch channel, have int64, everyone chat.RoleID, who chat.UserID, m chat.Member) int64 {
	ruling := g.ruling(ch)
	if ruling.ID == "" {
		return 0
	}
	var allow, deny int64
	apply := func(matches func(overwrite) bool) {
		allow, deny = 0, 0
		for _, o := range ruling.overwrites {
			if matches(o) {
				allow, deny = allow|o.allow, deny|o.deny
			}
		}
		have = have&^deny | allow
	}
	apply(func(o overwrite) bool { return o.role == everyone })
	apply(func(o overwrite) bool { return o.role != "" && o.role != everyone && slices.Contains(m.Roles, o.role) })
	apply(func(o overwrite) bool { return o.member != "" && o.member == who })

	if have&discordgo.PermissionViewChannel == 0 {
		return 0
	}
	if vocal := ch.Kind == chat.Voice || ch.Kind == chat.Stage; vocal && have&discordgo.PermissionVoiceConnect == 0 {
		return discordgo.PermissionViewChannel
	}
	if ch.Locked && have&discordgo.PermissionManageThreads == 0 {
		have &^= discordgo.PermissionSendMessagesInThreads
	}
	if have&rightFor(chat.SendMessages, ch.Kind).bits == 0 {
		have &^= discordgo.PermissionAttachFiles
	}
	return have
}

// ruling is the channel whose overwrites count in ch: that of a thread, which is empty if it is
// unknown.
func (g *guild) ruling(ch channel) channel {
	if ch.Kind == chat.Thread {
		return g.channels[ch.Parent]
	}
	return ch
}

// lacking returns the needs that these bits do not meet.
func lacking(have int64, in chat.Kind, needs []chat.Permission) []chat.Permission {
	var missing []chat.Permission
	for _, p := range needs {
		if have&rightFor(p, in).bits == 0 {
			missing = append(missing, p)
		}
	}
	return missing
}

// botLacks returns the permissions for a request that the bot lacks, by their names in Discord's
// settings: those that none of its roles has, and those that the channel's overwrites
// deny.
func (c *cache) botLacks(q rest.Request) (byRole, byChannel []string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	id := q.Guild
	var in *channel
	if ch, known := c.find(q.Channel); known {
		id, in = ch.Guild, &ch
	}
	g := c.guilds[id]
	if g == nil || g.bot == nil || in == nil && q.Channel != "" {
		return nil, nil
	}
	var kind chat.Kind
	if in != nil {
		kind = in.Kind
	}
	overall := g.rights(id, c.self.ID, *g.bot, nil, c.now())
	for _, p := range lacking(g.rights(id, c.self.ID, *g.bot, in, c.now()), kind, q.Needs) {
		if r := rightFor(p, kind); overall&r.bits == 0 {
			byRole = append(byRole, r.name)
		} else {
			byChannel = append(byChannel, r.name)
		}
	}
	return byRole, byChannel
}

// botRights returns the bot's bits on a server, or in ch if that is not nil. It has all as long as its
// roles are not known.
func (c *cache) botRights(id chat.GuildID, ch *channel) int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g := c.guilds[id]
	if g == nil || g.bot == nil {
		return everything
	}
	return g.rights(id, c.self.ID, *g.bot, ch, c.now())
}

// botMeets reports whether the bot has all permissions for a request, as far as is known.
func (c *cache) botMeets(q rest.Request) bool {
	byRole, byChannel := c.botLacks(q)
	return len(byRole)+len(byChannel) == 0
}

// ruledBy says in a sentence where the overwrites for a channel are: there, or in the parent of a
// thread.
func (c *cache) ruledBy(id chat.ChannelID) string {
	if ch, known := c.channel(id); known && ch.Kind == chat.Thread {
		return "in " + c.describe(ch.Parent)
	}
	return "there"
}
