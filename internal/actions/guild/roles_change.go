package guild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// A RoleLook has the properties of a role besides its name.
type RoleLook struct {
	Color       Color               `json:"color,omitempty" alias:"colour" doc:"Its color, #RRGGBB or none."`
	Hoist       schema.Opt[bool]    `json:"hoist,omitzero" rare:"hoist,apart,separate" doc:"Whether its members are listed apart from others."`
	Mentionable schema.Opt[bool]    `json:"mentionable,omitzero" rare:"mention" doc:"Whether anybody may mention it."`
	Permissions schema.Opt[[]Right] `json:"permissions,omitzero" doc:"All permissions it shall have, named as in Discord's settings; an empty list for none."`
}

// edit is the edit for Discord.
func (in RoleLook) edit(name string) chat.RoleEdit {
	e := chat.RoleEdit{Hoist: in.Hoist.OrNil(), Mentionable: in.Mentionable.OrNil()}
	if name != "" {
		e.Name = &name
	}
	if in.Color != "" {
		e.Color = new(in.Color.number())
	}
	if in.Permissions.Given {
		e.Permissions = new(permissions(in.Permissions.Value))
	}
	return e
}

// demands: the requester must have every right that they add to a role or remove from it.
func (in RoleLook) demands(has []chat.Permission) []actions.Demand {
	if !in.Permissions.Given {
		return nil
	}
	wants := permissions(in.Permissions.Value)
	changed := slices.Concat(without(wants, has), without(has, wants))
	if len(changed) == 0 {
		return nil
	}
	return []actions.Demand{{Rights: changed}}
}

// without leaves out of a list what is in another.
func without(list, other []chat.Permission) []chat.Permission {
	return slices.DeleteFunc(slices.Clone(list), func(p chat.Permission) bool { return slices.Contains(other, p) })
}

// A RoleCreate makes a role.
type RoleCreate struct {
	Name string `json:"name" doc:"Its name." max:"100"`
	RoleLook
}

func (c *Category) roleCreate() *actions.Action {
	return actions.Define(actions.Spec[RoleCreate]{
		Name:     "roleCreate",
		Brief:    "#3498db",
		Summary:  "Create a role.",
		Sentence: "Create the role {name}[, with the color {color}][, {hoist?shown as a group of its own|not shown as a group of its own}][, {mentionable?which everyone can mention|which not everyone can mention}][, {permissions:right?with the permissions $|without permissions}]",
		Needs:    mayManageRoles,
		PassesOn: true,
		Examples: []RoleCreate{{Name: "Helpers", RoleLook: RoleLook{Color: "#3498db"}}},
		AlsoNeeds: func(_ context.Context, _ actions.Call, in RoleCreate) ([]actions.Demand, error) {
			return in.demands(nil), nil
		},
		Do: func(ctx context.Context, call actions.Call, in RoleCreate) (actions.Result, error) {
			g, err := call.Guild()
			if err != nil {
				return actions.Result{}, err
			}
			made, err := c.server.CreateRole(ctx, g, in.edit(chat.OneLine(in.Name)))
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{
				Summary: "created the role " + made.Mention(),
				Undo:    []actions.Inverse{actions.Reverse("delete the role "+made.Mention(), "roleDelete", RoleTarget{chat.RoleRef(made.ID)})},
			}, nil
		},
	})
}

// A RoleEdit changes a role.
type RoleEdit struct {
	RoleTarget
	Name string `json:"name,omitempty" doc:"New name." max:"100"`
	RoleLook
}

func (in RoleEdit) check() error {
	if in.Name == "" && in.Color == "" && !in.Hoist.Given && !in.Mentionable.Given && !in.Permissions.Given {
		return errors.New("nothing to change; give a name, color, hoist, mentionable or permissions")
	}
	return nil
}

