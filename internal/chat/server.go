package chat

import (
	"time"
)

// An AuditAction is the kind of change that an AuditEntry is about: channelDelete,
// memberBan and so on. One without a name here is "change 146", by Discord's number.
type AuditAction string

// An AuditEntry is a line of a server's audit log: who changed what.
type AuditEntry struct {
	ID     string
	At     time.Time
	Action AuditAction
	By     User        // zero if Discord does not tell
	Target AuditTarget // of the change
	// Channel is the channel that it is about, if there is one, whether or not it
	// still exists.
	Channel ChannelID
	Reason  string
	Changes []AuditChange
}

// An AuditTarget is the object of a change.
type AuditTarget struct {
	Kind string // "channel", "role", "member" and so on; empty for the server itself
	ID   string // empty if it has none
	Name string // if the log has it
}

// An AuditChange is one property with what it was and what it is. Either may be empty.
type AuditChange struct{ Property, Old, New string }

// An AuditQuery selects entries to fetch, newest first.
type AuditQuery struct {
	By     UserID      // empty for all users
	Action AuditAction // empty for all kinds
	Before string      // only those older than the entry with this ID; empty for the latest
	Limit  int         // 1 to 100
}

// An EventID names a scheduled event of a server.
type EventID string

// An Event is a date that a server has announced. It takes place in a voice or stage
// channel, or else somewhere that only its Location names.
type Event struct {
	ID          EventID
	Name        string
	Description string
	Start       time.Time
	End         time.Time // zero if not set
	Channel     ChannelID // empty if it is not in a channel
	Location    string    // empty if it is in a channel
	Creator     UserID    // empty if Discord does not tell
}

// A NewEvent is an event to announce. It has a Channel, or a Location and an End.
type NewEvent struct {
	Name        string
	Description string
	Start, End  time.Time
	Channel     ChannelID
	Location    string
}

// An EventEdit changes an event. Nil fields stay as they are.
type EventEdit struct {
	Name        *string
	Description *string // empty removes it
	Start       *time.Time
	End         *time.Time // zero removes it
	Location    *string    // moves an event out of its channel
	Channel     *ChannelID // moves an event into a channel
}

// An Invite lets people join a server.
type Invite struct {
	Code      string
	Channel   ChannelID // in which new members arrive
	Inviter   User      // zero if Discord does not tell
	Uses      int
	MaxUses   int       // 0 for any number
	Expires   time.Time // zero for never
	Temporary bool      // a new member without a role is removed when they disconnect
}

// URL is the address that people open to join.
func (i Invite) URL() string { return "https://discord.gg/" + i.Code }

// A NewInvite is an invite to make.
type NewInvite struct {
	MaxAge    time.Duration // 0 for no end
	MaxUses   int           // 0 for any number
	Temporary bool
	Unique    bool // never return an older one that is alike
}

// A Webhook lets a program post in a channel under a name of its own. Its URL and its
// token are secrets, and are not kept here.
type Webhook struct {
	ID      string
	Name    string
	Channel ChannelID
	Creator User // zero if Discord does not tell
	// Follows is set if it reposts the announcements of a channel on another server.
	Follows bool
	// App is set if it belongs to an application.
	App bool
}
