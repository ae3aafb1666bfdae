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

// A RoleEdit changes a role.
type RoleEdit struct {
	RoleTarget
	Name string `json:"name,omitempty" doc:"New name." max:"100"`
	RoleLook
	Allow       []Right             `json:"allow,omitempty" doc:"Permissions to give it, named as in Discord's settings."`
	Deny        []Right             `json:"deny,omitempty" doc:"Permissions to take from it."`
	Above       chat.RoleRef        `json:"above,omitempty" rare:"yes" doc:"Role to move it directly above."`
	Below       chat.RoleRef        `json:"below,omitempty" rare:"yes" doc:"Role to move it directly below."`
	Permissions schema.Opt[[]Right] `json:"permissions,omitzero" rare:"yes" doc:"All permissions it shall have, instead of those it has; an empty list for none."`
}

func (in RoleEdit) check() error {
	given := slices.Concat(in.Allow, in.Deny)
	switch {
	case in.Name == "" && in.Color == "" && !in.Hoist.Given && !in.Mentionable.Given && !in.rules() && !in.moves():
		return errors.New("nothing to change; give a name, color, hoist, mentionable, allow, deny, above or below")
	case in.Above != "" && in.Below != "":
		return errors.New("a role is moved above another one or below it; give one of both")
	case in.Permissions.Given && len(given) > 0:
		return errors.New("allow and deny change the permissions that the role has, and permissions replaces them all; give one or the other")
	}
	for i, r := range given {
		if slices.Contains(given[:i], r) {
			return fmt.Errorf("“%s” stands there twice; it can be allowed or denied", r)
		}
	}
	return nil
}

// wants returns the permissions of a role after the edit.
func (in RoleEdit) wants(has []chat.Permission) []chat.Permission {
	if in.Permissions.Given {
		return permissions(in.Permissions.Value)
	}
	given := without(permissions(in.Allow), has)
	return without(slices.Concat(has, given), permissions(in.Deny))
}

// edit is the edit for Discord.
func (in RoleEdit) edit(was chat.Role) chat.RoleEdit {
	e := in.RoleLook.edit(chat.OneLine(in.Name))
	if in.rules() {
		e.Permissions = new(in.wants(was.Permissions))
	}
	return e
}

// rules reports whether the edit is about permissions.
func (in RoleEdit) rules() bool { return in.Permissions.Given || len(in.Allow)+len(in.Deny) > 0 }

// moves reports whether the edit moves the role.
func (in RoleEdit) moves() bool { return in.Above != "" || in.Below != "" }

func (c *Category) roleEdit() *actions.Action {
	return actions.Define(actions.Spec[RoleEdit]{
		Name:     "roleEdit",
		Summary:  "Change a role's name, color, permissions or place among the roles.",
		Sentence: "Change the role {role}:[, rename it to {name}][, set its color to {color}][, {hoist?show it as a group of its own|show its members with all others}][, {mentionable?let everyone mention it|do not let everyone mention it}][, give it {allow:right}][, take {deny:right} from it][, move it directly above {above}][, move it directly below {below}][, {permissions:right?give it the permissions $ and no others|remove all of its permissions}]",
		Notes:    []string{"Permissions that neither allow nor deny names stay as they are.", "To take one asks first."},
		Needs:    mayManageRoles,
		PassesOn: true,
		Examples: []RoleEdit{{RoleTarget: RoleTarget{"Helpers"}, Name: "Old Hands"}},
		Check:    RoleEdit.check,
		AlsoNeeds: func(ctx context.Context, call actions.Call, in RoleEdit) ([]actions.Demand, error) {
			r, err := c.role(ctx, call, in.Role)
			if err != nil {
				return nil, err
			}
			demands := append(passedOn(r.Permissions, in.wants(r.Permissions)), actions.Demand{AboveRole: r.ID})
			if !in.moves() {
				return demands, nil
			}
			floor, err := c.floor(ctx, call, in, r)
			return append(demands, actions.Demand{AboveRole: floor.ID}), err
		},
		// What it takes, it takes from everybody who has the role.
		Asks: func(ctx context.Context, call actions.Call, in RoleEdit) (bool, error) {
			if !in.rules() {
				return false, nil
			}
			r, err := c.role(ctx, call, in.Role)
			return len(without(r.Permissions, in.wants(r.Permissions))) > 0, err
		},
		Do: c.doRoleEdit,
	})
}

// floor is the role directly above which an edit moves another one. Who stands above both of them also stands above the new place.
func (c *Category) floor(ctx context.Context, call actions.Call, in RoleEdit, r chat.Role) (chat.Role, error) {
	other, err := c.role(ctx, call, cmp.Or(in.Above, in.Below))
	switch {
	case err != nil:
		return chat.Role{}, err
	case r.Everyone || other.Everyone && in.Below != "":
		return chat.Role{}, errors.New("@everyone always comes last, below all other roles")
	case r.ID == other.ID:
		return chat.Role{}, fmt.Errorf("%s cannot be moved above or below itself", r.Mention())
	case in.Above != "":
		return other, nil
	}
	return c.beneath(ctx, call, other, r)
}

// beneath is the next role below another one, without regard to a third.
func (c *Category) beneath(ctx context.Context, call actions.Call, r, ignored chat.Role) (chat.Role, error) {
	all, err := c.server.Roles(ctx, call.Origin.Place.Guild)
	if err != nil {
		return chat.Role{}, err
	}
	passed := false
	for _, next := range all {
		if passed && next.ID != ignored.ID {
			return next, nil
		}
		passed = passed || next.ID == r.ID
	}
	return chat.Role{}, fmt.Errorf("there is no role below %s", r.Mention())
}

