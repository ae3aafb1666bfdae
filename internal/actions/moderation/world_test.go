package moderation_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/moderation"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/discordtest"
)

// A town is a small Discord with the bot on it, and the category in the bot's hands.
// Whatever is asked for passes the guard, so people get what they may have and no
// more; what is grave has been agreed to.
type town struct {
	*discordtest.World
	t   testing.TB
	bot *discord.Client
}

// layout has roles from low to high. The bot stands between mods and chiefs, bob has
// what the category could want of him, and zed nothing.
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

func inTown(t *testing.T, test func(t *testing.T, w *town)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &town{World: discordtest.New(t, layout), t: t}
		if err := w.PlaceRole("DiscoClaw", 2); err != nil {
			t.Fatal(err)
		}
		w.bot = discord.New(discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP()})
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

// execute runs a request, in which {name} stands for the ID of a member. An empty
// name asks for nobody.
func (w *town) execute(who, payload string) actions.Outcome {
	w.t.Helper()
	return w.do(who, request(w.t, w.withIDs(payload)))
}

func request(t testing.TB, payload string) actions.Request {
	t.Helper()
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal([]byte(payload), &head); err != nil {
		t.Fatalf("%s: %v", payload, err)
	}
	return actions.Request{Type: head.Type, Args: json.RawMessage(payload)}
}

func (w *town) do(who string, r actions.Request) actions.Outcome {
	w.t.Helper()
	synctest.Wait() // for what has happened on the server to reach the bot
	reg := actionstest.Registry(w.t, moderation.New(w.bot))
	dispatcher := actions.NewDispatcher(access.Guard(access.Policy{}, w.bot))
	return dispatcher.ExecuteApproved(w.t.Context(), w.origin(who), reg.Gate(actionstest.Open(reg)), []actions.Request{r})[0]
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

// undo takes back what an action did, for ada.
func (w *town) undo(out actions.Outcome) {
	w.t.Helper()
	if len(out.Result.Undo) == 0 {
		w.t.Errorf("%s: there is no way back", out.Request.Args)
	}
	for _, back := range out.Result.Undo {
		if got := w.do("ada", back.Request); got.Err != nil || back.Text == "" {
			w.t.Errorf("%s (%s): %v", back.Request.Args, back.Text, got.Err)
		}
	}
}

// require runs a request and compares its line.
func (w *town) require(who, payload, want string) actions.Outcome {
	w.t.Helper()
	out := w.execute(who, payload)
	if got, want := out.Line(), w.withIDs(want); got != want {
		w.t.Errorf("%s asks for %s\n got %s\nwant %s", who, payload, got, want)
	}
	return out
}

// An example is a request and its line.
type example struct{ name, who, in, want string }

// requireEach runs requests one by one. A bubble has no subtests.
func (w *town) requireEach(examples []example) {
	w.t.Helper()
	for _, e := range examples {
		out := w.execute(e.who, e.in)
		if got, want := out.Line(), w.withIDs(e.want); got != want {
			w.t.Errorf("%s: %s asks for %s\n got %s\nwant %s", e.name, e.who, e.in, got, want)
		}
	}
}

func (w *town) withIDs(text string) string {
	for _, name := range []string{"ada", "bob", "pia", "kim", "gus", "zed", "bot"} {
		if m, ok := w.Member(name); ok {
			text = strings.ReplaceAll(text, "{"+name+"}", string(m.ID))
		}
	}
	return text
}

func (w *town) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}
