package guild

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

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

// A RoleInfo queries one role with its members, or all roles.
type RoleInfo struct {
	Role  chat.RoleRef `json:"role,omitempty" alias:"roleId,roleName" doc:"Role name or ID, to see what it may do and who has it; without it, roles are listed."`
	Query string       `json:"query,omitempty" doc:"Only roles, or members of the role, with this in their name." max:"100"`
	After Cursor       `json:"after,omitempty" rare:"yes" doc:"Go on after this ID, the last of the page before."`
}

func (c *Category) roleInfo() *actions.Action {
	return actions.Define(actions.Spec[RoleInfo]{
		Name:      "roleInfo",
		Summary:   "List the roles, or show what one of them may do and who has it.",
		Effect:    actions.Queries,
		Reads:     actions.Names,
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
				if err != nil {
					return actions.Result{}, err
				}
				return actions.Result{Found: describeRole(r, counts) + c.whoHas(ctx, g, r, in), Summary: "looked up " + r.Mention(), Open: true}, nil
			}
			all, err := c.server.Roles(ctx, g)
			if err != nil {
				return actions.Result{}, err
			}
			found, n := listRoles(all, counts, in)
			return actions.Result{Found: found, Summary: actions.Listed("listed", n, "role", "roles"), Open: true}, nil
		},
	})
}

// maxOnPage is how many roles, or members of a role, are listed at once.
const maxOnPage = 50

// whoHas lists the members of a role, as far as the bot may know them.
func (c *Category) whoHas(ctx context.Context, g chat.GuildID, r chat.Role, in RoleInfo) string {
	if r.Everyone {
		return ""
	}
	found, err := c.server.FindMembers(ctx, g, chat.MemberQuery{Name: in.Query, Role: r.ID, After: chat.UserID(in.After), Limit: maxOnPage})
	roles, err2 := c.server.Roles(ctx, g)
	if err := cmp.Or(err, err2); err != nil {
		return fmt.Sprintf("\nWho has it is unknown: %v", err)
	}
	return "\n" + listMembers("Who has it", found, roles, in.After)
}

// listRoles lists roles but @everyone, the highest first, and returns how many.
func listRoles(all []chat.Role, counts map[chat.RoleID]int, in RoleInfo) (string, int) {
	l := listing{title: "Roles", after: in.After, field: "after"}
	passed := in.After == ""
	for _, r := range all {
		if r.Everyone || !strings.Contains(strings.ToLower(r.Name), strings.ToLower(in.Query)) {
			continue
		}
		l.total++
		switch {
		case !passed:
			passed = string(r.ID) == string(in.After)
		case len(l.lines) < maxOnPage:
			l.add(fmt.Sprintf("%s (id:%s, %s)", chat.Name(r.Name), r.ID, membersOf(r, counts)), string(r.ID))
		default:
			l.more = true
		}
	}
	if in.Query != "" {
		l.title += fmt.Sprintf(` with "%s" in the name`, chat.OneLine(in.Query))
	}
	return l.String(), len(l.lines)
}

func membersOf(r chat.Role, counts map[chat.RoleID]int) string {
	if n, known := counts[r.ID]; known {
		return chat.Counted(n, "member", "members")
	}
	return "? members"
}

func describeRole(r chat.Role, counts map[chat.RoleID]int) string {
	lines := []string{"Name: " + chat.Name(r.Name), "ID: " + string(r.ID)}
	if !r.Everyone {
		n, _, _ := strings.Cut(membersOf(r, counts), " ")
		lines = append(lines, "Members: "+n, fmt.Sprintf("Position: %d", r.Position))
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
	lines = append(lines, "Permissions: "+cmp.Or(chat.PermissionNames(r.Permissions), "(none)"))
	return strings.Join(lines, "\n")
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
		Sentence:  "Give {userId} the role {role}",
		Needs:     mayManageRoles,
		Examples:  []RoleChange{{somebody, RoleTarget{"Mods"}}},
		AlsoNeeds: c.aboveBoth,
		Do: func(ctx context.Context, call actions.Call, in RoleChange) (actions.Result, error) {
			m, r, err := c.both(ctx, call, in)
			if err != nil || m.Has(r.ID) {
				return actions.Done(err, fmt.Sprintf("%s has the role %s already", m.ID.Mention(), r.Mention()))
			}
			return actions.Done(c.server.GiveRole(ctx, call.Origin.Place.Guild, m.ID, r.ID),
				fmt.Sprintf("gave %s the role %s", m.ID.Mention(), r.Mention()),
				actions.Reverse(fmt.Sprintf("take the role %s from %s", r.Mention(), m.ID.Mention()), "roleRemove", settled(m, r)))
		},
	})
}

func (c *Category) roleRemove() *actions.Action {
	return actions.Define(actions.Spec[RoleChange]{
		Name:      "roleRemove",
		Summary:   "Take a role from a member.",
		Sentence:  "Take the role {role} from {userId}",
		Needs:     mayManageRoles,
		Examples:  []RoleChange{{somebody, RoleTarget{"Mods"}}},
		AlsoNeeds: c.aboveBoth,
		Do: func(ctx context.Context, call actions.Call, in RoleChange) (actions.Result, error) {
			m, r, err := c.both(ctx, call, in)
			if err != nil || !m.Has(r.ID) && !r.Everyone {
				return actions.Done(err, fmt.Sprintf("%s does not have the role %s", m.ID.Mention(), r.Mention()))
			}
			return actions.Done(c.server.TakeRole(ctx, call.Origin.Place.Guild, m.ID, r.ID),
				fmt.Sprintf("took the role %s from %s", r.Mention(), m.ID.Mention()),
				actions.Reverse(fmt.Sprintf("give %s the role %s back", m.ID.Mention(), r.Mention()), "roleAdd", settled(m, r)))
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
