package chat

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
