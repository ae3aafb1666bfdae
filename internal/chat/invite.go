package chat

import "time"

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
