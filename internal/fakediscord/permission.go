package fakediscord

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"discoclaw/internal/chat"
)

// Permissions is a set of rights, one bit each, as Discord sends it.
type Permissions uint64

// The bits that the fake itself checks. All others are in permissionNames.
// https://discord.com/developers/docs/topics/permissions
const (
	kickMembers     Permissions = 1 << 1
	banMembers      Permissions = 1 << 2
	administrator   Permissions = 1 << 3
	manageChannels  Permissions = 1 << 4
	addReactions    Permissions = 1 << 6
	viewChannel     Permissions = 1 << 10
	sendMessages    Permissions = 1 << 11
	manageMessages  Permissions = 1 << 13
	embedLinks      Permissions = 1 << 14
	attachFiles     Permissions = 1 << 15
	readHistory     Permissions = 1 << 16
	mentionEveryone Permissions = 1 << 17
	externalEmojis  Permissions = 1 << 18
	connect         Permissions = 1 << 20
	moveMembers     Permissions = 1 << 24
	changeNickname  Permissions = 1 << 26
	manageNicknames Permissions = 1 << 27
	manageRoles     Permissions = 1 << 28
	manageThreads   Permissions = 1 << 34
	publicThreads   Permissions = 1 << 35
	privateThreads  Permissions = 1 << 36
	sendInThreads   Permissions = 1 << 38
	moderateMembers Permissions = 1 << 40
	pinMessages     Permissions = 1 << 51

	everything Permissions = 1<<53 - 1
)

// Those about a server's other objects.
const (
	createInvites  Permissions = 1 << 0
	manageServer   Permissions = 1 << 5
	viewAuditLog   Permissions = 1 << 7
	manageWebhooks Permissions = 1 << 29
	manageEvents   Permissions = 1 << 33
	createEvents   Permissions = 1 << 44
	createPolls    Permissions = 1 << 49
)

// permissionNames are the rights by the names of Discord's settings, in the order
// of their bits. An empty name is a bit that Discord does not use.
var permissionNames = []chat.Permission{
	"Create Invite", "Kick Members", "Ban Members", "Administrator", chat.ManageChannels, "Manage Server",
	chat.AddReactions, "View Audit Log", "Priority Speaker", "Video", chat.ViewChannel, chat.SendMessages,
	"Send Text-to-Speech Messages", chat.ManageMessages, "Embed Links", chat.AttachFiles, chat.ReadHistory,
	"Mention Everyone", "Use External Emojis", "View Server Insights", "Connect", "Speak", "Mute Members",
	"Deafen Members", "Move Members", "Use Voice Activity", "Change Nickname", "Manage Nicknames", "Manage Roles",
	"Manage Webhooks", "Manage Expressions", "Use Application Commands", "Request to Speak", "Manage Events",
	chat.ManageThreads, chat.CreateThreads, "Create Private Threads", "Use External Stickers",
	"Send Messages in Threads", "Use Activities", chat.ModerateMembers, "View Monetization Analytics",
	"Use Soundboard", "Create Expressions", "Create Events", "Use External Sounds", "Send Voice Messages", "",
	"Set Voice Channel Status", chat.CreatePolls, "Use External Apps", chat.PinMessages, "Bypass Slowmode",
}

// formerNames are earlier names of some rights, which Discord's documentation still uses.
var formerNames = map[chat.Permission]string{chat.ModerateMembers: "Moderate Members", chat.CreatePolls: "Send Polls"}

// everyonesRights are those of @everyone on a new server.
var everyonesRights = sync.OnceValue(func() Permissions {
	return mustPermissions("Create Invite", chat.AddReactions, "Video", chat.ViewChannel, chat.SendMessages,
		"Send Text-to-Speech Messages", "Embed Links", chat.AttachFiles, chat.ReadHistory, "Mention Everyone",
		"Use External Emojis", "Connect", "Speak", "Use Voice Activity", "Change Nickname", "Use Application Commands",
		"Request to Speak", chat.CreateThreads, "Create Private Threads", "Use External Stickers",
		"Send Messages in Threads", "Use Activities", "Use Soundboard", "Use External Sounds", "Send Voice Messages",
		chat.CreatePolls, "Use External Apps")
})

// botsRights are those of a bot that runs a server, short of Administrator.
var botsRights = sync.OnceValue(func() Permissions {
	return mustPermissions(chat.ViewChannel, chat.SendMessages, "Send Messages in Threads", chat.ManageMessages,
		chat.PinMessages, "Embed Links", chat.AttachFiles, chat.ReadHistory, chat.AddReactions, "Use External Emojis",
		chat.CreateThreads, "Create Private Threads", chat.ManageThreads, chat.ManageChannels, "Manage Roles",
		"Kick Members", "Ban Members", chat.ModerateMembers, "Manage Nicknames", "Manage Events", "Create Events",
		"View Audit Log", chat.CreatePolls, "Connect", "Speak", "Move Members")
})