// A roleMove is what becomes of the place of a role. It is empty if an edit does not move the role.
type roleMove struct {
	moved    bool
	from, to chat.Role // directly below the role
	named    chat.Role // in the edit
}

func (c *Category) doRoleEdit(ctx context.Context, call actions.Call, in RoleEdit) (actions.Result, error) {
	was, err := c.role(ctx, call, in.Role)
	if err != nil {
		return actions.Result{}, err
	}
	move, err := c.moveRole(ctx, call, in, was)
	if err != nil {
		return actions.Result{}, err
	}
	now, edit := was, in.edit(was)
	idle := changesNothing(edit, was)
	if !idle {
		now, err = c.server.EditRole(ctx, call.Origin.Place.Guild, was.ID, edit)
	}
	if err != nil {
		return actions.Result{}, c.moveBack(ctx, call, was, move, err)
	}
	told := strings.Join(append(in.changes(was, now), in.place(move)...), "; ")
	if idle && !move.moved {
		return actions.Result{Summary: fmt.Sprintf("nothing to change in the role %s: %s", was.Mention(), told)}, nil
	}
	back := actions.Reverse("change the role "+now.Mention()+" back", "roleEdit", in.back(was, move))
	return actions.Done(nil, fmt.Sprintf("changed the role %s: %s", now.Mention(), told), back)
}

// changesNothing reports whether an edit is empty, or only gives a role the permissions that it has.
func changesNothing(e chat.RoleEdit, was chat.Role) bool {
	rest := e
	rest.Permissions = nil
	return rest == chat.RoleEdit{} && (e.Permissions == nil || slices.Equal(*e.Permissions, was.Permissions))
}

// moveRole moves a role, if the edit does.
func (c *Category) moveRole(ctx context.Context, call actions.Call, in RoleEdit, r chat.Role) (move roleMove, err error) {
	if !in.moves() {
		return roleMove{}, nil
	}
	if move.named, err = c.role(ctx, call, cmp.Or(in.Above, in.Below)); err != nil {
		return roleMove{}, err
	}
	if move.to, err = c.floor(ctx, call, in, r); err != nil {
		return roleMove{}, err
	}
	if move.from, err = c.beneath(ctx, call, r, r); err != nil {
		return roleMove{}, err
	}
	move.moved, err = c.server.MoveRole(ctx, call.Origin.Place.Guild, r.ID, move.to.ID)
	return move, err
}

// moveBack undoes the move of a role that could not be edited, and returns why not: a request is carried out as a whole, or not at all.
func (c *Category) moveBack(ctx context.Context, call actions.Call, r chat.Role, move roleMove, why error) error {
	if !move.moved {
		return why
	}
	if _, err := c.server.MoveRole(ctx, call.Origin.Place.Guild, r.ID, move.from.ID); err != nil {
		return fmt.Errorf("%w; %s was moved, and I could not move it back: %w", why, r.Mention(), err)
	}
	return why
}

// place says where the edit has put the role.
func (in RoleEdit) place(move roleMove) []string {
	is := word(move.moved, "is now", "was already")
	switch {
	case !in.moves():
		return nil
	case in.Below != "":
		return []string{fmt.Sprintf("it %s directly below %s", is, move.named.Mention())}
	case move.named.Everyone:
		return []string{fmt.Sprintf("it %s the lowest role", is)}
	}
	return []string{fmt.Sprintf("it %s directly above %s", is, move.named.Mention())}
}

// changes lists the changes of an edit.
func (in RoleEdit) changes(was, now chat.Role) []string {
	var list []string
	note := func(changed bool, format string, args ...any) {
		if changed {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	note(in.Name != "", "renamed from %s to %s", chat.Bold(was.Name), chat.Bold(now.Name))
	note(in.Color != "", "its color is %s", colorOf(now.Color))
	note(in.Hoist.Given, "its members are %s", word(now.Hoist, "listed apart", "listed among all"))
	note(in.Mentionable.Given, "%s", word(now.Mentionable, "anybody may mention it", "not everybody may mention it"))
	note(in.Permissions.Given, "it has %s", cmp.Or(chat.Rights(now.Permissions), "no permissions"))
	allow, deny := permissions(in.Allow), permissions(in.Deny)
	given, taken := without(allow, was.Permissions), without(deny, without(deny, was.Permissions))
	had, lacked := without(allow, given), without(deny, taken)
	note(len(given) > 0, "it now has %s", chat.Rights(given))
	note(len(taken) > 0, "it no longer has %s", chat.Rights(taken))
	note(len(had) > 0, "it had %s already", chat.Rights(had))
	note(len(lacked) > 0, "it did not have %s", chat.Rights(lacked))
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
func (in RoleEdit) back(was chat.Role, move roleMove) RoleEdit {
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
	if in.rules() {
		back.Permissions = schema.Some(chat.As[Right](was.Permissions))
	}
	if move.moved {
		back.Above = chat.RoleRef(move.from.ID)
	}
	return back
}

// A RoleLook has the properties of a role besides its name and its permissions.
type RoleLook struct {
	Color       Color            `json:"color,omitempty" alias:"colour" doc:"Its color, #RRGGBB or none."`
	Hoist       schema.Opt[bool] `json:"hoist,omitzero" rare:"yes" doc:"Whether its members are listed apart from others."`
	Mentionable schema.Opt[bool] `json:"mentionable,omitzero" rare:"yes" doc:"Whether anybody may mention it."`
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
