package fakediscord

import (
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// A Member is a person on the guild, or a bot.
type Member struct {
	ID            chat.UserID
	Name          string
	Nick          string
	Bot           bool
	Roles         []chat.RoleID
	Joined        time.Time
	TimedOutUntil time.Time // zero for those who are not
	NoDMs         bool      // takes no direct messages
	Left          bool      // is not on the guild any more
	Banned        bool      // and must not come back
	BanReason     string
}

func (m *Member) clone() Member {
	copied := *m
	copied.Roles = slices.Clone(m.Roles)
	return copied
}

func (m *Member) timedOut(now time.Time) bool { return now.Before(m.TimedOutUntil) }

// Shown is the name that others see.
func (m *Member) Shown() string {
	if m.Nick != "" {
		return m.Nick
	}
	return m.Name
}

// A Role is a set of rights that members share.
type Role struct {
	ID          chat.RoleID
	Name        string
	Permissions Permissions
	Position    int  // from 1 for the lowest; @everyone has 0
	Managed     bool // belongs to the bot
	Color       int  // 0xRRGGBB, and 0 for none
	Hoist       bool // those who have it are listed apart
	Mentionable bool // anybody may mention it
}

// user finds a member by ID.
func (w *World) user(id chat.UserID) *Member {
	for _, m := range w.members {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// member finds a member by name or ID; "bot" is the bot, whatever its name.
func (w *World) member(nameOrID string) *Member {
	if nameOrID == "bot" {
		return w.user(w.bot)
	}
	for _, m := range w.members {
		if strings.EqualFold(m.Name, nameOrID) {
			return m
		}
	}
	return w.user(chat.UserID(nameOrID))
}

func (w *World) addMember(m *Member) *Member {
	m.ID, m.Joined = chat.UserID(w.newID()), w.clock()
	w.members = append(w.members, m)
	return m
}

func (w *World) botMember() *Member { return w.user(w.bot) }

// everyone is the role that all have. Its ID is the guild's.
func (w *World) everyone() *Role { return w.roles[0] }

func (w *World) role(id chat.RoleID) *Role {
	for _, r := range w.roles {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// roleNamed finds a role by name or ID; "bot" is the one that came with the bot.
func (w *World) roleNamed(name string) *Role {
	plain := strings.TrimPrefix(name, "@")
	for _, r := range w.roles {
		if strings.EqualFold(strings.TrimPrefix(r.Name, "@"), plain) || r.Managed && name == "bot" {
			return r
		}
	}
	return w.role(chat.RoleID(name))
}

func (w *World) addRole(r *Role) *Role {
	if r.ID == "" {
		r.ID = chat.RoleID(w.newID())
	}
	r.Position = len(w.roles)
	w.roles = append(w.roles, r)
	return r
}
