package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
	"discoclaw/internal/order"
)

// A role is a chat.Role with its permission bits, some of which may have no name in chat.
type role struct {
	chat.Role
	rights int64
}

func roleFrom(g chat.GuildID, w wireRole) role {
	return role{rights: int64(w.Permissions), Role: chat.Role{
		ID:          chat.RoleID(w.ID),
		Name:        w.Name,
		Position:    w.Position,
		Permissions: rightNames(int64(w.Permissions)),
		Color:       w.Color,
		Hoist:       w.Hoist,
		Mentionable: w.Mentionable,
		Managed:     w.Managed,
		Everyone:    w.ID == string(g),
	}}
}

// rightNames returns the names of permission bits, as far as they have any.
func rightNames(bits int64) []chat.Permission {
	var names []chat.Permission
	for _, p := range chat.RolePermissions() {
		if bits&usualBits[p] != 0 {
			names = append(names, p)
		}
	}
	return names
}

// rightBits is the inverse. A name that Discord does not have is an error: left out, the missing
// right would go unnoticed.
func rightBits(names []chat.Permission) (bits int64, err error) {
	for _, p := range names {
		bit, known := usualBits[p]
		if !known {
			return 0, fmt.Errorf("there is no permission %q on Discord", chat.Clip(string(p), 40))
		}
		bits |= bit
	}
	return bits, nil
}

// compareRoles orders roles from low to high, as Discord does.
func compareRoles(a, b role) int {
	return cmp.Or(cmp.Compare(a.Position, b.Position), byAge(b.ID, a.ID))
}

func (c *cache) putRole(id chat.GuildID, w wireRole) {
	c.change(id, func(g *guild) { g.roles[chat.RoleID(w.ID)] = roleFrom(id, w) })
}

// rolesOf returns the roles of a server, the highest first and @everyone last.
func (c *cache) rolesOf(id chat.GuildID) ([]role, error) {
	return look(c, id, func(g *guild) []role {
		list := slices.Collect(maps.Values(g.roles))
		order.By(list, func(a, b role) int { return compareRoles(b, a) })
		return list
	})
}

// Roles returns the roles of a server, the highest first and @everyone last. It sends no request,
// unless the server is yet to be described.
func (c *Client) Roles(ctx context.Context, g chat.GuildID) ([]chat.Role, error) {
	list, err := c.rolesOf(ctx, g)
	return each(list, func(r role) chat.Role { return r.Role }), err
}

func (c *Client) rolesOf(ctx context.Context, g chat.GuildID) ([]role, error) {
	if err := c.undescribed.wait(ctx, g); err != nil {
		return nil, err
	}
	return c.cache.rolesOf(g)
}

// Role resolves ref on a server: an ID, or else a name, where case makes no difference. If no role is called
// exactly like that, one with the same letters is found. If several roles have the name, the error lists them.
func (c *Client) Role(ctx context.Context, g chat.GuildID, ref chat.RoleRef) (chat.Role, error) {
	r, err := c.role(ctx, g, ref)
	return r.Role, err
}

func (c *Client) role(ctx context.Context, g chat.GuildID, ref chat.RoleRef) (role, error) {
	if err := ref.UnmarshalText([]byte(ref)); err != nil {
		return role{}, fmt.Errorf("role: %w", err)
	}
	list, err := c.rolesOf(ctx, g)
	if err != nil {
		return role{}, err
	}
	if i := slices.IndexFunc(list, func(r role) bool { return string(r.ID) == string(ref) }); i >= 0 {
		return list[i], nil
	}
	named := rolesCalled(list, string(ref))
	switch len(named) {
	case 0:
		return role{}, noSuchRole(string(ref), list)
	case 1:
		return named[0], nil
	}
	found := each(named, func(r role) string { return fmt.Sprintf("<@&%s>", r.ID) })
	return role{}, fmt.Errorf("%d roles are called %q; give one of these instead: %s", len(named), string(ref), strings.Join(found, ", "))
}

// rolesCalled returns the roles with a name or, if there are none, those with its letters.
func rolesCalled(list []role, name string) []role {
	if chat.IsID(name) {
		return nil // an ID must never mean another role that was given such a name since
	}
	like := func(same func(role) bool) []role {
		return slices.DeleteFunc(slices.Clone(list), func(r role) bool { return !same(r) })
	}
	if exact := like(func(r role) bool { return strings.EqualFold(strings.TrimPrefix(r.Name, "@"), name) }); len(exact) > 0 {
		return exact
	}
	want := chat.Letters(name)
	return like(func(r role) bool { return want != "" && chat.Letters(r.Name) == want })
}

