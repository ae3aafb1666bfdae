package moderation_test

import (
	"context"
	"testing"
	"time"

	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/moderation"
	"discoclaw/internal/chat"
)

// layout has roles from low to high. The bot ranks between mods and chiefs, bob has all
// rights that the category needs, and zed none.
const layout = `
guild disco: #general
role mods: Timeout Members, Kick Members, Ban Members
role chiefs: Timeout Members, Kick Members, Ban Members
role admins: Administrator
member ada: owner
member bob: mods
member pia: mods
member kim: chiefs
member gus
member zed
bot DiscoClaw
`

// onServer runs a test in which all actions are approved.
func onServer(t *testing.T, test func(t *testing.T, w *server.Server)) {
	t.Helper()
	server.In(t, layout, func(t *testing.T, w *server.Server) {
		w.Must(w.PlaceRole("DiscoClaw", 2))
		w.Offer(moderation.New(w.Bot, func(context.Context, chat.UserID) *time.Location { return time.UTC }))
		w.Agreed = true
		test(t, w)
	})
}

// An example is a request and its line.
type example struct{ name, who, in, want string }

// requireEach runs requests one by one.
func requireEach(t *testing.T, w *server.Server, examples []example) {
	t.Helper()
	for _, e := range examples {
		w.RequireCase(e.name, e.who, e.in, e.want)
	}
}
