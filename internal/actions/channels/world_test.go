package channels_test

import (
	"slices"
	"testing"

	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/channels"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/fakediscord"
)

// A world is a server whose bot has the category. Destructive actions are approved.
type world struct {
	*server.Server
	t testing.TB
}

const layout = `
guild disco: #general #ops news:announcement ideas:forum talk:voice Projects:category Archive:category
member ada: owner
member bob
`

func onServer(t *testing.T, layout string, test func(t *testing.T, w *world)) {
	t.Helper()
	server.In(t, layout, func(t *testing.T, w *server.Server) {
		w.Offer(channels.New(w.Bot), messaging.New(w.Bot, messaging.Options{}))
		w.Agreed = true
		test(t, &world{Server: w, t: t})
	})
}

// An example is a request of ada's, who has all rights, and its line.
type example struct{ name, in, want string }

// requireEach runs requests one by one.
func (w *world) requireEach(examples []example) {
	w.t.Helper()
	for _, e := range examples {
		w.RequireCase(e.name, "ada", e.in, e.want)
	}
}

// must is a channel, which has to exist.
func (w *world) must(name string) fakediscord.Channel {
	w.t.Helper()
	ch, ok := w.Channel(name)
	if !ok {
		w.t.Fatalf("there is no channel %s", name)
	}
	return ch
}

// requireUnchanged fails if a request has changed a channel.
func (w *world) requireUnchanged(before []fakediscord.Channel) {
	w.t.Helper()
	same := slices.EqualFunc(before, w.Channels(), func(a, b fakediscord.Channel) bool {
		return a.ID == b.ID && a.Name == b.Name && a.Topic == b.Topic && a.Parent == b.Parent && a.Position == b.Position
	})
	if !same {
		w.t.Errorf("the channels were\n%+v\nand are\n%+v", before, w.Channels())
	}
}