// noSuchRole returns the error for an unknown role, with similar names.
func noSuchRole(name string, list []role) error {
	text := fmt.Sprintf("there is no role %q on this server", chat.Clip(name, 100))
	var near []string
	for _, r := range list {
		if chat.Length(name) <= maxNameLength && alike(r.Name, name) && len(near) < 3 {
			near = append(near, "“"+chat.Name(r.Name)+"”")
		}
	}
	if len(near) > 0 {
		text += "; there is " + strings.Join(near, ", ")
	}
	return rest.NotFound("%s", text)
}

// RoleCounts returns how many members have each role, without @everyone.
func (c *Client) RoleCounts(ctx context.Context, g chat.GuildID) (map[chat.RoleID]int, error) {
	return fetch[map[chat.RoleID]int](ctx, c, onServer(http.MethodGet, g, "/roles/member-counts").Needing(onTheServer))
}

// roleBody is a role to make or to change. Nil fields stay as they are.
type roleBody struct {
	Name        *string `json:"name,omitempty"`
	Permissions *int64  `json:"permissions,omitempty"`
	Color       *int    `json:"color,omitempty"`
	Hoist       *bool   `json:"hoist,omitempty"`
	Mentionable *bool   `json:"mentionable,omitempty"`
}

// roleChange returns the body of an edit, and the permissions that the bot needs for it: it can give
// a role only rights that it has itself.
func roleChange(was role, e chat.RoleEdit) (roleBody, []chat.Permission, error) {
	body := roleBody{Color: e.Color, Hoist: e.Hoist, Mentionable: e.Mentionable}
	needs := []chat.Permission{chat.ManageRoles}
	if e.Name != nil {
		name, err := checkName("role", *e.Name)
		if err != nil {
			return body, nil, err
		}
		body.Name = &name
	}
	if e.Permissions != nil {
		rights, err := rightBits(*e.Permissions)
		if err != nil {
			return body, nil, err
		}
		needs = append(needs, rightNames(rights&^was.rights)...)
		rights |= was.rights &^ nameable() // bits without a name stay
		body.Permissions = &rights
	}
	return body, needs, nil
}

// nameable returns all bits that have a name.
func nameable() (bits int64) {
	for _, bit := range usualBits {
		bits |= bit
	}
	return bits
}

// CreateRole makes a role, which is the lowest. It has no rights but those given. An attempt with
// an unclear outcome is not retried.
func (c *Client) CreateRole(ctx context.Context, g chat.GuildID, e chat.RoleEdit) (chat.Role, error) {
	if e.Name == nil {
		return chat.Role{}, errors.New("a role needs a name")
	}
	if e.Permissions == nil {
		e.Permissions = new([]chat.Permission)
	}
	body, needs, err := roleChange(role{}, e)
	if err != nil {
		return chat.Role{}, err
	}
	return c.sendRole(ctx, onServer(http.MethodPost, g, "/roles").Needing(needs...).WithBody(body))
}

// EditRole changes a role and returns the result.
func (c *Client) EditRole(ctx context.Context, g chat.GuildID, id chat.RoleID, e chat.RoleEdit) (chat.Role, error) {
	was, err := c.role(ctx, g, chat.RoleRef(id))
	if err != nil {
		return chat.Role{}, err
	}
	body, needs, err := roleChange(was, e)
	switch {
	case err != nil:
		return chat.Role{}, err
	case was.Everyone && e.Name != nil:
		return chat.Role{}, errors.New("@everyone cannot be renamed")
	}
	q := onServer(http.MethodPatch, g, "/roles/{role}", string(id)).Needing(needs...).WithBody(body)
	r, err := c.sendRole(ctx, q)
	return r, c.tooLow(ctx, q, err, "", id)
}

// sendRole sends a request that returns a role, and caches it.
func (c *Client) sendRole(ctx context.Context, q rest.Request) (chat.Role, error) {
	wire, err := fetch[wireRole](ctx, c, q)
	if err != nil {
		return chat.Role{}, err
	}
	c.cache.putRole(q.Guild, wire)
	return roleFrom(q.Guild, wire).Role, nil
}

// A rolePlace is the new position of a role.
type rolePlace struct {
	ID       chat.RoleID `json:"id"`
	Position int         `json:"position"`
}

