package chat

import (
	"errors"
	"fmt"
	"strings"
)

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
