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
	Permissions schema.Opt[[]Right] `json:"permissions,omitzero" rare:"permission" doc:"All permissions it shall have, instead of those it has; an empty list for none."`
}

func (in RoleEdit) check() error {
	given := slices.Concat(in.Allow, in.Deny)
	switch {
	case in.Name == "" && in.Color == "" && !in.Hoist.Given && !in.Mentionable.Given && !in.Permissions.Given && len(given) == 0:
		return errors.New("nothing to change; give a name, color, hoist, mentionable, allow or deny")
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

func (c *Category) roleEdit() *actions.Action {
	return actions.Define(actions.Spec[RoleEdit]{
		Name:     "roleEdit",
		Summary:  "Change a role's name, color or permissions.",
		Sentence: "Change the role {role}:[, rename it to {name}][, set its color to {color}][, {hoist?show it as a group of its own|show its members with all others}][, {mentionable?let everyone mention it|do not let everyone mention it}][, give it {allow:right}][, take {deny:right} from it][, {permissions:right?give it the permissions $ and no others|remove all of its permissions}]",
		Notes:    []string{"Permissions that neither allow nor deny names stay as they are."},
		Needs:    mayManageRoles,
		PassesOn: true,
		Examples: []RoleEdit{{RoleTarget: RoleTarget{"Helpers"}, Name: "Old Hands"}},
		Check:    RoleEdit.check,
		AlsoNeeds: func(ctx context.Context, call actions.Call, in RoleEdit) ([]actions.Demand, error) {
			r, err := c.role(ctx, call, in.Role)
			return append(passedOn(r.Permissions, in.wants(r.Permissions)), actions.Demand{AboveRole: r.ID}), err
		},
		Do: c.doRoleEdit,
	})
}

func (c *Category) doRoleEdit(ctx context.Context, call actions.Call, in RoleEdit) (actions.Result, error) {
	was, err := c.role(ctx, call, in.Role)
	if err != nil {
		return actions.Result{}, err
	}
	edit := in.edit(was)
	if sameRights(edit, was) {
		return actions.Result{Summary: fmt.Sprintf("left the role %s as it was: %s", was.Mention(), strings.Join(in.changes(was, was), "; "))}, nil
	}
	now, err := c.server.EditRole(ctx, call.Origin.Place.Guild, was.ID, edit)
	if err != nil {
		return actions.Result{}, err
	}
	return actions.Result{
		Summary: fmt.Sprintf("changed the role %s: %s", now.Mention(), strings.Join(in.changes(was, now), "; ")),
		Undo:    []actions.Inverse{actions.Reverse("make the role "+now.Mention()+" what it was", "roleEdit", in.back(was))},
	}, nil
}

// sameRights reports whether an edit only gives a role the permissions that it has.
func sameRights(e chat.RoleEdit, was chat.Role) bool {
	alone := e == chat.RoleEdit{Permissions: e.Permissions}
	return alone && e.Permissions != nil && slices.Equal(*e.Permissions, was.Permissions)
}

// changes lists the changes of an edit.
func (in RoleEdit) changes(was, now chat.Role) []string {
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
	if in.rules() {
		back.Permissions = schema.Some(rights(slices.Clone(was.Permissions)))
	}
	return back
}
