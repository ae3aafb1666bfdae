package chat

import (
	"slices"
	"strings"
	"time"
)

// A Member is a user on a server.
type Member struct {
	User
	Nickname      string    // on this server; empty for none
	DisplayName   string    // on all of Discord, unless there is a nickname; empty for none
	Roles         []RoleID  // without @everyone
	Joined        time.Time // zero if unknown
	TimedOutUntil time.Time // zero or past if not timed out
}

// Has reports whether the member has a role.
func (m Member) Has(r RoleID) bool { return slices.Contains(m.Roles, r) }

// Mention returns the markup that Discord shows as the user's name.
func (u User) Mention() string { return "<@" + string(u.ID) + ">" }

// Certain says who the user is, beyond what they call themselves: the mention, and the user name, which nobody else has.
func (u User) Certain() string {
	if u.Handle == "" {
		return u.Mention()
	}
	return u.Mention() + " (" + InCode(u.Handle) + ")"
}

// A MemberQuery chooses members of a server.
type MemberQuery struct {
	Name   string // part of one of their names; empty for any
	Role   RoleID // that they have; empty for any
	Bare   bool   // only those without any role
	Banned bool   // users who are banned, instead of members
	After  UserID // only members with higher IDs
	Limit  int
}

// A MemberPage has members in order of their IDs.
type MemberPage struct {
	Members []Member
	More    bool
	Total   int    // how many there are on all pages; 0 if that is unknown
	Lacking string // why some may be missing on every page; empty if all were looked at
}

// A Role is a set of rights that members share. Roles are ranked: a member who manages roles
// manages those below their own highest.
type Role struct {
	ID          RoleID
	Name        string
	Position    int // the higher the mightier; of equal ones, the older role stands higher
	Permissions []Permission
	Color       int  // 0xRRGGBB, and 0 for none
	Hoist       bool // its members are listed apart
	Mentionable bool // every member may mention it
	Managed     bool // belongs to a bot or another integration, and cannot be given
	Everyone    bool // @everyone
}

// A RoleEdit describes a role to make or change. A nil field stays as it is; in a new role it
// has Discord's default.
type RoleEdit struct {
	Name        *string
	Permissions *[]Permission // all that it has from then on
	Color       *int
	Hoist       *bool
	Mentionable *bool
}

// UserIDs are several users, as one text that can be compared and stored: IDs with spaces between them.
type UserIDs string

// Together returns a user and others, each once. Either may be empty.
func Together(first UserID, others UserIDs) UserIDs {
	list := []string{string(first)}
	for _, u := range others.List() {
		if u != first {
			list = append(list, string(u))
		}
	}
	return UserIDs(strings.TrimSpace(strings.Join(list, " ")))
}

// List returns the users one by one.
func (u UserIDs) List() (list []UserID) {
	for id := range strings.FieldsSeq(string(u)) {
		list = append(list, UserID(id))
	}
	return list
}