// MoveRole puts a role directly above another one, where @everyone is the lowest. It returns false if the role is
// there already.
func (c *Client) MoveRole(ctx context.Context, g chat.GuildID, id, above chat.RoleID) (moved bool, err error) {
	list, err := c.rolesOf(ctx, g)
	if err != nil {
		return false, err
	}
	slices.Reverse(list) // the lowest first
	places, higher, err := moveAbove(list, id, above)
	if err != nil || len(places) == 0 {
		return false, err
	}
	q := onServer(http.MethodPatch, g, "/roles").Needing(chat.ManageRoles).WithBody(places)
	now, err := fetch[[]wireRole](ctx, c, q)
	if err != nil {
		return false, c.tooLow(ctx, q, err, "", higher)
	}
	for _, wire := range now {
		c.cache.putRole(g, wire)
	}
	return true, nil
}

// moveAbove returns the positions that change when a role moves directly above another one, and which of the two stands
// higher before. The list begins with the lowest role.
//
// The roles share the positions that there are, so that none changes for roles below both or above both, which
// the bot may be unable to move. Only where several roles have the same position, those above them make room.
func moveAbove(list []role, id, above chat.RoleID) (places []rolePlace, higher chat.RoleID, err error) {
	at := func(in []role, id chat.RoleID) int {
		return slices.IndexFunc(in, func(r role) bool { return r.ID == id })
	}
	from, floor := at(list, id), at(list, above)
	switch {
	case from < 0 || floor < 0:
		return nil, "", rest.NotFound("there is no such role on this server")
	case list[from].Everyone || from == floor:
		return nil, "", fmt.Errorf("the role %s cannot be moved there", chat.Bold(chat.Name(list[from].Name)))
	}
	after := slices.Delete(slices.Clone(list), from, from+1)
	after = slices.Insert(after, at(after, above)+1, list[from])
	if after[from].ID == id {
		return nil, "", nil // it is there
	}
	position := -1
	for i, r := range after {
		position = max(position+1, list[i].Position)
		if r.Position != position {
			places = append(places, rolePlace{r.ID, position})
		}
	}
	return places, list[max(from, floor)].ID, nil
}

// DeleteRole deletes a role and takes it from all members.
func (c *Client) DeleteRole(ctx context.Context, g chat.GuildID, id chat.RoleID) error {
	if err := c.loose(ctx, g, id); err != nil {
		return err
	}
	q := onServer(http.MethodDelete, g, "/roles/{role}", string(id)).Needing(chat.ManageRoles)
	err := c.rest.Do(ctx, q, nil)
	if err == nil {
		c.cache.change(g, func(g *guild) { delete(g.roles, id) })
	}
	return c.tooLow(ctx, q, err, "", id)
}

// loose refuses a role that an integration manages, which cannot be given, taken or deleted, and
// @everyone.
func (c *Client) loose(ctx context.Context, g chat.GuildID, id chat.RoleID) error {
	r, err := c.role(ctx, g, chat.RoleRef(id))
	switch {
	case err != nil:
		return err
	case r.Everyone:
		return errors.New("@everyone is the role that everybody has; it cannot be given, taken or deleted")
	case r.Managed:
		return fmt.Errorf("the role %s belongs to a bot or another integration, and comes and goes with it", chat.Bold(chat.Name(r.Name)))
	}
	return nil
}

// GiveRole gives a member a role. It is idempotent.
func (c *Client) GiveRole(ctx context.Context, g chat.GuildID, u chat.UserID, id chat.RoleID) error {
	return c.handRole(ctx, http.MethodPut, g, u, id)
}

// TakeRole takes a role from a member. It is idempotent.
func (c *Client) TakeRole(ctx context.Context, g chat.GuildID, u chat.UserID, id chat.RoleID) error {
	return c.handRole(ctx, http.MethodDelete, g, u, id)
}

func (c *Client) handRole(ctx context.Context, method string, g chat.GuildID, u chat.UserID, id chat.RoleID) error {
	if err := c.loose(ctx, g, id); err != nil {
		return err
	}
	q := onServer(method, g, "/members/{user}/roles/{role}", string(u), string(id)).Needing(chat.ManageRoles)
	err := c.rest.Do(ctx, q, nil)
	c.members.forget(memberKey{g, u})
	return c.tooLow(ctx, q, err, "", id)
}
