package fakediscord

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
)

// Limits of roles.
// https://discord.com/developers/docs/resources/guild#create-guild-role
const (
	maxRoleName = 100
	maxRoles    = 250
	maxColor    = 0xFFFFFF
)

// A roleInput is a new or changed role. Nil fields stay as they are.
type roleInput struct {
	Name        *string         `json:"name"`
	Permissions json.RawMessage `json:"permissions"` // a number, or one in a string
	Color       *int            `json:"color"`
	Hoist       *bool           `json:"hoist"`
	Mentionable *bool           `json:"mentionable"`
	Icon        *string         `json:"icon"`
	Emoji       *string         `json:"unicode_emoji"`
	Colors      *struct {
		Primary   *int `json:"primary_color"`
		Secondary *int `json:"secondary_color"`
		Tertiary  *int `json:"tertiary_color"`
	} `json:"colors"`
}

// onto sets the given fields of a role. It refuses rights that the bot lacks, and pictures and further colours, which are for servers with
// boosts.
func (c *call) onto(in roleInput, r *Role) error {
	if in.Colors != nil && in.Colors.Primary != nil {
		in.Color = in.Colors.Primary
	}
	switch {
	case in.Icon != nil || in.Emoji != nil || in.Colors != nil && (in.Colors.Secondary != nil || in.Colors.Tertiary != nil):
		return errBoosts
	case in.Name != nil && (*in.Name == "" || chat.Length(*in.Name) > maxRoleName):
		return invalid("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxRoleName)
	case in.Color != nil && (*in.Color < 0 || *in.Color > maxColor):
		return invalid("color", "NUMBER_TYPE_RANGE", "int value should be between 0 and %d.", maxColor)
	}
	set(&r.Name, in.Name)
	set(&r.Color, in.Color)
	set(&r.Hoist, in.Hoist)
	set(&r.Mentionable, in.Mentionable)
	text := strings.Trim(string(in.Permissions), `"`)
	if text == "" || text == "null" {
		return nil
	}
	bits, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return invalid("permissions", "NUMBER_TYPE_COERCE", "Value %q is not int.", text)
	}
	rights := Permissions(bits)
	if !c.guildPermissions(c.bot).Has(rights &^ r.Permissions) {
		return errMissingPermissions
	}
	r.Permissions = rights
	return nil
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// someRole is the role of the path, if the bot may change it.
func (c *call) someRole() (*Role, error) {
	if err := c.ourGuild(); err != nil {
		return nil, err
	}
	if err := c.may(manageRoles); err != nil {
		return nil, err
	}
	r := c.role(chat.RoleID(c.vars["role"]))
	switch {
	case r == nil:
		return nil, errUnknownRole
	case !c.outranksRole(c.bot, r):
		return nil, errMissingPermissions
	}
	return r, nil
}

func getRole(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	r := c.role(chat.RoleID(c.vars["role"]))
	if r == nil {
		return answer{}, errUnknownRole
	}
	return ok(c.roleJSON(r))
}

// countRoles returns the number of members of each role that has any.
func countRoles(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	counts := object{}
	for _, r := range c.roles[1:] {
		n := 0
		for _, m := range c.members {
			if slices.Contains(m.Roles, r.ID) {
				n++
			}
		}
		counts[string(r.ID)] = n
	}
	return ok(counts)
}

// createRole makes the lowest role. Its default rights are those of @everyone.
func createRole(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	if err := c.may(manageRoles); err != nil {
		return answer{}, err
	}
	if len(c.roles) >= maxRoles {
		return answer{}, errTooManyRoles
	}
	var in roleInput
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	r := &Role{Name: "new role", Permissions: c.everyone().Permissions}
	if err := c.onto(in, r); err != nil {
		return answer{}, err
	}
	c.addRole(c.guild, r)
	r.Position = 1 // equal to the lowest one, and below it because it is younger
	c.emitRole("GUILD_ROLE_CREATE", r)
	c.audit(auditRoleCreate, c.bot.ID, string(r.ID), c.reason(), AuditChange{Key: "name", New: r.Name})
	return ok(c.roleJSON(r))
}

// arrangeRoles moves roles. The bot can move those below its own, and no higher than that. As on Discord, the audit log has
// nothing about it: https://github.com/discord/discord-api-docs/issues/7152
func arrangeRoles(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	if err := c.may(manageRoles); err != nil {
		return answer{}, err
	}
	var moves []struct {
		ID       chat.RoleID `json:"id"`
		Position *int        `json:"position"`
	}
	if err := c.decode(&moves); err != nil {
		return answer{}, err
	}
	order := map[*Role]int{}
	for _, move := range moves {
		r := c.role(move.ID)
		switch {
		case r == nil:
			return answer{}, errUnknownRole
		case r == c.everyone() && move.Position != nil && *move.Position != 0:
			return answer{}, errInvalidRole
		case r != c.everyone() && move.Position != nil:
			order[r] = *move.Position
		}
	}
	before := c.byHeight()
	after := slices.Clone(before)
	slices.SortStableFunc(after[1:], func(a, b *Role) int { return placeOf(order, a) - placeOf(order, b) })
	if own := slices.Index(before, c.highest(c.bot)); c.bot.ID != c.guild.Owner && !slices.Equal(before[own:], after[own:]) {
		return answer{}, errMissingPermissions
	}
	for i, r := range after {
		if r.Position != i {
			r.Position = i
			c.emitRole("GUILD_ROLE_UPDATE", r)
		}
	}
	return ok(c.guildJSON(c.guild)["roles"])
}

// placeOf is where a role stands after a move, in halves, so that one that moves comes to stand beside the one whose place it takes.
func placeOf(moved map[*Role]int, r *Role) int {
	to, moves := moved[r]
	switch {
	case !moves || to == r.Position:
		return 2 * r.Position
	case to > r.Position:
		return 2*to + 1
	}
	return 2*to - 1
}

func editRole(c *call) (answer, error) {
	r, err := c.someRole()
	if err != nil {
		return answer{}, err
	}
	var in roleInput
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	before, after := *r, *r
	if err := c.onto(in, &after); err != nil {
		return answer{}, err
	}
	err = c.reshaped(func() error {
		*r = after
		c.emitRole("GUILD_ROLE_UPDATE", r)
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	changes := []AuditChange{{"name", before.Name, r.Name}, {"permissions", before.Permissions.wire(), r.Permissions.wire()},
		{"color", strconv.Itoa(before.Color), strconv.Itoa(r.Color)}}
	changes = slices.DeleteFunc(changes, func(c AuditChange) bool { return c.Old == c.New })
	c.audit(auditRoleUpdate, c.bot.ID, string(r.ID), c.reason(), changes...)
	return ok(c.roleJSON(r))
}

// deleteRole removes a role from all members and overwrites.
func deleteRole(c *call) (answer, error) {
	r, err := c.someRole()
	if err != nil {
		return answer{}, err
	}
	if r.Managed || r == c.everyone() {
		return answer{}, errInvalidRole
	}
	err = c.reshaped(func() error {
		c.dropRole(r)
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	c.audit(auditRoleDelete, c.bot.ID, string(r.ID), c.reason(), AuditChange{Key: "name", Old: r.Name})
	return done()
}

func (w *World) dropRole(gone *Role) {
	g := w.guild(gone.Guild)
	g.roles = slices.DeleteFunc(g.roles, func(r *Role) bool { return r == gone })
	w.emitOn(g, "GUILD_ROLE_DELETE", intentGuilds, object{"guild_id": g.ID, "role_id": gone.ID})
	for _, m := range g.members {
		if i := slices.Index(m.Roles, gone.ID); i >= 0 {
			m.Roles = slices.Delete(m.Roles, i, i+1)
			w.emitMember(m)
		}
	}
	for _, ch := range w.guildChannels(g) {
		ch.Overwrites = slices.DeleteFunc(ch.Overwrites, func(o Overwrite) bool { return o.Role == gone.ID })
	}
}
