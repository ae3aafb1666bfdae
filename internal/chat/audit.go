package chat

import "time"

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
