// Package chat holds the values that every part of the bot shares: identifiers,
// places, permissions, and how long a text is for Discord.
//
// It knows no protocol and does no I/O, so that any package may import it.
package chat

// Identifiers are Discord snowflakes, kept as the digits Discord sent. Each kind
// has its own type so that a call with two of them cannot be written the wrong
// way round.
type (
	GuildID   string
	ChannelID string
	MessageID string
	UserID    string
	RoleID    string
)

// A Place says where something happens. Fields that do not apply are empty: a
// direct message has no Guild, a channel that is not a thread has no Parent, and
// a scheduled run has no Message.
type Place struct {
	Guild   GuildID
	Channel ChannelID
	Parent  ChannelID // the channel a thread belongs to
	Message MessageID // the message that caused this
}
