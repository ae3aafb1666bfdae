package guild

import (
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// Roles is the part of Discord that the actions about roles need.
type Roles interface {
	// Roles are all of them, the highest first and @everyone last.
	Roles(ctx context.Context, g chat.GuildID) ([]chat.Role, error)
	// Role finds one by its ID, else by its name.
	Role(ctx context.Context, g chat.GuildID, ref chat.RoleRef) (chat.Role, error)
	// RoleCounts returns the number of members of each role.
	RoleCounts(ctx context.Context, g chat.GuildID) (map[chat.RoleID]int, error)

	GiveRole(ctx context.Context, g chat.GuildID, u chat.UserID, r chat.RoleID) error
	TakeRole(ctx context.Context, g chat.GuildID, u chat.UserID, r chat.RoleID) error

	CreateRole(ctx context.Context, g chat.GuildID, e chat.RoleEdit) (chat.Role, error)
	EditRole(ctx context.Context, g chat.GuildID, id chat.RoleID, e chat.RoleEdit) (chat.Role, error)
	DeleteRole(ctx context.Context, g chat.GuildID, id chat.RoleID) error
}

func (c *Category) roles() []*actions.Action {
	return []*actions.Action{c.roleInfo(), c.roleAdd(), c.roleRemove(), c.roleCreate(), c.roleEdit(), c.roleDelete()}
}

// mayManageRoles is needed to change roles, or their members. The rank of the requester
// counts besides.
var mayManageRoles = []chat.Permission{chat.ManageRoles}

// A RoleTarget is a role.
type RoleTarget struct {
	Role chat.RoleRef `json:"role" alias:"roleId,roleName" doc:"Role name or ID."`
}

// role finds the role of an action.
func (c *Category) role(ctx context.Context, call actions.Call, ref chat.RoleRef) (chat.Role, error) {
	g, err := call.Guild()
	if err != nil {
		return chat.Role{}, err
	}
	return c.server.Role(ctx, g, ref)
}

// A RoleInfo queries one role, or all.
type RoleInfo struct {
	Role chat.RoleRef `json:"role,omitempty" alias:"roleId,roleName" doc:"Role name or ID; without it, all roles are listed."`
}

func (c *Category) roleInfo() *actions.Action {
	return actions.Define(actions.Spec[RoleInfo]{
		Name:      "roleInfo",
		Summary:   "List the roles, or show what one of them may do.",
		Effect:    actions.Queries,
		Examples:  []RoleInfo{{}, {Role: "Mods"}},
		AlsoNeeds: forMembers[RoleInfo](c),
		Do: func(ctx context.Context, call actions.Call, in RoleInfo) (actions.Result, error) {
			g, err := call.Guild()
			if err != nil {
				return actions.Result{}, err
			}
			counts, _ := c.server.RoleCounts(ctx, g) // the rest is worth showing without them
			if in.Role != "" {
				r, err := c.server.Role(ctx, g, in.Role)
				return actions.Result{Found: describeRole(r, counts), Summary: "looked up " + r.Mention(), Open: true}, err
			}
			all, err := c.server.Roles(ctx, g)
			n := max(len(all)-1, 0) // without @everyone
			return actions.Result{Found: listRoles(all, counts), Summary: actions.Listed("listed", n, "role", "roles"), Open: true}, err
		},
	})
}

func listRoles(all []chat.Role, counts map[chat.RoleID]int) string {
	lines := []string{"Roles:"}
	for _, r := range all {
		if !r.Everyone {
			lines = append(lines, fmt.Sprintf("%s (id:%s, %s members)", chat.OneLine(r.Name), r.ID, countOf(r, counts)))
		}
	}
	if len(lines) == 1 {
		return "No custom roles"
	}
	return strings.Join(lines, "\n")
}

func countOf(r chat.Role, counts map[chat.RoleID]int) string {
	if n, known := counts[r.ID]; known {
		return fmt.Sprint(n)
	}
	return "?"
}

func describeRole(r chat.Role, counts map[chat.RoleID]int) string {
	lines := []string{"Name: " + chat.OneLine(r.Name), "ID: " + string(r.ID)}
	if !r.Everyone {
		lines = append(lines, "Members: "+countOf(r, counts), fmt.Sprintf("Position: %d", r.Position))
	}
	lines = append(lines, "Color: "+string(colorOf(r.Color)))
	if r.Hoist {
		lines = append(lines, "Listed apart: yes")
	}
	if r.Mentionable {
		lines = append(lines, "Mentionable: yes")
	}
	if r.Managed {
		lines = append(lines, "Managed: yes, by a bot or another integration")
	}
	lines = append(lines, "Permissions: "+listRights(r.Permissions))
	return strings.Join(lines, "\n")
}

func listRights(list []chat.Permission) string {
	var names []string
	for _, p := range list {
		names = append(names, string(p))
	}
	if len(names) == 0 {
		return "(none)"
	}
	return strings.Join(names, ", ")
}

// A RoleChange gives a member a role, or removes it.
type RoleChange struct {
	Person
	RoleTarget
}

func (c *Category) roleAdd() *actions.Action {
	return actions.Define(actions.Spec[RoleChange]{
		Name:      "roleAdd",
		Summary:   "Give a member a role.",
		Needs:     mayManageRoles,
		Examples:  []RoleChange{{somebody, RoleTarget{"Mods"}}},
		AlsoNeeds: c.aboveBoth,
		Do: func(ctx context.Context, call actions.Call, in RoleChange) (actions.Result, error) {
			m, r, err := c.both(ctx, call, in)
			switch {
			case err != nil:
				return actions.Result{}, err
			case m.Has(r.ID):
				return actions.Result{Summary: fmt.Sprintf("%s has the role %s already", m.ID.Mention(), r.Mention())}, nil
			}
			if err := c.server.GiveRole(ctx, call.Origin.Place.Guild, m.ID, r.ID); err != nil {
				return actions.Result{}, err
			}
			return actions.Result{
				Summary: fmt.Sprintf("gave %s the role %s", m.ID.Mention(), r.Mention()),
				Undo:    []actions.Inverse{actions.Reverse(fmt.Sprintf("take the role %s from %s", r.Mention(), m.ID.Mention()), "roleRemove", settled(m, r))},
			}, nil
		},
	})
}

func (c *Category) roleRemove() *actions.Action {
	return actions.Define(actions.Spec[RoleChange]{
		Name:      "roleRemove",
		Summary:   "Take a role from a member.",
		Needs:     mayManageRoles,
		Examples:  []RoleChange{{somebody, RoleTarget{"Mods"}}},
		AlsoNeeds: c.aboveBoth,
		Do: func(ctx context.Context, call actions.Call, in RoleChange) (actions.Result, error) {
			m, r, err := c.both(ctx, call, in)
			switch {
			case err != nil:
				return actions.Result{}, err
			case !m.Has(r.ID) && !r.Everyone:
				return actions.Result{Summary: fmt.Sprintf("%s does not have the role %s", m.ID.Mention(), r.Mention())}, nil
			}
			if err := c.server.TakeRole(ctx, call.Origin.Place.Guild, m.ID, r.ID); err != nil {
				return actions.Result{}, err
			}
			return actions.Result{
				Summary: fmt.Sprintf("took the role %s from %s", r.Mention(), m.ID.Mention()),
				Undo:    []actions.Inverse{actions.Reverse(fmt.Sprintf("give %s the role %s back", m.ID.Mention(), r.Mention()), "roleAdd", settled(m, r))},
			}, nil
		},
	})
}

// aboveBoth: the requester ranks above the role and above the member, unless that is
// themselves.
func (c *Category) aboveBoth(ctx context.Context, call actions.Call, in RoleChange) ([]actions.Demand, error) {
	r, err := c.role(ctx, call, in.Role)
	if err != nil {
		return nil, err
	}
	if in.User.ID() == call.Origin.Requester {
		return []actions.Demand{{AboveRole: r.ID}}, nil
	}
	return []actions.Demand{{AboveRole: r.ID, AboveMember: in.User.ID()}}, nil
}

func (c *Category) both(ctx context.Context, call actions.Call, in RoleChange) (chat.Member, chat.Role, error) {
	r, err := c.role(ctx, call, in.Role)
	if err != nil {
		return chat.Member{}, r, err
	}
	m, err := c.person(ctx, call, in.User)
	return m, r, err
}

// settled has the IDs of a member and a role, whatever they are called later.
func settled(m chat.Member, r chat.Role) RoleChange {
	return RoleChange{Person{chat.UserRef(m.ID)}, RoleTarget{chat.RoleRef(r.ID)}}
}
