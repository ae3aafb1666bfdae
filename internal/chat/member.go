package chat

import (
	"errors"
	"fmt"
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

// Union returns a user and others, each once. Either may be empty.
func Union(first UserID, others UserIDs) UserIDs {
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

// A UserRef is a user as people and models write them: <@123…>, <@!123…>, 123…, or a name, which
// is resolved against a server later.
type UserRef string

// UnmarshalText takes the markup off.
func (r *UserRef) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if inner, ok := strings.CutPrefix(s, "<@"); ok && strings.HasSuffix(inner, ">") {
		id := strings.TrimPrefix(strings.TrimSuffix(inner, ">"), "!")
		if !IsID(id) {
			return fmt.Errorf("%q is not the mention of a user (<@ID>)", Clip(s, 40))
		}
		s = id
	}
	s = strings.TrimSpace(strings.TrimPrefix(s, "@"))
	switch {
	case s == "":
		return errors.New("empty; give a user's ID, mention or name")
	case strings.HasPrefix(s, "<#") && strings.HasSuffix(s, ">"):
		return fmt.Errorf("%q is a channel, not a user", Clip(s, 40))
	}
	*r = UserRef(s)
	return nil
}

// ID returns the user's ID. It is empty for a name: an ID is never taken for one, whoever is called like it.
func (r UserRef) ID() UserID {
	if !IsID(string(r)) {
		return ""
	}
	return UserID(r)
}

// A BannedRef is a UserRef whose name is that of a banned user.
type BannedRef UserRef

// UnmarshalText takes the markup off.
func (r *BannedRef) UnmarshalText(text []byte) error { return (*UserRef)(r).UnmarshalText(text) }

// A RoleRef is a role as people and models write it: Mods, @Mods, <@&123…> or 123…. It
// is resolved against a server later.
type RoleRef string

// UnmarshalText takes the markup off.
func (r *RoleRef) UnmarshalText(text []byte) error {
	s := plainRef(string(text), "<@&", "@")
	if s == "" {
		return errors.New("empty; give a role's name or ID")
	}
	*r = RoleRef(s)
	return nil
}

// A Presence is the bot's status and activity, on every server. When it is set, empty fields
// stay as they are.
type Presence struct {
	Status   Status
	Activity Activity
}

// A Status is the dot beside a name.
type Status string

const (
	Online       Status = "online"
	Idle         Status = "idle"
	DoNotDisturb Status = "dnd"
	Invisible    Status = "invisible"
)

// String is what Discord's clients call it.
func (s Status) String() string {
	if s == DoNotDisturb {
		return "do not disturb"
	}
	return string(s)
}

// An Activity is the line below a name: "Playing chess". Of a custom one, only the
// text is shown.
type Activity struct {
	Kind ActivityKind
	Text string
}

// An ActivityKind is the word before the text of an Activity.
type ActivityKind string

const (
	Playing   ActivityKind = "Playing"
	Listening ActivityKind = "Listening"
	Watching  ActivityKind = "Watching"
	Competing ActivityKind = "Competing"
	Custom    ActivityKind = "Custom"
)
