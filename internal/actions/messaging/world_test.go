package messaging_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/discordtest"
)

// A town is a small Discord with the bot on it, and the category in the bot's
// hands.
type town struct {
	*discordtest.World
	t        testing.TB
	bot      *discord.Client
	category *messaging.Category
	files    string         // the folder that sendFile reads from
	origin   actions.Origin // where the replies of run come from: a message of ada's in #general
	guarded  bool           // the rights of who asks count
}

const layout = `
guild disco: #general #ops news:announcement ideas:forum talk:voice Projects:category
member ada: owner
member bob
`

// inTown runs a test in a town with its own time.
func inTown(t *testing.T, layout string, test func(t *testing.T, w *town)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, layout)
		w.connect(t)
		test(t, w)
	})
}

func newTown(t *testing.T, layout string) *town {
	t.Helper()
	w := &town{World: discordtest.New(t, layout), t: t, files: t.TempDir()}
	w.bot = discord.New(discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP()})
	w.category = messaging.New(w.bot, messaging.Options{Roots: []string{w.files}, MaxSize: w.bot.UploadLimit})
	return w
}

// connect lets the bot learn about the server until the test ends, and lets ada
// ask it for something.
func (w *town) connect(t *testing.T) {
	t.Helper()
	ctx, leave := context.WithCancel(context.Background())
	ready, left := make(ear), make(chan error, 1)
	go func() { left <- w.bot.Run(ctx, ready) }()
	t.Cleanup(func() {
		leave()
		if err := <-left; err != nil {
			t.Errorf("the bot left: %v", err)
		}
	})
	select {
	case <-ready:
	case err := <-left:
		left <- nil
		t.Fatalf("the bot did not connect: %v", err)
	}
	w.askedIn("#general")
}

// askedIn makes a message of ada's in a channel or thread the origin.
func (w *town) askedIn(channel string) chat.MessageID {
	w.t.Helper()
	m := w.MustSay("ada", channel, "please")
	ch, _ := w.Channel(channel)
	w.origin = actions.Origin{
		Flow:      actions.FlowMessage,
		Place:     chat.Place{Guild: w.GuildID(), Channel: m.Channel, Message: m.ID},
		Requester: m.Author,
	}
	if ch.Type.IsThread() {
		w.origin.Place.Parent = ch.Parent
	}
	return m.ID
}

// An ear is closed when the bot knows the server, and hears nothing else.
type ear chan struct{}

func (e ear) Ready(chat.User)                     { close(e) }
func (ear) Message(context.Context, chat.Message) {}
func (ear) Edited(context.Context, chat.Message)  {}
func (ear) Deleted(context.Context, chat.Place)   {}
func (ear) Pressed(context.Context, chat.Press)   {}
func (ear) Reacted(context.Context, chat.Reacted) {}

// run executes what a model asks for in one reply and returns a line for each
// request, as the model would see it. Whoever asks may do everything.
func (w *town) run(payloads ...string) []string {
	w.t.Helper()
	return actions.AllLines(w.execute(payloads...))
}

func (w *town) execute(payloads ...string) []actions.Outcome {
	w.t.Helper()
	var reqs []actions.Request
	for _, p := range payloads {
		var head struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(p), &head); err != nil {
			w.t.Fatalf("%s: %v", p, err)
		}
		reqs = append(reqs, actions.Request{Type: head.Type, Args: json.RawMessage(p)})
	}
	reg := actionstest.Registry(w.t, w.category)
	gate := reg.Gate(actionstest.Open(reg))
	dispatcher := actions.NewDispatcher(actionstest.Vouch)
	if w.guarded {
		dispatcher = actions.NewDispatcher(access.Guard(access.Policy{}, w.bot))
	}
	return dispatcher.Execute(w.t.Context(), w.origin, gate, reqs)
}

// require runs one request and compares its line.
func (w *town) require(payload, want string) {
	w.t.Helper()
	if got := w.run(payload)[0]; got != want {
		w.t.Errorf("%s\n got %s\nwant %s", payload, got, want)
	}
}

// An example is a request and its line.
type example struct{ name, in, want string }

// requireEach runs requests one by one. A bubble has no subtests.
func (w *town) requireEach(examples []example) {
	w.t.Helper()
	for _, e := range examples {
		if got := w.run(e.in)[0]; got != e.want {
			w.t.Errorf("%s: %s\n got %s\nwant %s", e.name, e.in, got, e.want)
		}
	}
}

// requirePart is for lines of which only a part matters.
func (w *town) requirePart(payload string, parts ...string) {
	w.t.Helper()
	got := w.run(payload)[0]
	for _, part := range parts {
		if !strings.Contains(got, part) {
			w.t.Errorf("%s\n got %s\nwant it to contain %s", payload, got, part)
		}
	}
}

// requireTexts compares what is written in a channel, oldest first.
func (w *town) requireTexts(channel string, want ...string) {
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
func (w *town) latest(channel string) string {
	w.t.Helper()
	all := w.Messages(channel)
	if len(all) == 0 {
		w.t.Fatalf("%s is empty", channel)
	}
	return string(all[len(all)-1].ID)
}

// say lets somebody write a message and returns its ID.
func (w *town) say(user, channel, text string) string {
	w.t.Helper()
	return string(w.MustSay(user, channel, text).ID)
}
