package chat

import (
	"errors"
	"fmt"
	"strings"
)

// A UserRef is a person as somebody wrote them: <@123…>, <@!123…> or 123…. Names are
// not taken: several people can have one, and anybody can take another's.
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

// ID is whom the reference means.
func (r UserRef) ID() UserID { return UserID(r) }

// A RoleRef is a role as somebody wrote it: Mods, @Mods, <@&123…> or 123…. It is
// resolved against a server later.
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
