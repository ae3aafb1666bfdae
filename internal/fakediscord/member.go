package fakediscord

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// A Member is a user or bot on a guild. A user on several guilds is a Member of each, with
// the same ID and name.
type Member struct {
	ID            chat.UserID   `json:"id"`
	Guild         chat.GuildID  `json:"guild,omitempty"`
	Name          string        `json:"name"`
	Display       string        `json:"display,omitempty"` // on all guilds; empty for the name
	Nick          string        `json:"nick,omitempty"`
	Bot           bool          `json:"bot,omitempty"`
	Roles         []chat.RoleID `json:"roles,omitempty"`
	Joined        time.Time     `json:"joined,omitzero"`
	TimedOutUntil time.Time     `json:"timedOutUntil,omitzero"` // zero means not timed out
	NoDMs         bool          `json:"noDMs,omitempty"`        // refuses direct messages
	Left          bool          `json:"left,omitempty"`         // a former member
	Banned        bool          `json:"banned,omitempty"`       // and cannot join again
	BanReason     string        `json:"banReason,omitempty"`
	Note          string        `json:"note,omitempty"`     // what people are told about them
	Stranger      bool          `json:"stranger,omitempty"` // the layout says so
}

func (m *Member) clone() Member {
	copied := *m
	copied.Roles = slices.Clone(m.Roles)
	return copied
}

func (m *Member) timedOut(now time.Time) bool { return now.Before(m.TimedOutUntil) }

// Shown is what people see as the member's name.
func (m *Member) Shown() string { return cmp.Or(m.Nick, m.Display, m.Name) }

// A Role is a set of rights that members share.
type Role struct {
	ID          chat.RoleID  `json:"id"`
	Guild       chat.GuildID `json:"guild,omitempty"`
	Name        string       `json:"name"`
	Position    int          `json:"position"`              // from 1 for the lowest; @everyone has 0
	Managed     bool         `json:"managed,omitempty"`     // belongs to the bot
	Color       int          `json:"color,omitempty"`       // 0xRRGGBB, and 0 for none
	Hoist       bool         `json:"hoist,omitempty"`       // its members are listed separately
	Mentionable bool         `json:"mentionable,omitempty"` // every member may mention it
	Permissions Permissions  `json:"permissions,omitempty"`
}

// user finds a user by ID, on any guild.
func (w *World) user(id chat.UserID) *Member {
	for _, g := range w.guilds {
		if m := g.person(id); m != nil {
			return m
		}
	}
	return nil
}

// member finds a member by name or ID; "bot" is the bot, whatever its name. For a user on
// several guilds it is the first of these, unless the name says which: disco/ada.
func (w *World) member(nameOrID string) *Member {
	guilds, name := w.among(nameOrID)
	for _, g := range guilds {
		if m := w.memberOn(g, name); m != nil {
			return m
		}
	}
	return nil
}

// memberOn finds a member of a guild by name or ID.
func (w *World) memberOn(g *guild, nameOrID string) *Member {
	if nameOrID == "bot" {
		return w.botOn(g)
	}
	for _, m := range g.members {
		if strings.EqualFold(m.Name, nameOrID) {
			return m
		}
	}
	return g.person(chat.UserID(nameOrID))
}

// addMember adds a new user, or a member of another guild, to a guild.
func (w *World) addMember(g *guild, m *Member) *Member {
	if m.ID == "" {
		m.ID = chat.UserID(w.newID())
	}
	m.Guild, m.Joined = g.ID, w.clock().UTC()
	g.members = append(g.members, m)
	return m
}

// botMember is the bot as a member of any guild, for properties that are the same on all.
func (w *World) botMember() *Member { return w.user(w.bot) }

// addRole makes a role of a guild.
func (w *World) addRole(g *guild, r *Role) *Role {
	if r.ID == "" {
		r.ID = chat.RoleID(w.newID())
	}
	r.Guild, r.Position = g.ID, len(g.roles)
	g.roles = append(g.roles, r)
	return r
}