func (c *Category) roleEdit() *actions.Action {
	return actions.Define(actions.Spec[RoleEdit]{
		Name:     "roleEdit",
		Summary:  "Change a role's name, color or permissions.",
		Sentence: "Change the role {role}:[, rename it to {name}][, set its color to {color}][, {hoist?show it as a group of its own|show its members with all others}][, {mentionable?let everyone mention it|do not let everyone mention it}][, {permissions:right?give it the permissions $ and no others|remove all of its permissions}]",
		Notes:    []string{"The list of permissions replaces those it has; roleInfo shows them."},
		Needs:    mayManageRoles,
		PassesOn: true,
		Examples: []RoleEdit{{RoleTarget: RoleTarget{"Helpers"}, Name: "Old Hands"}},
		Check:    RoleEdit.check,
		AlsoNeeds: func(ctx context.Context, call actions.Call, in RoleEdit) ([]actions.Demand, error) {
			r, err := c.role(ctx, call, in.Role)
			return append(in.demands(r.Permissions), actions.Demand{AboveRole: r.ID}), err
		},
		Do: func(ctx context.Context, call actions.Call, in RoleEdit) (actions.Result, error) {
			was, err := c.role(ctx, call, in.Role)
			if err != nil {
				return actions.Result{}, err
			}
			now, err := c.server.EditRole(ctx, call.Origin.Place.Guild, was.ID, in.edit(chat.OneLine(in.Name)))
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{
				Summary: fmt.Sprintf("changed the role %s: %s", now.Mention(), strings.Join(in.changes(now), "; ")),
				Undo:    []actions.Inverse{actions.Reverse("make the role "+now.Mention()+" what it was", "roleEdit", in.back(was))},
			}, nil
		},
	})
}

// changes lists the changes of an edit.
func (in RoleEdit) changes(now chat.Role) []string {
	var list []string
	note := func(changed bool, format string, args ...any) {
		if changed {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	note(in.Name != "", "its new name is %s", chat.Bold(now.Name))
	note(in.Color != "", "its color is %s", colorOf(now.Color))
	note(in.Hoist.Given, "its members are %s", word(now.Hoist, "listed apart", "listed among all"))
	note(in.Mentionable.Given, "%s", word(now.Mentionable, "anybody may mention it", "not everybody may mention it"))
	note(in.Permissions.Given, "it has %s", cmp.Or(chat.Rights(now.Permissions), "no permissions"))
	return list
}

// word chooses between two.
func word(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}

// back restores a role, as far as it was changed.
func (in RoleEdit) back(was chat.Role) RoleEdit {
	back := RoleEdit{RoleTarget: RoleTarget{chat.RoleRef(was.ID)}}
	if in.Name != "" {
		back.Name = was.Name
	}
	if in.Color != "" {
		back.Color = colorOf(was.Color)
	}
	if in.Hoist.Given {
		back.Hoist = schema.Some(was.Hoist)
	}
	if in.Mentionable.Given {
		back.Mentionable = schema.Some(was.Mentionable)
	}
	if in.Permissions.Given {
		back.Permissions = schema.Some(rights(slices.Clone(was.Permissions)))
	}
	return back
}

func (c *Category) roleDelete() *actions.Action {
	return actions.Define(actions.Spec[RoleTarget]{
		Name:        "roleDelete",
		Summary:     "Delete a role, which takes it from everybody who has it.",
		Needs:       mayManageRoles,
		Destructive: true,
		Examples:    []RoleTarget{{"Old Hands"}},
		AlsoNeeds: func(ctx context.Context, call actions.Call, in RoleTarget) ([]actions.Demand, error) {
			r, err := c.role(ctx, call, in.Role)
			return []actions.Demand{{AboveRole: r.ID}}, err
		},
		Ask: func(ctx context.Context, call actions.Call, in RoleTarget) (RoleTarget, string, error) {
			r, err := c.role(ctx, call, in.Role)
			what := fmt.Sprintf("Delete the role %s (<@&%s>), which takes it from everybody who has it.", actions.Quoted(r.Name), r.ID)
			return RoleTarget{chat.RoleRef(r.ID)}, what, err
		},
		Do: func(ctx context.Context, call actions.Call, in RoleTarget) (actions.Result, error) {
			r, err := c.role(ctx, call, in.Role)
			if err != nil {
				return actions.Result{}, err
			}
			if err := c.server.DeleteRole(ctx, call.Origin.Place.Guild, r.ID); err != nil {
				return actions.Result{}, err
			}
			return actions.Result{Summary: "deleted the role " + chat.Bold(r.Name)}, nil
		},
	})
}
