package channels_test

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
	"discoclaw/internal/actions/channels"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

// A town is a small Discord with the bot on it, and the category in the bot's
// hands. Whatever is asked for passes the guard, so people get what they may have
// and no more.
type town struct {
	*discordtest.World
	t        testing.TB
	bot      *discord.Client
	category *channels.Category
	waiting  func() // what happens between the check of rights and the action
}

const layout = `
guild disco: #general #ops news:announcement ideas:forum talk:voice Projects:category Archive:category
member ada: owner
member bob
`

// inTown runs a test in a town with its own time.
func inTown(t *testing.T, layout string, test func(t *testing.T, w *town)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &town{World: discordtest.New(t, layout), t: t}
		w.bot = discord.New(discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP()})
		w.category = channels.New(w.bot)
		w.connect(t)
		test(t, w)
	})
}

// connect lets the bot learn about the server until the test ends.
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
}

// An ear hears that the bot is ready, and nothing else.
type ear chan struct{}

func (e ear) Ready(chat.User)                     { close(e) }
func (ear) Message(context.Context, chat.Message) {}
func (ear) Edited(context.Context, chat.Message)  {}
func (ear) Deleted(context.Context, chat.Place)   {}
func (ear) Pressed(context.Context, chat.Press)   {}
func (ear) Reacted(context.Context, chat.Reacted) {}

// run executes what a model asks for in one reply to ada, who may do everything,
// and returns a line for each request, as the model would see it.
func (w *town) run(payloads ...string) []string {
	w.t.Helper()
	return w.runFor("ada", payloads...)
}

// runFor is run for somebody else; an empty name is for nobody.
func (w *town) runFor(who string, payloads ...string) []string {
	w.t.Helper()
	return actions.AllLines(w.outcomesFor(who, payloads...))
}

func (w *town) outcomesFor(who string, payloads ...string) []actions.Outcome {
	w.t.Helper()
	synctest.Wait() // for what has happened on the server to reach the bot
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
	reg := actionstest.Registry(w.t, w.category, messaging.New(w.bot, messaging.Options{}))
	gate := reg.Gate(actionstest.Open(reg))
	guard := access.Guard(access.Policy{}, w.bot)
	return actions.NewDispatcher(guard, w.approve).Execute(w.t.Context(), w.origin(who), gate, reqs)
}

// origin is a message of somebody's in #general.
func (w *town) origin(who string) actions.Origin {
	o := actions.Origin{Flow: actions.FlowMessage, Place: chat.Place{
		Guild: w.GuildID(), Channel: w.ChannelID("#general"), Message: "111111111111111111",
	}}
	if who != "" {
		o.Requester = w.UserID(who)
	}
	return o
}

// approve agrees to everything that cannot be undone, after a while.
func (w *town) approve(next actions.Handler) actions.Handler {
	return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
		if w.waiting != nil {
			w.waiting()
			synctest.Wait()
		}
		return next(ctx, call.Approved(), b)
	}
}

// require runs one request and compares its line, in which {name} stands for the ID
// of a channel.
func (w *town) require(payload, want string) {
	w.t.Helper()
	w.requireFor("ada", payload, want)
}

func (w *town) requireFor(who, payload, want string) {
	w.t.Helper()
	got := w.runFor(who, payload)[0]
	if want = w.withIDs(want); got != want {
		w.t.Errorf("%s\n got %s\nwant %s", payload, got, want)
	}
}

// An example is a request and its line.
type example struct{ name, in, want string }

// requireEach runs requests one by one. A bubble has no subtests.
func (w *town) requireEach(examples []example) {
	w.t.Helper()
	for _, e := range examples {
		got := w.run(w.withIDs(e.in))[0]
		if want := w.withIDs(e.want); got != want {
			w.t.Errorf("%s: %s\n got %s\nwant %s", e.name, e.in, got, want)
		}
	}
}

// requirePart is for lines of which only a part matters.
func (w *town) requirePart(who, payload string, parts ...string) {
	w.t.Helper()
	got := w.runFor(who, payload)[0]
	for _, part := range parts {
		if part = w.withIDs(part); !strings.Contains(got, part) {
			w.t.Errorf("%s\n got %s\nwant it to contain %s", payload, got, part)
		}
	}
}

// withIDs puts IDs in place of {channel}, for all channels there are.
func (w *town) withIDs(text string) string {
	for _, ch := range w.Channels() {
		text = strings.ReplaceAll(text, "{"+ch.Name+"}", string(ch.ID))
	}
	return text
}

// must is a channel that has to be there.
func (w *town) must(name string) fakediscord.Channel {
	w.t.Helper()
	ch, ok := w.Channel(name)
	if !ok {
		w.t.Fatalf("there is no channel %s", name)
	}
	return ch
}

// requireUnchanged says that a request has changed nothing.
func (w *town) requireUnchanged(before []fakediscord.Channel) {
	w.t.Helper()
	same := slices.EqualFunc(before, w.Channels(), func(a, b fakediscord.Channel) bool {
		return a.ID == b.ID && a.Name == b.Name && a.Topic == b.Topic && a.Parent == b.Parent && a.Position == b.Position
	})
	if !same {
		w.t.Errorf("the channels were\n%+v\nand are\n%+v", before, w.Channels())
	}
}