// ParsePermission finds the bit of a right by its name in Discord's settings;
// upper and lower case make no difference.
func ParsePermission(name chat.Permission) (Permissions, error) {
	wanted := strings.TrimSpace(string(name))
	for bit, known := range permissionNames {
		if known != "" && (strings.EqualFold(string(known), wanted) || strings.EqualFold(formerNames[known], wanted)) {
			return 1 << bit, nil
		}
	}
	return 0, fmt.Errorf("there is no permission %q; write it as Discord's settings do, such as Manage Messages", name)
}

func parsePermissions(names ...chat.Permission) (Permissions, error) {
	var all Permissions
	for _, name := range names {
		p, err := ParsePermission(name)
		if err != nil {
			return 0, err
		}
		all |= p
	}
	return all, nil
}

// mustPermissions is for the fixed tables above.
func mustPermissions(names ...chat.Permission) Permissions {
	all, err := parsePermissions(names...)
	if err != nil {
		panic(err)
	}
	return all
}

// Has reports whether every bit of want is in p.
func (p Permissions) Has(want Permissions) bool { return p&want == want }

// String lists the names of the bits in p.
func (p Permissions) String() string {
	var names []string
	for bit, name := range permissionNames {
		if name != "" && p.Has(1<<bit) {
			names = append(names, string(name))
		}
	}
	return strings.Join(names, ", ")
}

// wire is p as Discord writes it: a number in a string.
func (p Permissions) wire() string { return strconv.FormatUint(uint64(p), 10) }

// An Overwrite changes what a role or a member may do in one channel.
type Overwrite struct {
	Role   chat.RoleID `json:"role,omitempty"`   // either this
	Member chat.UserID `json:"member,omitempty"` // or this
	Allow  Permissions `json:"allow,omitempty"`
	Deny   Permissions `json:"deny,omitempty"`
}

// guildPermissions are a member's rights on their guild, without overwrites.
func (w *World) guildPermissions(m *Member) Permissions {
	g := w.guild(m.Guild)
	if m.ID == g.Owner {
		return everything
	}
	p := g.everyone().Permissions
	for _, id := range m.Roles {
		if r := g.role(id); r != nil {
			p |= r.Permissions
		}
	}
	if p.Has(administrator) {
		return everything
	}
	return p
}

// permissions are a member's rights in a channel: those of the guild, then the
// overwrites for @everyone, for the member's roles taken together, and for the
// member, in this order. A thread has the rights of its parent. A member of another
// guild has none.
func (w *World) permissions(m *Member, c *Channel) Permissions {
	if c.Type == DMChannel {
		return directMessageRights
	}
	g := w.guild(c.Guild)
	if m = g.person(m.ID); m == nil {
		return 0
	}
	p := w.guildPermissions(m)
	if p == everything {
		return p
	}
	home := c
	if c.Type.IsThread() {
		home = w.channels[c.Parent]
	}
	p = applyOverwrites(p, home.Overwrites, m, g.everyone().ID)
	if m.timedOut(w.clock()) {
		p &= viewChannel | readHistory
	}
	return withoutImplied(p, c.Type)
}

func applyOverwrites(p Permissions, overwrites []Overwrite, m *Member, everyone chat.RoleID) Permissions {
	var roles, own Overwrite
	for _, o := range overwrites {
		switch {
		case o.Role == everyone:
			p = p&^o.Deny | o.Allow
		case o.Role != "" && slices.Contains(m.Roles, o.Role):
			roles.Allow |= o.Allow
			roles.Deny |= o.Deny
		case o.Member == m.ID:
			own = o
		}
	}
	p = p&^roles.Deny | roles.Allow
	return p&^own.Deny | own.Allow
}

// withoutImplied removes the rights that depend on a missing one: in a channel that is not
// visible or not joinable no other right counts, and without Send Messages none to attach.
func withoutImplied(p Permissions, t ChannelType) Permissions {
	if !p.Has(viewChannel) {
		return 0
	}
	if t.isVocal() && !p.Has(connect) {
		return viewChannel
	}
	writing := sendMessages
	if t.IsThread() {
		writing = sendInThreads
	}
	if !p.Has(writing) {
		p &^= mentionEveryone | attachFiles | embedLinks
	}
	return p
}

// directMessageRights are what both sides of a direct message have.
const directMessageRights = viewChannel | sendMessages | addReactions | embedLinks | attachFiles | readHistory

// sees reports whether the member can view the channel. A private thread is visible to its
// members and to those who manage threads, a voice channel to those in it, and a category to
// those who see a channel in it.
// https://discord.com/developers/docs/resources/channel#channel-object-obfuscated-channels
func (w *World) sees(m *Member, c *Channel) bool {
	if c.Type == DMChannel {
		return m.ID == w.bot || m.ID == c.Recipient
	}
	if m = w.guild(c.Guild).person(m.ID); m == nil || m.Left {
		return false
	}
	p := w.permissions(m, c)
	if c.Type == PrivateThread && !slices.Contains(c.Members, m.ID) && !p.Has(manageThreads) {
		return false
	}
	if p.Has(viewChannel) || w.guild(c.Guild).voice[m.ID].Channel == c.ID {
		return true
	}
	return c.Type == CategoryChannel && slices.ContainsFunc(w.under(c.ID, ""), func(child *Channel) bool { return w.sees(m, child) })
}
