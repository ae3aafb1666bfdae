package guild_test

import (
	"testing"

	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/guild"
	"discoclaw/internal/fakediscord"
)

// A world is a server whose bot has the category. Destructive actions are approved.
type world struct {
	*server.Server
	t testing.TB
}

// layout has roles from low to high. The bot ranks between mods and chiefs, bob has all
// rights that the category needs, and zed none.
const layout = `
guild disco: #general
role guests: View Channel
role mods: Manage Roles, Manage Nicknames, Manage Messages, Kick Members
role chiefs: Manage Roles, Manage Nicknames, Ban Members
member ada: owner
member bob: mods
member pia: mods
member kim: chiefs
member gus: guests
member zed
bot DiscoClaw
`

func onServer(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	server.In(t, layout, func(t *testing.T, w *server.Server) {
		w.Must(w.PlaceRole("DiscoClaw", 3))
		test(t, newWorld(t, w))
	})
}

func newWorld(t *testing.T, w *server.Server) *world {
	w.Offer(guild.New(w.Bot))
	w.Agreed = true
	return &world{Server: w, t: t}
}

// An example is a request and its line.
type example struct{ name, who, in, want string }

// requireEach runs requests one by one.
func (w *world) requireEach(examples []example) {
	w.t.Helper()
	for _, e := range examples {
		w.RequireCase(e.name, e.who, e.in, e.want)
	}
}

// role is a role of the world, if it exists.
func (w *world) role(name string) (fakediscord.Role, bool) {
	for _, r := range w.Roles() {
		if r.Name == name {
			return r, true
		}
	}
	return fakediscord.Role{}, false
}

// has reports whether a member has a role.
func (w *world) has(member, role string) bool {
	w.t.Helper()
	m, _ := w.Member(member)
	r, there := w.role(role)
	for _, id := range m.Roles {
		if there && id == r.ID {
			return true
		}
	}
	return false
}
