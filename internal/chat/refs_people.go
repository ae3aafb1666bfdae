package chat

import (
	"errors"
	"fmt"
	"strings"
)

// A UserRef is a user as people and models write them: <@123…>, <@!123…> or 123…. Names are
// not accepted: several users can have the same, and any user can take another's.
type UserRef string

// UnmarshalText takes the markup off.
func (r *UserRef) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	id := s
	if inner, ok := strings.CutPrefix(s, "<@"); ok && strings.HasSuffix(inner, ">") {
		id = strings.TrimPrefix(strings.TrimSuffix(inner, ">"), "!")
	}
	switch {
	case s == "":
		return errors.New("empty; give a user's ID or mention")
	case !IsID(id):
		return fmt.Errorf("%q is not a user's ID (15 to 20 digits) or mention (<@ID>)", Clip(s, 40))
	}
	*r = UserRef(id)
	return nil
}

// ID returns the user's ID.
func (r UserRef) ID() UserID { return UserID(r) }

// A RoleRef is a role as people and models write it: Mods, @Mods, <@&123…> or 123…. It
// is resolved against a server later.
type RoleRef string

// UnmarshalText takes the markup off.
func (r *RoleRef) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if inner, ok := strings.CutPrefix(s, "<@&"); ok && strings.HasSuffix(inner, ">") {
		s = strings.TrimSuffix(inner, ">")
	}
	s = strings.TrimSpace(strings.TrimPrefix(s, "@"))
	if s == "" {
		return errors.New("empty; give a role's name or ID")
	}
	*r = RoleRef(s)
	return nil
}
