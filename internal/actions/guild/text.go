package guild

import (
	"fmt"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
)

// named is a role in a sentence.
func named(r chat.Role) string { return `"` + chat.OneLine(r.Name) + `"` }

// A Right is a permission that a role can have, by any of its names.
type Right chat.Permission

// UnmarshalText finds the permission.
func (r *Right) UnmarshalText(text []byte) error {
	p, err := chat.RolePermission(string(text))
	*r = Right(p)
	return err
}

func permissions(rights []Right) []chat.Permission {
	all := []chat.Permission{}
	for _, r := range rights {
		all = append(all, chat.Permission(r))
	}
	return all
}

func rights(list []chat.Permission) []Right {
	all := []Right{}
	for _, p := range list {
		all = append(all, Right(p))
	}
	return all
}

// noColor is the absence of a colour.
const noColor Color = "none"

// A Color is written #RRGGBB, or none.
type Color string

// UnmarshalText accepts it without the # too.
func (c *Color) UnmarshalText(text []byte) error {
	s := strings.ToLower(strings.TrimSpace(string(text)))
	if s == string(noColor) {
		*c = noColor
		return nil
	}
	digits := strings.TrimPrefix(s, "#")
	n, err := strconv.ParseUint(digits, 16, 24)
	if err != nil || len(digits) != 6 {
		return fmt.Errorf("%q is not a colour; write #RRGGBB, such as #3498db, or none", chat.Clip(string(text), 40))
	}
	*c = colorOf(int(n))
	return nil
}

func colorOf(n int) Color {
	if n == 0 {
		return noColor
	}
	return Color(fmt.Sprintf("#%06x", n))
}

// number is the colour as Discord's number.
func (c Color) number() int {
	n, err := strconv.ParseUint(strings.TrimPrefix(string(c), "#"), 16, 24)
	if err != nil {
		return 0 // none
	}
	return int(n)
}
