package chat

import (
	"fmt"
	"slices"
)

// A Permission is a right that a person must hold for an action, by the name
// people see in Discord's own settings.
type Permission string

// Operator is the one right that is not Discord's: being named in
// DISCOCLAW_OPERATOR_USER_IDS. It guards actions that change the bot rather than the
// server.
const Operator Permission = "Operator"

// Rights in a channel. What a right means can depend on the channel: in a thread,
// SendMessages is Discord's "Send Messages in Threads", and in a forum
// CreateThreads is "Create Posts".
const (
	ViewChannel    Permission = "View Channel"
	ReadHistory    Permission = "Read Message History"
	SendMessages   Permission = "Send Messages"
	AttachFiles    Permission = "Attach Files"
	AddReactions   Permission = "Add Reactions"
	ManageMessages Permission = "Manage Messages"
	PinMessages    Permission = "Pin Messages"
	CreateThreads  Permission = "Create Public Threads"
	ManageThreads  Permission = "Manage Threads"
	ManageChannels Permission = "Manage Channels"
	CreatePolls    Permission = "Create Polls"
	CreateInvite   Permission = "Create Invite"
	ManageWebhooks Permission = "Manage Webhooks"
	Connect        Permission = "Connect"

	// ManagePermissions is Discord's "Manage Roles", as it is called in a channel.
	ManagePermissions Permission = "Manage Permissions"
)

// Rights on a server as a whole.
const (
	ManageServer    Permission = "Manage Server"
	ManageRoles     Permission = "Manage Roles"
	ManageNicknames Permission = "Manage Nicknames"
	ChangeNickname  Permission = "Change Nickname"
	ModerateMembers Permission = "Timeout Members"
	KickMembers     Permission = "Kick Members"
	BanMembers      Permission = "Ban Members"
	CreateEvents    Permission = "Create Events"
	ManageEvents    Permission = "Manage Events"
	ViewAuditLog    Permission = "View Audit Log"
)

// Rights that no action needs, but that a role can have.
const (
	Administrator          Permission = "Administrator"
	ViewInsights           Permission = "View Server Insights"
	ViewMonetization       Permission = "View Monetization Analytics"
	CreateExpressions      Permission = "Create Expressions"
	ManageExpressions      Permission = "Manage Expressions"
	SendInThreads          Permission = "Send Messages in Threads"
	CreatePrivateThreads   Permission = "Create Private Threads"
	EmbedLinks             Permission = "Embed Links"
	UseExternalEmojis      Permission = "Use External Emojis"
	UseExternalStickers    Permission = "Use External Stickers"
	MentionEveryone        Permission = "Mention Everyone"
	BypassSlowmode         Permission = "Bypass Slowmode"
	SendTTS                Permission = "Send Text-to-Speech Messages"
	SendVoiceMessages      Permission = "Send Voice Messages"
	Speak                  Permission = "Speak"
	Video                  Permission = "Video"
	UseSoundboard          Permission = "Use Soundboard"
	UseExternalSounds      Permission = "Use External Sounds"
	UseVoiceActivity       Permission = "Use Voice Activity"
	PrioritySpeaker        Permission = "Priority Speaker"
	MuteMembers            Permission = "Mute Members"
	DeafenMembers          Permission = "Deafen Members"
	MoveMembers            Permission = "Move Members"
	SetVoiceStatus         Permission = "Set Voice Channel Status"
	RequestToSpeak         Permission = "Request to Speak"
	UseApplicationCommands Permission = "Use Application Commands"
	UseActivities          Permission = "Use Activities"
	UseExternalApps        Permission = "Use External Apps"
)

// rolePermissions are the rights that a role can have, in the order of Discord's settings.
var rolePermissions = []Permission{
	Administrator, ViewChannel, ManageChannels, ManageRoles, CreateExpressions, ManageExpressions, ViewAuditLog,
	ViewInsights, ViewMonetization, ManageWebhooks, ManageServer,
	CreateInvite, ChangeNickname, ManageNicknames, KickMembers, BanMembers, ModerateMembers,
	SendMessages, SendInThreads, CreateThreads, CreatePrivateThreads, EmbedLinks, AttachFiles, AddReactions,
	UseExternalEmojis, UseExternalStickers, MentionEveryone, ManageMessages, PinMessages, BypassSlowmode,
	ManageThreads, ReadHistory, SendTTS, SendVoiceMessages, CreatePolls,
	Connect, Speak, Video, UseSoundboard, UseExternalSounds, UseVoiceActivity, PrioritySpeaker, MuteMembers,
	DeafenMembers, MoveMembers, SetVoiceStatus, RequestToSpeak,
	UseApplicationCommands, UseActivities, UseExternalApps, CreateEvents, ManageEvents,
}

// ofServersOnly are the rights that a channel cannot overwrite.
var ofServersOnly = []Permission{
	Administrator, CreateExpressions, ManageExpressions, ViewAuditLog, ViewInsights, ViewMonetization, ManageServer,
	ChangeNickname, ManageNicknames, KickMembers, BanMembers, ModerateMembers,
}

// InChannels reports whether a channel can overwrite a right.
func (p Permission) InChannels() bool { return !slices.Contains(ofServersOnly, p) }

// otherNames are names from Discord's documentation, its older settings and other
// programs, without spaces.
var otherNames = map[string]Permission{
	"admin": Administrator, "viewchannels": ViewChannel, "readmessages": ViewChannel, "manageguild": ManageServer,
	"createinstantinvite": CreateInvite, "moderatemembers": ModerateMembers, "sendpolls": CreatePolls,
	"stream": Video, "usevad": UseVoiceActivity, "viewguildinsights": ViewInsights, "sendttsmessages": SendTTS,
	"manageguildexpressions": ManageExpressions, "manageemojis": ManageExpressions,
	"createguildexpressions": CreateExpressions, "useembeddedactivities": UseActivities,
	"useslashcommands": UseApplicationCommands, "useexternalemoji": UseExternalEmojis, "managepermissions": ManageRoles,
}

// RolePermissions are the rights that a role can have, in the order of Discord's
// settings.
func RolePermissions() []Permission { return append([]Permission(nil), rolePermissions...) }

// RolePermission finds a right that a role can have by its name. Case, spaces and
// underscores make no difference: MANAGE_MESSAGES is Manage Messages.
func RolePermission(name string) (Permission, error) {
	wanted := Letters(name)
	if known, ok := otherNames[wanted]; ok {
		return known, nil
	}
	var near Permission
	least := 4 // a larger edit distance is another word
	for _, known := range rolePermissions {
		have := Letters(string(known))
		if have == wanted {
			return known, nil
		}
		if len(wanted) < 40 {
			if n := Slips(have, wanted); n < least {
				near, least = known, n
			}
		}
	}
	if near != "" {
		return "", fmt.Errorf("there is no permission %q; did you mean %q?", Clip(name, 40), near)
	}
	return "", fmt.Errorf("there is no permission %q; write it as Discord's settings do, such as %q", Clip(name, 40), ManageMessages)
}
