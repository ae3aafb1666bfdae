package guild

import (
	"context"
	"fmt"
	"slices"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// A RoleLook has the properties of a role besides its name and its permissions.
type RoleLook struct {
	Color       Color            `json:"color,omitempty" alias:"colour" doc:"Its color, #RRGGBB or none."`
	Hoist       schema.Opt[bool] `json:"hoist,omitzero" rare:"hoist,apart,separate,group,sidebar" doc:"Whether its members are listed apart from others."`
	Mentionable schema.Opt[bool] `json:"mentionable,omitzero" rare:"mention" doc:"Whether anybody may mention it."`
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
	return e
}

// passedOn: the requester must have every right that they add to a role or remove from it.
func passedOn(has, wants []chat.Permission) []actions.Demand {
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
	Permissions schema.Opt[[]Right] `json:"permissions,omitzero" alias:"allow" doc:"All permissions it shall have, named as in Discord's settings; an empty list for none."`
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
			return passedOn(nil, permissions(in.Permissions.Value)), nil
		},
		Do: func(ctx context.Context, call actions.Call, in RoleCreate) (actions.Result, error) {
			g, err := call.Guild()
			if err != nil {
				return actions.Result{}, err
			}
			edit := in.edit(chat.OneLine(in.Name))
			edit.Permissions = new(permissions(in.Permissions.Value))
			made, err := c.server.CreateRole(ctx, g, edit)
			back := actions.Reverse("delete the role "+made.Mention(), "roleDelete", RoleTarget{chat.RoleRef(made.ID)})
			return actions.Done(err, "created the role "+made.Mention(), back)
		},
	})
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
			return actions.Done(c.server.DeleteRole(ctx, call.Origin.Place.Guild, r.ID), "deleted the role "+chat.Bold(r.Name))
		},
	})
}
