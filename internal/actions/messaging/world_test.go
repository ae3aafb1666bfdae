package messaging_test

import (
	"log/slog"
	"net/url"
	"path/filepath"
	"slices"
	"testing"

	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/store"
	"discoclaw/internal/turn/attach"
)

// A world is a server whose bot has the category. Members have all rights unless a test puts
// the guard back.
type world struct {
	*server.Server
	t     testing.TB
	files string // the folder that sendFile reads from
}

const layout = `
guild disco: #general #ops news:announcement ideas:forum talk:voice Projects:category
member ada: owner
member bob
`

// onServer runs a test whose turn is ada's, in #general.
func onServer(t *testing.T, layout string, test func(t *testing.T, w *world)) {
	t.Helper()
	server.In(t, layout, func(t *testing.T, w *server.Server) {
		inside := newWorld(t, w)
		inside.askedIn("#general")
		test(t, inside)
	})
}

func newWorld(t *testing.T, w *server.Server) *world {
	files := t.TempDir()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	sent := outbox.NewSent(db, slog.New(slog.DiscardHandler))
	w.Offer(messaging.New(w.Bot, messaging.Options{Roots: []string{files}, MaxSize: w.Bot.UploadLimit, Sent: sent, Texts: opener(t, w).Texts}))
	w.Guard = actionstest.Vouch
	return &world{Server: w, t: t, files: files}
}

// opener reads the files of the fake Discord.
func opener(t *testing.T, w *server.Server) *attach.Opener {
	at, err := url.Parse(w.APIURL())
	if err != nil {
		t.Fatal(err)
	}
	client := w.HTTP()
	t.Cleanup(client.CloseIdleConnections)
	return attach.New(attach.Options{HTTP: client, Hosts: []string{at.Host}})
}

// askedIn moves the turn to a message of ada's in a channel or thread.
func (w *world) askedIn(channel string) chat.MessageID {
	w.t.Helper()
	w.AskIn(channel)
	w.Asked.Place.Message = w.MustSay("ada", channel, "please").ID
	return w.Asked.Place.Message
}

// An example is a request of ada's and its line.
type example struct{ name, in, want string }

// requireEach runs requests one by one.
func (w *world) requireEach(examples []example) {
	w.t.Helper()
	for _, e := range examples {
		w.RequireCase(e.name, "ada", e.in, e.want)
	}
}

// requireTexts compares the messages of a channel, oldest first.
func (w *world) requireTexts(channel string, want ...string) {
	w.t.Helper()
	var got []string
	for _, m := range w.Messages(channel) {
		got = append(got, m.Content)
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("%s says %q, want %q", channel, got, want)
	}
}

// latest is the newest message of a channel.
func (w *world) latest(channel string) string {
	w.t.Helper()
	all := w.Messages(channel)
	if len(all) == 0 {
		w.t.Fatalf("%s is empty", channel)
	}
	return string(all[len(all)-1].ID)
}

// say posts a message of a member and returns its ID.
func (w *world) say(user, channel, text string) string {
	w.t.Helper()
	return string(w.MustSay(user, channel, text).ID)
}
